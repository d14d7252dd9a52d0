// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Simulates the loss scale: a recorded trace of bad steps, under any policy, without tensors.
#pragma once

#include <concepts>
#include <new>
#include <vector>

#include "amp/core/error.hpp"
#include "amp/scaler/state.hpp"

namespace amp::inline v0 {

/// Returns the state after each update of a scaler with one optimizer that starts from `start`.
/// `found_inf` is a range of values that convert to bool: for each update, whether a gradient was
/// not finite.
///
/// ```cpp
/// const std::vector<bool> trace{false, true, true};
/// const amp::GradScalerOptions paddle{.hysteresis = 2, .policy = amp::ScalePolicy::kEveryNth};
/// assert(amp::replay(paddle, trace).back().scale == 32768);
/// ```
///
/// Uses the same transition as the device, bit for bit. Throws if the state is not valid.
template <std::same_as<GradScalerState> State, class Range>  // deduced, so that {...} are options
std::vector<GradScalerState> replay(const State& start, const Range& found_inf) try {
  detail::check_state(start);
  std::vector<GradScalerState> states;
  GradScalerState state = start;
  kernels::ScaleState live = detail::live_part(start);
  for (const bool bad : found_inf) {
    ++(bad ? live.skipped : live.applied);
    kernels::update_scale(live, detail::rule_of(start), bad);
    detail::set_live_part(state, live);
    states.push_back(state);
  }
  return states;
} catch (const std::bad_alloc&) {
  throw detail::OutOfMemory();
}
template <class Range>
std::vector<GradScalerState> replay(const GradScalerOptions& options, const Range& found_inf) {
  return replay(detail::initial_state(options), found_inf);
}

}  // namespace amp::inline v0

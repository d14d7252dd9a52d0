// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The state of dynamic loss scaling and its one transition, a pure function that host and device
// share.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/device.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

/// Lives on the device at a stable address.
struct ScaleState {
  float scale;
  float inverse;  // 1 / scale, rounded from double
  std::int32_t growth_tracker;
  std::int32_t hysteresis_left;
  std::int64_t applied;              // optimizer steps taken
  std::int64_t skipped;              // optimizer steps left out
  std::int64_t consecutive_skipped;  // updates in a row that saw a non-finite gradient
};

struct ScaleRule {
  double growth_factor, backoff_factor;
  std::int64_t growth_interval;
  double min_scale, max_scale;
  std::int32_t hysteresis;
};

AMP_HOST_DEVICE constexpr void set_scale(ScaleState& state, double scale) {
  state.scale = static_cast<float>(scale);
  state.inverse = static_cast<float>(1.0 / static_cast<double>(state.scale));
}

/// PyTorch's rule (torch.amp.GradScaler), with bounds and hysteresis: a bad step backs off once
/// `hysteresis` of them came since the scale last grew; `growth_interval` good steps in a row grow
/// it.
AMP_HOST_DEVICE constexpr void update_scale(ScaleState& state, const ScaleRule& rule,
                                            bool found_inf) {
  if (found_inf) {
    state.growth_tracker = 0;
    ++state.consecutive_skipped;
    if (--state.hysteresis_left > 0) return;
    state.hysteresis_left = 1;  // refilled by growth only
    const double lowered = static_cast<double>(state.scale) * rule.backoff_factor;
    const double bounded = lowered < rule.min_scale ? rule.min_scale : lowered;
    if (bounded < static_cast<double>(state.scale)) set_scale(state, bounded);
  } else {
    state.consecutive_skipped = 0;
    if (state.growth_tracker < 0x7fff'ffff) ++state.growth_tracker;
    if (state.growth_tracker < rule.growth_interval) return;
    state.growth_tracker = 0;
    state.hysteresis_left = rule.hysteresis;
    const double grown = static_cast<double>(state.scale) * rule.growth_factor;
    const double bounded = grown > rule.max_scale ? rule.max_scale : grown;
    if (bounded > static_cast<double>(state.scale)) set_scale(state, bounded);
  }
}

/// The found_inf words of the optimizers that took part in a cycle; those of `stepped` ones count
/// as applied or skipped.
struct UpdateScaleArgs {
  Device device;
  ScaleState* state;
  ScaleRule rule;
  const float* const* found_inf;
  const std::uint8_t* stepped;  // 0 or 1
  std::int64_t count;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/link_check.hpp"

// Header-only with AMP_SHARED_STATE, the library of <amp/shared_state.hpp> alone has the accessors.
#if !AMP_HEADER_ONLY || !defined(AMP_SHARED_STATE) || defined(AMP_SHARED_STATE_IMPLEMENTATION)

namespace amp::inline v0 {

template <class State>
AMP_EXPORT State& process_state() {
  AMP_LINK_CHECK;
  static constinit std::atomic<State*> state{nullptr};
  State* known = state.load(std::memory_order_acquire);
  if (known != nullptr) [[likely]]
    return *known;
  State* const fresh = detail::or_out_of_memory([] { return new State(); });
  if (state.compare_exchange_strong(known, fresh)) return *fresh;
  delete fresh;
  return *known;
}

template <class State>
AMP_EXPORT State& thread_state() {
  static_assert(std::is_trivially_destructible_v<State>);
  static constinit thread_local State state{};
  return state;
}

}  // namespace amp::inline v0
#endif

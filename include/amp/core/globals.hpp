// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Process-wide and thread-local state, reached by type. Each accessor has default visibility, so
// that an executable and its shared objects, also those built with -fvisibility=hidden or loaded by
// dlopen, share one instance. The layers that own a state define its type (marked AMP_EXPORT); this
// header does not know them.
#pragma once

#include <type_traits>

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The one `State` of the process. Never destroyed, so that it outlives every static that may still
/// use it.
template <class State>
AMP_EXPORT State& process_state();

/// This thread's `State`. Constant-initialised and trivially destructible: no guard, no destructor
/// order.
template <class State>
AMP_EXPORT State& thread_state();

// With AMP_SHARED_STATE these come from the one shared library that includes
// <amp/shared_state.hpp>.
#if !defined(AMP_SHARED_STATE) || defined(AMP_SHARED_STATE_IMPLEMENTATION)
template <class State>
AMP_EXPORT State& process_state() {
  static State* const state = new State();
  return *state;
}

template <class State>
AMP_EXPORT State& thread_state() {
  static_assert(std::is_trivially_destructible_v<State>);
  static constinit thread_local State state{};
  return state;
}
#endif

}  // namespace amp::inline v0

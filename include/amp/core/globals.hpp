// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Process-wide and thread-local state, reached by type. Each accessor has default visibility, so
// that an executable and its shared objects, also those built with -fvisibility=hidden or loaded by
// dlopen, share one instance. The layers that own a state define its type (marked AMP_EXPORT); this
// header does not know them.
#pragma once

#include <atomic>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0 {

/// The one `State` of the process. Never destroyed, so that it outlives every static that may still
/// use it. If several threads come first at once, one instance stays and the others are deleted, so
/// a constructor must do no harm if it runs twice. (A guarded static would stay locked in a child
/// that was forked while another thread made it.)
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
#endif

}  // namespace amp::inline v0

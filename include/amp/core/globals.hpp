// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Process-wide and thread-local state, reached by type. Each accessor has default visibility, so
// that an executable and its shared objects, also those built with -fvisibility=hidden or loaded by
// dlopen, share one instance. The layers that own a state define its type (marked AMP_EXPORT) and
// name it in AMP_PROCESS_STATE, AMP_THREAD_STATE or AMP_THREAD_OBJECT; this header does not know
// them.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0 {

/// The one `State` of the process. Never destroyed, so that it outlives every static that may still
/// use it. If several threads come first at once, one instance stays and the others are deleted, so
/// a constructor must do no harm if it runs twice. (The guard of a static would stay locked in a
/// child that is forked while another thread constructs it.)
template <class State>
AMP_EXPORT State& process_state();

/// This thread's `State`. Constant-initialised and trivially destructible: no guard, no destructor
/// order.
template <class State>
AMP_EXPORT State& thread_state();

/// This thread's `Object`, made at the first use. It may have a destructor: it is deleted when the
/// thread ends, after the thread's thread_local objects, and made anew if it is used after that.
/// That of the thread that ends the process is never deleted, so that statics may still use it.
/// Throws amp::Error if there is no memory left.
template <class Object>
AMP_EXPORT Object& thread_object();

}  // namespace amp::inline v0

// Use these in namespace amp, beside the definitions of the layer that owns the state. The compiled
// library contains the accessor.
#if !AMP_HEADER_ONLY
#define AMP_PROCESS_STATE(...) template AMP_EXPORT __VA_ARGS__& process_state<__VA_ARGS__>()
#define AMP_THREAD_STATE(...) template AMP_EXPORT __VA_ARGS__& thread_state<__VA_ARGS__>()
#define AMP_THREAD_OBJECT(...) template AMP_EXPORT __VA_ARGS__& thread_object<__VA_ARGS__>()
#else
#define AMP_PROCESS_STATE(...) static_assert(true)
#define AMP_THREAD_STATE(...) static_assert(true)
#define AMP_THREAD_OBJECT(...) static_assert(true)
#endif

#if AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <atomic>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/link_check.hpp"

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

namespace detail {

/// Where a thread keeps its object.
template <class Object>
struct AMP_EXPORT ThreadObject {
  Object* object = nullptr;
};

/// Deletes the objects of threads that end. The C library calls it after all destructors of
/// thread_local objects.
template <class Object>
class AMP_EXPORT ThreadEnd {
 public:
  ThreadEnd() {
    if (pthread_key_create(&key_, destroy) != 0) throw OutOfMemory();
  }
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;
  ~ThreadEnd() { (void)pthread_key_delete(key_); }

  void own(Object* object) const {
    if (pthread_setspecific(key_, object) == 0) return;
    delete object;
    throw OutOfMemory();
  }

 private:
  static void destroy(void* object) {
    thread_state<ThreadObject<Object>>().object = nullptr;
    delete static_cast<Object*>(object);
  }

  pthread_key_t key_;
};

}  // namespace detail

template <class Object>
AMP_EXPORT Object& thread_object() {
  Object*& mine = thread_state<detail::ThreadObject<Object>>().object;
  if (mine != nullptr) [[likely]]
    return *mine;
  const auto& end = process_state<detail::ThreadEnd<Object>>();
  Object* const fresh = detail::or_out_of_memory([] { return new Object(); });
  end.own(fresh);
  mine = fresh;
  return *mine;
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0 {
namespace detail {

/// Of a thread that forks.
struct AMP_EXPORT ForkHandlers {
  int running = 0;
};

class AMP_EXPORT ProcessLocks {
 public:
  ProcessLocks() = default;
  ProcessLocks(const ProcessLocks&) = delete;
  ProcessLocks& operator=(const ProcessLocks&) = delete;

  /// The one of this process. It is made before the handlers of fork can ask for it: within one,
  /// older C libraries wait for ever for a thread that adds another.
  static ProcessLocks& here() {
    ProcessLocks& locks = process_state<ProcessLocks>();
    if (!locks.watches_forks_.load(std::memory_order_acquire)) {
      // Several threads may come here at once; handlers that run twice do no harm.
      if (pthread_atfork(take_all, give_back_all, start_anew) != 0) throw OutOfMemory();
      locks.watches_forks_.store(true, std::memory_order_release);
    }
    return locks;
  }

  std::mutex& of(LockOf lock, std::size_t stripe) {
    return places_[static_cast<std::size_t>(lock) + stripe].mutex;
  }
  /// How often this process is the child of one that used amp.
  std::uint32_t forks() const { return forks_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Place {  // a cache line each
    std::mutex mutex;
  };

  static void take_all() {
    if (thread_state<ForkHandlers>().running++ != 0) return;
    for (Place& place : process_state<ProcessLocks>().places_) place.mutex.lock();
  }
  static void give_back_all() {
    if (--thread_state<ForkHandlers>().running != 0) return;
    for (Place& place : process_state<ProcessLocks>().places_) place.mutex.unlock();
  }
  static void start_anew() {
    if (--thread_state<ForkHandlers>().running != 0) return;
    ProcessLocks& locks = process_state<ProcessLocks>();
    for (Place& place : locks.places_) std::construct_at(&place.mutex);
    locks.forks_.fetch_add(1, std::memory_order_relaxed);
  }

  Place places_[static_cast<std::size_t>(LockOf::kCount)];
  std::atomic<std::uint32_t> forks_ = 0;
  std::atomic<bool> watches_forks_ = false;
};

/// The place among the mutexes of a kind that serves an object.
AMP_INLINE std::size_t stripe_of(const void* object) {
  const auto address = reinterpret_cast<std::uintptr_t>(object) / 64;  // as objects are apart
  return (address ^ address / kLockStripes) % kLockStripes;
}

/// The mutex that a ProcessLock now holds.
AMP_INLINE void* locked(LockOf lock, std::size_t stripe) {
  std::mutex& mutex = ProcessLocks::here().of(lock, stripe);
  mutex.lock();
  return &mutex;
}

AMP_INLINE ProcessLock::ProcessLock(LockOf lock) : mutex_(locked(lock, 0)) {}
AMP_INLINE ProcessLock::ProcessLock(LockOf lock, const void* object)
    : mutex_(locked(lock, stripe_of(object))) {}
AMP_INLINE ProcessLock::~ProcessLock() { static_cast<std::mutex*>(mutex_)->unlock(); }

AMP_INLINE std::uint32_t fork_count() { return ProcessLocks::here().forks(); }

}  // namespace detail

AMP_PROCESS_STATE(detail::ProcessLocks);
AMP_THREAD_STATE(detail::ForkHandlers);

}  // namespace amp::inline v0

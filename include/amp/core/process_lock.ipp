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

/// The state of a thread that forks.
struct AMP_EXPORT ForkHandlers {
  int running = 0;
};

class AMP_EXPORT ProcessLocks {
 public:
  ProcessLocks() = default;
  ProcessLocks(const ProcessLocks&) = delete;
  ProcessLocks& operator=(const ProcessLocks&) = delete;

  /// Returns the locks of this process. They exist before their fork handlers are registered. With
  /// older C libraries, a handler that waits for a thread which registers another handler waits for
  /// ever.
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
  /// The number of forks between the first process that used amp and this one.
  std::uint32_t forks() const { return forks_.load(std::memory_order_relaxed); }

 private:
  struct alignas(64) Place {  // each on its own cache line
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

/// Returns the index, among the mutexes of a kind, of the one that serves an object.
AMP_INLINE std::size_t stripe_of(const void* object) {
  // Objects lie about 64 bytes apart.
  const auto address = reinterpret_cast<std::uintptr_t>(object) / 64;
  return (address ^ address / kLockStripes) % kLockStripes;
}

/// Locks and returns the mutex of a ProcessLock.
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

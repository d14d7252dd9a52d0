// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mutexes of all state that threads share, in one place and in one order, so that a process may
// fork while other threads compute: fork waits for every one of them, and the child finds them free
// and what they guard whole.
#pragma once

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "amp/core/globals.hpp"

namespace amp::inline v0::detail {

/// How many mutexes serve the objects of one kind. Two objects may share one, and their threads
/// then wait for each other.
inline constexpr int kLockStripes = 16;

/// In the order in which a thread may take them: who holds one takes later ones only, and calls
/// nothing of the user's. The numbers are places among the mutexes.
enum class LockOf : int {
  kWeightCopies,                   ///< the list of all weights that have low-precision copies
  kWeight,                         ///< the copies of one weight
  kLeaf = kWeight + kLockStripes,  ///< the gradient of one leaf
  kLayout = kLeaf + kLockStripes,  ///< the elements of one storage in another order, when made
  kPrimitives = kLayout + kLockStripes,  ///< oneDNN, while it makes one
  kThreadPool,
  kHostMemory,
  kGenerator,
  kOps,
  kNorms,
  kLibraries,
  kWarnings,
  kCount  // below 64: a thread sanitizer follows no more of one thread
};

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

/// Holds one of them for its lifetime.
class ProcessLock {
 public:
  [[nodiscard]] explicit ProcessLock(LockOf lock) : lock_(ProcessLocks::here().of(lock, 0)) {}
  /// That of an object, of a kind that has kLockStripes.
  [[nodiscard]] ProcessLock(LockOf lock, const void* object)
      : lock_(ProcessLocks::here().of(lock, stripe_of(object))) {}

 private:
  static std::size_t stripe_of(const void* object) {
    const auto address = reinterpret_cast<std::uintptr_t>(object) / 64;  // as objects are apart
    return (address ^ address / kLockStripes) % kLockStripes;
  }

  std::lock_guard<std::mutex> lock_;
};

/// How often this process was forked off one that used amp: what another count made is of another
/// process.
inline std::uint32_t fork_count() { return ProcessLocks::here().forks(); }

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mutexes of all state that threads share, in one place and in one order, so that a process may
// fork while other threads compute: fork locks all of them first. In the child they are unlocked,
// and the state that they guard is consistent.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// The number of mutexes for objects of one kind. Two objects may share a mutex; their threads then
/// wait for each other.
inline constexpr int kLockStripes = 16;

/// The kinds of mutexes, in the order in which a thread may lock them: a thread that holds one may
/// lock later ones only, and must not call user code. The values are indices into the array of
/// mutexes.
enum class LockOf : int {
  kWeightCopies,                         ///< the list of all weights that have low-precision copies
  kWeight,                               ///< the copies of one weight
  kLeaf = kWeight + kLockStripes,        ///< the gradient of one leaf
  kLayout = kLeaf + kLockStripes,        ///< one storage's elements in another order, while made
  kPrimitives = kLayout + kLockStripes,  ///< oneDNN, while it creates a primitive
  kThreadPool,
  kHostMemory,
  kStreams,  ///< the streams of StreamGuards
  kGenerator,
  kOps,
  kLibraries,
  kWarnings,
  kCount  // below 64: a thread sanitizer tracks no more mutexes of one thread
};

/// Holds one of the mutexes for its lifetime.
class ProcessLock {
 public:
  [[nodiscard]] explicit ProcessLock(LockOf lock);
  /// Locks the mutex of an object. The kind `lock` must be one with kLockStripes mutexes.
  [[nodiscard]] ProcessLock(LockOf lock, const void* object);
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;
  ~ProcessLock();

 private:
  void* mutex_;  // a std::mutex
};

/// Returns the number of forks between the first process that used amp and this one. State that was
/// made under another count belongs to another process.
std::uint32_t fork_count();

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/process_lock.ipp"
#endif

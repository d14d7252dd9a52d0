// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mutexes of all state that threads share, in one place and in one order, so that a process may
// fork while other threads compute: fork waits for every one of them, and the child finds them free
// and what they guard whole.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

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
  kLibraries,
  kWarnings,
  kCount  // below 64: a thread sanitizer follows no more of one thread
};

/// Holds one of them for its lifetime.
class ProcessLock {
 public:
  [[nodiscard]] explicit ProcessLock(LockOf lock);
  /// That of an object, of a kind that has kLockStripes.
  [[nodiscard]] ProcessLock(LockOf lock, const void* object);
  ProcessLock(const ProcessLock&) = delete;
  ProcessLock& operator=(const ProcessLock&) = delete;
  ~ProcessLock();

 private:
  void* mutex_;  // a std::mutex
};

/// How often this process was forked off one that used amp: what another count made is of another
/// process.
std::uint32_t fork_count();

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/core/process_lock.ipp"
#endif

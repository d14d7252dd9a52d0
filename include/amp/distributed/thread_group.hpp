// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks that are threads of one process, for tests, and for trying a program without a launcher.
#pragma once

#include <chrono>
#include <memory>

#include "amp/core/function_ref.hpp"
#include "amp/distributed/communicator.hpp"

namespace amp::inline v0 {

/// Options of a ThreadGroup.
struct ThreadGroupOptions {
  /// How long a rank waits for the others in one operation before it throws. The message names the
  /// missing ranks.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
};

/// Ranks that are threads: each has its own communicator. Memory of every device can be used.
/// Each operation waits for all ranks, and synchronises with the device of its memory; sums are
/// computed in the order of the ranks.
class ThreadGroup {
 public:
  /// Throws if `size` is below 1.
  explicit ThreadGroup(int size, const ThreadGroupOptions& options = {});
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();

  /// How many ranks there are.
  int size() const;
  /// Returns the communicator of one rank, for use in one thread. It lives as long as the group.
  Communicator& communicator(int rank);

  /// Calls body(communicator) in a thread for each rank, and waits for all. If a body throws, the
  /// next operation of the other ranks throws CommunicationError, and run() rethrows the first
  /// exception.
  static void run(int size, FunctionRef<void(Communicator&)> body,
                  const ThreadGroupOptions& options = {});

 private:
  class Rank;
  struct Shared;

  std::unique_ptr<Shared> shared_;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/distributed/thread_group.ipp"
#endif

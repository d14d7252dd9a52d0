// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ranks that are threads of one process: for tests, and for trying out a program without a
// launcher.
#pragma once

#include <chrono>
#include <memory>

#include "amp/core/function_ref.hpp"
#include "amp/distributed/communicator.hpp"

namespace amp::inline v0 {

/// Options of ThreadGroup.
struct ThreadGroupOptions {
  /// How long a rank waits for the others in one operation before it throws, naming those that did
  /// not come.
  std::chrono::milliseconds timeout = std::chrono::minutes(5);
};

/// Each thread has a communicator of its own. Takes memory of every device. Each operation waits
/// for all ranks, and for what its memory's device has to do; ranks are added in order.
class ThreadGroup {
 public:
  /// Throws if `size` is below 1.
  explicit ThreadGroup(int size, const ThreadGroupOptions& options = {});
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;
  ~ThreadGroup();

  /// How many ranks there are.
  int size() const;
  /// That of one rank, for one thread. Lives as long as the group.
  Communicator& communicator(int rank);

  /// Calls body(communicator) in a thread for each rank, and waits for all. If bodies throw, the
  /// others learn of it at their next operation, and run() throws what the first one threw.
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

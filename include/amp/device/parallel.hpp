// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The threads that host kernels share: one pool per process, started at its first use.
// AMP_NUM_THREADS, else OMP_NUM_THREADS, else the hardware, says how many. Made of std::thread, so
// that a thread sanitizer sees every hand-over.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "amp/core/function_ref.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/math.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/workers.hpp"

namespace amp::inline v0 {
namespace detail {

class AMP_EXPORT ThreadPool {
 public:
  /// Started at the first use, in a forked child again: fork takes no thread along.
  Workers& workers() {
    Workers* known = workers_.load(std::memory_order_acquire);
    if (known != nullptr && known->are_here()) [[likely]]
      return *known;
    const ProcessLock lock(LockOf::kThreadPool);
    known = workers_.load(std::memory_order_acquire);
    if (known == nullptr || !known->are_here()) {  // the parent's stay as they are
      known = or_out_of_memory([] { return new Workers; });
      workers_.store(known, std::memory_order_release);
    }
    return *known;
  }

 private:
  std::atomic<Workers*> workers_ = nullptr;
};

inline Workers& workers() { return process_state<ThreadPool>().workers(); }

}  // namespace detail

/// How many threads host kernels use, the caller's among them.
inline int num_threads() { return detail::workers().threads(); }

/// Calls body(task) for 0 <= task < tasks, each once, in any order, on any thread; rethrows the
/// first exception.
/// A body may not fork, unless the child execs: tasks of the pool's other threads end in the parent
/// only.
inline void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks == 1) {
    body(0);
  } else if (tasks > 1) {
    detail::workers().run(tasks, body);
  }
}

/// Calls body(begin, end) over [0, n), cut into pieces if n is above `grain`.
inline void parallel_ranges(std::int64_t n, std::int64_t grain,
                            FunctionRef<void(std::int64_t, std::int64_t)> body) {
  if (n <= grain) {
    if (n > 0) body(0, n);
    return;
  }
  const std::int64_t pieces = (std::min)(ceil_div(n, grain), std::int64_t{4} * num_threads());
  const std::int64_t length = ceil_div(n, pieces);
  parallel_for(ceil_div(n, length), [&](std::int64_t piece) {
    body(piece * length, (std::min)(n, (piece + 1) * length));
  });
}

}  // namespace amp::inline v0

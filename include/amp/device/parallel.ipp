// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/globals.ipp"
#include "amp/core/math.hpp"
#include "amp/core/process_lock.hpp"
#include "amp/device/parallel.hpp"
#include "amp/device/workers.hpp"

namespace amp::inline v0 {
namespace detail {

class AMP_EXPORT ThreadPool {
 public:
  /// The workers start at the first use, and again in a forked child, because fork copies no
  /// threads.
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

AMP_COLD void compute_alone() { Workers::inside() = true; }

AMP_INLINE Workers& workers() { return process_state<ThreadPool>().workers(); }

}  // namespace detail

AMP_INLINE int num_threads() { return detail::workers().threads(); }

AMP_INLINE void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body) {
  if (tasks == 1) {
    body(0);
  } else if (tasks > 1) {
    detail::workers().run(tasks, body);
  }
}

AMP_INLINE void parallel_ranges(std::int64_t n, std::int64_t grain,
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

AMP_PROCESS_STATE(detail::ThreadPool);

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The threads that host kernels share: one pool per process, started at its first use. Their number
// is AMP_NUM_THREADS, else OMP_NUM_THREADS, else that of the hardware. They are std::threads, so a
// thread sanitizer sees every hand-over.
#pragma once

#include <cstdint>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"

namespace amp::inline v0 {

/// Returns the number of threads that host kernels use, including the caller's.
int num_threads();

/// Calls body(task) for 0 <= task < tasks, each once, in any order, on any thread. Rethrows the
/// first exception. A body may not fork, unless the child execs: the tasks of the pool's other
/// threads would not finish in the child.
void parallel_for(std::int64_t tasks, FunctionRef<void(std::int64_t)> body);

/// Calls body(begin, end) for ranges that cover [0, n); there are several if n is above `grain`.
void parallel_ranges(std::int64_t n, std::int64_t grain,
                     FunctionRef<void(std::int64_t, std::int64_t)> body);

namespace detail {

/// From now on, parallel_for does all tasks on this thread when it calls it: for a thread that works
/// beside the program, and should not take the pool from it.
void compute_alone();

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/device/parallel.ipp"
#endif

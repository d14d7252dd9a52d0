// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The process that uses the CUDA devices. The driver's state is of no use to a child that was
// forked off it.
#pragma once

#include <atomic>
#include <cstdint>

#include "amp/core/error.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/process_lock.hpp"

namespace amp::inline v0::cuda::detail {

struct AMP_EXPORT DeviceUse {
  std::atomic<std::int64_t> forks = -1;  // fork_count() at the driver's first call; -1 before it
};

/// Whether this process was forked off one that has used CUDA. Then it cannot use CUDA itself.
inline bool is_forked() {
  const std::int64_t forks = process_state<DeviceUse>().forks.load(std::memory_order_relaxed);
  return forks >= 0 && forks != amp::detail::fork_count();
}

/// Call it before the driver's functions. Throws amp::Error if they would fail in this process, or
/// wait for threads that a forked child does not have.
inline void require_own_process() {
  AMP_CHECK(!is_forked(),
            "CUDA was used by the process that this one was forked off, and cannot be used here; "
            "fork before the first use of a CUDA device (is_available is one), or exec after it");
  std::atomic<std::int64_t>& forks = process_state<DeviceUse>().forks;
  std::int64_t none = -1;
  if (forks.load(std::memory_order_relaxed) == none)
    forks.compare_exchange_strong(none, amp::detail::fork_count());
}

}  // namespace amp::inline v0::cuda::detail

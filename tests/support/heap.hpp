// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The allocator of a test program that links heap.cpp: it counts, and fails on demand.
#pragma once

#include <atomic>
#include <cstdint>

namespace amp_test::heap {

inline constexpr std::int64_t kNever = std::int64_t{1} << 60;

// Of all threads.
inline std::atomic<std::int64_t> until_failure = kNever;  // 0: the next allocation fails
inline std::atomic<bool> fails_on = false;                // whether all after that one fail, too
inline std::atomic<std::int64_t> allocations = 0, live = 0;
inline std::atomic<std::int64_t> held = 0, most_held = 0;  // bytes

/// Counts allocations down to one that fails, for its lifetime.
class FailingAllocation {
 public:
  explicit FailingAllocation(std::int64_t nth, bool and_all_after = false) {
    fails_on = and_all_after;
    until_failure = nth;
  }
  FailingAllocation(const FailingAllocation&) = delete;
  FailingAllocation& operator=(const FailingAllocation&) = delete;
  ~FailingAllocation() {
    until_failure = kNever;
    fails_on = false;
  }
  /// Whether it was reached.
  bool failed() const { return until_failure < 0; }
};

}  // namespace amp_test::heap

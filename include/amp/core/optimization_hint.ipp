// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "amp/core/optimization_hint.hpp"

namespace amp::inline v0::detail {

/// Whether a source file of the program was compiled without optimization and the hint was not
/// printed yet. With AMP_COMPILED the source files of the library count, because they hold the
/// kernels.
AMP_INLINE std::atomic<bool> optimization_hint_due = false;

AMP_COLD void hint_at_optimization(std::int64_t multiplications) {
  constexpr std::int64_t kFelt = 1 << 24;  // takes about 0.1 s without optimization
  if (multiplications < kFelt || !optimization_hint_due.load(std::memory_order_relaxed) ||
      !optimization_hint_due.exchange(false) || std::getenv("AMP_QUIET") != nullptr) {
    return;
  }
  std::fputs(
      "amp: this program, or a part of it, was compiled without optimization: its arithmetic may "
      "be ten times slower than with -O2 (AMP_QUIET=1 silences this line)\n",
      stderr);
}

// The one thing that differs between source files is a constant of internal linkage: no function
// has two bodies.
#if AMP_OPTIMIZATION_HINT
namespace {
[[maybe_unused]] const bool compiled_without_optimization = (optimization_hint_due = true);
}  // namespace
#endif

}  // namespace amp::inline v0::detail

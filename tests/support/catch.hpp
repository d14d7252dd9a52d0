// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Catch2 2.13 or 3 under one set of names (those of version 3), and a way to skip a test by name.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)

#include <catch2/catch_all.hpp>
using Catch::Approx;

#else

#include <catch2/catch.hpp>

namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& text) { return Contains(text); }
}  // namespace Catch::Matchers

#endif

#include <cstdio>

namespace amp_test {

/// Set by AMP_TEST_SKIP; the test program then exits 77, which ctest reports as skipped.
inline bool skipped = false;

}  // namespace amp_test

/// Ends a test case that cannot run here; `reason` says what it lacks. Runs in the test case
/// itself.
#define AMP_TEST_SKIP(reason)               \
  do {                                      \
    std::printf("skipped: %s\n", (reason)); \
    ::amp_test::skipped = true;             \
    return;                                 \
  } while (false)

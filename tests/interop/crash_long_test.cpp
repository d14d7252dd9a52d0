// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// crash_test.cpp with more kills and more time.
#include "interop/crash.hpp"

TEST_CASE("crash: the child of the long tests, which saves until it is killed", "[.crash_child]") {
  crash::save_until_killed();
}

TEST_CASE("crash: 200 kills while saving leave whole checkpoints", "[interop]") {
  crash::check_kills(200, 50);
}

TEST_CASE("crash: two programs that save to one path for 10 seconds", "[interop]") {
  crash::check_two_savers(std::chrono::seconds(10));
}

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A checkpoint survives whatever kills the program while it saves the next one, and other programs
// that save to the same path. At length: crash_long_test.cpp.
#include "interop/crash.hpp"

TEST_CASE("crash: the child, which saves until it is killed", "[.crash_child]") {
  crash::save_until_killed();
}

TEST_CASE("crash: a kill while saving leaves a whole checkpoint", "[interop]") {
  crash::check_kills(20, 5);
}

TEST_CASE("crash: two programs that save to one path leave a whole checkpoint", "[interop]") {
  crash::check_two_savers(std::chrono::milliseconds(1500));
}

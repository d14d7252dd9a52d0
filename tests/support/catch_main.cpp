// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The test programs' main, compiled once and without sanitizers.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

int main(int argc, char** argv) {
  const int result = Catch::Session().run(argc, argv);
  return result == 0 && amp_test::skipped ? 77 : result;
}

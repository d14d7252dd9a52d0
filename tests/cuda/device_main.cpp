// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Runs a test program on the GPU; exits 77 if none is usable. Nothing passes silently.
#define CATCH_CONFIG_RUNNER
#include "support/catch.hpp"

#include <amp/device/memory.hpp>

#include <cstdio>

int main(int argc, char** argv) {
  if (!amp::is_available(amp::kCUDA)) {
    std::printf("skipped: %s: there is no usable GPU\n", argv[0]);
    return 77;
  }
  const int result = Catch::Session().run(argc, argv);
  return result == 0 && amp_test::skipped ? 77 : result;
}

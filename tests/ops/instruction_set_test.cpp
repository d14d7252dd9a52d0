// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The instructions that the host kernels choose by.
#include <amp/amp.hpp>

#include <cstdlib>
#include <string>

#include "support/catch.hpp"

TEST_CASE("instruction_set: no more than the environment allows", "[ops]") {
  const char* const setting = std::getenv("AMP_MAX_CPU_ISA");
  const std::string most = setting == nullptr ? "" : setting;
  if (most == "BASELINE") CHECK(!amp::detail::has_avx2());
  if (most == "AVX2") CHECK(!amp::detail::has_avx512());
  // What has the wider one has the narrower one too.
  CHECK((amp::detail::has_avx2() || !amp::detail::has_avx512()));
}

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every one of the 2^32 floats into each format: the cast against the integer reference, and every
// instruction set of bulk conversion (F16C among them) against the cast.
#include <numeric>

#include "support/catch.hpp"
#include "types/float_sweep.hpp"

TEMPLATE_TEST_CASE("float sweep: all floats into a format", "[types][long]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  reference::FloatSweep<TestType> sweep;
  REQUIRE(sweep.rounding().complete());
  std::vector<std::uint32_t> bits(sweep.kBlock);
  std::uint64_t floats = 0;
  for (; floats < std::uint64_t{1} << 32; floats += bits.size()) {
    std::iota(bits.begin(), bits.end(), static_cast<std::uint32_t>(floats));
    sweep.check(bits);
  }
  CAPTURE(sweep.first());
  CHECK(sweep.wrong() == 0);
  CHECK(floats == std::uint64_t{1} << 32);
}

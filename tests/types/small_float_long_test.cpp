// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Every float there is, in ascending order beside the midpoints of the format.
#include <bit>
#include <cstdint>

#include "support/catch.hpp"
#include "types/reference.hpp"

TEMPLATE_TEST_CASE("small_float: all floats round to nearest even", "[types][long]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  constexpr reference::Format format = reference::kFormat<TestType>;
  unsigned code = 0;
  auto middle = static_cast<float>(format.midpoint(0));
  std::int64_t wrong = 0;
  std::uint32_t first = 0;
  for (std::uint32_t bits = 0; bits <= 0x7f80'0000u; ++bits) {
    const auto value = std::bit_cast<float>(bits);
    while (code <= format.max_finite() && middle < value) {
      ++code;
      if (code <= format.max_finite()) middle = static_cast<float>(format.midpoint(code));
    }
    const bool tie = code <= format.max_finite() && middle == value;
    const unsigned wanted = tie ? code + code % 2 : code;
    const bool right =
        TestType(value).bits() == wanted && TestType(-value).bits() == (wanted | format.sign_bit());
    if (!right && wrong++ == 0) first = bits;
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

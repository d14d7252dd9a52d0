// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// numeric_limits, each constant from the definition of what it means.
#include <cmath>
#include <limits>

#include "support/catch.hpp"
#include "types/reference.hpp"

namespace {

using amp::bfloat16;
using amp::float8_e4m3fn;
using amp::float8_e5m2;
using amp::half;
using reference::Format;
using reference::kFormat;

}  // namespace

TEMPLATE_TEST_CASE("numeric_limits: values by search over the codes", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  constexpr Format format = kFormat<TestType>;
  double largest = 0, smallest = 1, smallest_normal = 1, above_one = 2;
  for (unsigned code = 0; code < format.sign_bit(); ++code) {
    const double value = format.decode(code);
    if (!std::isfinite(value) || value == 0) continue;
    largest = std::max(largest, value);
    smallest = std::min(smallest, value);
    if (code >> format.mantissa_bits != 0) smallest_normal = std::min(smallest_normal, value);
    if (value > 1) above_one = std::min(above_one, value);
  }
  CHECK(static_cast<double>(Limits::max()) == largest);
  CHECK(static_cast<double>(Limits::lowest()) == -largest);
  CHECK(static_cast<double>(Limits::min()) == smallest_normal);
  CHECK(static_cast<double>(Limits::denorm_min()) == smallest);
  CHECK(static_cast<double>(Limits::epsilon()) == above_one - 1);
  CHECK(static_cast<double>(Limits::round_error()) == 0.5);
}

TEMPLATE_TEST_CASE("numeric_limits: exponents and digits", "[types]", half, bfloat16, float8_e4m3fn,
                   float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  const auto largest = static_cast<double>(Limits::max());
  const auto least = static_cast<double>(Limits::min());
  CHECK(Limits::radix == 2);
  CHECK(Limits::digits == kFormat<TestType>.mantissa_bits + 1);
  // frexp gives x = f * 2^e with f in [0.5, 1), the convention of min_exponent and max_exponent.
  int exponent = 0;
  (void)std::frexp(largest, &exponent);
  CHECK(Limits::max_exponent == exponent);
  (void)std::frexp(least, &exponent);
  CHECK(Limits::min_exponent == exponent);
  CHECK(Limits::max_exponent10 == static_cast<int>(std::floor(std::log10(largest))));
  CHECK(Limits::min_exponent10 == static_cast<int>(std::ceil(std::log10(least))));
  CHECK(Limits::digits10 == static_cast<int>(std::floor((Limits::digits - 1) * std::log10(2.0))));
  CHECK(Limits::max_digits10 == static_cast<int>(std::ceil(1 + Limits::digits * std::log10(2.0))));
}

TEMPLATE_TEST_CASE("numeric_limits: special values are what they say", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  constexpr Format format = kFormat<TestType>;
  CHECK(Limits::is_specialized);
  CHECK(Limits::is_signed);
  CHECK_FALSE(Limits::is_integer);
  CHECK_FALSE(Limits::is_exact);
  CHECK(Limits::is_bounded);
  CHECK_FALSE(Limits::is_modulo);
  CHECK(Limits::has_infinity == format.infinities);
  CHECK(Limits::is_iec559 == format.infinities);
  CHECK(Limits::round_style == std::round_to_nearest);
  CHECK(Limits::has_quiet_NaN);
  CHECK(std::isnan(format.decode(Limits::quiet_NaN().bits())));
  if (Limits::has_infinity) CHECK(std::isinf(format.decode(Limits::infinity().bits())));
  if (Limits::has_signaling_NaN) {
    const unsigned signaling = Limits::signaling_NaN().bits();
    CHECK(std::isnan(format.decode(signaling)));
    CHECK((signaling >> (format.mantissa_bits - 1) & 1u) == 0);  // the quiet bit is clear
  }
}

TEST_CASE("numeric_limits: constants", "[types]") {
  static_assert(static_cast<float>(std::numeric_limits<half>::max()) == 65504.0F);
  static_assert(static_cast<float>(std::numeric_limits<half>::epsilon()) == 0x1p-10F);
  static_assert(static_cast<float>(std::numeric_limits<bfloat16>::min()) == 0x1p-126F);
  static_assert(static_cast<float>(std::numeric_limits<float8_e4m3fn>::max()) == 448.0F);
  static_assert(static_cast<float>(std::numeric_limits<float8_e5m2>::max()) == 57344.0F);
  static_assert(std::numeric_limits<half>::max_digits10 == 5);
  static_assert(std::numeric_limits<half>::infinity().bits() == 0x7c00);
  SUCCEED();
}

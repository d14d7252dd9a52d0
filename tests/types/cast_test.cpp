// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The named conversions: saturating, and stochastic with exact probabilities.
#include <amp/types.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

#include "support/catch.hpp"
#include "types/reference.hpp"

namespace {

using amp::bfloat16;
using amp::float8_e4m3fn;
using amp::float8_e5m2;
using amp::half;
using reference::Format;
using reference::kFormat;

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::uint64_t kWords = std::uint64_t{1} << 32;  // how many random words there are

/// How many of all 2^32 random words round `value` to `code + 1`, the others to `code`: found by
/// bisection, since the result grows with the word. -1 if a probe gives anything else.
template <class T, class Real>
std::int64_t words_up(Real value, unsigned code) {
  const auto is_up = [&](std::uint64_t word) {
    const unsigned got = amp::stochastic_cast<T>(value, static_cast<std::uint32_t>(word)).bits();
    return got == code ? 0 : got == code + 1 ? 1 : -1;
  };
  std::uint64_t low = 0, high = kWords;  // the first word that rounds up
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    const int up = is_up(middle);
    if (up < 0) return -1;
    if (up == 1)
      high = middle;
    else
      low = middle + 1;
  }
  for (int i = 0; i < 16; ++i) {  // and beside the threshold it is the same everywhere
    const auto word = static_cast<std::uint64_t>(i) * 0x1000'0001u % kWords;
    if (is_up(word) != static_cast<int>(word >= low)) return -1;
  }
  return static_cast<std::int64_t>(kWords - low);
}

}  // namespace

TEMPLATE_TEST_CASE("saturate_cast: is the cast within the range", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  const auto largest = static_cast<float>(format.decode(format.max_finite()));
  std::mt19937 random(8);
  for (int i = 0; i < 200'000; ++i) {
    const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    unsigned wanted = TestType(value).bits();
    if (std::abs(value) > largest && (wanted & ~format.sign_bit()) == format.overflow())
      wanted = format.max_finite() | (wanted & format.sign_bit());
    if (amp::saturate_cast<TestType>(value).bits() != wanted) {
      CAPTURE(value);
      CHECK(amp::saturate_cast<TestType>(value).bits() == wanted);
    }
    const auto wide = static_cast<double>(value);
    if (amp::saturate_cast<TestType>(wide).bits() != wanted)
      CHECK(amp::saturate_cast<TestType>(wide).bits() == wanted);
  }
}

TEMPLATE_TEST_CASE("saturate_cast: beyond the range is the largest, NaN stays", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  const unsigned largest = format.max_finite(), sign = format.sign_bit();
  const double edge = format.midpoint(largest);
  for (const double value : {edge, std::nextafter(edge, 0.0), 1e300, double{kInfinity}}) {
    CAPTURE(value);
    CHECK(amp::saturate_cast<TestType>(value).bits() == largest);
    CHECK(amp::saturate_cast<TestType>(-value).bits() == (largest | sign));
    CHECK(amp::saturate_cast<TestType>(static_cast<float>(value)).bits() == largest);
  }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(amp::saturate_cast<TestType>(nan).bits() == TestType(nan).bits());
  CHECK(amp::saturate_cast<TestType>(-nan).bits() == TestType(-nan).bits());
  CHECK(std::isnan(static_cast<float>(amp::saturate_cast<TestType>(bfloat16(nan)))));
  CHECK(amp::saturate_cast<TestType>(bfloat16(kInfinity)).bits() == largest);
}

TEMPLATE_TEST_CASE("stochastic_cast: rounds up for as many words as the fraction says", "[types]",
                   half, bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  std::int64_t wrong = 0;
  double first = 0;
  // Between every two neighbours; for 16 bits between every 13th pair, and all near the ends.
  for (unsigned code = 0; code < format.max_finite(); ++code) {
    const bool near_end = code < 40 || code + 40 > format.max_finite();
    if (sizeof(TestType) == 2 && code % 13 != 0 && !near_end) continue;
    const double low = format.decode(code), gap = format.decode(code + 1) - low;
    for (const double fraction : {0.0, 0x1p-32, 0.125, 0.5 - 0x1p-20, 0.5, 0x1.8p-1, 1 - 0x1p-32}) {
      const double value = low + fraction * gap;  // exact
      const auto wanted = static_cast<std::int64_t>(fraction * 0x1p32);
      bool right = words_up<TestType>(value, code) == wanted;
      const auto narrow = static_cast<float>(value);
      if (narrow == value) right = right && words_up<TestType>(narrow, code) == wanted;
      const unsigned negative = amp::stochastic_cast<TestType>(-value, 0x9abc'def0u).bits();
      const unsigned positive = amp::stochastic_cast<TestType>(value, 0x9abc'def0u).bits();
      if ((!right || negative != (positive | format.sign_bit())) && wrong++ == 0) first = value;
    }
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("stochastic_cast: every word counts when few bits are discarded", "[types]",
                   half, float8_e4m3fn, float8_e5m2) {
  // All words that differ in their leading 16 bits, on fractions of 16 bits and fewer.
  constexpr Format format = kFormat<TestType>;
  for (unsigned code = 1; code < format.max_finite(); code = code * 3 / 2 + 1) {
    const double low = format.decode(code), gap = format.decode(code + 1) - low;
    for (const unsigned part : {1u, 777u, 32768u, 65535u}) {
      unsigned ups = 0;
      for (unsigned word = 0; word < 65536; ++word) {
        ups += amp::stochastic_cast<TestType>(low + part * gap / 65536, word << 16).bits() - code;
      }
      CAPTURE(code, part);
      CHECK(ups == part);
    }
  }
}

TEMPLATE_TEST_CASE("stochastic_cast: codes stay what they are", "[types]", half, bfloat16,
                   float8_e4m3fn, float8_e5m2) {
  std::int64_t wrong = 0;
  for (unsigned code = 0; code < kFormat<TestType>.codes(); ++code) {
    const auto value = TestType::from_bits(static_cast<typename TestType::bits_type>(code));
    if (!amp::is_finite(value)) continue;
    for (const std::uint32_t word : {0u, 1u, 0x8000'0000u, 0xffff'ffffu}) {
      wrong += amp::stochastic_cast<TestType>(static_cast<float>(value), word).bits() != code;
      wrong += amp::stochastic_cast<TestType>(static_cast<double>(value), word).bits() != code;
      wrong +=
          amp::saturate_stochastic_cast<TestType>(static_cast<float>(value), word).bits() != code;
    }
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("stochastic_cast: far below the smallest it counts to 32 bits", "[types]", half,
                   float8_e4m3fn, float8_e5m2) {
  const double smallest = kFormat<TestType>.decode(1);
  CHECK(words_up<TestType>(smallest * 0x1p-31, 0) == 2);
  CHECK(words_up<TestType>(smallest * 0x1.8p-32, 0) == 1);
  CHECK(words_up<TestType>(smallest * 0x1.fp-33, 0) == 0);
  CHECK(words_up<TestType>(static_cast<float>(smallest * 0x1.8p-20), 0) == 3 << 11);
  CHECK(words_up<TestType>(0x1p-149F, 0) == 0);
  CHECK(words_up<TestType>(0x1p-1074, 0) == 0);
}

TEMPLATE_TEST_CASE("stochastic_cast: overflows where the next neighbour would", "[types]", half,
                   bfloat16, float8_e4m3fn, float8_e5m2) {
  constexpr Format format = kFormat<TestType>;
  const unsigned largest = format.max_finite(), overflow = format.overflow();
  const double low = format.decode(largest), gap = low - format.decode(largest - 1);
  CHECK(words_up<TestType>(low + gap / 4, largest) == std::int64_t{1} << 30);
  CHECK(amp::saturate_stochastic_cast<TestType>(low + gap / 4, 0xffff'ffffu).bits() == largest);
  for (const std::uint32_t word : {0u, 0xffff'ffffu}) {
    CHECK(amp::stochastic_cast<TestType>(low + gap, word).bits() == overflow);
    CHECK(amp::stochastic_cast<TestType>(-kInfinity, word).bits() ==
          (overflow | format.sign_bit()));
    CHECK(amp::saturate_stochastic_cast<TestType>(-kInfinity, word).bits() ==
          (largest | format.sign_bit()));
    CHECK(std::isnan(static_cast<float>(
        amp::saturate_stochastic_cast<TestType>(std::numeric_limits<double>::quiet_NaN(), word))));
  }
}

TEST_CASE("stochastic_cast: small updates arrive, which nearest loses", "[types]") {
  std::mt19937 random(9);
  bfloat16 nearest(256.0F), stochastic(256.0F);
  for (int i = 0; i < 40'000; ++i) {  // a step of 0.01 is 1/200 of the gap
    nearest = bfloat16(static_cast<float>(nearest) + 0.01F);
    stochastic = amp::stochastic_cast<bfloat16>(static_cast<float>(stochastic) + 0.01F,
                                                static_cast<std::uint32_t>(random()));
  }
  CHECK(static_cast<float>(nearest) == 256);
  // The variance of a step is 0.01 * (gap - 0.01), with a gap of 2 below 512 and 4 above: in all
  // 33^2.
  CHECK(static_cast<float>(stochastic) == Approx(656).margin(3 * 33));
}

TEST_CASE("casts: constant expressions", "[types]") {
  static_assert(amp::saturate_cast<half>(1e6F).bits() == 0x7bff);
  static_assert(amp::saturate_cast<float8_e4m3fn>(-1e300).bits() == 0xfe);
  static_assert(amp::saturate_cast<float8_e5m2>(half(0.1F)) == float8_e5m2(half(0.1F)));
  static_assert(amp::stochastic_cast<bfloat16>(256.5F, 0xbfff'ffffu).bits() == 0x4380);
  static_assert(amp::stochastic_cast<bfloat16>(256.5F, 0xc000'0000u).bits() == 0x4381);
  static_assert(amp::stochastic_cast<float8_e4m3fn>(460.0, 0xffff'ffffu).bits() == 0x7f);
  static_assert(amp::saturate_stochastic_cast<float8_e4m3fn>(460.0, 0xffff'ffffu).bits() == 0x7e);
  SUCCEED();
}

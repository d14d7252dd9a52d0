// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// 200 million floats into each format, by the cast and by every instruction set of bulk conversion;
// float_sweep_long_test.cpp takes every float there is. And doubles beside them, which round once.
#include "types/float_sweep.hpp"

#include <random>

#include "support/catch.hpp"

namespace {

using reference::FloatSweep;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::uint32_t kShare = 64;  // sanitized code is slow: one in so many
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr std::uint32_t kShare = 64;
#else
constexpr std::uint32_t kShare = 1;
#endif
#else
constexpr std::uint32_t kShare = 1;
#endif

/// Of the lower 12 bits: zero, every power of two with its neighbours and complement, and others.
std::vector<std::uint32_t> low_patterns() {
  std::vector<std::uint32_t> patterns;
  for (std::uint32_t bit = 0; bit < 12; ++bit) {
    const std::uint32_t power = 1u << bit;
    for (const std::uint32_t low : {power - 1, power, power + 1, ~power, ~power + 1, 3 * power})
      patterns.push_back(low & 0xfffu);
  }
  for (std::uint32_t i = 0; patterns.size() < 96; ++i) patterns.push_back(i * 0x9e3u & 0xfffu);
  return patterns;
}

}  // namespace

TEMPLATE_TEST_CASE("float sweep: the table of midpoints is the reference", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  const reference::Rounding<TestType> by_search;
  const reference::FloatRounding<TestType> by_table;
  REQUIRE(by_table.complete());
  std::mt19937 random(21);
  std::int64_t wrong = 0;
  for (std::uint32_t i = 0; i < 2'000'000 / kShare; ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 4 == 0) bits &= 0xffff'f000u;
    const auto value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    wrong += by_table(bits) != by_search(value);
    const auto wide = static_cast<double>(value);
    const double beyond = std::bit_cast<double>(std::bit_cast<std::uint64_t>(wide) + 1);
    if (std::isfinite(value)) wrong += by_table(bits, true) != by_search(beyond);
  }
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("float sweep: 200 million floats into a format", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  FloatSweep<TestType> sweep;
  std::vector<std::uint32_t> bits(FloatSweep<TestType>::kBlock);
  // All patterns of the upper 20 bits with 96 of the lower 12: 100.7 million.
  for (const std::uint32_t low : low_patterns()) {
    for (std::uint32_t upper = 0; upper < 1u << 20;) {
      for (std::uint32_t& word : bits) word = (upper++ << 12) | low;
      if (upper / bits.size() % kShare == 0) sweep.check(bits);
    }
  }
  // And 100 million at random: xorshift (Marsaglia 2003), which takes every word but 0.
  std::uint32_t random = 2463534242u;
  for (std::uint32_t block = 0; block < 100'000'000 / bits.size() / kShare + 1; ++block) {
    for (std::uint32_t& word : bits) {
      random ^= random << 13, random ^= random >> 17, random ^= random << 5;
      word = random;
    }
    sweep.check(bits);
  }
  CAPTURE(sweep.first());
  CHECK(sweep.wrong() == 0);
}

TEMPLATE_TEST_CASE("float sweep: doubles between floats round once", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  const reference::FloatRounding<TestType> rounding;
  std::int64_t wrong = 0;
  double first = 0;
  for (std::uint32_t upper = 0; upper < 1u << 20; upper += kShare) {
    for (const std::uint32_t low : {0x000u, 0x001u, 0x7ffu, 0xfffu}) {
      const std::uint32_t bits = upper << 12 | low;
      const auto value = std::bit_cast<float>(bits);
      if (!std::isfinite(value)) continue;
      const auto wide = std::bit_cast<std::uint64_t>(static_cast<double>(value));

      // At the float, and beyond it by the least and by almost a float.
      for (const std::uint64_t beyond :
           {std::uint64_t{0}, std::uint64_t{1}, (std::uint64_t{1} << 29) - 1}) {
        const bool subnormal = (bits & 0x7f80'0000u) == 0;
        if (subnormal && beyond > 1) continue;  // floats lie closer there
        const auto x = std::bit_cast<double>(wide + beyond);
        if (TestType(x).bits() != rounding(bits, beyond != 0) && wrong++ == 0) first = x;
      }
    }
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

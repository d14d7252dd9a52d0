// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bulk conversion: equal to element-wise conversion for every pair of formats, length and
// alignment.
#include <amp/types.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <span>
#include <tuple>
#include <vector>

#include "support/catch.hpp"
#include "types/float_sweep.hpp"

namespace {

using Formats = std::tuple<double, float, amp::half, amp::bfloat16, amp::float8_e4m3fn,
                           amp::float8_e5m2, std::int64_t, std::int32_t, std::uint8_t>;

/// A value that every format can take, some of them after rounding.
template <class T>
T sample(std::mt19937& random) {
  const auto eighths = static_cast<int>(random() % 800);
  return amp::convert_one<T>(static_cast<double>(eighths) / 8);
}

template <class T>
bool same_bits(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Converts at every length to 70 and several misalignments, by every instruction set and by the
/// best; the elements around stay untouched.
template <class From, class To>
bool converts() {
  std::mt19937 random(6);
  for (std::size_t length = 0; length <= 70; ++length) {
    const std::size_t from_offset = length % 3, to_offset = length % 5;
    std::vector<From> from(from_offset + length);
    for (From& value : from) value = sample<From>(random);
    const To guard = amp::convert_one<To>(99.0);
    std::vector<To> to(to_offset + length + 1, guard), expected = to;
    for (std::size_t i = 0; i < length; ++i)
      expected[to_offset + i] = amp::convert_one<To>(from[from_offset + i]);
    const auto as_expected = [&] {
      bool same = true;
      for (std::size_t i = 0; i < to.size(); ++i) same = same && same_bits(to[i], expected[i]);
      std::fill(to.begin(), to.end(), guard);
      return same;
    };
    amp::convert(std::span(from).subspan(from_offset), std::span(to).subspan(to_offset, length));
    if (!as_expected()) return false;
    for (const auto set : instruction_sets()) {
      amp::detail::convert_n(set, from.data() + from_offset, to.data() + to_offset, length);
      if (!as_expected()) return false;
    }
  }
  return true;
}

template <class From, class... To>
int pairs_from() {
  return (static_cast<int>(converts<From, To>()) + ...);
}
template <class... T>
int pairs_that_convert(std::tuple<T...>*) {
  return (pairs_from<T, T...>() + ...);
}

}  // namespace

TEST_CASE("convert: all pairs of formats at all lengths and offsets", "[types]") {
  constexpr int kFormats = std::tuple_size_v<Formats>;
  CHECK(pairs_that_convert(static_cast<Formats*>(nullptr)) == kFormats * kFormats);
}

TEMPLATE_TEST_CASE("convert: every code to float as the cast does", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  std::vector<TestType> from(std::size_t{1} << 8 * sizeof(TestType));
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = TestType::from_bits(static_cast<typename TestType::bits_type>(i));
  std::vector<float> to(from.size());
  std::size_t wrong = 0, first = 0;
  for (const auto set : instruction_sets()) {
    amp::detail::convert_n(set, from.data(), to.data(), from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!same_bits(to[i], static_cast<float>(from[i])) && wrong++ == 0) first = i;
    }
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("convert: floats to codes as the cast does", "[types]", amp::half, amp::bfloat16,
                   amp::float8_e4m3fn, amp::float8_e5m2) {
  std::mt19937 random(7);
  std::vector<float> from(1u << 20);
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto bits = static_cast<std::uint32_t>(random());
    if (i % 3 == 1) bits = (bits & 0xffff'0000u) | 0x8000u;  // a tie of bfloat16
    if (i % 3 == 2) bits |= 0x7f80'0000u;                    // NaN
    from[i] = std::bit_cast<float>(bits);
  }
  std::vector<TestType> to(from.size());
  amp::convert(from, to);
  std::size_t wrong = 0, first = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (!same_bits(to[i], TestType(from[i])) && wrong++ == 0) first = i;
  }
  CAPTURE(first, from[first]);
  CHECK(wrong == 0);
}

TEMPLATE_TEST_CASE("convert: every code to every other format as the cast does", "[types]",
                   amp::half, amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  std::vector<TestType> from(std::size_t{1} << 8 * sizeof(TestType));
  for (std::size_t i = 0; i < from.size(); ++i)
    from[i] = TestType::from_bits(static_cast<typename TestType::bits_type>(i));
  std::size_t wrong = 0;
  const auto check_into = [&](auto sample_of) {
    using To = decltype(sample_of);
    std::vector<To> to(from.size());
    for (const auto set : instruction_sets()) {
      amp::detail::convert_n(set, from.data(), to.data(), from.size());
      for (std::size_t i = 0; i < from.size(); ++i)
        wrong += !same_bits(to[i], amp::convert_one<To>(from[i]));
    }
  };
  check_into(amp::half{});
  check_into(amp::bfloat16{});
  check_into(amp::float8_e4m3fn{});
  check_into(amp::float8_e5m2{});
  check_into(double{});
  CHECK(wrong == 0);
}

TEST_CASE("convert: double to half rounds once", "[types]") {
  const double above_a_tie = 2049 + 0x1p-40;  // as a float it is the tie 2049
  const std::array<double, 9> from = {above_a_tie, -above_a_tie, 2049, 1, 2, 3, 4, 5, 6};
  std::array<amp::half, 9> to{};
  amp::convert(from, to);
  CHECK(static_cast<float>(to[0]) == 2050);
  CHECK(static_cast<float>(to[1]) == -2050);
  CHECK(static_cast<float>(to[2]) == 2048);
}

TEST_CASE("convert: takes any contiguous ranges", "[types]") {
  const float from[] = {1, 2, 3};
  std::array<amp::bfloat16, 3> array{};
  amp::convert(from, array);
  CHECK(static_cast<float>(array[2]) == 3);
  std::vector<double> vector(3);
  amp::convert(array, vector);
  CHECK(vector == std::vector<double>{1, 2, 3});
  amp::convert(std::initializer_list<int>{4, 5, 6}, std::span(vector));
  CHECK(vector == std::vector<double>{4, 5, 6});
  amp::convert(std::vector<float>{}, std::vector<amp::half>{});
}

TEST_CASE("convert: refuses other lengths", "[types]") {
  const std::vector<float> from(4);
  std::vector<amp::half> to(3);
  CHECK_THROWS_AS(amp::convert(from, to), amp::Error);
  CHECK_THROWS_WITH(amp::convert(from, to), Catch::Matchers::ContainsSubstring("4") &&
                                                Catch::Matchers::ContainsSubstring("3"));
}

TEST_CASE("convert: refuses overlapping ranges", "[types]") {
  std::vector<float> memory(16, 1.0F);
  const std::span<float> all(memory);
  CHECK_THROWS_AS(amp::convert(all.first(8), all.subspan(7, 8)), amp::Error);
  CHECK_THROWS_AS(amp::convert(all.subspan(7, 8), all.first(8)), amp::Error);
  CHECK_THROWS_AS(amp::convert(all, all), amp::Error);
  CHECK_NOTHROW(amp::convert(all.first(8), all.last(8)));
  CHECK_NOTHROW(amp::convert(all.last(8), all.first(8)));
  CHECK_NOTHROW(amp::convert(all.subspan(4, 0), all.subspan(4, 0)));
  // Of other types: the 16 bytes of 8 halves over those of 4 floats.
  std::vector<amp::half> halves(16);
  const std::span<float> over(reinterpret_cast<float*>(halves.data()), 8);
  CHECK_THROWS_AS(amp::convert(std::span(halves).subspan(7, 8), over.subspan(0, 8)), amp::Error);
  CHECK_THROWS_AS(amp::convert(std::span(halves).first(1), over.first(1)), amp::Error);
  CHECK_NOTHROW(amp::convert(std::span(halves).first(2), over.subspan(1, 2)));
}

TEST_CASE("convert_one: to bool is whether it is not zero", "[types]") {
  CHECK(amp::convert_one<bool>(0.25));
  CHECK(amp::convert_one<bool>(amp::half::from_bits(1)));
  CHECK_FALSE(amp::convert_one<bool>(amp::half(-0.0F)));
  CHECK(amp::convert_one<bool>(std::numeric_limits<float>::quiet_NaN()));
  CHECK(amp::convert_one<bool>(std::int64_t{1} << 40));
  CHECK(static_cast<float>(amp::convert_one<amp::half>(true)) == 1);
}

TEST_CASE("convert: formats of one's own have the portable path", "[types]") {
  using E3M4 = amp::small_float<3, 4>;
  const std::vector<float> from = {0.0F, 1.0F, 15.5F, 15.75F, -0x1p-6F, 0x1p-7F};
  std::vector<E3M4> to(from.size());
  amp::convert(from, to);
  CHECK(to[2].bits() == 0x6f);  // the largest, 2^3 * (1 + 15/16)
  CHECK(to[3].bits() == 0x70);  // half way to 16, which would be infinity
  CHECK(to[4].bits() == 0x81);
  CHECK(to[5].bits() == 0x00);  // half of the smallest
  std::vector<amp::half> halves(from.size());
  amp::convert(to, halves);
  CHECK(static_cast<float>(halves[2]) == 15.5F);
}

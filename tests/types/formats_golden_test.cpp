// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formats against what PyTorch, ml_dtypes and NumPy make of the same codes and floats
// (goldens/formats.hpp).
#include "goldens/formats.hpp"

#include <amp/types.hpp>

#include <bit>
#include <cstdint>
#include <limits>

#include "support/catch.hpp"

namespace {

template <class T>
const goldens::FormatGolden& golden();
template <>
const goldens::FormatGolden& golden<amp::half>() {
  return goldens::k_half;
}
template <>
const goldens::FormatGolden& golden<amp::bfloat16>() {
  return goldens::k_bfloat16;
}
template <>
const goldens::FormatGolden& golden<amp::float8_e4m3fn>() {
  return goldens::k_float8_e4m3fn;
}
template <>
const goldens::FormatGolden& golden<amp::float8_e5m2>() {
  return goldens::k_float8_e5m2;
}

/// The sum that formats.hpp describes.
class Checksum {
 public:
  void add(std::uint64_t number) { sum_ += (number + 1) * (0x9e37'79b9'7f4a'7c15u * i_++ | 1); }
  std::uint64_t sum() const { return sum_; }

 private:
  std::uint64_t i_ = 0, sum_ = 0;
};

template <class T>
std::uint32_t decoded(std::uint32_t code) {
  const auto value = static_cast<float>(T::from_bits(static_cast<typename T::bits_type>(code)));
  return amp::is_nan(value) ? 0x7fc0'0000u : std::bit_cast<std::uint32_t>(value);
}

template <class T>
void compare_tables(const std::uint32_t (&floats)[256]) {
  for (std::uint32_t code = 0; code < 256; ++code) {
    CAPTURE(code);
    CHECK(decoded<T>(code) == floats[code]);
  }
}
template <class T>
void compare_tables(const std::uint64_t (&blocks)[64]) {
  for (std::uint32_t block = 0; block < 64; ++block) {
    Checksum sum;
    for (std::uint32_t i = 0; i < 1024; ++i) sum.add(decoded<T>(1024 * block + i));
    CAPTURE(block);
    CHECK(sum.sum() == blocks[block]);
  }
}

}  // namespace

TEST_CASE("formats: torch and ml_dtypes decode every code to the same float", "[types]") {
  compare_tables<amp::half>(goldens::k_half_floats);
  compare_tables<amp::bfloat16>(goldens::k_bfloat16_floats);
  compare_tables<amp::float8_e4m3fn>(goldens::k_float8_e4m3fn_floats);
  compare_tables<amp::float8_e5m2>(goldens::k_float8_e5m2_floats);
}

TEMPLATE_TEST_CASE("formats: torch and ml_dtypes encode ties and their neighbours to the same code",
                   "[types]", amp::half, amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  for (std::size_t set = 0; set < std::size(goldens::k_low_bits); ++set) {
    Checksum sum;
    for (std::uint32_t upper = 0; upper < 1u << 20; ++upper) {
      const auto value = std::bit_cast<float>(upper << 12 | goldens::k_low_bits[set]);
      if (!amp::is_nan(value)) sum.add(TestType(value).bits());
    }
    CAPTURE(goldens::k_low_bits[set]);
    CHECK(sum.sum() == golden<TestType>().codes[set]);
  }
}

TEST_CASE("formats: NumPy rounds double to half likewise", "[types]") {
  for (const int step : {-1, 0, 1}) {
    Checksum sum;
    for (std::uint32_t upper = 0; upper < 1u << 20; ++upper) {
      const auto value = std::bit_cast<float>(upper << 12);
      if (!amp::is_finite(value) || (upper & 0x7'ffff) == 0) continue;
      const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(value));
      sum.add(amp::half(std::bit_cast<double>(bits + step)).bits());
    }
    CAPTURE(step);
    CHECK(sum.sum() == goldens::k_half_of_double[step + 1]);
  }
}

TEMPLATE_TEST_CASE("formats: torch and ml_dtypes have the same limits", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  CHECK(static_cast<double>(Limits::max()) == golden<TestType>().max);
  CHECK(static_cast<double>(Limits::min()) == golden<TestType>().min);
  CHECK(static_cast<double>(Limits::denorm_min()) == golden<TestType>().denorm_min);
  CHECK(static_cast<double>(Limits::epsilon()) == golden<TestType>().epsilon);
}

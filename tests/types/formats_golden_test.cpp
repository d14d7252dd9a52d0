// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formats against what PyTorch, ml_dtypes and NumPy make of the same codes and floats
// (goldens/formats.txt).
#include <amp/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"

namespace formats_golden {
namespace {

using Codes = std::vector<std::uint64_t>;

const goldens::Block& golden(std::string_view title) {
  static const std::vector<goldens::Block> blocks = goldens::read_blocks("formats.txt");
  return goldens::titled(blocks, title);
}
template <class T>
const goldens::Block& golden() {
  return golden(amp::name(amp::dtype_of<T>));
}

/// The sum that formats.txt describes.
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
void compare_floats() {
  const Codes floats = golden<T>().codes("floats");
  for (std::uint32_t code = 0; code < 256; ++code) {
    CAPTURE(code);
    CHECK(decoded<T>(code) == floats.at(code));
  }
}
template <class T>
void compare_sums() {
  const Codes sums = golden<T>().codes("sums");
  for (std::uint32_t block = 0; block < 64; ++block) {
    Checksum sum;
    for (std::uint32_t i = 0; i < 1024; ++i) sum.add(decoded<T>(1024 * block + i));
    CAPTURE(block);
    CHECK(sum.sum() == sums.at(block));
  }
}

/// Compares the codes that `encode` gives the floats of the goldens.
void compare_codes(const Codes& expected, const auto& encode) {
  const Codes low_bits = golden("inputs").codes("low_bits");
  REQUIRE(expected.size() == low_bits.size());
  for (std::size_t set = 0; set < low_bits.size(); ++set) {
    const auto low = static_cast<std::uint32_t>(low_bits[set]);
    Checksum sum;
    for (std::uint32_t upper = 0; upper < 1u << 20; ++upper) {
      const auto value = std::bit_cast<float>(upper << 12 | low);
      if (!amp::is_nan(value)) sum.add(encode(value).bits());
    }
    CAPTURE(low);
    CHECK(sum.sum() == expected[set]);
  }
}

}  // namespace

TEST_CASE("formats: torch and ml_dtypes decode every code to the same float", "[types]") {
  compare_sums<amp::half>();
  compare_sums<amp::bfloat16>();
  compare_floats<amp::float8_e4m3fn>();
  compare_floats<amp::float8_e5m2>();
}

TEMPLATE_TEST_CASE("formats: torch and ml_dtypes encode ties and their neighbours to the same code",
                   "[types]", amp::half, amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  compare_codes(golden<TestType>().codes("codes"), [](float x) { return TestType(x); });
}

TEST_CASE("formats: torch converts to float8_e4m3fn as saturate_cast", "[types]") {
  compare_codes(golden<amp::float8_e4m3fn>().codes("saturated"),
                [](float x) { return amp::saturate_cast<amp::float8_e4m3fn>(x); });
}

TEST_CASE("formats: NumPy rounds double to half likewise", "[types]") {
  const Codes expected = golden("float16 of float64").codes("codes");
  for (const int step : {-1, 0, 1}) {
    Checksum sum;
    for (std::uint32_t upper = 0; upper < 1u << 20; ++upper) {
      const auto value = std::bit_cast<float>(upper << 12);
      if (!amp::is_finite(value) || (upper & 0x7'ffff) == 0) continue;
      const auto bits = std::bit_cast<std::int64_t>(static_cast<double>(value));
      sum.add(amp::half(std::bit_cast<double>(bits + step)).bits());
    }
    CAPTURE(step);
    CHECK(sum.sum() == expected.at(static_cast<std::size_t>(step + 1)));
  }
}

TEMPLATE_TEST_CASE("formats: torch and ml_dtypes have the same limits", "[types]", amp::half,
                   amp::bfloat16, amp::float8_e4m3fn, amp::float8_e5m2) {
  using Limits = std::numeric_limits<TestType>;
  const auto limit = [](std::string_view key) { return golden<TestType>()[key].values.at(0); };
  CHECK(static_cast<double>(Limits::max()) == limit("max"));
  CHECK(static_cast<double>(Limits::min()) == limit("min"));
  CHECK(static_cast<double>(Limits::denorm_min()) == limit("denorm_min"));
  CHECK(static_cast<double>(Limits::epsilon()) == limit("epsilon"));
}

}  // namespace formats_golden

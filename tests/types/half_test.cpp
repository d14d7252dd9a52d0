// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// half against the processor's own conversions.
#include <amp/types.hpp>

#include <bit>
#include <cstdint>
#include <random>

#include "support/catch.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

namespace {

__attribute__((target("f16c"))) std::uint16_t hardware_encode(float value) {
  const __m128i codes = _mm_cvtps_ph(_mm_set_ss(value), _MM_FROUND_TO_NEAREST_INT);
  return static_cast<std::uint16_t>(_mm_extract_epi16(codes, 0));
}
__attribute__((target("f16c"))) std::uint32_t hardware_decode(std::uint16_t code) {
  return std::bit_cast<std::uint32_t>(_mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(code))));
}
bool has_f16c() { return amp::detail::instruction_set() != amp::detail::InstructionSet::kBaseline; }

}  // namespace

TEST_CASE("half: floats round as the processor rounds them", "[types]") {
  if (!has_f16c()) AMP_TEST_SKIP("F16C is missing, or may not be used");
  std::mt19937 random(5);
  std::int64_t wrong = 0;
  std::uint32_t first = 0;
  const auto expect = [&](std::uint32_t bits) {
    const auto value = std::bit_cast<float>(bits);
    if (amp::half(value).bits() != hardware_encode(value) && wrong++ == 0) first = bits;
  };
  // Every exponent with every pattern of the upper 13 fraction bits and the lowest few.
  for (std::uint32_t upper = 0; upper < 1u << 22; ++upper)
    expect(upper << 10 | (upper * 2654435761u >> 29));
  for (int i = 0; i < 3'000'000; ++i) expect(static_cast<std::uint32_t>(random()));
  CAPTURE(first);
  CHECK(wrong == 0);
}

TEST_CASE("half: codes decode as the processor decodes them", "[types]") {
  if (!has_f16c()) AMP_TEST_SKIP("F16C is missing, or may not be used");
  std::int64_t wrong = 0;
  std::uint32_t first = 0;
  for (std::uint32_t code = 0; code < 1u << 16; ++code) {
    const auto bits = static_cast<std::uint16_t>(code);
    const auto value = static_cast<float>(amp::half::from_bits(bits));
    if (std::bit_cast<std::uint32_t>(value) != hardware_decode(bits) && wrong++ == 0) first = code;
  }
  CAPTURE(first);
  CHECK(wrong == 0);
}
#endif

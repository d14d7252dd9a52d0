// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bulk conversion between number formats, at the speed of memory where the processor has the
// instructions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/half.hpp"

#if AMP_X86
#include <immintrin.h>
#endif

namespace amp::inline v0 {

/// One element, as a cast: to bool, whether it is not zero.
template <class To, class From>
AMP_HOST_DEVICE constexpr To convert_one(From value) {
  if constexpr (std::is_same_v<To, From>) {
    return value;
  } else if constexpr (std::is_same_v<To, bool>) {
    if constexpr (is_small_float<From>)
      return static_cast<float>(value) != 0;
    else
      return value != From{};
  } else if constexpr (std::is_same_v<From, bool>) {
    return static_cast<To>(static_cast<int>(value));
  } else {
    return static_cast<To>(value);
  }
}

namespace detail {

#if AMP_X86
inline bool has_avx2() {
  static const bool found = __builtin_cpu_supports("avx2");  // and with it F16C, in every processor
  return found;
}

// Whole vectors of the two 16-bit formats, with the same bits as small_float: rounded to nearest
// even, NaNs made quiet. Each returns how many elements it converted and leaves the tail.
__attribute__((target("avx2,f16c"))) inline std::size_t convert_vectors(const half* from, float* to,
                                                                        std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(codes));
  }
  return i;
}
__attribute__((target("avx2,f16c"))) inline std::size_t convert_vectors(const float* from, half* to,
                                                                        std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i codes = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}
__attribute__((target("avx2"))) inline std::size_t convert_vectors(const bfloat16* from, float* to,
                                                                   std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    const __m256i bits = _mm256_slli_epi32(_mm256_cvtepu16_epi32(codes), 16);
    _mm256_storeu_ps(to + i, _mm256_castsi256_ps(bits));
  }
  return i;
}
__attribute__((target("avx2"))) inline std::size_t convert_vectors(const float* from, bfloat16* to,
                                                                   std::size_t n) {
  const __m256i infinity = _mm256_set1_epi32(0x7f80'0000);
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i codes[2];
    for (std::size_t part = 0; part < 2; ++part) {
      const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(from + i + 8 * part));
      const __m256i upper = _mm256_srli_epi32(bits, 16);
      const __m256i last = _mm256_and_si256(upper, _mm256_set1_epi32(1));
      const __m256i half_unit = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
      const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half_unit), 16);
      const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff'ffff));
      const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
      codes[part] = _mm256_blendv_epi8(rounded, quiet, _mm256_cmpgt_epi32(magnitude, infinity));
    }
    // Packing works within 128-bit lanes; the permutation restores the order.
    const __m256i packed =
        _mm256_permute4x64_epi64(_mm256_packus_epi32(codes[0], codes[1]), 0b11'01'10'00);
    std::memcpy(static_cast<void*>(to + i), &packed, sizeof packed);
  }
  return i;
}
#endif

/// Whether convert_vectors exists for the pair.
template <class From, class To>
inline constexpr bool has_vectors =
    AMP_X86 && ((std::is_same_v<From, float> && sizeof(To) == 2 && is_small_float<To>) ||
                (std::is_same_v<To, float> && sizeof(From) == 2 && is_small_float<From>));

}  // namespace detail

/// to[i] = from[i] for i < n. The ranges do not overlap.
template <class From, class To>
void convert_n(const From* from, To* to, std::size_t n) {
  if constexpr (std::is_same_v<From, To>) {
    if (n != 0) std::memcpy(static_cast<void*>(to), from, n * sizeof(From));
  } else {
    std::size_t i = 0;
#if AMP_X86
    if constexpr (detail::has_vectors<From, To>) {
      if (detail::has_avx2()) i = detail::convert_vectors(from, to, n);
    }
#endif
    for (; i < n; ++i) to[i] = convert_one<To>(from[i]);
  }
}

template <class T>
concept Number = std::is_arithmetic_v<T> || is_small_float<T>;

/// Converts element by element, each rounded once to nearest even: any two contiguous ranges of
/// numeric formats. Throws amp::Error where the lengths differ or the ranges overlap. O(n),
/// allocates nothing.
template <class FromRange, class ToRange>
  requires requires(const FromRange& from, ToRange&& to) {
    requires Number<std::remove_cvref_t<decltype(*std::data(from))>>;
    requires Number<std::remove_reference_t<decltype(*std::data(to))>>;
  }
void convert(const FromRange& from, ToRange&& to) {
  const std::size_t n = std::size(from);
  AMP_CHECK(n == std::size(to), "convert: `to` must have the length of `from`, ", n, ", but has ",
            std::size(to));
  const auto* source = std::data(from);
  auto* target = std::data(to);
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  AMP_CHECK(
      n == 0 || address(source + n) <= address(target) || address(target + n) <= address(source),
      "convert: `from` and `to` overlap; convert into separate memory");
  convert_n(source, target, n);
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversion between float and the small formats in vectors of 256 bits (AVX2, F16C). Results have
// the same bits as small_float: rounded to nearest even whatever the thread's rounding mode, NaNs
// made quiet, subnormals kept. Each function converts whole vectors from the beginning, returns how
// many elements that were, and leaves the tail to its caller.
#pragma once

#include <cstddef>
#include <cstring>

#include "amp/types/bfloat16.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

#if AMP_X86
#include <immintrin.h>

namespace amp::inline v0::detail::avx2 {

__attribute__((target("avx2,f16c"))) inline std::size_t convert(const half* from, float* to,
                                                                std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    __m128i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(codes));
  }
  return i;
}
__attribute__((target("avx2,f16c"))) inline std::size_t convert(const float* from, half* to,
                                                                std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m128i codes = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}

__attribute__((target("avx2"))) inline std::size_t convert(const bfloat16* from, float* to,
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
/// Returns 16 floats rounded to bfloat16.
__attribute__((target("avx2"))) inline __m256i to_bfloat16(const __m256 (&values)[2]) {
  const __m256i infinity = _mm256_set1_epi32(0x7f80'0000);
  __m256i codes[2];
  for (int part = 0; part < 2; ++part) {
    const __m256i bits = _mm256_castps_si256(values[part]);
    const __m256i upper = _mm256_srli_epi32(bits, 16);
    const __m256i last = _mm256_and_si256(upper, _mm256_set1_epi32(1));
    const __m256i half_unit = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
    const __m256i rounded = _mm256_srli_epi32(_mm256_add_epi32(bits, half_unit), 16);
    const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff'ffff));
    const __m256i quiet = _mm256_or_si256(upper, _mm256_set1_epi32(0x40));
    codes[part] = _mm256_blendv_epi8(rounded, quiet, _mm256_cmpgt_epi32(magnitude, infinity));
  }
  // Packing works within 128-bit lanes; the permutation restores the order.
  return _mm256_permute4x64_epi64(_mm256_packus_epi32(codes[0], codes[1]), 0b11'01'10'00);
}
__attribute__((target("avx2"))) inline std::size_t convert(const float* from, bfloat16* to,
                                                           std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i packed = to_bfloat16({_mm256_loadu_ps(from + i), _mm256_loadu_ps(from + i + 8)});
    std::memcpy(static_cast<void*>(to + i), &packed, sizeof packed);
  }
  return i;
}

/// Decodes 8 codes. A float8_e5m2 is the upper byte of a half. The bits of a float8_e4m3fn, placed
/// in a half, give the value times 2^(7 - 15), except for NaN.
__attribute__((target("avx2,f16c"))) inline __m256 decode(const float8_e5m2* from) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  return _mm256_cvtph_ps(_mm_slli_epi16(_mm_cvtepu8_epi16(bytes), 8));
}
__attribute__((target("avx2,f16c"))) inline __m256 decode(const float8_e4m3fn* from) {
  const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i*>(from));
  const __m128i words = _mm_cvtepi8_epi16(bytes);  // the sign fills the upper byte
  const __m128i halves = _mm_and_si128(_mm_slli_epi16(words, 7), _mm_set1_epi16(-0x4001));
  const __m256 values = _mm256_mul_ps(_mm256_cvtph_ps(halves), _mm256_set1_ps(256));
  // The code of NaN decodes to 480. Setting all exponent bits makes it a NaN with the same three
  // bits of payload.
  const __m256i bits = _mm256_castps_si256(values);
  const __m256i would_be = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff'ffff));
  const __m256i is_nan = _mm256_cmpeq_epi32(would_be, _mm256_set1_epi32(0x43f0'0000));
  return _mm256_castsi256_ps(
      _mm256_or_si256(bits, _mm256_and_si256(is_nan, _mm256_set1_epi32(0x7ff0'0000))));
}
template <class Float8>
__attribute__((target("avx2,f16c"))) std::size_t decode_all(const Float8* from, float* to,
                                                            std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) _mm256_storeu_ps(to + i, decode(from + i));
  return i;
}
inline std::size_t convert(const float8_e5m2* from, float* to, std::size_t n) {
  return decode_all(from, to, n);
}
inline std::size_t convert(const float8_e4m3fn* from, float* to, std::size_t n) {
  return decode_all(from, to, n);
}

/// NearestEven of rounding.hpp, for shifts below 32.
__attribute__((target("avx2"))) inline __m256i shift_right_nearest_even(__m256i x, __m256i shift) {
  const __m256i one = _mm256_set1_epi32(1);
  const __m256i half_unit = _mm256_sllv_epi32(one, _mm256_sub_epi32(shift, one));
  const __m256i last = _mm256_and_si256(_mm256_srlv_epi32(x, shift), one);
  const __m256i bias = _mm256_add_epi32(_mm256_sub_epi32(half_unit, one), last);
  return _mm256_srlv_epi32(_mm256_add_epi32(x, bias), shift);
}

/// small_float's encode for 8 floats, with selections in place of branches. The codes are in the
/// low bytes.
template <class Float8>
__attribute__((target("avx2"))) __m256i encode(const float* from) {
  constexpr int kShift = 23 - Float8::mantissa_bits;
  constexpr int kRebias = 127 - Float8::bias;
  constexpr int kPayload = Float8::special == NonFinite::kIeee ? Float8::kMantissaMask : 0;
  const __m256i bits = _mm256_castps_si256(_mm256_loadu_ps(from));
  const __m256i magnitude = _mm256_and_si256(bits, _mm256_set1_epi32(0x7fff'ffff));
  const __m256i exponent = _mm256_srli_epi32(magnitude, 23);

  const __m256i packed = _mm256_sub_epi32(magnitude, _mm256_set1_epi32(kRebias << 23));
  const __m256i normal = shift_right_nearest_even(packed, _mm256_set1_epi32(kShift));
  const __m256i significand = _mm256_or_si256(
      _mm256_and_si256(magnitude, _mm256_set1_epi32(0x007f'ffff)), _mm256_set1_epi32(0x0080'0000));
  // Shifts of 25 and more give 0. float's subnormals have no leading one, but their shift is about
  // 100.
  const __m256i shift = _mm256_min_epi32(
      _mm256_sub_epi32(_mm256_set1_epi32(kShift + kRebias + 1), exponent), _mm256_set1_epi32(31));
  const __m256i subnormal = shift_right_nearest_even(significand, shift);
  const __m256i is_normal = _mm256_cmpgt_epi32(exponent, _mm256_set1_epi32(kRebias));
  const __m256i rounded = _mm256_blendv_epi8(subnormal, normal, is_normal);

  const __m256i too_large = _mm256_cmpgt_epi32(rounded, _mm256_set1_epi32(Float8::kMaxFinite));
  const __m256i finite =
      _mm256_blendv_epi8(rounded, _mm256_set1_epi32(Float8::kOverflow), too_large);
  const __m256i payload =
      _mm256_and_si256(_mm256_srli_epi32(magnitude, kShift), _mm256_set1_epi32(kPayload));
  const __m256i nan = _mm256_or_si256(payload, _mm256_set1_epi32(Float8::kQuietNan));
  const __m256i is_nan = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f80'0000));
  const __m256i sign = _mm256_and_si256(_mm256_srli_epi32(bits, 24), _mm256_set1_epi32(0x80));
  return _mm256_or_si256(sign, _mm256_blendv_epi8(finite, nan, is_nan));
}
template <class Float8>
__attribute__((target("avx2"))) std::size_t encode_all(const float* from, Float8* to,
                                                       std::size_t n) {
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    const __m256i codes = encode<Float8>(from + i);
    const __m128i words =
        _mm_packus_epi32(_mm256_castsi256_si128(codes), _mm256_extracti128_si256(codes, 1));
    _mm_storel_epi64(reinterpret_cast<__m128i*>(to + i), _mm_packus_epi16(words, words));
  }
  return i;
}
inline std::size_t convert(const float* from, float8_e5m2* to, std::size_t n) {
  return encode_all(from, to, n);
}
inline std::size_t convert(const float* from, float8_e4m3fn* to, std::size_t n) {
  return encode_all(from, to, n);
}

}  // namespace amp::inline v0::detail::avx2
#endif

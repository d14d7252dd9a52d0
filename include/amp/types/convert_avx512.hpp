// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Conversion between float and the small formats in vectors of 512 bits (AVX-512F):
// convert_avx2.hpp at twice the width, with masks in place of blends.
#pragma once

#include <cstddef>
#include <cstring>

#include "amp/types/bfloat16.hpp"
#include "amp/types/float8.hpp"
#include "amp/types/half.hpp"

#if AMP_X86
#include <immintrin.h>

namespace amp::inline v0::detail::avx512 {

/// The mask of all elements. The intrinsics without a mask make g++ 12 warn of uninitialised
/// vectors in its own headers.
inline constexpr __mmask16 kAll = 0xffff;

__attribute__((target("avx512f"))) inline std::size_t convert(const half* from, float* to,
                                                              std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    _mm512_storeu_ps(to + i, _mm512_maskz_cvtph_ps(kAll, codes));
  }
  return i;
}
__attribute__((target("avx512f"))) inline std::size_t convert(const float* from, half* to,
                                                              std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m256i codes =
        _mm512_maskz_cvtps_ph(kAll, _mm512_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}

__attribute__((target("avx512f"))) inline std::size_t convert(const bfloat16* from, float* to,
                                                              std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    __m256i codes;
    std::memcpy(&codes, from + i, sizeof codes);
    const __m512i bits =
        _mm512_maskz_slli_epi32(kAll, _mm512_maskz_cvtepu16_epi32(kAll, codes), 16);
    _mm512_storeu_ps(to + i, _mm512_castsi512_ps(bits));
  }
  return i;
}
__attribute__((target("avx512f"))) inline std::size_t convert(const float* from, bfloat16* to,
                                                              std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m512i bits = _mm512_castps_si512(_mm512_loadu_ps(from + i));
    const __m512i upper = _mm512_maskz_srli_epi32(kAll, bits, 16);
    const __m512i last = _mm512_and_si512(upper, _mm512_set1_epi32(1));
    const __m512i half_unit = _mm512_add_epi32(last, _mm512_set1_epi32(0x7fff));
    const __m512i rounded = _mm512_maskz_srli_epi32(kAll, _mm512_add_epi32(bits, half_unit), 16);
    const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff'ffff));
    const __mmask16 is_nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f80'0000));
    const __m256i codes = _mm512_maskz_cvtepi32_epi16(
        kAll, _mm512_mask_or_epi32(rounded, is_nan, upper, _mm512_set1_epi32(0x40)));
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}

__attribute__((target("avx512f"))) inline __m512 decode(const float8_e5m2* from) {
  __m128i bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  return _mm512_maskz_cvtph_ps(kAll, _mm256_slli_epi16(_mm256_cvtepu8_epi16(bytes), 8));
}
__attribute__((target("avx512f"))) inline __m512 decode(const float8_e4m3fn* from) {
  __m128i bytes;
  std::memcpy(&bytes, from, sizeof bytes);
  const __m256i words = _mm256_slli_epi16(_mm256_cvtepi8_epi16(bytes), 7);
  const __m256i halves = _mm256_and_si256(words, _mm256_set1_epi16(-0x4001));
  const __m512 values = _mm512_mul_ps(_mm512_maskz_cvtph_ps(kAll, halves), _mm512_set1_ps(256));
  const __m512i bits = _mm512_castps_si512(values);
  const __m512i would_be = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff'ffff));
  const __mmask16 is_nan = _mm512_cmpeq_epi32_mask(would_be, _mm512_set1_epi32(0x43f0'0000));
  return _mm512_castsi512_ps(
      _mm512_mask_or_epi32(bits, is_nan, bits, _mm512_set1_epi32(0x7ff0'0000)));
}
template <class Float8>
__attribute__((target("avx512f"))) std::size_t decode_all(const Float8* from, float* to,
                                                          std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) _mm512_storeu_ps(to + i, decode(from + i));
  return i;
}
inline std::size_t convert(const float8_e5m2* from, float* to, std::size_t n) {
  return decode_all(from, to, n);
}
inline std::size_t convert(const float8_e4m3fn* from, float* to, std::size_t n) {
  return decode_all(from, to, n);
}

__attribute__((target("avx512f"))) inline __m512i shift_right_nearest_even(__m512i x,
                                                                           __m512i shift) {
  const __m512i one = _mm512_set1_epi32(1);
  const __m512i half_unit = _mm512_maskz_sllv_epi32(kAll, one, _mm512_sub_epi32(shift, one));
  const __m512i last = _mm512_and_si512(_mm512_maskz_srlv_epi32(kAll, x, shift), one);
  const __m512i bias = _mm512_add_epi32(_mm512_sub_epi32(half_unit, one), last);
  return _mm512_maskz_srlv_epi32(kAll, _mm512_add_epi32(x, bias), shift);
}

template <class Float8>
__attribute__((target("avx512f"))) __m128i encode(const float* from) {
  constexpr int kShift = 23 - Float8::mantissa_bits;
  constexpr int kRebias = 127 - Float8::bias;
  constexpr int kPayload = Float8::special == NonFinite::kIeee ? Float8::kMantissaMask : 0;
  const __m512i bits = _mm512_castps_si512(_mm512_loadu_ps(from));
  const __m512i magnitude = _mm512_and_si512(bits, _mm512_set1_epi32(0x7fff'ffff));
  const __m512i exponent = _mm512_maskz_srli_epi32(kAll, magnitude, 23);

  const __m512i packed = _mm512_sub_epi32(magnitude, _mm512_set1_epi32(kRebias << 23));
  const __m512i normal = shift_right_nearest_even(packed, _mm512_set1_epi32(kShift));
  const __m512i significand = _mm512_or_si512(
      _mm512_and_si512(magnitude, _mm512_set1_epi32(0x007f'ffff)), _mm512_set1_epi32(0x0080'0000));
  const __m512i shift = _mm512_maskz_min_epi32(
      kAll, _mm512_sub_epi32(_mm512_set1_epi32(kShift + kRebias + 1), exponent),
      _mm512_set1_epi32(31));
  const __m512i subnormal = shift_right_nearest_even(significand, shift);
  const __mmask16 is_normal = _mm512_cmpgt_epi32_mask(exponent, _mm512_set1_epi32(kRebias));
  const __m512i rounded = _mm512_mask_mov_epi32(subnormal, is_normal, normal);

  const __mmask16 too_large =
      _mm512_cmpgt_epi32_mask(rounded, _mm512_set1_epi32(Float8::kMaxFinite));
  const __m512i finite =
      _mm512_mask_mov_epi32(rounded, too_large, _mm512_set1_epi32(Float8::kOverflow));
  const __m512i payload = _mm512_and_si512(_mm512_maskz_srli_epi32(kAll, magnitude, kShift),
                                           _mm512_set1_epi32(kPayload));
  const __mmask16 is_nan = _mm512_cmpgt_epi32_mask(magnitude, _mm512_set1_epi32(0x7f80'0000));
  const __m512i unsigned_codes =
      _mm512_mask_or_epi32(finite, is_nan, payload, _mm512_set1_epi32(Float8::kQuietNan));
  const __m512i sign =
      _mm512_and_si512(_mm512_maskz_srli_epi32(kAll, bits, 24), _mm512_set1_epi32(0x80));
  return _mm512_maskz_cvtepi32_epi8(kAll, _mm512_or_si512(sign, unsigned_codes));
}
template <class Float8>
__attribute__((target("avx512f"))) std::size_t encode_all(const float* from, Float8* to,
                                                          std::size_t n) {
  std::size_t i = 0;
  for (; i + 16 <= n; i += 16) {
    const __m128i codes = encode<Float8>(from + i);
    std::memcpy(static_cast<void*>(to + i), &codes, sizeof codes);
  }
  return i;
}
inline std::size_t convert(const float* from, float8_e5m2* to, std::size_t n) {
  return encode_all(from, to, n);
}
inline std::size_t convert(const float* from, float8_e4m3fn* to, std::size_t n) {
  return encode_all(from, to, n);
}

}  // namespace amp::inline v0::detail::avx512
#endif

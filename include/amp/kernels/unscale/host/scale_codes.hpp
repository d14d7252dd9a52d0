// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Multiplies 16-bit numbers by a factor in place. Infinity and NaN are detected in the codes, as
// integers; the results are not tested.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "amp/core/config.hpp"
#include "amp/types/convert.hpp"
#include "amp/types/dtype.hpp"

#if AMP_X86
#include <immintrin.h>
#endif

namespace amp::inline v0::kernels::host {

namespace detail {

/// One element after another. Returns whether one is not finite.
template <class T>
bool scale_each(T* x, std::int64_t n, float factor) {
  bool bad = false;
  for (std::int64_t i = 0; i < n; ++i) {
    bad |= (x[i].bits() & 0x7fff) >= std::numeric_limits<T>::infinity().bits();
    x[i] = T(static_cast<float>(x[i]) * factor);
  }
  return bad;
}

#if AMP_X86
__attribute__((target("avx2"))) inline __m128i load(const void* from) {
  return _mm_loadu_si128(static_cast<const __m128i*>(from));
}
__attribute__((target("avx2"))) inline __m256i magnitudes(const void* codes) {
  return _mm256_and_si256(_mm256_loadu_si256(static_cast<const __m256i*>(codes)),
                          _mm256_set1_epi16(0x7fff));
}

__attribute__((target("avx2,f16c"))) inline bool scale_codes_avx2(half* x, std::int64_t n,
                                                                  float factor) {
  const __m256 factors = _mm256_set1_ps(factor);
  __m256i most = _mm256_setzero_si256();
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    most = _mm256_max_epi16(most, magnitudes(x + i));
    for (half* const eight : {x + i, x + i + 8}) {
      const __m256 unscaled = _mm256_mul_ps(_mm256_cvtph_ps(load(eight)), factors);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(eight),
                       _mm256_cvtps_ph(unscaled, _MM_FROUND_TO_NEAREST_INT));
    }
  }
  const __m256i largest = _mm256_set1_epi16(0x7bff);
  const bool bad = _mm256_movemask_epi8(_mm256_cmpgt_epi16(most, largest)) != 0;
  return scale_each(x + i, n - i, factor) || bad;
}

/// Finite codes are rounded without the NaN case.
__attribute__((target("avx2"))) inline bool scale_codes_avx2(bfloat16* x, std::int64_t n,
                                                             float factor) {
  const __m256 factors = _mm256_set1_ps(factor);
  const __m256i largest = _mm256_set1_epi16(0x7f7f);
  bool bad = false;
  std::int64_t i = 0;
  for (; i + 16 <= n; i += 16) {
    if (_mm256_movemask_epi8(_mm256_cmpgt_epi16(magnitudes(x + i), largest)) != 0) [[unlikely]] {
      bad = scale_each(x + i, 16, factor);
      continue;
    }
    __m256i rounded[2];
    for (int part = 0; part < 2; ++part) {
      const __m256i widened = _mm256_slli_epi32(_mm256_cvtepu16_epi32(load(x + i + 8 * part)), 16);
      const __m256i bits =
          _mm256_castps_si256(_mm256_mul_ps(_mm256_castsi256_ps(widened), factors));
      const __m256i last = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
      const __m256i half_unit = _mm256_add_epi32(last, _mm256_set1_epi32(0x7fff));
      rounded[part] = _mm256_srli_epi32(_mm256_add_epi32(bits, half_unit), 16);
    }
    // Packing works within 128-bit lanes; the permutation restores the order.
    _mm256_storeu_si256(
        reinterpret_cast<__m256i*>(x + i),
        _mm256_permute4x64_epi64(_mm256_packus_epi32(rounded[0], rounded[1]), 0b11'01'10'00));
  }
  return scale_each(x + i, n - i, factor) || bad;
}
#endif

}  // namespace detail

/// Whether scale_codes() can be used for a format and a factor on this processor. A factor above 1
/// could make finite numbers overflow.
inline bool can_scale_codes(DType dtype, double factor) {
  return AMP_X86 != 0 && (dtype == kFloat16 || dtype == kBFloat16) && factor >= 0 && factor <= 1 &&
         amp::detail::has_avx2();
}

/// x *= factor for n numbers of an array, from `first` on, each rounded once. Returns whether one
/// of them is not finite. Requires can_scale_codes().
inline bool scale_codes([[maybe_unused]] void* data, [[maybe_unused]] DType dtype,
                        [[maybe_unused]] std::int64_t first, [[maybe_unused]] std::int64_t n,
                        [[maybe_unused]] float factor) {
#if AMP_X86
  if (dtype == kFloat16)
    return detail::scale_codes_avx2(static_cast<half*>(data) + first, n, factor);
  return detail::scale_codes_avx2(static_cast<bfloat16*>(data) + first, n, factor);
#else
  return false;
#endif
}

}  // namespace amp::inline v0::kernels::host

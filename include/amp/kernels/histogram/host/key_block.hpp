// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The exponents of a block of numbers as bytes; one instruction compares 32 of them.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/histogram/formula.hpp"

#if AMP_X86
#include <immintrin.h>
#endif

namespace amp::inline v0::kernels::host::detail {

/// Float32's field of the exponent, since a float holds every number of the shorter formats. Key 0
/// stands for zeros and for numbers that are subnormal in float32, or smaller; the last key for
/// those that are not below 2^128.
using Key = std::uint8_t;
inline constexpr int kKeys = 256, kLastKey = kKeys - 1, kKeyBias = 127;
inline constexpr std::int64_t kKeyBlock = 4096;
inline constexpr std::int64_t kKeyLanes = 32;
static_assert(kKeyBlock / kKeyLanes < kKeys);  // a lane counts in a byte

template <class C>
AMP_ALWAYS_INLINE auto code_of(C x) {
  return __builtin_bit_cast(typename ExponentCode<C>::Bits, x);
}
AMP_ALWAYS_INLINE Key key_of(float x) { return static_cast<Key>(code_of(x) >> 23); }
AMP_ALWAYS_INLINE Key key_of(double x) {
  const int field = ExponentCode<double>::field(code_of(x)) - 1023 + kKeyBias;
  return static_cast<Key>(field < 0 ? 0 : field < kLastKey ? field : kLastKey);
}

/// The keys of at most kKeyBlock numbers, in any order, with the number of keys 0 and the range of
/// the other keys.
struct KeyBlock {
  alignas(64) Key keys[kKeyBlock];
  std::int64_t size, zeros;
  Key least, most;

  template <class C>
  AMP_ALWAYS_INLINE void read(const C* x, std::int64_t n) {
    begin(n);
    read_rest(x, 0);
  }
  /// Returns how often a key occurs among the first n, a multiple of kKeyLanes.
  AMP_ALWAYS_INLINE std::int64_t count(Key key, std::int64_t n) const {
    Key lanes[kKeyLanes] = {};
    for (std::int64_t i = 0; i < n; i += kKeyLanes) {
      for (std::int64_t l = 0; l < kKeyLanes; ++l)
        lanes[l] = static_cast<Key>(lanes[l] + (keys[i + l] == key ? 1 : 0));
    }
    std::int64_t sum = 0;
    for (const Key lane : lanes) sum += lane;
    return sum;
  }

#if AMP_X86
  __attribute__((target("avx2"))) void read_avx2(const float* x, std::int64_t n) {
    begin(n);
    const __m256i ones = _mm256_set1_epi8(1), fields = _mm256_set1_epi32(0xff);
    __m256i none = _mm256_setzero_si256(), above = none, below = _mm256_set1_epi8(-1);
    std::int64_t i = 0;
    for (; i + kKeyLanes <= n; i += kKeyLanes) {
      __m256i eight[4];
      for (int part = 0; part < 4; ++part) {
        const __m256i code = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(x + i + 8 * part));
        const __m256i zero = _mm256_cmpeq_epi32(_mm256_slli_epi32(code, 1), _mm256_setzero_si256());
        none = _mm256_sub_epi32(none, zero);
        eight[part] = _mm256_and_si256(_mm256_srli_epi32(code, 23), fields);
      }
      const __m256i all = _mm256_packus_epi16(_mm256_packus_epi32(eight[0], eight[1]),
                                              _mm256_packus_epi32(eight[2], eight[3]));
      _mm256_store_si256(reinterpret_cast<__m256i*>(keys + i), all);
      above = _mm256_max_epu8(above, all);
      below = _mm256_min_epu8(below, _mm256_sub_epi8(all, ones));
    }
    alignas(32) std::int32_t zero_lanes[8];
    alignas(32) Key least_lanes[kKeyLanes], most_lanes[kKeyLanes];
    _mm256_store_si256(reinterpret_cast<__m256i*>(zero_lanes), none);
    _mm256_store_si256(reinterpret_cast<__m256i*>(least_lanes), below);
    _mm256_store_si256(reinterpret_cast<__m256i*>(most_lanes), above);
    for (const std::int32_t lane : zero_lanes) zeros += lane;
    for (const Key lane : least_lanes) see_least(lane);
    for (const Key lane : most_lanes) most = lane > most ? lane : most;
    read_rest(x, i);
  }
  __attribute__((target("avx2"))) std::int64_t count_avx2(Key key, std::int64_t n) const {
    const __m256i wanted = _mm256_set1_epi8(static_cast<char>(key));
    __m256i even = _mm256_setzero_si256(), odd = even;
    std::int64_t i = 0;
    for (; i + 2 * kKeyLanes <= n; i += 2 * kKeyLanes) {
      even = _mm256_sub_epi8(even, _mm256_cmpeq_epi8(load_keys(i), wanted));
      odd = _mm256_sub_epi8(odd, _mm256_cmpeq_epi8(load_keys(i + kKeyLanes), wanted));
    }
    if (i < n) even = _mm256_sub_epi8(even, _mm256_cmpeq_epi8(load_keys(i), wanted));
    const __m256i none = _mm256_setzero_si256();
    const __m256i sums = _mm256_add_epi64(_mm256_sad_epu8(even, none), _mm256_sad_epu8(odd, none));
    alignas(32) std::int64_t four[4];
    _mm256_store_si256(reinterpret_cast<__m256i*>(four), sums);
    return four[0] + four[1] + four[2] + four[3];
  }
#endif

 private:
  AMP_ALWAYS_INLINE void begin(std::int64_t n) {
    size = n;
    zeros = 0;
    least = kLastKey;
    most = 0;
  }
  /// `below` is a key minus 1, so that key 0 gives the largest value.
  AMP_ALWAYS_INLINE void see_least(Key below) {
    if (below != kLastKey && below + 1 < least) least = static_cast<Key>(below + 1);
  }
  template <class C>
  AMP_ALWAYS_INLINE void read_rest(const C* x, std::int64_t i) {
    for (; i < size; ++i) {
      keys[i] = key_of(x[i]);
      zeros += (code_of(x[i]) & ExponentCode<C>::kMagnitude) == 0 ? 1 : 0;
      see_least(static_cast<Key>(keys[i] - 1));
      most = keys[i] > most ? keys[i] : most;
    }
  }
#if AMP_X86
  __attribute__((target("avx2"))) __m256i load_keys(std::int64_t i) const {
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(keys + i));
  }
#endif
};

}  // namespace amp::inline v0::kernels::host::detail

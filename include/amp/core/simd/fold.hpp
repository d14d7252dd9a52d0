// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One number from the lanes of a vector.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// The first (second) half of the lanes, as a vector of the next smaller set.
template <class Isa>
struct Halved;
template <>
struct Halved<Avx2> {
  using type = Baseline;
};
template <>
struct Halved<Avx512> {
  using type = Avx2;
};
template <bool kSecond, class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, typename Halved<Isa>::type> half_of(const Vec<T, Isa>& v) {
  Vec<T, typename Halved<Isa>::type> half;
  constexpr int kBytes = sizeof half.low;
  if constexpr (Vec<T, Isa>::kTwo) {
    const auto& lanes = kSecond ? v.high : v.low;
    half.low = in_memory<T, kBytes>(&lanes).value;
    half.high = in_memory<T, kBytes>(reinterpret_cast<const char*>(&lanes) + kBytes).value;
  } else {
    half.low =
        in_memory<T, kBytes>(reinterpret_cast<const char*>(&v.low) + (kSecond ? kBytes : 0)).value;
  }
  return half;
}

// Structs instead of lambdas, because nvcc does not always inline those.
struct Plus {
  template <class T>
  AMP_ALWAYS_INLINE T operator()(T a, T b) const {
    return a + b;
  }
};
struct Larger {
  template <class T>
  AMP_ALWAYS_INLINE T operator()(T a, T b) const {
    return b > a ? b : a;
  }
  template <class T, class Isa>
  AMP_ALWAYS_INLINE Vec<T, Isa> operator()(const Vec<T, Isa>& a, const Vec<T, Isa>& b) const {
    return larger(b, a);
  }
};
/// Combines halves of kCount lanes until one lane is left.
template <int kCount, class T, class Isa, class Combine>
AMP_ALWAYS_INLINE T fold_lanes(const Vec<T, Isa>& v, const Combine& combine, int first) {
  if constexpr (kCount == 1) {
    return v[first];
  } else {
    const T low = fold_lanes<kCount / 2>(v, combine, first);
    return combine(low, fold_lanes<kCount / 2>(v, combine, first + kCount / 2));
  }
}
/// Combines halves of the lanes until one lane is left.
template <class T, class Isa, class Combine>
AMP_ALWAYS_INLINE T fold(const Vec<T, Isa>& v, const Combine& combine) {
  if constexpr (std::is_same_v<Isa, Baseline>)
    return fold_lanes<kLanes<Isa>>(v, combine, 0);
  else
    return fold(combine(half_of<false>(v), half_of<true>(v)), combine);
}
/// Whether a bit of a register is set.
template <int kBytes>
AMP_ALWAYS_INLINE bool any_bit(const typename Register<std::int64_t, kBytes>::type& v) {
  if constexpr (kBytes == 8) {
    return v[0] != 0;
  } else {
    typename Register<std::int64_t, kBytes / 2>::type low, high;
    low = in_memory<std::int64_t, kBytes / 2>(&v).value;
    high =
        in_memory<std::int64_t, kBytes / 2>(reinterpret_cast<const char*>(&v) + sizeof low).value;
    return any_bit<kBytes / 2>(low | high);
  }
}
/// Whether a lane of a mask is set.
template <class T, class Isa>
AMP_ALWAYS_INLINE bool any(const Vec<T, Isa>& mask) {
  constexpr int kBytes = sizeof(mask.low);
  using Bits = typename Register<std::int64_t, kBytes>::type;
  if constexpr (Vec<T, Isa>::kTwo)
    return any_bit<kBytes>(__builtin_bit_cast(Bits, mask.low) |
                           __builtin_bit_cast(Bits, mask.high));
  else
    return any_bit<kBytes>(__builtin_bit_cast(Bits, mask.low));
}
template <class T, class Isa>
AMP_ALWAYS_INLINE T sum_of(const Vec<T, Isa>& v) {
  return fold(v, Plus{});
}

}  // namespace amp::inline v0::simd

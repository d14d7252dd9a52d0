// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of a softmax over a row of scores, and of its backward, compiled for several
// instruction sets and chosen at run time. NaN and infinity are tested on integers, which
// -ffast-math leaves alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/kernels/traversal/host/lanes.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::host {

/// The functions for one type. The rows have n elements, a multiple of kMultiple.
template <class C>
struct ScoreRows {
  /// The score of a key that a query does not attend to: finite, so that comparison is exact.
  static constexpr C kUnseen = std::numeric_limits<C>::lowest();
  static constexpr std::int64_t kMultiple = 16;

  /// Returns the largest x; NaN if any x is NaN.
  C (*maximum)(const C* x, std::int64_t n);
  /// Computes x = e^(factor * x - shift) * times, or 0 if x is kUnseen. Returns the sum of the
  /// results. shift is about the largest factor * x.
  C (*exponentials)(C* x, std::int64_t n, C factor, C shift, C times);
  /// Returns the sum of p * dp, without the terms whose p is 0.
  C (*dot)(const C* p, const C* dp, std::int64_t n);
  /// Computes dp = p * (dp - mean) * factor, or 0 if p is 0.
  void (*gradient)(const C* p, C* dp, std::int64_t n, C mean, C factor);
  /// x *= factor
  void (*scale)(C* x, std::int64_t n, C factor);
};

namespace score_rows {

using lanes::exponential;
using lanes::kLanes;
using lanes::load;
using lanes::store;
using lanes::sum_of;

/// Returns x, but 0 in lanes in which the bits of `word` are 0.
template <class Isa>
AMP_ALWAYS_INLINE void keep_where(typename Isa::F& x, const typename Isa::U& word) {
  using U = typename Isa::U;
  const U zero{}, mask = zero - ((word | (zero - word)) >> 31);
  x = __builtin_bit_cast(typename Isa::F, U(__builtin_bit_cast(U, x) & mask));
}

template <class Isa>
AMP_ALWAYS_INLINE float maximum(const float* x, std::int64_t n) {
  using F = typename Isa::F;
  using I = typename Isa::I;
  F largest{}, v;
  largest -= std::numeric_limits<float>::infinity();
  I largest_magnitude{};
  for (std::int64_t i = 0; i < n; i += kLanes<Isa>) {
    load(v, x + i);
    const I magnitude = __builtin_bit_cast(I, v) & 0x7fff'ffff;
    largest_magnitude = magnitude > largest_magnitude ? magnitude : largest_magnitude;
    largest = v > largest ? v : largest;
  }
  float result = largest[0];
  bool any = false;
  for (std::int64_t l = 0; l < kLanes<Isa>; ++l) {
    any = any || largest_magnitude[l] > 0x7f80'0000;
    result = largest[l] > result ? largest[l] : result;
  }
  return any ? std::numeric_limits<float>::quiet_NaN() : result;
}

template <class Isa>
AMP_ALWAYS_INLINE float exponentials(float* x, std::int64_t n, float factor, float shift,
                                     float times) {
  using F = typename Isa::F;
  using U = typename Isa::U;
  constexpr float kUnseen = ScoreRows<float>::kUnseen;
  F sum{}, v;
  for (std::int64_t i = 0; i < n; i += kLanes<Isa>) {
    load(v, x + i);
    const U is_seen = __builtin_bit_cast(U, v) ^ __builtin_bit_cast(std::uint32_t, kUnseen);
    v = v * factor - shift;
    exponential<Isa>(v);
    v *= times;
    keep_where<Isa>(v, is_seen);
    sum += v;
    store(v, x + i);
  }
  return sum_of<Isa>(sum);
}

template <class Isa>
AMP_ALWAYS_INLINE float dot(const float* p, const float* dp, std::int64_t n) {
  using F = typename Isa::F;
  using U = typename Isa::U;
  F sum{}, weight, v;
  for (std::int64_t i = 0; i < n; i += kLanes<Isa>) {
    load(weight, p + i);
    load(v, dp + i);
    v *= weight;
    keep_where<Isa>(v, __builtin_bit_cast(U, weight));
    sum += v;
  }
  return sum_of<Isa>(sum);
}

template <class Isa>
AMP_ALWAYS_INLINE void gradient(const float* p, float* dp, std::int64_t n, float mean,
                                float factor) {
  using F = typename Isa::F;
  using U = typename Isa::U;
  F weight, v;
  for (std::int64_t i = 0; i < n; i += kLanes<Isa>) {
    load(weight, p + i);
    load(v, dp + i);
    v = weight * (v - mean) * factor;
    keep_where<Isa>(v, __builtin_bit_cast(U, weight));
    store(v, dp + i);
  }
}

template <class Isa>
AMP_ALWAYS_INLINE void scale(float* x, std::int64_t n, float factor) {
  typename Isa::F v;
  for (std::int64_t i = 0; i < n; i += kLanes<Isa>) {
    load(v, x + i);
    v *= factor;
    store(v, x + i);
  }
}

/// The functions for float64, one element at a time.
struct Scalar {
  static double maximum(const double* x, std::int64_t n) {
    double largest = -std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < n; ++i) largest = x[i] > largest || is_nan(x[i]) ? x[i] : largest;
    return largest;
  }
  static double exponentials(double* x, std::int64_t n, double factor, double shift, double times) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      x[i] = x[i] == ScoreRows<double>::kUnseen ? 0 : std::exp(x[i] * factor - shift) * times;
      sum += x[i];
    }
    return sum;
  }
  static double dot(const double* p, const double* dp, std::int64_t n) {
    double sum = 0;
    for (std::int64_t i = 0; i < n; ++i) sum += p[i] == 0 ? 0 : p[i] * dp[i];
    return sum;
  }
  static void gradient(const double* p, double* dp, std::int64_t n, double mean, double factor) {
    for (std::int64_t i = 0; i < n; ++i) dp[i] = p[i] == 0 ? 0 : p[i] * (dp[i] - mean) * factor;
  }
  static void scale(double* x, std::int64_t n, double factor) {
    for (std::int64_t i = 0; i < n; ++i) x[i] *= factor;
  }
};

#define AMP_SCORE_ROWS(Name, Isa, ...)                                                         \
  struct Name {                                                                                \
    __VA_ARGS__ static float maximum(const float* x, std::int64_t n) {                         \
      return score_rows::maximum<Isa>(x, n);                                                   \
    }                                                                                          \
    __VA_ARGS__ static float exponentials(float* x, std::int64_t n, float factor, float shift, \
                                          float times) {                                       \
      return score_rows::exponentials<Isa>(x, n, factor, shift, times);                        \
    }                                                                                          \
    __VA_ARGS__ static float dot(const float* p, const float* dp, std::int64_t n) {            \
      return score_rows::dot<Isa>(p, dp, n);                                                   \
    }                                                                                          \
    __VA_ARGS__ static void gradient(const float* p, float* dp, std::int64_t n, float mean,    \
                                     float factor) {                                           \
      score_rows::gradient<Isa>(p, dp, n, mean, factor);                                       \
    }                                                                                          \
    __VA_ARGS__ static void scale(float* x, std::int64_t n, float factor) {                    \
      score_rows::scale<Isa>(x, n, factor);                                                    \
    }                                                                                          \
  };
AMP_SCORE_ROWS(OnGeneric, lanes::Generic)
#if AMP_X86
AMP_SCORE_ROWS(OnAvx2, lanes::Avx2, __attribute__((target("avx2,fma"))))
AMP_SCORE_ROWS(OnAvx512, lanes::Avx512, __attribute__((target("avx512f,avx2,fma"))))
#endif
#undef AMP_SCORE_ROWS

template <class C, class Set>
constexpr ScoreRows<C> all_of() {
  return {Set::maximum, Set::exponentials, Set::dot, Set::gradient, Set::scale};
}

}  // namespace score_rows

template <class C>
ScoreRows<C> choose_score_rows() {
  if constexpr (std::is_same_v<C, double>) {
    return score_rows::all_of<C, score_rows::Scalar>();
  } else {
#if AMP_X86
    if (amp::detail::has_avx512()) return score_rows::all_of<C, score_rows::OnAvx512>();
    if (amp::detail::has_avx2()) return score_rows::all_of<C, score_rows::OnAvx2>();
#endif
    return score_rows::all_of<C, score_rows::OnGeneric>();
  }
}

}  // namespace amp::inline v0::kernels::host

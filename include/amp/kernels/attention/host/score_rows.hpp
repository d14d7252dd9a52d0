// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of a softmax over a row of scores, and of its backward. A row has n elements, a
// multiple of kRowMultiple. NaN is tested on integers, which -ffast-math leaves alone.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/core/config.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/math.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels::host::score_rows {

inline constexpr std::int64_t kRowMultiple = simd::kMostLanes;
/// The score of a key that a query does not attend to: finite, so that comparison is exact.
template <class C>
inline constexpr C kUnseen = std::numeric_limits<C>::lowest();

/// Returns the largest x; NaN if any x is NaN.
struct Maximum {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* x, std::int64_t n) {
    simd::Vec<C, Isa> largest = -std::numeric_limits<C>::infinity();
    simd::Mask<C, Isa> has_nan = false;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const simd::Vec<C, Isa> v = simd::load<Isa>(x + i);
      has_nan |= is_nan(v);
      largest = larger(v, largest);
    }
    return simd::any(has_nan) ? std::numeric_limits<C>::quiet_NaN()
                              : simd::fold(largest, simd::Larger{});
  }
};

/// Computes x = e^(factor * x - shift) * times, or 0 if x is kUnseen. Returns the sum of the
/// results. shift is about the largest factor * x.
struct Exponentials {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(C* x, std::int64_t n, C factor, C shift, C times) {
    const simd::Vec<C, Isa> zero = 0;
    simd::Vec<C, Isa> sum = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const simd::Vec<C, Isa> v = simd::load<Isa>(x + i);
      const simd::Vec<C, Isa> e = exp(v * factor - shift) * times;
      const simd::Vec<C, Isa> result = select(has_bits_of(v, kUnseen<C>), zero, e);
      sum += result;
      simd::store(result, x + i);
    }
    return simd::sum_of(sum);
  }
};

/// Returns the sum of p * dp, without the terms whose p is 0.
struct Dot {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* p, const C* dp, std::int64_t n) {
    const simd::Vec<C, Isa> zero = 0;
    simd::Vec<C, Isa> sum = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const simd::Vec<C, Isa> weight = simd::load<Isa>(p + i);
      sum += select(has_bits_of(weight, C{0}), zero, weight * simd::load<Isa>(dp + i));
    }
    return simd::sum_of(sum);
  }
};

/// Computes dp = p * (dp - mean) * factor, or 0 if p is 0.
struct Gradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* p, C* dp, std::int64_t n, C mean, C factor) {
    const simd::Vec<C, Isa> zero = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const simd::Vec<C, Isa> weight = simd::load<Isa>(p + i);
      const simd::Vec<C, Isa> v = weight * (simd::load<Isa>(dp + i) - mean) * factor;
      simd::store(select(has_bits_of(weight, C{0}), zero, v), dp + i);
    }
  }
};

/// x *= factor
struct Scale {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* x, std::int64_t n, C factor) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>)
      simd::store(simd::load<Isa>(x + i) * factor, x + i);
  }
};

}  // namespace amp::inline v0::kernels::host::score_rows

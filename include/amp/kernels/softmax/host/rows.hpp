// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions over a row for softmax and cross-entropy: its maximum, and the sum of its
// exponentials.
#pragma once

#include <cstdint>

#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/math.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Returns the largest element; any element if one is NaN.
struct MaximumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* x, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    if (n < kLanes) {
      C maximum = x[0];
      for (std::int64_t i = 1; i < n; ++i) maximum = x[i] > maximum ? x[i] : maximum;
      return maximum;
    }
    simd::Vec<C, Isa> maximum = simd::load<Isa>(x);
    for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes)
      maximum = larger(simd::load<Isa>(x + i), maximum);
    maximum =
        larger(simd::load<Isa>(x + n - kLanes), maximum);  // the last ones, some of them again
    return simd::fold(maximum, simd::Larger{});
  }
};

/// Returns the sum of exp(x - maximum). Stores the terms in y, unless that is null.
struct ExponentialsOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, C* y, std::int64_t n, C maximum) {
    simd::Vec<double, Isa> sum = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      const simd::Vec<C, Isa> v = exp(simd::load<Isa>(x + i) - maximum);
      if (y != nullptr) simd::store(v, y + i);
      sum += simd::to_double(simd::keep_first(v, n - i));
    }
    return simd::sum_of(sum);
  }
};

}  // namespace amp::inline v0::kernels::host::detail

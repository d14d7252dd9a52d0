// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions over a row for softmax and cross-entropy: its maximum, and the sum of its
// exponentials.
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/traversal/host/lanes.hpp"

namespace amp::inline v0::kernels::host::detail {

template <class Isa>
AMP_ALWAYS_INLINE void exponential_of(typename Isa::F& x) {
  if constexpr (std::is_same_v<Isa, lanes::Float64>) {
    x = typename Isa::F{std::exp(x[0]), std::exp(x[1])};
  } else {
    lanes::exponential<Isa>(x);
  }
}

/// Returns the largest element; any element if one is NaN.
struct MaximumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* x, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    if (n < kLanes) {
      C maximum = x[0];
      for (std::int64_t i = 1; i < n; ++i) maximum = x[i] > maximum ? x[i] : maximum;
      return maximum;
    }
    typename Isa::F maximum, v;
    lanes::load(maximum, x);
    for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes) {
      lanes::load(v, x + i);
      maximum = v > maximum ? v : maximum;
    }
    lanes::load(v, x + n - kLanes);  // the last ones, some of them again
    maximum = v > maximum ? v : maximum;
    return lanes::fold<kLanes>(maximum, lanes::Larger{});
  }
};

/// Returns the sum of exp(x - maximum). Stores the terms in y, unless that is null.
struct ExponentialsOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, C* y, std::int64_t n, C maximum) {
    lanes::Sum<Isa> sum;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      typename Isa::F v;
      lanes::load(v, x + i);
      v = v - maximum;
      exponential_of<Isa>(v);
      if (y != nullptr) lanes::store(v, y + i);
      sum.add(v, n - i);
    }
    return sum.total();
  }
};

/// Computes the sum of exp(x - maximum), and 1 / it or its logarithm: Softmax<Log>::finish.
template <bool Log, class Isa, class C>
AMP_ALWAYS_INLINE C finished_sum(const C* x, C* exponentials, std::int64_t n, C maximum) {
  return static_cast<C>(
      Softmax<Log>::finish(ExponentialsOfRow::run<Isa>(x, exponentials, n, maximum)));
}

}  // namespace amp::inline v0::kernels::host::detail

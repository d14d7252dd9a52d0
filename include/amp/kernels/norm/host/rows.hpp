// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layer norm, RMS norm and group norm of one row, or of a piece of it with the same affine
// parameters, in vectors. The formulas are in norm/formula.hpp.
#pragma once

#include <cstdint>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The sum of (x - mean)^2
template <class Mean>
struct SquareTerm {
  Mean mean;

  template <class V>
  AMP_ALWAYS_INLINE V operator()(const V& x) const {
    return (x - mean) * (x - mean);
  }
};
struct SumOfSquares {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, std::int64_t n, double mean) {
    return sum_of_terms<Isa>(x, n, SquareTerm<double>{mean});
  }
};
template <class C>
double sum_of_squares(const C* x, std::int64_t n, double mean) {
  return on_rows<SumOfSquares, C>(x, n, mean);
}

/// The affine parameters of a piece: one for each element, or (null) the same for all.
template <class C>
struct RowAffine {
  const C *weights = nullptr, *biases = nullptr;
  C weight = C{1}, bias = C{0};
};

/// y = (x - mean) * rstd * weight + bias
struct NormaliseRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, C mean, C rstd,
                                    RowAffine<C> affine) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> v = simd::load<Isa>(x + i), w = affine.weight, b = affine.bias;
      if (affine.weights != nullptr) w = simd::load<Isa>(affine.weights + i);
      if (affine.biases != nullptr) b = simd::load<Isa>(affine.biases + i);
      Norm::to_normal(v, mean, rstd);
      simd::store(v * w + b, y + i);
    }
  }
};

struct NormSums {
  double *to_weights, *to_biases;  // += grad * x^ and grad of each element; null: not wanted
  double grad = 0, dot = 0;        // sums of g and of g * x^
};
/// Adds the sums of a piece. g is grad * weight, or grad if `weights` is null.
struct AddToNormSums {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* grad, const C* weights, std::int64_t n,
                                    C mean, C rstd, NormSums* sums) {
    simd::Vec<double, Isa> total = 0, dot = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> v = simd::load<Isa>(x + i), g = simd::load<Isa>(grad + i);
      Norm::to_normal(v, mean, rstd);
      v = simd::keep_first(v, n - i);
      g = simd::keep_first(g, n - i);
      const simd::Vec<double, Isa> normal = simd::to_double(v);
      if (sums->to_weights != nullptr) {
        const simd::Vec<double, Isa> wide = simd::to_double(g);
        simd::add_to(sums->to_weights + i, wide * normal);
        simd::add_to(sums->to_biases + i, wide);
      }
      if (weights != nullptr) g = g * simd::keep_first(simd::load<Isa>(weights + i), n - i);
      const simd::Vec<double, Isa> wide = simd::to_double(g);
      total += wide;
      dot += wide * normal;
    }
    sums->grad = simd::sum_of(total);
    sums->dot = simd::sum_of(dot);
  }
};

/// grad_x = factor * (g - mean_g - x^ * mean_dot), as Norm::to_gradient() says.
struct NormGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* grad, C* grad_x, std::int64_t n, C mean,
                                    C rstd, RowAffine<C> affine, C mean_g, C mean_dot, C factor) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> v = simd::load<Isa>(x + i), w = affine.weight;
      if (affine.weights != nullptr) w = simd::load<Isa>(affine.weights + i);
      Norm::to_normal(v, mean, rstd);
      simd::Vec<C, Isa> g = simd::load<Isa>(grad + i) * w;
      Norm::to_gradient(g, v, mean_g, mean_dot, factor);
      simd::store(g, grad_x + i);
    }
  }
};

}  // namespace amp::inline v0::kernels::host::detail

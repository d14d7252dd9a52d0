// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layer norm, RMS norm and group norm of one row, or of a piece of it with the same affine
// parameters, in vectors. The formulas are in norm/formula.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/types/small_float.hpp"

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

/// The sum of a row, and that of the squared distances from its mean.
struct Moments {
  double sum = 0, squares = 0;
};
template <class Isa>
struct MomentLanes {
  simd::Vec<double, Isa> sum = 0, squares = 0;

  AMP_ALWAYS_INLINE void add(const simd::Vec<double, Isa>& distance) {
    sum += distance;
    squares += distance * distance;
  }
};
/// Adds the moments of a run of n elements to those of `before` runs like it (Chan, Golub and
/// LeVeque 1979).
inline void add_run(const Moments& run, std::int64_t n, std::int64_t before, Moments& to) {
  const double length = static_cast<double>(n), runs = static_cast<double>(before);
  to.squares += run.squares;
  if (before != 0) {
    const double distance = (run.sum - to.sum / runs) / length;
    to.squares += distance * distance * length * (runs / (runs + 1));
  }
  to.sum += run.sum;
}
/// The moments from the sums of the distances from `first`, one of the n elements, p, and of their
/// squares. That is the sum of the squared distances from the mean m, and n (p - m)^2, which is at
/// most n times as much: results that are rounded to float do not show the digits that doubles
/// lose by the difference.
AMP_ALWAYS_INLINE Moments moments_around(double first, double sum, double squares, std::int64_t n) {
  const double count = static_cast<double>(n), around_mean = squares - sum * (sum / count);
  return {count * first + sum, around_mean < 0 ? 0 : around_mean};
}
/// In one pass.
struct MomentsOfRow {
  template <class Isa>
  AMP_ALWAYS_INLINE static Moments run(const float* x, std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    const double first = is_finite(x[0]) ? static_cast<double>(x[0]) : 0;
    MomentLanes<Isa> even, odd;  // which do not wait for each other
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      even.add(simd::load_doubles<Isa>(x + i) - first);
      odd.add(simd::load_doubles<Isa>(x + i + kLanes) - first);
    }
    for (; i < n; i += kLanes) {
      const std::int64_t rest = (std::min)(n - i, kLanes);
      const auto distance = simd::to_double(simd::load_first<Isa>(x + i, rest)) - first;
      even.add(simd::keep_first(distance, rest));
    }
    return moments_around(first, simd::sum_of(even.sum + odd.sum),
                          simd::sum_of(even.squares + odd.squares), n);
  }
};
template <class C>
Moments moments_of(const C* x, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) {
    return simd::on_widest<MomentsOfRow>(x, n);
  } else {
    const double sum = sum_block<double>(x, n);
    return {sum, sum_of_squares(x, n, sum / static_cast<double>(n))};
  }
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

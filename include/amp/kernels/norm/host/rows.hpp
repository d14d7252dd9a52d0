// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layer norm, RMS norm and group norm of one row, or of a piece of it with the same affine
// parameters, in vectors. The formulas are in norm/formula.hpp.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/lanes.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The sum of (x - mean)^2 over floats x.
struct SumOfSquares {
  template <class Isa>
  AMP_ALWAYS_INLINE static double run(const float* x, std::int64_t n, double mean) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    lanes::Sum<Isa> even, odd;
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      add<Isa>(x + i, mean, even);
      add<Isa>(x + i + kLanes, mean, odd);
    }
    even.add(odd.low, odd.high);
    double total = even.total();
    for (; i < n; ++i) {
      const double d = static_cast<double>(x[i]) - mean;
      total += d * d;
    }
    return total;
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static void add(const float* x, double mean, lanes::Sum<Isa>& sum) {
    typename Isa::F v;
    typename Isa::D low, high;
    lanes::load(v, x);
    lanes::widen<Isa>(v, low, high);
    low -= mean;
    high -= mean;
    sum.low += low * low;
    sum.high += high * high;
  }
};

/// Computes the same for any floating-point type.
template <class C>
double sum_of_squares(const C* x, std::int64_t n, double mean) {
  if constexpr (std::is_same_v<C, float>) return lanes::OnWidest<SumOfSquares>::run(x, n, mean);
  double lanes[8] = {};
  std::int64_t i = 0;
  const auto square = [&](std::int64_t j) {
    const double d = static_cast<double>(x[j]) - mean;
    return d * d;
  };
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += square(i + l);
  }
  for (; i < n; ++i) lanes[i % 8] += square(i);
  return sum_block<double>(lanes, 8);
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
    using F = typename Isa::F;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      F w = F{} + affine.weight, b = F{} + affine.bias;
      lanes::Vector<F> v;
      lanes::load(v.value, x + i);
      if (affine.weights != nullptr) lanes::load(w, affine.weights + i);
      if (affine.biases != nullptr) lanes::load(b, affine.biases + i);
      Norm::to_normal(v, mean, rstd);
      v.value = v.value * w + b;
      lanes::store(v.value, y + i);
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
    using F = typename Isa::F;
    using D = typename Isa::D;
    lanes::Sum<Isa> total, dot;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      F g;
      lanes::Vector<F> v;
      D normal[2], low, high;
      lanes::load(v.value, x + i);
      lanes::load(g, grad + i);
      Norm::to_normal(v, mean, rstd);
      lanes::widen<Isa>(v.value, normal[0], normal[1]);
      if (sums->to_weights != nullptr) {
        lanes::widen<Isa>(g, low, high);
        D first = low * normal[0], second = high * normal[1];
        lanes::keep_first<Isa>(low, high, n - i);
        lanes::keep_first<Isa>(first, second, n - i);
        lanes::add_to<Isa>(sums->to_weights + i, first, second);
        lanes::add_to<Isa>(sums->to_biases + i, low, high);
      }
      if (weights != nullptr) {
        F w;
        lanes::load(w, weights + i);
        g = g * w;
      }
      lanes::widen<Isa>(g, low, high);
      D first = low * normal[0], second = high * normal[1];
      lanes::keep_first<Isa>(low, high, n - i);
      lanes::keep_first<Isa>(first, second, n - i);
      total.add(low, high);
      dot.add(first, second);
    }
    sums->grad = total.total();
    sums->dot = dot.total();
  }
};

/// grad_x = rstd * (g - mean_g - x^ * mean_dot)
struct NormGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* grad, C* grad_x, std::int64_t n, C mean,
                                    C rstd, RowAffine<C> affine, C mean_g, C mean_dot) {
    using F = typename Isa::F;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      lanes::Vector<F> v, g, w{F{} + affine.weight};
      lanes::load(v.value, x + i);
      lanes::load(g.value, grad + i);
      if (affine.weights != nullptr) lanes::load(w.value, affine.weights + i);
      Norm::to_normal(v, mean, rstd);
      g = g * w;
      Norm::to_gradient(g, v, mean_g, mean_dot, rstd);
      lanes::store(g.value, grad_x + i);
    }
  }
};

}  // namespace amp::inline v0::kernels::host::detail

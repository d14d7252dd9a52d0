// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The variance of a line x of n elements, around its mean, because sum(x^2) - n mean^2 would
// cancel.
//   var    = sum((x - mean)^2) / (n - correction)
//   grad_x = grad * 2 / (n - correction) * (x - mean)
// The standard deviation is sqrt(var), and grad_var = grad_std / (2 std), or 0 if std is 0.
// The mean's own gradient drops out, since sum(x - mean) is 0. Sums, mean and variance are float64:
// a mean rounded to float32 could be as far from the true mean as the elements are, and the square
// of a float32 may overflow. The gradient has the type of the elements. The mean of float64 elements
// is that of their distances from the first one: then equal elements are their mean exactly, as
// shorter ones are anyway, and the standard deviation, whose gradient divides by it, is 0.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

struct Variance {
  double n, divisor;   // divisor: 0 if n <= correction, which gives infinity or NaN
  double grad_factor;  // as torch's: negative if n < correction
  bool root;           // whether the result is the standard deviation

  Variance(std::int64_t length, double correction, bool root_of_it)
      : n(static_cast<double>(length)),
        divisor(n > correction ? n - correction : 0),
        grad_factor(2 / (n - correction)),
        root(root_of_it) {}

  AMP_HOST_DEVICE double mean(double sum) const { return sum / n; }
  AMP_HOST_DEVICE double result(double squares) const {
    const double variance = squares / divisor;
    return root ? functions::sqrt(variance) : variance;
  }
  AMP_HOST_DEVICE static double square(double x, double mean) { return (x - mean) * (x - mean); }

  /// Returns the factor of (x - mean) in the gradient, for the result of the forward pass, which
  /// only that of the standard deviation uses.
  template <class C>
  AMP_HOST_DEVICE C factor(C grad, C result) const {
    if (root) grad = result == C{0} ? C{0} : grad / (C{2} * result);
    return grad * static_cast<C>(grad_factor);
  }
  /// Replaces x, a number or a vector of them (simd::Vec), by its gradient.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_gradient(V& x, C mean, C factor) {
    x = (x - mean) * factor;
  }
};

}  // namespace amp::inline v0::kernels

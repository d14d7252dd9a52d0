// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax of a line x, with m = max x and S = sum(exp(x - m)):
//   softmax:      p = exp(x - m) / S
//   log_softmax:  log p = (x - m) - log S
// The maximum is subtracted first, so exp cannot overflow; the result is the same. log_softmax
// subtracts it separately: with m + log S, log-probabilities of large x would lose their last
// digits.
// Gradients, with y the result and p the probability (y, or exp(y)):
//   softmax:      grad_x = p * (grad - sum(grad * p))
//   log_softmax:  grad_x = grad - p * sum(grad)
// A NaN anywhere, or an infinite maximum, makes S NaN, and with it the results.
#pragma once

#include <limits>

#include "amp/core/config.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

/// Formulas on numbers, or on vectors of them (simd::Vec), which are changed in place.
struct Softmax {
  bool log;  // a constant in kernels that are compiled for one function

  /// Returns the value that is applied to each element of a line: 1 / S, or log S.
  template <class C>
  AMP_HOST_DEVICE C finish(C sum) const {
    return log ? functions::log(sum) : C{1} / sum;
  }
  /// Replaces v, which is exp(x - m), or x, by the result.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void apply(V& v, C maximum, C finished) const {
    if (log)
      v = (v - maximum) - finished;
    else
      v = v * finished;
  }
  /// Replaces grad by the term of the sum in the gradient's formula.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void to_term(V& grad, const V& p) const {
    if (!log) grad = grad * p;
  }
  /// Replaces grad by the gradient of x.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE void to_gradient(V& grad, const V& p, C sum) const {
    if (log)
      grad = grad - p * sum;
    else
      grad = p * (grad - sum);
  }
};

/// sum(exp(x - maximum)) of the elements seen so far, in one pass: the sum shrinks as the maximum
/// rises (Milakov and Gimelshein 2018, arXiv 1805.02867, algorithm 3).
template <class C>
struct ExpSum {
  static constexpr C kNone = -std::numeric_limits<C>::infinity();

  C maximum = kNone;
  double sum = 0;

  /// Returns what is subtracted: 0 while all elements are -inf, which then add 0.
  AMP_HOST_DEVICE C origin() const { return maximum == kNone ? C{0} : maximum; }
  AMP_HOST_DEVICE void raise(C to) {
    if (!(to > maximum)) return;
    sum *= static_cast<double>(functions::exp(maximum - to));
    maximum = to;
  }
  /// Returns the factor that rescales this sum to a larger maximum.
  AMP_HOST_DEVICE C weight_in(C larger) const {
    return maximum == kNone ? C{0} : functions::exp(maximum - larger);
  }
};

}  // namespace amp::inline v0::kernels

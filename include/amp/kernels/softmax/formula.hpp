// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax of a line x, with m = max x and S = sum(exp(x - m)):
//   softmax:      p = exp(x - m) / S
//   log_softmax:  log p = (x - m) - log S
// The maximum is subtracted first: exp cannot overflow, and the result is the same. In log_softmax
// it is subtracted by itself: m + log S would cost log-probabilities of large x their last digits.
// Gradients, with y the result and p the probability (y, or exp(y)):
//   softmax:      grad_x = p * (grad - sum(grad * p))
//   log_softmax:  grad_x = grad - p * sum(grad)
// A NaN anywhere, and an infinite maximum, make S NaN, and with it the results.
#pragma once

#include <limits>

#include "amp/core/config.hpp"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels {

/// On numbers, or on vectors of them (lanes::Vector), which are changed in place.
template <bool Log>
struct Softmax {
  /// What is done with each element of a line once its sum is known: 1 / S, or log S.
  template <class C>
  AMP_HOST_DEVICE static C finish(C sum) {
    if constexpr (Log)
      return functions::math::log(sum);
    else
      return C{1} / sum;
  }
  /// v, which is exp(x - m), or x, becomes the result.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void apply(V& v, C maximum, C finished) {
    if constexpr (Log)
      v = (v - maximum) - finished;
    else
      v = v * finished;
  }
  /// grad becomes what the sum of the gradient's formula adds up.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_term(V& grad, const V& p) {
    if constexpr (!Log) grad = grad * p;
  }
  /// grad becomes the gradient of x.
  AMP_EITHER_SIDE
  template <class V, class C>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_gradient(V& grad, const V& p, C sum) {
    if constexpr (Log)
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

  /// What is subtracted: nothing while all elements are -inf, which then add 0.
  AMP_HOST_DEVICE C origin() const { return maximum == kNone ? C{0} : maximum; }
  AMP_HOST_DEVICE void raise(C to) {
    if (!(to > maximum)) return;
    sum *= static_cast<double>(functions::math::exp(maximum - to));
    maximum = to;
  }
  /// What one in this sum is in that of a larger maximum.
  AMP_HOST_DEVICE C weight_in(C larger) const {
    return maximum == kNone ? C{0} : functions::math::exp(maximum - larger);
  }
};

}  // namespace amp::inline v0::kernels

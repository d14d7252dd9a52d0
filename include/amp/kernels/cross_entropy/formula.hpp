// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy against class indices, fused: probabilities are never stored. With q the smoothed
// and weighted target distribution, q_c = w_c ((1 - e) [c = t] + e / C) (Szegedy et al. 2016,
// section 7),
//   loss    = -sum_c q_c log p_c
//   log p_c = (x_c - m) - L,   m = max_c x_c,   L = log sum_c exp(x_c - m)
//   grad_x  = (p sum_c q_c - q) * grad_loss
// If x holds log-probabilities already (negative log-likelihood), log p is x and grad_x is
// -q * grad_loss.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The factors of q, without the weights.
template <class C>
struct SmoothedTarget {
  C certain, share;  // 1 - e, e / C

  SmoothedTarget(double label_smoothing, std::int64_t classes)
      : certain(static_cast<C>(1 - label_smoothing)),
        share(static_cast<C>(label_smoothing) / static_cast<C>(classes)) {}

  AMP_HOST_DEVICE bool is_smoothed() const { return share != C{0}; }
  /// Returns the sum of q over the classes, from the target's weight and the sum of all weights.
  AMP_HOST_DEVICE C sum(C target_weight, double weights) const {
    return certain * target_weight + static_cast<C>(static_cast<double>(share) * weights);
  }
  /// Returns q of a class.
  AMP_HOST_DEVICE C of(C weight, bool is_target) const {
    return weight * (share + (is_target ? certain : C{0}));
  }
  /// Returns the loss of a line without the smoothed part. log_p is the target's.
  AMP_HOST_DEVICE C certain_loss(C target_weight, C log_p) const {
    return -certain * target_weight * log_p;
  }
  /// Replaces p, a number or a vector of them, by the gradient of x.
  AMP_EITHER_SIDE
  template <class V, class Q>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void to_gradient(V& p, const Q& q, C q_sum, C grad) {
    p = (p * q_sum - q) * grad;
  }
};

}  // namespace amp::inline v0::kernels

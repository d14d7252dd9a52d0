// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of RMSprop (optim/rmsprop.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct RMSpropRule {
  double alpha = 0.99, eps = 1e-8, weight_decay = 0, momentum = 0;
  bool centered = false;

  static constexpr int kStates = 3;  // square_avg, momentum_buffer, grad_avg
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = 0;
  AMP_HOST_DEVICE constexpr bool keeps_state(int s) const {
    return s == 0 || (s == 1 ? momentum > 0 : centered);
  }

  template <class T>
  struct Coefficients {
    T rate, alpha, weight, eps, decay, momentum;
    bool centered;
  };
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t) const {
    using T = typename V::Number;
    return Coefficients<T>{static_cast<T>(rate),
                           static_cast<T>(alpha),
                           static_cast<T>(1 - alpha),
                           static_cast<T>(eps),
                           static_cast<T>(weight_decay),
                           static_cast<T>(momentum),
                           centered};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& v, V& buffer,
                                                       V& mean) {
    if (k.decay != 0) grad = grad + k.decay * weight;
    v = k.alpha * v + k.weight * grad * grad;
    if (k.centered) {
      mean = lerp(mean, grad, k.weight);
      // A variance that rounding made negative would be NaN for ever.
      grad = grad / (sqrt(larger(v - mean * mean, 0)) + k.eps);
    } else {
      grad = grad / (sqrt(v) + k.eps);
    }
    if (k.momentum > 0) {
      buffer = k.momentum * buffer + grad;
      grad = buffer;
    }
    weight = weight - k.rate * grad;
  }

  friend bool operator==(const RMSpropRule&, const RMSpropRule&) = default;
};

}  // namespace amp::inline v0::kernels

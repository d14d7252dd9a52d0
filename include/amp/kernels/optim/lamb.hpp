// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of LAMB (optim/lamb.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct LambRule {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-6, weight_decay = 0.01;

  static constexpr int kStates = 2;  // exp_avg, exp_avg_sq
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = 1;
  /// The rate of each parameter is multiplied by its trust().
  static constexpr bool kTrusts = true, kDirects = true;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T rate, step_size, eps;  // both sides of the quotient times sqrt(1 - beta2^t)
    T decay, weight1, weight2, beta2;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE Coefficients<typename V::Number> coefficients(double rate, std::int64_t t,
                                                                double trust) const;
  /// ||weights|| / ||directions||, or 1 if either is 0.
  AMP_HOST_DEVICE static double trust(double weights, double directions, std::int64_t numel);

  /// Replaces grad by the direction of the step. The trust ratio determines its length.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void direct(const Coefficients<typename V::Number>& k,
                                                       V& grad, const V& weight, V& m, V& v) {
    m = lerp(m, grad, k.weight1);
    v = k.beta2 * v + k.weight2 * grad * grad;
    grad = k.step_size * m / (sqrt(v) + k.eps);
    if (k.decay != 0) grad = grad + k.decay * weight;
  }
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m, V& v) {
    direct(k, grad, weight, m, v);
    weight = weight - k.rate * grad;
  }

  friend bool operator==(const LambRule&, const LambRule&) = default;
};

}  // namespace amp::inline v0::kernels

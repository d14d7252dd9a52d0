// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of RAdam (optim/radam.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"
#include "amp/kernels/optim/weight_decay.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct RAdamRule {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled = false;

  static constexpr int kStates = 2;  // exp_avg, exp_avg_sq
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = 1;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T step_size, eps, weight1, weight2, beta2;
    WeightDecay<T> decay;
    bool rectified;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE Coefficients<typename V::Number> coefficients(double rate, std::int64_t t) const;

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m, V& v) {
    k.decay.apply(grad, weight);
    m = lerp(m, grad, k.weight1);
    v = k.beta2 * v + k.weight2 * grad * grad;
    weight = weight - (k.rectified ? k.step_size * m / (sqrt(v) + k.eps) : k.step_size * m);
  }

  friend bool operator==(const RAdamRule&, const RAdamRule&) = default;
};

}  // namespace amp::inline v0::kernels

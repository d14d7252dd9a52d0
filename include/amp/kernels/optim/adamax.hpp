// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Adamax (optim/adamax.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct AdamaxRule {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;

  static constexpr int kStates = 2;  // exp_avg, exp_inf
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = 1;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T step_size, weight1, beta2, eps, decay;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE Coefficients<typename V::Number> coefficients(double rate, std::int64_t t) const;

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m, V& most) {
    if (k.decay != 0) grad = grad + k.decay * weight;
    m = lerp(m, grad, k.weight1);
    most = larger(k.beta2 * most, abs(grad) + k.eps);
    weight = weight - k.step_size * m / most;
  }

  friend bool operator==(const AdamaxRule&, const AdamaxRule&) = default;
};

}  // namespace amp::inline v0::kernels

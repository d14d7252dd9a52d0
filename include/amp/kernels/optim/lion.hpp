// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Lion (optim/lion.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct LionRule {
  double beta1 = 0.9, beta2 = 0.99, weight_decay = 0;

  static constexpr int kStates = 1;  // exp_avg
  static constexpr bool kCountsSteps = false;
  static constexpr int kStochasticState = -1;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T rate, shrink, beta1, weight1, beta2, weight2;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t) const {
    using T = typename V::Number;
    const double shrink = (1 - rate * typename V::Double{weight_decay}).value;
    return Coefficients<T>{static_cast<T>(rate),  static_cast<T>(shrink),
                           static_cast<T>(beta1), static_cast<T>(1 - beta1),
                           static_cast<T>(beta2), static_cast<T>(1 - beta2)};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m) {
    weight = k.shrink * weight - k.rate * sign(k.beta1 * m + k.weight1 * grad);
    m = k.beta2 * m + k.weight2 * grad;
  }

  friend bool operator==(const LionRule&, const LionRule&) = default;
};

}  // namespace amp::inline v0::kernels

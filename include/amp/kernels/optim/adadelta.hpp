// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Adadelta (optim/adadelta.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct AdadeltaRule {
  double rho = 0.9, eps = 1e-6, weight_decay = 0;

  static constexpr int kStates = 2;  // square_avg, acc_delta
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = -1;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T rate, rho, weight, eps, decay;
  };
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t) const {
    using T = typename V::Number;
    return Coefficients<T>{static_cast<T>(rate), static_cast<T>(rho), static_cast<T>(1 - rho),
                           static_cast<T>(eps), static_cast<T>(weight_decay)};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& v, V& deltas) {
    if (k.decay != 0) grad = grad + k.decay * weight;
    v = k.rho * v + k.weight * grad * grad;
    grad = sqrt(deltas + k.eps) / sqrt(v + k.eps) * grad;
    deltas = k.rho * deltas + k.weight * grad * grad;
    weight = weight - k.rate * grad;
  }

  friend bool operator==(const AdadeltaRule&, const AdadeltaRule&) = default;
};

}  // namespace amp::inline v0::kernels

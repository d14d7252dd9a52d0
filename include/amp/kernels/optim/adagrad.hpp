// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Adagrad (optim/adagrad.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct AdagradRule {
  double lr_decay = 0, weight_decay = 0, eps = 1e-10;

  static constexpr int kStates = 1;  // sum
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = 0;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return true; }

  template <class T>
  struct Coefficients {
    T rate, decay, eps;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t t) const {
    using T = typename V::Number;
    const double slowing = (static_cast<double>(t - 1) * typename V::Double{lr_decay} + 1).value;
    return Coefficients<T>{static_cast<T>(rate / slowing), static_cast<T>(weight_decay),
                           static_cast<T>(eps)};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& sum) {
    if (k.decay != 0) grad = grad + k.decay * weight;
    sum = sum + grad * grad;
    weight = weight - k.rate * grad / (sqrt(sum) + k.eps);
  }

  friend bool operator==(const AdagradRule&, const AdagradRule&) = default;
};

}  // namespace amp::inline v0::kernels

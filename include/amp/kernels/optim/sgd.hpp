// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of SGD (optim/sgd.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct SgdRule {
  double momentum = 0, dampening = 0, weight_decay = 0;
  bool nesterov = false;

  static constexpr int kStates = 1;  // momentum
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = -1;
  AMP_HOST_DEVICE constexpr bool keeps_state(int) const { return momentum != 0; }
  /// Only dampening asks which step is the first one.
  constexpr bool counts_steps() const { return momentum != 0 && dampening != 0; }

  template <class T>
  struct Coefficients {
    T rate, momentum, weight, decay;  // weight: of the gradient in the momentum
    bool has_momentum, nesterov;
  };
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double rate, std::int64_t t) const {
    using T = typename V::Number;
    return Coefficients<T>{static_cast<T>(rate),
                           static_cast<T>(momentum),
                           static_cast<T>(t == 1 ? 1 : 1 - dampening),
                           static_cast<T>(weight_decay),
                           momentum != 0,
                           nesterov};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& v) {
    if (k.decay != 0) grad = grad + k.decay * weight;
    if (k.has_momentum) {
      v = k.momentum * v + k.weight * grad;
      grad = k.nesterov ? grad + k.momentum * v : v;
    }
    weight = weight - k.rate * grad;
  }

  friend bool operator==(const SgdRule&, const SgdRule&) = default;
};

}  // namespace amp::inline v0::kernels

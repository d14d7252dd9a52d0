// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Adafactor (optim/adafactor.hpp) after its directions are known, for host and
// device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group. AdamRule explains the members of a rule.
struct AdafactorRule {
  double beta2_decay = -0.8, eps2 = 1e-3, d = 1, weight_decay = 0;
  double eps1 = -1;  // below 0: of the dtype

  static constexpr int kStates = 3;  // row_var, col_var, variance
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = -1;
  static constexpr bool kTrusts = true, kDirects = false;
  /// None here: the states have other shapes than the weights, and are averaged before the step.
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return false; }

  template <class T>
  struct Coefficients {
    T rate, shrink;
  };
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE Coefficients<typename V::Number> coefficients(double rate, std::int64_t t,
                                                                double trust) const;
  /// The size of the weights over that of a step which would be too long.
  AMP_HOST_DEVICE double trust(double weights, double directions, std::int64_t numel) const;

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V&, V&, V&) {
    weight = k.shrink * weight - k.rate * grad;
  }

  friend bool operator==(const AdafactorRule&, const AdafactorRule&) = default;
};

}  // namespace amp::inline v0::kernels

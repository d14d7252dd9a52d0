// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of Adam and AdamW (optim/adam.hpp), for host and device.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"
#include "amp/kernels/optim/weight_decay.hpp"

namespace amp::inline v0::kernels {

/// The hyperparameters of a group, the states of each parameter, and the formula.
struct AdamRule {
  double beta1 = 0.9, beta2 = 0.999, eps = 1e-8, weight_decay = 0;
  bool decoupled = false;  // AdamW
  bool amsgrad = false;

  /// The number of state arrays of each parameter: exp_avg, exp_avg_sq, and max_exp_avg_sq. Kernels
  /// compiled for speed know the first kPlainStates (all, if a rule does not say).
  static constexpr int kStates = 3, kPlainStates = 2;
  /// Whether the formula depends on the number of steps of a parameter.
  static constexpr bool kCountsSteps = true;
  /// The state that is rounded stochastically if it is chosen to be bfloat16; -1 if none is.
  static constexpr int kStochasticState = 1;
  /// The states whose numbers may be below 0, for moments of 8 bits (block_moments.hpp).
  static constexpr int kSignedStates = 1;
  /// Whether there is state `s` with these hyperparameters.
  AMP_HOST_DEVICE constexpr bool keeps_state(int s) const { return s < 2 || amsgrad; }

  /// The coefficients that follow from the hyperparameters, the learning rate and the count, in the
  /// type of the update.
  template <class T>
  struct Coefficients {
    T step_size, eps;  // both sides of the quotient times sqrt(1 - beta2^t)
    T weight1, weight2, beta2;
    WeightDecay<T> decay;
    bool amsgrad;
  };
  /// Returns the coefficients of a parameter's step t, from 1 on. V is a type of numbers that
  /// rounds each operation separately: host::Rounded or cuda::Rounded.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE Coefficients<typename V::Number> coefficients(double rate, std::int64_t t) const;

  /// Steps an element, or a vector of them, with its states. grad is unscaled and clipped, and used
  /// as scratch. (No variables of type V: nvcc takes no vectors in such functions.)
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m, V& v) {
    k.decay.apply(grad, weight);
    m = lerp(m, grad, k.weight1);
    v = k.beta2 * v + k.weight2 * grad * grad;
    weight = weight - k.step_size * m / (sqrt(v) + k.eps);
  }
  /// The same with amsgrad.
  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& grad, V& weight, V& m, V& v, V& most) {
    k.decay.apply(grad, weight);
    m = lerp(m, grad, k.weight1);
    v = k.beta2 * v + k.weight2 * grad * grad;
    if (k.amsgrad) most = larger(most, v);
    weight = weight - k.step_size * m / (sqrt(k.amsgrad ? most : v) + k.eps);
  }

  friend bool operator==(const AdamRule&, const AdamRule&) = default;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of the optimizers' formulas that need mathematical functions, for the kernels of host
// and device. Headers that only name a rule do not include them.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/lamb.hpp"

namespace amp::inline v0::kernels {

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE AdamRule::Coefficients<typename V::Number> AdamRule::coefficients(
    double rate, std::int64_t t) const {
  using T = typename V::Number;
  const auto step = static_cast<double>(t);
  const double root = functions::sqrt(1 - functions::pow(beta2, step));
  const double step_size = rate / (1 - functions::pow(beta1, step)) * root;
  const double shrink = (1 - rate * typename V::Double{weight_decay}).value;
  return Coefficients<T>{static_cast<T>(step_size), static_cast<T>(eps * root),
                         static_cast<T>(shrink), static_cast<T>(weight_decay),
                         static_cast<T>(1 - beta1), static_cast<T>(1 - beta2),
                         static_cast<T>(beta2), decoupled,
                         // Without a decay no weight gets into a gradient: 0 * infinity is NaN.
                         !decoupled && static_cast<T>(weight_decay) != 0};
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE LambRule::Coefficients<typename V::Number> LambRule::coefficients(
    double rate, std::int64_t t) const {
  using T = typename V::Number;
  const auto step = static_cast<double>(t);
  const double root = functions::sqrt(1 - functions::pow(beta2, step));
  return Coefficients<T>{
      static_cast<T>(rate),       static_cast<T>(root / (1 - functions::pow(beta1, step))),
      static_cast<T>(eps * root), static_cast<T>(weight_decay),
      static_cast<T>(1 - beta1),  static_cast<T>(1 - beta2),
      static_cast<T>(beta2)};
}

/// Returns ||weights|| / ||directions|| of a parameter, or 1 if either is 0, from the sums of the
/// squares.
AMP_HOST_DEVICE inline double trust_ratio(double weights, double directions) {
  if (weights == 0 || directions == 0) return 1;
  return functions::sqrt(weights) / functions::sqrt(directions);
}

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of the optimizers' formulas that need mathematical functions, for the kernels of host
// and device. Headers that only name a rule do not include them.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/optim/adafactor.hpp"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/adamax.hpp"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/kernels/optim/nadam.hpp"
#include "amp/kernels/optim/radam.hpp"

namespace amp::inline v0::kernels {

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE AdamRule::Coefficients<typename V::Number> AdamRule::coefficients(
    double rate, std::int64_t t) const {
  using T = typename V::Number;
  const auto step = static_cast<double>(t);
  const double root = functions::sqrt(1 - functions::pow(beta2, step));
  const double step_size = rate / (1 - functions::pow(beta1, step)) * root;
  return Coefficients<T>{static_cast<T>(step_size),
                         static_cast<T>(eps * root),
                         static_cast<T>(1 - beta1),
                         static_cast<T>(1 - beta2),
                         static_cast<T>(beta2),
                         WeightDecay<T>::template of<V>(rate, weight_decay, decoupled),
                         amsgrad};
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE AdamaxRule::Coefficients<typename V::Number> AdamaxRule::coefficients(
    double rate, std::int64_t t) const {
  using T = typename V::Number;
  const double step_size = rate / (1 - functions::pow(beta1, static_cast<double>(t)));
  return Coefficients<T>{static_cast<T>(step_size), static_cast<T>(1 - beta1),
                         static_cast<T>(beta2), static_cast<T>(eps), static_cast<T>(weight_decay)};
}

AMP_HOST_DEVICE inline double NAdamRule::factor_of_step(std::int64_t t) const {
  return beta1 * (1 - 0.5 * functions::pow(0.96, static_cast<double>(t) * momentum_decay));
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE NAdamRule::Coefficients<typename V::Number> NAdamRule::coefficients(
    double rate, std::int64_t t, double product) const {
  using T = typename V::Number;
  const double root = functions::sqrt(1 - functions::pow(beta2, static_cast<double>(t)));
  const double mu = factor_of_step(t), next = factor_of_step(t + 1);
  const double rate_grad = rate * (1 - mu) / (1 - product * mu);
  const double rate_m = rate * next / (1 - product * mu * next);
  return Coefficients<T>{static_cast<T>(rate_grad * root),
                         static_cast<T>(rate_m * root),
                         static_cast<T>(eps * root),
                         static_cast<T>(1 - beta1),
                         static_cast<T>(1 - beta2),
                         static_cast<T>(beta2),
                         WeightDecay<T>::template of<V>(rate, weight_decay, decoupled)};
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE RAdamRule::Coefficients<typename V::Number> RAdamRule::coefficients(
    double rate, std::int64_t t) const {
  using T = typename V::Number;
  const auto step = static_cast<double>(t);
  const double power = functions::pow(beta2, step), rest = 1 - power;
  const double longest = 2 / (1 - beta2) - 1;  // rho_infinity of the paper, and rho_t
  const double length = longest - 2 * step * power / rest;
  const bool rectified = length > 5;
  const double step_size = rate / (1 - functions::pow(beta1, step));
  const double rectification = rectified
                                   ? functions::sqrt((length - 4) * (length - 2) * longest /
                                                     ((longest - 4) * (longest - 2) * length)) *
                                         functions::sqrt(rest)
                                   : 1;
  return Coefficients<T>{static_cast<T>(step_size * rectification),
                         static_cast<T>(eps),
                         static_cast<T>(1 - beta1),
                         static_cast<T>(1 - beta2),
                         static_cast<T>(beta2),
                         WeightDecay<T>::template of<V>(rate, weight_decay, decoupled),
                         rectified};
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE LambRule::Coefficients<typename V::Number> LambRule::coefficients(
    double rate, std::int64_t t, double trust) const {
  using T = typename V::Number;
  const auto step = static_cast<double>(t);
  const double root = functions::sqrt(1 - functions::pow(beta2, step));
  return Coefficients<T>{
      static_cast<T>(rate * trust), static_cast<T>(root / (1 - functions::pow(beta1, step))),
      static_cast<T>(eps * root),   static_cast<T>(weight_decay),
      static_cast<T>(1 - beta1),    static_cast<T>(1 - beta2),
      static_cast<T>(beta2)};
}

AMP_HOST_DEVICE inline double LambRule::trust(double weights, double directions, std::int64_t) {
  if (weights == 0 || directions == 0) return 1;
  return functions::sqrt(weights) / functions::sqrt(directions);
}

AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE AdafactorRule::Coefficients<typename V::Number> AdafactorRule::coefficients(
    double rate, std::int64_t t, double trust) const {
  using T = typename V::Number;
  const double limit = 1 / functions::sqrt(static_cast<double>(t));
  const double shrink = (1 - rate * typename V::Double{weight_decay}).value;
  return Coefficients<T>{static_cast<T>((rate < limit ? rate : limit) * trust),
                         static_cast<T>(shrink)};
}

AMP_HOST_DEVICE inline double AdafactorRule::trust(double weights, double directions,
                                                   std::int64_t numel) const {
  const double root = functions::sqrt(static_cast<double>(numel));
  const double size = functions::sqrt(weights) / root;
  const double excess = functions::sqrt(directions) / (root * d);
  return (size > eps2 ? size : eps2) / (excess > 1 ? excess : 1);
}

}  // namespace amp::inline v0::kernels

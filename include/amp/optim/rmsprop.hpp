// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// RMSprop (Tieleman and Hinton 2012), as in torch.optim.RMSprop: the gradient over the root of a
// moving average of its squares,
//   g <- g + weight_decay * w,   v <- alpha v + (1 - alpha) g^2
//   d = g / (sqrt(v) + eps),   b <- momentum * b + d,   w <- w - lr * b   (no momentum: lr * d)
// `centered` subtracts the square of the gradient's moving average from v under the root (Graves
// 2013, arXiv 1308.0850): then v is an estimate of the variance.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct RMSpropRule;
}

/// Options of RMSprop. `moments` is the dtype of square_avg, momentum_buffer and grad_avg, chosen
/// as in SGDOptions; with kBFloat16, square_avg is rounded stochastically, as in AdamOptions.
/// momentum_buffer exists if `momentum` is above 0, grad_avg if `centered`.
struct RMSpropOptions {
  double lr = 1e-2;
  double alpha = 0.99;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum = 0;
  bool centered = false;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct RMSpropFormula {
  using Options = RMSpropOptions;
  using Rule = kernels::RMSpropRule;
  static constexpr std::string_view kName = "RMSprop";
  static constexpr std::string_view kStates[] = {"square_avg", "momentum_buffer", "grad_avg"};

  static void complete(const RMSpropOptions& options);
  static Rule rule(const RMSpropOptions& options);
  template <class Visitor>
  static void visit(RMSpropOptions& options, Visitor&& f);
};

}  // namespace detail

/// RMSprop (torch.optim.RMSprop). A variance that rounding makes negative counts as 0 if
/// `centered`.
class RMSprop final : public RuleOptimizer<detail::RMSpropFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/rmsprop.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// LAMB (You et al. 2020, arXiv 1904.00962, algorithm 2, phi the identity): Adam's step, scaled for
// each parameter to the norm of its weights,
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   r <- m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * w
//   w <- w - lr * ||w|| / ||r|| * r
// The trust ratio of a parameter tensor, ||w|| / ||r||, is 1 if either norm is 0. t is
// counted as in Adam. A step makes two passes over the parameters: the first computes the norms and
// writes nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct LambRule;
}

/// Options of LAMB. `moments` is the dtype of exp_avg and exp_avg_sq, as in AdamOptions. Norms are
/// summed in float32 over 2^16 elements at a time, then in float64; they are the same on every
/// device.
struct LAMBOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-6;
  double weight_decay = 0.01;
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct LambFormula {
  using Options = LAMBOptions;
  using Rule = kernels::LambRule;
  static constexpr std::string_view kName = "LAMB", kStates[] = {"exp_avg", "exp_avg_sq"};

  static void complete(const LAMBOptions& options);
  static Rule rule(const LAMBOptions& options);
  template <class Visitor>
  static void visit(LAMBOptions& options, Visitor&& f);
};

}  // namespace detail

/// Adam with a trust ratio for each parameter.
class LAMB final : public RuleOptimizer<detail::LambFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/lamb.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// NAdam (Dozat 2016), as in torch.optim.NAdam: Adam with Nesterov momentum,
//   mu(t) = beta1 (1 - 0.96^(t momentum_decay) / 2),   p(t) = mu(1) ... mu(t)
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   n = (1 - mu(t)) / (1 - p(t)) * g + mu(t + 1) / (1 - p(t + 1)) * m
//   w <- w - lr * n / (sqrt(v / (1 - beta2^t)) + eps)
// with weight decay as in Adam, or as in AdamW if decoupled_weight_decay. t is counted as in Adam,
// and p, the state mu_product, is on the device as well.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct NAdamRule;
}

/// Options of NAdam. `moments` is the dtype of exp_avg and exp_avg_sq, as in AdamOptions.
struct NAdamOptions {
  double lr = 2e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  double momentum_decay = 4e-3;
  bool decoupled_weight_decay = false;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct NAdamFormula {
  using Options = NAdamOptions;
  using Rule = kernels::NAdamRule;
  static constexpr std::string_view kName = "NAdam";
  static constexpr std::string_view kStates[] = {"exp_avg", "exp_avg_sq"};

  static void complete(const NAdamOptions& options);
  static Rule rule(const NAdamOptions& options);
  template <class Visitor>
  static void visit(NAdamOptions& options, Visitor&& f);
};

}  // namespace detail

/// NAdam (torch.optim.NAdam).
class NAdam final : public RuleOptimizer<detail::NAdamFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/nadam.ipp"
#endif

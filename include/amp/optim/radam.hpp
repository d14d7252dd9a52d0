// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// RAdam (Liu et al. 2020, arXiv 1908.03265, algorithm 2), as in torch.optim.RAdam: Adam whose
// adaptive rates begin when enough squares were averaged,
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   rho = 2 / (1 - beta2) - 1,   rho(t) = rho - 2 t beta2^t / (1 - beta2^t)
//   w <- w - lr / (1 - beta1^t) * m                                              if rho(t) <= 5
//   w <- w - lr / (1 - beta1^t) * m * r(t) sqrt(1 - beta2^t) / (sqrt(v) + eps)   otherwise
//   r(t) = sqrt((rho(t) - 4) (rho(t) - 2) rho / ((rho - 4) (rho - 2) rho(t)))
// with weight decay as in Adam, or as in AdamW if decoupled_weight_decay. t is counted as in Adam.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct RAdamRule;
}

/// Options of RAdam. `moments` is the dtype of exp_avg and exp_avg_sq, as in AdamOptions.
struct RAdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool decoupled_weight_decay = false;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct RAdamFormula {
  using Options = RAdamOptions;
  using Rule = kernels::RAdamRule;
  static constexpr std::string_view kName = "RAdam";
  static constexpr std::string_view kStates[] = {"exp_avg", "exp_avg_sq"};

  static void complete(const RAdamOptions& options);
  static Rule rule(const RAdamOptions& options);
  template <class Visitor>
  static void visit(RAdamOptions& options, Visitor&& f);
};

}  // namespace detail

/// RAdam (torch.optim.RAdam).
class RAdam final : public RuleOptimizer<detail::RAdamFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/radam.ipp"
#endif

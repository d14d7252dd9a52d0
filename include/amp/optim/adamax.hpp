// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adamax (Kingma and Ba 2015, arXiv 1412.6980, algorithm 2), as in torch.optim.Adamax: Adam with
// the largest of the decaying magnitudes in place of the root of the squares,
//   g <- g + weight_decay * w,   m <- beta1 m + (1 - beta1) g,   u <- max(beta2 u, |g| + eps)
//   w <- w - lr / (1 - beta1^t) * m / u
// t is counted as in Adam.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct AdamaxRule;
}

/// Options of Adamax. `moments` is the dtype of exp_avg and exp_inf, chosen as in SGDOptions; with
/// kBFloat16, exp_inf is rounded stochastically, as exp_avg_sq in AdamOptions.
struct AdamaxOptions {
  double lr = 2e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  double weight_decay = 0;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct AdamaxFormula {
  using Options = AdamaxOptions;
  using Rule = kernels::AdamaxRule;
  static constexpr std::string_view kName = "Adamax";
  static constexpr std::string_view kStates[] = {"exp_avg", "exp_inf"};

  static void complete(const AdamaxOptions& options);
  static Rule rule(const AdamaxOptions& options);
  template <class Visitor>
  static void visit(AdamaxOptions& options, Visitor&& f);
};

}  // namespace detail

/// Adamax (torch.optim.Adamax).
class Adamax final : public RuleOptimizer<detail::AdamaxFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/adamax.ipp"
#endif

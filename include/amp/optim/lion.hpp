// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lion (Chen et al. 2023, arXiv 2302.06675, program 1): steps of the same size for every weight,
//   c <- beta1 m + (1 - beta1) g,   w <- w - lr (sign(c) + weight_decay w),
//   m <- beta2 m + (1 - beta2) g
// with one array of state, m. The authors use a third to a tenth of Adam's learning rate, and a
// weight decay that is larger by the same factor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct LionRule;
}

/// Options of Lion. `moments` is the dtype of m, chosen as in SGDOptions.
struct LionOptions {
  double lr = 1e-4;
  double beta1 = 0.9;
  double beta2 = 0.99;
  double weight_decay = 0;
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct LionFormula {
  using Options = LionOptions;
  using Rule = kernels::LionRule;
  static constexpr std::string_view kName = "Lion", kStates[] = {"exp_avg"};

  static void complete(const LionOptions& options);
  static Rule rule(const LionOptions& options);
  template <class Visitor>
  static void visit(LionOptions& options, Visitor&& f);
};

}  // namespace detail

/// Steps along the sign of the momentum.
class Lion final : public RuleOptimizer<detail::LionFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/lion.ipp"
#endif

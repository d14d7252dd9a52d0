// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adagrad (Duchi et al. 2011), as in torch.optim.Adagrad: rates that fall with the squares of all
// gradients so far,
//   g <- g + weight_decay * w,   s <- s + g^2
//   w <- w - lr / (1 + (t - 1) lr_decay) * g / (sqrt(s) + eps)
// t is counted as in Adam.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct AdagradRule;
}

/// Options of Adagrad. `moments` is the dtype of `sum`, chosen as in SGDOptions; with kBFloat16 it
/// is rounded stochastically, as in AdamOptions: rounding to nearest would soon add nothing to it.
/// `sum` begins with initial_accumulator_value.
struct AdagradOptions {
  double lr = 1e-2;
  double lr_decay = 0;
  double weight_decay = 0;
  double initial_accumulator_value = 0;
  double eps = 1e-10;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct AdagradFormula {
  using Options = AdagradOptions;
  using Rule = kernels::AdagradRule;
  static constexpr std::string_view kName = "Adagrad";
  static constexpr std::string_view kStates[] = {"sum"};

  static void complete(const AdagradOptions& options);
  static Rule rule(const AdagradOptions& options);
  template <class Visitor>
  static void visit(AdagradOptions& options, Visitor&& f);
};

}  // namespace detail

/// Adagrad (torch.optim.Adagrad).
class Adagrad final : public RuleOptimizer<detail::AdagradFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/adagrad.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adadelta (Zeiler 2012, arXiv 1212.5701), as in torch.optim.Adadelta: the gradient over the root
// of its average square, times that of the steps so far,
//   g <- g + weight_decay * w,   v <- rho v + (1 - rho) g^2
//   d = sqrt(u + eps) / sqrt(v + eps) * g,   u <- rho u + (1 - rho) d^2,   w <- w - lr * d
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct AdadeltaRule;
}

/// Options of Adadelta. `moments` is the dtype of square_avg and acc_delta, chosen as in
/// SGDOptions.
struct AdadeltaOptions {
  double lr = 1.0;
  double rho = 0.9;
  double eps = 1e-6;
  double weight_decay = 0;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct AdadeltaFormula {
  using Options = AdadeltaOptions;
  using Rule = kernels::AdadeltaRule;
  static constexpr std::string_view kName = "Adadelta";
  static constexpr std::string_view kStates[] = {"square_avg", "acc_delta"};

  static void complete(const AdadeltaOptions& options);
  static Rule rule(const AdadeltaOptions& options);
  template <class Visitor>
  static void visit(AdadeltaOptions& options, Visitor&& f);
};

}  // namespace detail

/// Adadelta (torch.optim.Adadelta).
class Adadelta final : public RuleOptimizer<detail::AdadeltaFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/adadelta.ipp"
#endif

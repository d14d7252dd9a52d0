// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// LAMB (You et al. 2020, arXiv 1904.00962, algorithm 2, phi the identity): Adam's step, as long for
// each parameter as its weights,
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   r <- m / (1 - beta1^t) / (sqrt(v / (1 - beta2^t)) + eps) + weight_decay * w
//   w <- w - lr * ||w|| / ||r|| * r
// where ||w|| / ||r||, the trust ratio of a parameter tensor, is 1 if either norm is 0. t is
// counted as in Adam. Two passes over the parameters: the first sums up the norms, and writes
// nothing.
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

/// `moments` as in AdamOptions. Norms are sums in float32 of 2^16 elements at a time, then in
/// float64, and the same on every device.
struct LAMBOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-6;
  double weight_decay = 0.01;
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of what is rounded stochastically
  bool zero_grad = false;  // steps, skipped ones too, end with gradients of 0; not skip_step()
};

namespace detail {

struct LambFormula {
  using Options = LAMBOptions;
  using Rule = kernels::LambRule;
  static constexpr std::string_view kName = "LAMB", kStates[] = {"exp_avg", "exp_avg_sq"};

  static void complete(const LAMBOptions& options);
  static Rule rule(const LAMBOptions& options);
  static void step(Device device, const kernels::OptimizerArgs<Rule>& args);
  template <class Visitor>
  static void visit(LAMBOptions& options, Visitor&& f);
};

}  // namespace detail

/// LAMB.
class LAMB final : public RuleOptimizer<detail::LambFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/lamb.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adam (Kingma and Ba 2015, arXiv 1412.6980, algorithm 1) and AdamW (Loshchilov and Hutter 2019,
// arXiv 1711.05101), as in torch:
//   m <- beta1 m + (1 - beta1) g,   v <- beta2 v + (1 - beta2) g^2
//   w <- w - lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps)
// with g + weight_decay * w in place of g (Adam), or w scaled by 1 - lr * weight_decay first
// (AdamW). t is the number of steps applied to a parameter. It is counted on the device, so that a
// skipped step does not count. With `amsgrad`, v under the root is the largest one so far (Reddi et
// al. 2018, arXiv 1904.09237): the state max_exp_avg_sq.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct AdamRule;
}

/// Options of Adam and AdamW. `moments` is the dtype of exp_avg and exp_avg_sq, chosen as in
/// SGDOptions. With `moments` = kBFloat16, exp_avg_sq is rounded stochastically: with beta2 = 0.999
/// a step moves it by less than half of bfloat16's last bit, and nearest rounding would never let
/// it fall. (If `moments` is unset, the bfloat16 moments of a bfloat16 parameter in kParameter are
/// rounded to nearest, as in torch.) With `moments` = kUInt8, both have 8 bits and are rounded
/// stochastically, in blocks of 256 elements with a scale each, but those of parameters of fewer
/// than 4096 elements are float32; their tensors, [blocks, 260], hold the codes and the scale of
/// each block (kernels/optim/block_moments.hpp). amsgrad does not take them.
struct AdamOptions {
  double lr = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double eps = 1e-8;
  std::optional<double> weight_decay = {};  // unset: 0 for Adam, 1e-2 for AdamW, as in torch
  bool amsgrad = false;                     // see above
  bool maximize = false;                    // steps up the gradient
  Schedule schedule = {};                   // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

/// Adam, or AdamW if the weight decay is decoupled from the gradient.
template <bool kDecoupled>
struct AdamFormula {
  using Options = AdamOptions;
  using Rule = kernels::AdamRule;
  static constexpr std::string_view kName = kDecoupled ? "AdamW" : "Adam";
  static constexpr std::string_view kStates[] = {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};

  static void complete(AdamOptions& options);
  static Rule rule(const AdamOptions& options);
  template <class Visitor>
  static void visit(AdamOptions& options, Visitor&& f);
};

}  // namespace detail

/// Adam, with weight decay added to the gradient (torch.optim.Adam).
class Adam final : public RuleOptimizer<detail::AdamFormula<false>> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

/// Adam with weight decay decoupled from the gradient (torch.optim.AdamW).
class AdamW final : public RuleOptimizer<detail::AdamFormula<true>> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/adam.ipp"
#endif

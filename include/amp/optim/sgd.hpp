// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stochastic gradient descent with momentum, as in torch.optim.SGD (Sutskever et al. 2013):
//   g <- g + weight_decay * w,   v <- momentum * v + (1 - dampening) g,   w <- w - lr * v
//                                             (nesterov: w <- w - lr * (g + momentum * v))
// The first step of a parameter is not dampened. To know it, its steps are counted, as in Adam, if
// there is dampening.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

namespace kernels {
struct SgdRule;
}

/// Options of SGD. `moments` is the dtype of the momentum: float32, bfloat16, or that of the
/// parameter. If unset, it is the parameter's with kParameter (as in torch), else float32. The
/// momentum of a float64 parameter is always float64. Choose `storage` and `moments` before the
/// first step. A replayed CUDA graph reads `lr` anew and goes on with its schedule; all other
/// options are those of the recording.
struct SGDOptions {
  double lr = 1e-3;
  double momentum = 0;
  double dampening = 0;  // of the momentum; in [0, 1]
  double weight_decay = 0;
  bool nesterov = false;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct SgdFormula {
  using Options = SGDOptions;
  using Rule = kernels::SgdRule;
  static constexpr std::string_view kName = "SGD", kStates[] = {"momentum"};

  static void complete(const SGDOptions& options);
  static Rule rule(const SGDOptions& options);
  template <class Visitor>
  static void visit(SGDOptions& options, Visitor&& f);
};

}  // namespace detail

/// Stochastic gradient descent with momentum (torch.optim.SGD).
class SGD final : public RuleOptimizer<detail::SgdFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/sgd.ipp"
#endif

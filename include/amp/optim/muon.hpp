// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Muon (Jordan et al. 2024, kellerjordan.github.io/posts/muon), as in torch.optim.Muon: momentum
// whose matrices are made orthogonal,
//   m <- momentum * m + (1 - momentum) g,   u = g + momentum (m - g)     (without nesterov: u = m)
//   w <- w - lr * weight_decay * w - lr * ratio * orthogonal(u)
// orthogonal(u) is found by ns_steps Newton-Schulz iterations, from X = u / max(||u||, eps):
//   X <- a X + (b (X X^T) + c (X X^T)^2) X
// The matrices of one shape in a group are multiplied as one batch.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "amp/kernels/optim/muon.hpp"
#include "amp/optim/rule_optimizer.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// Options of Muon. `moments` is the dtype of momentum_buffer, chosen as in SGDOptions.
struct MuonOptions {
  double lr = 1e-3;
  double weight_decay = 0.1;
  double momentum = 0.95;
  bool nesterov = true;
  std::array<double, 3> ns_coefficients = {3.4445, -4.7750, 2.0315};  // a, b and c
  double eps = 1e-7;
  std::int64_t ns_steps = 5;
  MuonAdjust adjust_lr_fn = MuonAdjust::kOriginal;    // the factor `ratio` of the rate
  DType ns_dtype = kBFloat16;                         // of the iterations; kFloat16, kFloat32 also
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct MuonFormula {
  using Options = MuonOptions;
  using Rule = kernels::MuonRule;
  static constexpr std::string_view kName = "Muon", kStates[] = {"momentum_buffer"};

  static void complete(const MuonOptions& options);
  static Rule rule(const MuonOptions& options);
  template <class Visitor>
  static void visit(MuonOptions& options, Visitor&& f);
  static void check_parameter(std::size_t i, const Tensor& parameter);
  class Preparation;
};

}  // namespace detail

/// Muon (torch.optim.Muon), for the weights of hidden layers: matrices. Embeddings, biases, norms
/// and the last layer are for another optimizer, such as AdamW. A step that is skipped computes the
/// iterations, but changes nothing.
class Muon final : public RuleOptimizer<detail::MuonFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/muon.ipp"
#endif

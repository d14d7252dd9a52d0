// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adafactor (Shazeer and Stern 2018, arXiv 1804.04235), as in torch.optim.Adafactor: of the squares
// of a matrix's gradients, only the averages of rows and columns are kept,
//   r <- r + t^beta2_decay (mean of g^2 in each row - r),   c the same in each column
//   V = r c^T / max(mean(r), eps1)          (of vectors: v <- v + t^beta2_decay (g^2 - v),   V = v)
//   u = g / max(sqrt(V), eps1)
//   w <- w - lr * weight_decay * w - min(lr, 1 / sqrt(t)) max(eps2, rms(w)) / max(1, rms(u) / d) u
// rms(x) is the root of the mean square. With more than two dimensions, the last two are a matrix's.
// t is the number of steps applied to a parameter, this one included, counted on the device.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/kernels/optim/adafactor.hpp"
#include "amp/optim/rule_optimizer.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0 {

/// Options of Adafactor; torch's `eps` is (eps1, eps2). `moments` is the dtype of row_var, col_var
/// and variance, chosen as in SGDOptions. In bfloat16 they are rounded to nearest, as in torch, so
/// that late steps, which move them by little, do not move them. Unset, `eps1` is what torch calls
/// the eps of a dtype: that of the parameter, or float32 if `storage` is not kParameter.
struct AdafactorOptions {
  double lr = 1e-2;
  double beta2_decay = -0.8;
  std::optional<double> eps1 = {};  // see above
  double eps2 = 1e-3;
  double d = 1;
  double weight_decay = 0;
  bool maximize = false;                              // steps up the gradient
  Schedule schedule = {};                             // of lr
  WeightStorage storage = WeightStorage::kParameter;  // of parameters below 32 bits
  std::optional<DType> moments = {};                  // see above
  std::uint64_t seed = 0;                             // of stochastic rounding
  bool zero_grad = false;  // each step sets the gradients to 0, even if skipped; skip_step() not
};

namespace detail {

struct AdafactorFormula {
  using Options = AdafactorOptions;
  using Rule = kernels::AdafactorRule;
  static constexpr std::string_view kName = "Adafactor",
                                    kStates[] = {"row_var", "col_var", "variance"};

  static std::optional<Shape> row_shape(const Shape& parameter);
  static std::optional<Shape> col_shape(const Shape& parameter);
  static std::optional<Shape> variance_shape(const Shape& parameter);
  static constexpr std::optional<Shape> (*kShapes[])(const Shape&) = {row_shape, col_shape,
                                                                      variance_shape};

  static void complete(const AdafactorOptions& options);
  static Rule rule(const AdafactorOptions& options);
  template <class Visitor>
  static void visit(AdafactorOptions& options, Visitor&& f);
  class Preparation;
};

}  // namespace detail

/// Adafactor (torch.optim.Adafactor). It keeps rows + columns numbers for a matrix; Adam keeps two
/// for each weight. While a step runs, it needs a float32 for each weight, and some more for one
/// parameter at a time. A ParameterView counts as a vector.
class Adafactor final : public RuleOptimizer<detail::AdafactorFormula> {
 public:
  using RuleOptimizer::RuleOptimizer;
};

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/adafactor.ipp"
#endif

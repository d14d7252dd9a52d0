// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "amp/core/error.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/loss_parts.hpp"
#include "amp/ops/reduce.hpp"

namespace amp::inline v0::detail {

AMP_LAZY_DEFINITION void check_reduction(std::string_view op, Reduction reduction) {
  AMP_CHECK(reduction != kBatchMean || op == "kl_div", op,
            ": `reduction` must be kNone, kMean or kSum, but is kBatchMean, which is kl_div's");
}

AMP_LAZY_DEFINITION void check_loss(std::string_view op, const Tensor& input, const Tensor& target,
                                    std::string_view name_of_input,
                                    std::string_view name_of_target) {
  check_floating(op, name_of_input, input);
  check_defined(op, name_of_target, target);
  check_same_device(op, name_of_input, input, name_of_target, target);
  AMP_CHECK(input.shape() == target.shape(), op, ": `", name_of_target,
            "` must have the shape of `", name_of_input, "` ", describe(input), ", but is ",
            describe(target),
            "; broadcasting would compare each with all: reshape() or expand() one of them");
}
AMP_LAZY_DEFINITION void check_floating_loss(std::string_view op, const Tensor& input,
                                             const Tensor& target) {
  check_floating(op, "input", input);
  check_floating(op, "target", target);
  check_loss(op, input, target);
}

AMP_LAZY_DEFINITION Tensor reduced(std::string_view op, const Tensor& losses, Reduction reduction,
                                   DType dtype) {
  if (reduction == kNone) return autocasting::convert_dtype(losses, dtype);
  const std::int64_t count = reduction == kMean                            ? losses.numel()
                             : reduction == kBatchMean && losses.dim() > 0 ? losses.size(0)
                                                                           : 1;
  const Tensor sum = reduce(op, losses, {}, false, 1 / static_cast<double>(count));
  return autocasting::convert_dtype(sum, dtype);
}

AMP_LAZY_DEFINITION Tensor weighted(const Tensor& losses, const Tensor& weight) {
  if (!weight.defined()) return losses;
  const autocasting::NoCasts no_casts;
  return losses * autocasting::convert_dtype(weight, losses.dtype());
}

AMP_LAZY_DEFINITION DType loss_dtype(const autocasting::ResultDType& dtype, const Tensor& input,
                                     const Tensor& target) {
  const DType x = dtype(input), y = dtype(target);
  return x == input.dtype() && y == target.dtype() ? result_type(input, target)
                                                   : promote_types(x, y);
}

}  // namespace amp::inline v0::detail

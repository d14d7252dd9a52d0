// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What losses have in common: checks, the reduction, and the op of a row in
// kernels/functions/loss.hpp.
#pragma once

#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Throws unless it is kNone, kMean or kSum, or the op is kl_div.
AMP_LAZY void check_reduction(std::string_view op, Reduction reduction);
/// Throws unless both are on one device and have one shape, and the first is floating point.
AMP_LAZY void check_loss(std::string_view op, const Tensor& input, const Tensor& target,
                         std::string_view name_of_input = "input",
                         std::string_view name_of_target = "target");
/// The same, and the target must be floating point, too.
AMP_LAZY void check_floating_loss(std::string_view op, const Tensor& input, const Tensor& target);

/// Throws unless `targets` are classes of `input`, and the weight, if it is defined, is one of
/// each.
AMP_LAZY void check_class_targets(std::string_view op, const Tensor& input, const Tensor& targets,
                                  const Tensor& weight);

/// The score of each target [N], negated, of `scores` [N, C], in float32 at least: a loss of
/// log-probabilities. A target that is out of range throws on the CPU, and gives NaN on CUDA.
AMP_LAZY Tensor negative_scores(std::string_view op, const Tensor& scores, const Tensor& targets);

/// Reduces the elements of a loss, which are float32 at least, and rounds to `dtype`.
AMP_LAZY Tensor reduced(std::string_view op, const Tensor& losses, Reduction reduction,
                        DType dtype);
/// losses * weight, which broadcasts, if it is defined.
AMP_LAZY Tensor weighted(const Tensor& losses, const Tensor& weight);
/// The dtype of the loss of these two, as they are read.
AMP_LAZY DType loss_dtype(const autocasting::ResultDType& dtype, const Tensor& input,
                          const Tensor& target);

/// The losses of the elements of `input` and `target`, in float32 at least.
template <class Function>
Tensor elementwise_loss(std::string_view op, const Tensor& input, const Tensor& target,
                        const kernels::Parameters& parameters = {}) {
  const DType dtype = promote_types(promote_types(input.dtype(), target.dtype()), kFloat32);
  return function_of_two<Function>(op, input, target, dtype, parameters);
}

/// The loss, weighted and reduced, under the policy of the op of that name. Its inputs are read as
/// they are.
template <class Function>
Tensor pointwise_loss(const Tensor& input, const Tensor& target, Reduction reduction,
                      const kernels::Parameters& parameters = {}, const Tensor& weight = {}) {
  constexpr autocasting::OpId kOp(Function::kName);
  check_reduction(kOp.name(), reduction);
  return autocasting::call_reading(
      kOp,
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& y,
          const Tensor& w) {
        const Tensor losses = elementwise_loss<Function>(kOp.name(), x, y, parameters);
        return reduced(kOp.name(), weighted(losses, w), reduction, loss_dtype(dtype, x, y));
      },
      input, target, weight);
}

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/loss_parts.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/multilabel_margin/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/loss_parts.hpp"
#include "amp/ops/margin_loss.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/vector_norm.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor margin_ranking_loss(const Tensor& input1, const Tensor& input2,
                                               const Tensor& target,
                                               const MarginLossOptions& options) {
  constexpr std::string_view kOp = "margin_ranking_loss";
  detail::check_loss(kOp, input1, input2, "input1", "input2");
  detail::check_loss(kOp, input1, target, "input1", "target");
  detail::check_floating(kOp, "input2", input2);
  detail::check_reduction(kOp, options.reduction);
  return autocasting::call_reading(
      "margin_ranking_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& a, const Tensor& b,
          const Tensor& y) {
        const Tensor difference =
            detail::elementwise_loss<kernels::functions::ShiftedDifference>(kOp, a, b);
        const Tensor losses = detail::elementwise_loss<kernels::functions::MarginRanking>(
            kOp, difference, y, {options.margin});
        return detail::reduced(kOp, losses, options.reduction,
                               promote_types(detail::loss_dtype(dtype, a, b), dtype(y)));
      },
      input1, input2, target);
}

namespace detail {

/// Throws unless all targets of a tensor on the CPU lie in [least, classes).
AMP_LAZY AMP_COLD void check_classes(std::string_view op, const Tensor& targets, std::int64_t least,
                                     std::int64_t classes) {
  if (targets.device().type != kCPU) return;
  const Tensor all = dense(targets.detach());
  const std::int64_t* const numbers = all.const_data<std::int64_t>();
  for (std::int64_t i = 0; i < all.numel(); ++i) {
    AMP_CHECK(numbers[i] >= least && numbers[i] < classes, op, ": `targets` must lie in [", least,
              ", ", classes, "), but targets[", i, "] is ", numbers[i]);
  }
}

/// The losses of scores x [N, C] and their targets t [N], in float32 at least.
AMP_LAZY Tensor multi_margin_losses(std::string_view op, const Tensor& x, const Tensor& t,
                                    const MultiMarginLossOptions& options) {
  const Tensor negative = negative_scores(op, x, t);
  const auto p = static_cast<double>(options.p);
  const Tensor terms = elementwise_loss<kernels::functions::MultiMargin>(
      op, x, reshape(negative, {x.size(0), 1}), {options.margin, p});
  const autocasting::NoCasts no_casts;
  const Tensor classes = arange(x.size(1), {.device = x.device()});
  const Tensor others = ne(reshape(classes, {1, x.size(1)}), reshape(t, {x.size(0), 1}));
  return reduce(op, amp::where(others, terms, 0), 1, false, 1) *
         (1 / static_cast<double>(x.size(1)));
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor multi_margin_loss(const Tensor& input, const Tensor& targets,
                                             const MultiMarginLossOptions& options) {
  constexpr std::string_view kOp = "multi_margin_loss";
  detail::check_class_targets(kOp, input, targets, options.weight);
  detail::check_reduction(kOp, options.reduction);
  AMP_CHECK(input.dim() <= 2, kOp, ": `input` must be [N, C] or [C], but is ", describe(input));
  detail::check_classes(kOp, targets, 0, input.size(-1));
  AMP_CHECK(options.p == 1 || options.p == 2, kOp, ": `p` must be 1 or 2, but is ", options.p);
  return autocasting::call_reading(
      "multi_margin_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& scores) {
        const bool single = scores.dim() == 1;
        const Tensor x = single ? scores.unsqueeze(0) : scores;
        const Tensor t = single ? targets.unsqueeze(0) : targets;
        Tensor losses = detail::multi_margin_losses(kOp, x, t, options);
        if (options.weight.defined())
          losses = detail::weighted(losses, index_select(options.weight.detach(), 0, t));
        if (single) losses = detail::reshape(losses, {});
        return detail::reduced(kOp, losses, options.reduction, dtype(scores));
      },
      input);
}

namespace detail {

/// The losses of scores [N, C], which are float32 or float64, and targets of that shape.
AMP_LAZY Tensor multilabel_margin_losses(std::string_view op, const Tensor& input,
                                         const Tensor& targets) {
  const Tensor x = contiguous(input), t = dense(targets);
  const Tensor losses = full(Shape(x.size(0)), 0, {.dtype = x.dtype(), .device = x.device()});
  if (x.numel() != 0)
    kernels::multilabel_margin(x.device(), {x.operand(), t.operand(), losses.operand()});
  if (autograd::recording(x)) {
    autograd::record(
        op, losses,
        [op, x = autograd::SavedTensor(x), t = autograd::SavedTensor(t)](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor &in = x.get(op), grad = dense(gradient), grad_x = empty_like(in);
          if (in.numel() == 0) return {grad_x};
          kernels::multilabel_margin_backward(
              in.device(), {grad.operand(), in.operand(), t.get(op).operand(), grad_x.operand()});
          return {grad_x};
        },
        x);
  }
  return losses;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor multilabel_margin_loss(const Tensor& input, const Tensor& targets,
                                                  const LossOptions& options) {
  constexpr std::string_view kOp = "multilabel_margin_loss";
  detail::check_loss(kOp, input, targets, "input", "targets");
  detail::check_reduction(kOp, options.reduction);
  AMP_CHECK(targets.dtype() == kInt64, kOp, ": `targets` must be int64 class indices, but is ",
            describe(targets));
  AMP_CHECK(input.dim() == 1 || input.dim() == 2, kOp, ": `input` must be [N, C] or [C], but is ",
            describe(input));
  detail::check_classes(kOp, targets, -1, input.size(-1));
  return autocasting::call_reading(
      "multilabel_margin_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& scores) {
        const bool single = scores.dim() == 1;
        const Tensor x =
            autocasting::convert_dtype(scores, promote_types(scores.dtype(), kFloat32));
        Tensor losses = detail::multilabel_margin_losses(kOp, single ? x.unsqueeze(0) : x,
                                                         single ? targets.unsqueeze(0) : targets);
        if (single) losses = detail::reshape(losses, {});
        return detail::reduced(kOp, losses, options.reduction, dtype(scores));
      },
      input);
}

AMP_LAZY_DEFINITION Tensor cosine_embedding_loss(const Tensor& input1, const Tensor& input2,
                                                 const Tensor& target,
                                                 const MarginLossOptions& options) {
  constexpr std::string_view kOp = "cosine_embedding_loss";
  detail::check_loss(kOp, input1, input2, "input1", "input2");
  detail::check_floating(kOp, "input2", input2);
  detail::check_defined(kOp, "target", target);
  detail::check_same_device(kOp, "input1", input1, "target", target);
  detail::check_reduction(kOp, options.reduction);
  AMP_CHECK(input1.dim() == 1 || input1.dim() == 2, kOp,
            ": `input1` must be [N, D] or [D], but is ", describe(input1));
  Shape samples = input1.shape();
  samples.erase(samples.dims() - 1);
  AMP_CHECK(target.shape() == samples, kOp, ": for `input1` ", describe(input1),
            " `target` must have shape ", samples, ", but is ", describe(target));
  return autocasting::call(
      "cosine_embedding_loss",
      [&](const Tensor& first, const Tensor& second, const Tensor& y) {
        const autocasting::NoCasts no_casts;
        const DType dtype = promote_types(first.dtype(), second.dtype());
        const DType wide = promote_types(dtype, kFloat32);
        const Tensor a = autocasting::convert_dtype(first, wide);
        const Tensor b = autocasting::convert_dtype(second, wide);
        const auto squared = [](const Tensor& x) { return square(norm(x, 2, -1)) + 1e-12; };
        const Tensor cosine = sum(a * b, -1) / sqrt(squared(a) * squared(b));
        const Tensor losses = detail::elementwise_loss<kernels::functions::CosineEmbedding>(
            kOp, cosine, y, {options.margin});
        return detail::reduced(kOp, losses, options.reduction, dtype);
      },
      input1, input2, target);
}

AMP_LAZY_DEFINITION Tensor triplet_margin_loss(const Tensor& anchor, const Tensor& positive,
                                               const Tensor& negative,
                                               const TripletMarginLossOptions& options) {
  constexpr std::string_view kOp = "triplet_margin_loss";
  detail::check_loss(kOp, anchor, positive, "anchor", "positive");
  detail::check_loss(kOp, anchor, negative, "anchor", "negative");
  detail::check_floating(kOp, "positive", positive);
  detail::check_floating(kOp, "negative", negative);
  detail::check_reduction(kOp, options.reduction);
  AMP_CHECK(anchor.dim() > 0, kOp, ": `anchor` must have a dimension, but is ", describe(anchor));
  AMP_CHECK(options.margin > 0, kOp, ": `margin` must be positive, but is ", options.margin);
  AMP_CHECK(options.p >= 0, kOp, ": `p` must not be negative, but is ", options.p);
  return autocasting::call(
      "triplet_margin_loss",
      [&](const Tensor& a, const Tensor& p, const Tensor& n) {
        const autocasting::NoCasts no_casts;
        const auto distance = [&](const Tensor& x, const Tensor& y) {
          return norm(detail::elementwise_loss<kernels::functions::ShiftedDifference>(
                          kOp, x, y, {options.eps}),
                      options.p, -1);
        };
        const Tensor far = options.swap ? minimum(distance(a, n), distance(p, n)) : distance(a, n);
        const Tensor losses = detail::elementwise_loss<kernels::functions::TripletMargin>(
            kOp, distance(a, p), far, {options.margin});
        return detail::reduced(kOp, losses, options.reduction,
                               promote_types(promote_types(a.dtype(), p.dtype()), n.dtype()));
      },
      anchor, positive, negative);
}

}  // namespace amp::inline v0

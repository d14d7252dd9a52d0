// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/loss_parts.hpp"
#include "amp/ops/pointwise_loss.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/reduced_shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor mse_loss(const Tensor& input, const Tensor& target,
                                    Reduction reduction) {
  detail::check_floating_loss("mse_loss", input, target);
  return detail::pointwise_loss<kernels::functions::SquaredError>(input, target, reduction);
}
AMP_LAZY_DEFINITION Tensor mse_loss(const Tensor& input, const Tensor& target,
                                    const LossOptions& options) {
  return mse_loss(input, target, options.reduction);
}

AMP_LAZY_DEFINITION Tensor l1_loss(const Tensor& input, const Tensor& target, Reduction reduction) {
  detail::check_floating_loss("l1_loss", input, target);
  return detail::pointwise_loss<kernels::functions::AbsoluteError>(input, target, reduction);
}
AMP_LAZY_DEFINITION Tensor l1_loss(const Tensor& input, const Tensor& target,
                                   const LossOptions& options) {
  return l1_loss(input, target, options.reduction);
}

AMP_LAZY_DEFINITION Tensor smooth_l1_loss(const Tensor& input, const Tensor& target,
                                          const SmoothL1LossOptions& options) {
  detail::check_floating_loss("smooth_l1_loss", input, target);
  AMP_CHECK(options.beta >= 0, "smooth_l1_loss: `beta` must not be negative, but is ",
            options.beta);
  return detail::pointwise_loss<kernels::functions::SmoothL1>(input, target, options.reduction,
                                                              {options.beta});
}

AMP_LAZY_DEFINITION Tensor huber_loss(const Tensor& input, const Tensor& target,
                                      const HuberLossOptions& options) {
  detail::check_floating_loss("huber_loss", input, target);
  AMP_CHECK(options.delta > 0, "huber_loss: `delta` must be positive, but is ", options.delta);
  return detail::pointwise_loss<kernels::functions::Huber>(input, target, options.reduction,
                                                           {options.delta});
}

AMP_LAZY_DEFINITION Tensor kl_div(const Tensor& input, const Tensor& target,
                                  const KlDivOptions& options) {
  detail::check_floating_loss("kl_div", input, target);
  return options.log_target
             ? detail::pointwise_loss<kernels::functions::KlDivOfLogs>(input, target,
                                                                       options.reduction)
             : detail::pointwise_loss<kernels::functions::KlDiv>(input, target, options.reduction);
}

namespace detail {

/// Throws unless the weight, if it is defined, is floating point and broadcasts to the input.
AMP_LAZY void check_weight(std::string_view op, const Tensor& input, std::string_view name,
                           const Tensor& weight) {
  if (!weight.defined()) return;
  check_floating(op, name, weight);
  check_same_device(op, "input", input, name, weight);
  AMP_CHECK(do_broadcast(input.shape(), weight.shape()) &&
                broadcast_shapes(op, input.shape(), weight.shape()) == input.shape(),
            op, ": `", name, "` must broadcast to ", describe(input), ", but is ",
            describe(weight));
}

/// The least and the largest element of a tensor on the CPU that is not empty; NaN if there is one.
struct Range {
  double least, largest;

  explicit Range(const Tensor& x) {
    const Shape kept = ReducedShape("range", x, {}).kept;
    least = run_fold<kernels::amin>(x, kept, x.dtype()).to(kFloat64).template item<double>();
    largest = run_fold<kernels::amax>(x, kept, x.dtype()).to(kFloat64).template item<double>();
  }
};
AMP_LAZY bool is_readable(const Tensor& x) { return x.device().type == kCPU && x.numel() != 0; }

}  // namespace detail

AMP_LAZY_DEFINITION Tensor binary_cross_entropy(const Tensor& input, const Tensor& target,
                                                const WeightedLossOptions& options) {
  constexpr std::string_view kOp = "binary_cross_entropy";
  detail::check_floating_loss(kOp, input, target);
  detail::check_weight(kOp, input, "weight", options.weight);
  if (detail::is_readable(input)) {
    const detail::Range range(input.detach());
    AMP_CHECK(range.least >= 0 && range.largest <= 1, kOp,
              ": `input` must lie in [0, 1], but lies in [", range.least, ", ", range.largest,
              "]; apply sigmoid() to it, or give it to binary_cross_entropy_with_logits");
  }
  return detail::pointwise_loss<kernels::functions::BinaryCrossEntropy>(
      input, target, options.reduction, {}, options.weight);
}

namespace detail {

/// (1 - y) x + (1 + (p - 1) y) log(1 + e^-x), the logarithm being the loss at y = 1.
AMP_LAZY Tensor losses_with_pos_weight(std::string_view op, const Tensor& x, const Tensor& y,
                                       const Tensor& pos_weight) {
  const autocasting::NoCasts no_casts;
  const DType wide = promote_types(promote_types(x.dtype(), y.dtype()), kFloat32);
  const Tensor logits = autocasting::convert_dtype(x, wide);
  const Tensor wanted = autocasting::convert_dtype(y, wide);
  const Tensor one = ones({}, {.dtype = wide, .device = x.device()});
  const Tensor share = 1 + (autocasting::convert_dtype(pos_weight, wide) - 1) * wanted;
  return (1 - wanted) * logits +
         share *
             elementwise_loss<kernels::functions::BinaryCrossEntropyWithLogits>(op, logits, one);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor binary_cross_entropy_with_logits(
    const Tensor& input, const Tensor& target, const BinaryCrossEntropyOptions& options) {
  using kernels::functions::BinaryCrossEntropyWithLogits;
  constexpr std::string_view kOp = BinaryCrossEntropyWithLogits::kName;
  detail::check_floating_loss(kOp, input, target);
  detail::check_reduction(kOp, options.reduction);
  detail::check_weight(kOp, input, "weight", options.weight);
  detail::check_weight(kOp, input, "pos_weight", options.pos_weight);
  return autocasting::call(
      "binary_cross_entropy_with_logits",
      [&](const Tensor& x, const Tensor& y, const Tensor& weight, const Tensor& pos_weight) {
        const Tensor losses =
            pos_weight.defined()
                ? detail::losses_with_pos_weight(kOp, x, y, pos_weight)
                : detail::elementwise_loss<BinaryCrossEntropyWithLogits>(kOp, x, y);
        return detail::reduced(kOp, detail::weighted(losses, weight), options.reduction, y.dtype());
      },
      input, target, options.weight, options.pos_weight);
}
AMP_LAZY_DEFINITION Tensor binary_cross_entropy_with_logits(const Tensor& input,
                                                            const Tensor& target,
                                                            Reduction reduction) {
  return binary_cross_entropy_with_logits(input, target,
                                          BinaryCrossEntropyOptions{.reduction = reduction});
}

AMP_LAZY_DEFINITION Tensor multilabel_soft_margin_loss(const Tensor& input, const Tensor& target,
                                                       const WeightedLossOptions& options) {
  constexpr std::string_view kOp = "multilabel_soft_margin_loss";
  detail::check_floating_loss(kOp, input, target);
  detail::check_reduction(kOp, options.reduction);
  detail::check_weight(kOp, input, "weight", options.weight);
  AMP_CHECK(input.dim() > 0, kOp, ": `input` must have a dimension of classes, but is ",
            describe(input));
  return autocasting::call_reading(
      "multilabel_soft_margin_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& y,
          const Tensor& weight) {
        const Tensor losses = detail::weighted(
            detail::elementwise_loss<kernels::functions::BinaryCrossEntropyWithLogits>(kOp, x, y),
            weight);
        const double share = 1 / static_cast<double>(x.size(-1));
        return detail::reduced(kOp, detail::reduce(kOp, losses, -1, false, share),
                               options.reduction, detail::loss_dtype(dtype, x, y));
      },
      input, target, options.weight);
}

AMP_LAZY_DEFINITION Tensor soft_margin_loss(const Tensor& input, const Tensor& target,
                                            const LossOptions& options) {
  detail::check_loss("soft_margin_loss", input, target);
  return detail::pointwise_loss<kernels::functions::SoftMargin>(input, target, options.reduction);
}

AMP_LAZY_DEFINITION Tensor hinge_embedding_loss(const Tensor& input, const Tensor& target,
                                                const HingeEmbeddingLossOptions& options) {
  detail::check_loss("hinge_embedding_loss", input, target);
  return detail::pointwise_loss<kernels::functions::HingeEmbedding>(
      input, target, options.reduction, {options.margin});
}

namespace detail {

/// log(y!) for y above 1, approximately (Stirling); 0 for others.
AMP_LAZY Tensor stirling(const Tensor& target, DType dtype) {
  const autocasting::NoCasts no_casts;
  const Tensor y = autocasting::convert_dtype(target, dtype);
  constexpr double kTwoPi = 6.28318530717958647692;
  return where(gt(y, 1), y * log(y) - y + 0.5 * log(kTwoPi * y), 0);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor poisson_nll_loss(const Tensor& input, const Tensor& target,
                                            const PoissonNllLossOptions& options) {
  constexpr std::string_view kOp = "poisson_nll_loss";
  detail::check_floating_loss(kOp, input, target);
  detail::check_reduction(kOp, options.reduction);
  return autocasting::call_reading(
      "poisson_nll_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& y) {
        Tensor losses =
            options.log_input
                ? detail::elementwise_loss<kernels::functions::PoissonNllOfLogs>(kOp, x, y)
                : detail::elementwise_loss<kernels::functions::PoissonNll>(kOp, x, y,
                                                                           {options.eps});
        if (options.full) {
          const autocasting::NoCasts no_casts;
          losses = losses + detail::stirling(y, losses.dtype());
        }
        return detail::reduced(kOp, losses, options.reduction, detail::loss_dtype(dtype, x, y));
      },
      input, target);
}

namespace detail {

/// The shape in which the variances broadcast to the input.
AMP_LAZY Shape variance_shape(const Tensor& input, const Tensor& var) {
  if (var.shape() == input.shape()) return var.shape();
  Shape common = input.shape();
  if (common.dims() > 0) common[common.dims() - 1] = 1;
  const bool lacks_last = input.dim() > 0 && var.dim() + 1 == input.dim();
  AMP_CHECK((lacks_last ? var.unsqueeze(-1).shape() : var.shape()) == common,
            "gaussian_nll_loss: `var` must have the shape of `input` ", describe(input),
            ", or that with 1 in place of the last extent or without it, but is ", describe(var));
  return common;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor gaussian_nll_loss(const Tensor& input, const Tensor& target,
                                             const Tensor& var,
                                             const GaussianNllLossOptions& options) {
  constexpr std::string_view kOp = "gaussian_nll_loss";
  detail::check_floating_loss(kOp, input, target);
  detail::check_floating(kOp, "var", var);
  detail::check_same_device(kOp, "input", input, "var", var);
  detail::check_reduction(kOp, options.reduction);
  AMP_CHECK(options.eps > 0, kOp, ": `eps` must be positive, but is ", options.eps);
  const Shape shape = detail::variance_shape(input, var);
  if (detail::is_readable(var)) {
    const detail::Range range(var.detach());
    AMP_CHECK(!(range.least < 0), kOp, ": `var` must not be negative, but has ", range.least);
  }
  return autocasting::call_reading(
      "gaussian_nll_loss",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& y,
          const Tensor& variance) {
        const Tensor squares =
            detail::elementwise_loss<kernels::functions::SquaredError>(kOp, x, y);
        constexpr double kHalfLogOfTwoPi = 0.91893853320467274178;
        const Tensor losses = detail::elementwise_loss<kernels::functions::GaussianNll>(
            kOp, squares, detail::reshape(variance, shape),
            {options.eps, options.full ? kHalfLogOfTwoPi : 0});
        return detail::reduced(kOp, losses, options.reduction,
                               promote_types(detail::loss_dtype(dtype, x, y), dtype(variance)));
      },
      input, target, var);
}

}  // namespace amp::inline v0

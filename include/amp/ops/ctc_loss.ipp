// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/error.hpp"
#include "amp/kernels/ctc/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/ctc_loss.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/loss_parts.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// The targets and lengths of a batch.
struct CtcTargets {
  Tensor labels, input_lengths, target_lengths;
};

AMP_LAZY AMP_COLD void check_integers(std::string_view argument, const Tensor& tensor) {
  check_defined("ctc_loss", argument, tensor);
  AMP_CHECK(!is_floating_point(tensor.dtype()) && tensor.dtype() != kBool, "ctc_loss: `", argument,
            "` must be integers, but is ", describe(tensor));
}

/// The lengths as int64 [N]. Throws if the host can read them and one is not in [0, most].
AMP_LAZY AMP_COLD Tensor checked_lengths(std::string_view argument, const Tensor& lengths,
                                         std::int64_t samples, std::int64_t most, Device device) {
  check_integers(argument, lengths);
  AMP_CHECK(lengths.numel() == samples && lengths.dim() <= 1, "ctc_loss: `", argument,
            "` must have one length for each of ", samples, " samples, but is ", describe(lengths));
  Tensor result = dense(lengths.detach().to(kInt64)).reshape({samples});
  if (device.type == kCPU) result = result.to(device);
  for (std::int64_t n = 0; result.device().type == kCPU && n < samples; ++n) {
    const std::int64_t length = result.const_data<std::int64_t>()[n];
    AMP_CHECK(length >= 0 && length <= most, "ctc_loss: `", argument, "` must lie in [0, ", most,
              "], but [", n, "] is ", length);
  }
  return result;
}

/// Throws for targets, which the host can read, that are no classes.
AMP_LAZY AMP_COLD void check_labels(const CtcTargets& t, std::int64_t classes) {
  const std::int64_t* const labels = t.labels.const_data<std::int64_t>();
  const std::int64_t* const lengths = t.target_lengths.const_data<std::int64_t>();
  const bool padded = t.labels.dim() == 2;
  std::int64_t first = 0;
  for (std::int64_t n = 0; n < t.target_lengths.numel(); ++n) {
    if (padded) first = n * t.labels.size(1);
    AMP_CHECK(first + lengths[n] <= t.labels.numel(), "ctc_loss: the lengths of `target_lengths` ",
              "must sum to the number of labels in `targets` ", describe(t.labels),
              ", but sum to more");
    for (std::int64_t k = first; k < first + lengths[n]; ++k) {
      AMP_CHECK(labels[k] >= 0 && labels[k] < classes, "ctc_loss: `targets` must lie in [0, ",
                classes, "), but a label of sample ", n, " is ", labels[k]);
    }
    first += lengths[n];
  }
}

/// The targets and lengths, checked as far as the host can read them, where log_probs lies.
AMP_LAZY AMP_COLD CtcTargets ctc_targets(const Tensor& log_probs, const Tensor& targets,
                                         const Tensor& input_lengths,
                                         const Tensor& target_lengths) {
  check_integers("targets", targets);
  check_same_device("ctc_loss", "log_probs", log_probs, "targets", targets);
  const bool single = log_probs.dim() == 2;
  const std::int64_t samples = single ? 1 : log_probs.size(1);
  AMP_CHECK(targets.dim() == 1 || (targets.dim() == 2 && targets.size(0) == samples),
            "ctc_loss: for ", samples,
            " samples `targets` must be [N, S], or [sum of lengths], but is ", describe(targets));
  CtcTargets result{dense(targets.detach().to(kInt64)),
                    checked_lengths("input_lengths", input_lengths, samples, log_probs.size(0),
                                    log_probs.device()),
                    checked_lengths("target_lengths", target_lengths, samples, targets.size(-1),
                                    log_probs.device())};
  if (result.labels.device().type == kCPU && result.target_lengths.device().type == kCPU)
    check_labels(result, log_probs.size(-1));
  for (Tensor* const lengths : {&result.input_lengths, &result.target_lengths})
    *lengths = lengths->to(log_probs.device());
  return result;
}

/// The losses of samples [T, N, C] in float32 or float64.
AMP_LAZY Tensor ctc_losses(const Tensor& log_probs, const CtcTargets& t,
                           const CtcLossOptions& options) {
  const Tensor x = contiguous(log_probs);
  const TensorOptions as_x{.dtype = x.dtype(), .device = x.device()};
  const auto batch_of = [](const Tensor& in, const CtcTargets& targets,
                           const CtcLossOptions& given) {
    return kernels::CtcBatch{in.operand(),
                             targets.labels.operand(),
                             targets.input_lengths.operand(),
                             targets.target_lengths.operand(),
                             given.blank,
                             given.zero_infinity};
  };
  const kernels::CtcBatch batch = batch_of(x, t, options);
  const Tensor alphas = empty(Shape(batch.table_size()), as_x), nll = empty(Shape(x.size(1)), as_x),
               losses = empty(Shape(x.size(1)), as_x);
  kernels::ctc_loss(x.device(), {batch, alphas.operand(), nll.operand(), losses.operand()});
  if (autograd::recording(x)) {
    autograd::record(
        "ctc_loss", losses,
        [labels = autograd::SavedTensor(t.labels), inputs = autograd::SavedTensor(t.input_lengths),
         lengths = autograd::SavedTensor(t.target_lengths), options, batch_of, alphas, nll,
         x = autograd::SavedTensor(x)](const Tensor& gradient,
                                       const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const CtcTargets saved{labels.get("ctc_loss"), inputs.get("ctc_loss"),
                                 lengths.get("ctc_loss")};
          const Tensor &in = x.get("ctc_loss"), grad = dense(gradient), grad_x = empty_like(in);
          kernels::ctc_loss_backward(
              in.device(), {batch_of(in, saved, options), grad.operand(), alphas.operand(),
                            nll.operand(), grad_x.operand()});
          return {grad_x};
        },
        x);
  }
  return losses;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor ctc_loss(const Tensor& log_probs, const Tensor& targets,
                                    const Tensor& input_lengths, const Tensor& target_lengths,
                                    const CtcLossOptions& options) {
  detail::check_floating("ctc_loss", "log_probs", log_probs);
  detail::check_reduction("ctc_loss", options.reduction);
  AMP_CHECK((log_probs.dim() == 2 || log_probs.dim() == 3) && log_probs.numel() > 0,
            "ctc_loss: `log_probs` must be [T, N, C] or [T, C] and not empty, but is ",
            describe(log_probs));
  const std::int64_t classes = log_probs.size(-1);
  AMP_CHECK(options.blank >= 0 && options.blank < classes,
            "ctc_loss: `blank` must be a class of `log_probs` ", describe(log_probs), ", but is ",
            options.blank);
  const detail::CtcTargets t =
      detail::ctc_targets(log_probs, targets, input_lengths, target_lengths);
  return autocasting::call(
      "ctc_loss",
      [&](const Tensor& probs) {
        const autocasting::NoCasts no_casts;
        const bool single = probs.dim() == 2;
        const DType wide = promote_types(probs.dtype(), kFloat32);
        const Tensor x = autocasting::convert_dtype(single ? probs.unsqueeze(1) : probs, wide);
        Tensor losses = detail::ctc_losses(x, t, options);
        if (options.reduction == kMean)
          losses = losses / detail::scalar_kernel<kernels::functions::Maximum>(
                                t.target_lengths.to(wide),
                                kernels::Operand::scalar(1.0, x.device()), false, wide);
        if (single) losses = detail::reshape(losses, {});
        return detail::reduced("ctc_loss", losses, options.reduction, probs.dtype());
      },
      log_probs);
}

}  // namespace amp::inline v0

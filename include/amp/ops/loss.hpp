// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Losses.
#pragma once

#include <cstdint>

#include "amp/kernels/host/loss.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

struct CrossEntropyOptions {
  std::int64_t ignore_index = -100;  // targets that count for nothing
  double label_smoothing = 0;   // in [0, 1]: that share of the target is spread over all classes
  Reduction reduction = kMean;  // kMean divides by the number of targets that count
};

namespace detail {

inline Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                            const CrossEntropyOptions& options) {
  const Tensor x = contiguous(logits), t = dense(targets);
  const DType accumulate = x.dtype() == kFloat64 ? kFloat64 : kFloat32;
  const auto words = [&](const Shape& shape) {
    return empty(shape, {.dtype = accumulate, .device = x.device()});
  };
  const Tensor losses = words(t.shape()), log_sum = words(t.shape()), total_weight = words({}),
               loss = words({});
  const kernels::CrossEntropyArgs args{x.operand(),
                                       t.operand(),
                                       losses.operand(),
                                       log_sum.operand(),
                                       total_weight.operand(),
                                       loss.operand(),
                                       options.ignore_index,
                                       options.label_smoothing,
                                       options.reduction};
  kernels::dispatch<&kernels::Backend::cross_entropy, kernels::host::cross_entropy>(
      x.device(), x.dtype(), args);
  const Tensor output =
      autocasting::convert_dtype(options.reduction == kNone ? losses : loss, x.dtype());
  if (autograd::recording(x)) {
    autograd::record(
        "cross_entropy", output,
        [x = autograd::SavedTensor(x), t = autograd::SavedTensor(t), log_sum, total_weight,
         options](const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor& logits_again = x.get("cross_entropy");
          const Tensor grad_x = empty_like(logits_again);
          const kernels::CrossEntropyBackwardArgs arguments{
              grad.operand(),       logits_again.operand(),  t.get("cross_entropy").operand(),
              log_sum.operand(),    total_weight.operand(),  grad_x.operand(),
              options.ignore_index, options.label_smoothing, options.reduction};
          kernels::dispatch<&kernels::Backend::cross_entropy_backward,
                            kernels::host::cross_entropy_backward>(grad_x.device(), grad_x.dtype(),
                                                                   arguments);
          return {grad_x};
        },
        x);
  }
  return output;
}

}  // namespace detail

/// -log softmax(logits)[target], averaged: logits [N, C], [N, C, ...] or [C], targets (int64 class
/// indices) [N], [N, ...] or []. Fused: the probabilities are never stored. A target outside [0, C)
/// throws on the host.
[[nodiscard]] inline Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                                          const CrossEntropyOptions& options = {}) {
  AMP_CHECK(is_floating_point(logits.dtype()),
            "cross_entropy: `logits` must be floating point, but is ", describe(logits));
  AMP_CHECK(targets.dtype() == kInt64,
            "cross_entropy: `targets` must be int64 class indices, but is ", describe(targets));
  AMP_CHECK(options.label_smoothing >= 0 && options.label_smoothing <= 1,
            "cross_entropy: `label_smoothing` must lie in [0, 1], but is ",
            options.label_smoothing);
  detail::check_same_device("cross_entropy", logits, targets);
  Shape expected = logits.shape();
  if (logits.dim() > 0) expected.erase(logits.dim() == 1 ? 0 : 1);
  AMP_CHECK(logits.dim() > 0 && targets.shape() == expected, "cross_entropy: for `logits` ",
            describe(logits), " the targets must have shape ", expected, ", but `targets` is ",
            describe(targets));
  AMP_CHECK(logits.dim() == 1 ? logits.size(0) > 0 : logits.size(1) > 0, "cross_entropy: `logits` ",
            describe(logits), " has no classes");
  return autocasting::call(
      "cross_entropy",
      [&](const Tensor& x) {
        if (x.dim() > 1) return detail::cross_entropy(x, targets, options);
        const Tensor loss = detail::cross_entropy(detail::reshape(x, {1, x.size(0)}),
                                                  detail::reshape(targets, {1}), options);
        return detail::reshape(loss, {});
      },
      logits);
}

}  // namespace amp::inline v0

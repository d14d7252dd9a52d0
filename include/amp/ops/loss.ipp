// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/cross_entropy/host.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/softmax/host.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/loss.hpp"
#include "amp/ops/loss_parts.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// The kernels of a loss of logits, or of log-probabilities if `normalized`.
struct ClassLossKernels {
  kernels::Launch<kernels::CrossEntropyArgs> forward;
  kernels::Launch<kernels::CrossEntropyBackwardArgs> backward;
  bool normalized;
};

/// The loss of logits [N, C, ...], or of log-probabilities, by these kernels.
AMP_LAZY Tensor cross_entropy(std::string_view op, const Tensor& logits, const Tensor& targets,
                              const CrossEntropyOptions& options, const ClassLossKernels& run,
                              DType dtype) {
  const Tensor x = contiguous(logits), t = dense(targets);
  const Tensor weight = options.weight.defined() ? dense(options.weight) : Tensor();
  const DType accumulate = promote_types(x.dtype(), kFloat32);
  const auto words = [&](const Shape& shape) {
    return empty(shape, {.dtype = accumulate, .device = x.device()});
  };
  const bool reduces = options.reduction != kNone;
  const Tensor losses = words(t.shape()), log_sum = words(t.shape()), total_weight = words({}),
               loss = reduces ? empty({}, {.dtype = dtype, .device = x.device()}) : Tensor();
  const kernels::CrossEntropyArgs args{
      x.operand(),       t.operand(),          weight.operand(),
      losses.operand(),  log_sum.operand(),    total_weight.operand(),
      loss.operand(),    options.ignore_index, options.label_smoothing,
      options.reduction, run.normalized};
  run.forward(x.device(), args);
  const Tensor output = reduces ? loss : autocasting::convert_dtype(losses, dtype);
  if (autograd::recording(x)) {
    autograd::record(
        op, output,
        [op, x = autograd::SavedTensor(x), t = autograd::SavedTensor(t),
         weight = autograd::SavedTensor(weight), log_sum, total_weight,
         ignore_index = options.ignore_index, smoothing = options.label_smoothing,
         reduction = options.reduction,
         run](const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = dense(gradient);
          const Tensor& logits_again = x.get(op);
          const Tensor grad_x = empty_like(logits_again);
          const kernels::CrossEntropyBackwardArgs arguments{
              grad.operand(),      logits_again.operand(),
              t.get(op).operand(), weight.get(op).operand(),
              log_sum.operand(),   total_weight.operand(),
              grad_x.operand(),    ignore_index,
              smoothing,           reduction,
              run.normalized};
          run.backward(grad_x.device(), arguments);
          return {grad_x};
        },
        x);
  }
  return output;
}

/// a * b in this dtype, for b that broadcasts to the shape of a. No history.
AMP_LAZY Tensor product(const Tensor& a, const Tensor& b, DType dtype) {
  return binary_kernel<kernels::functions::Mul>(a, b, a.shape(), dtype);
}

/// The factors q of cross_entropy_of_probabilities(), in this dtype if they are not `targets`
/// themselves. No history.
AMP_LAZY AMP_COLD Tensor soft_targets(const Tensor& targets, double smoothing, const Tensor& weight,
                                      DType dtype) {
  Tensor q = targets;
  if (smoothing != 0) {
    const auto number = [&](double value) {
      return kernels::Operand::scalar(value, targets.device());
    };
    q = scalar_kernel<kernels::functions::Mul>(q, number(1 - smoothing), false, dtype);
    q = scalar_kernel<kernels::functions::Add>(
        q, number(smoothing / static_cast<double>(q.size(1))), false, dtype);
  }
  return weight.defined() ? product(q, weight, dtype) : q;
}

/// The weights of classes, [C], as [1, C, 1, ...]; an undefined tensor stays one. No history.
AMP_LAZY AMP_COLD Tensor along_classes(const Tensor& weight, int dims) {
  if (!weight.defined()) return weight;
  Shape shape(1, weight.size(0));
  while (shape.dims() < dims) shape.push_back(1);
  return reshape(weight.detach(), shape);
}

/// log_softmax over the classes of [N, C, ...], in float32 at least, and its gradient. No history.
AMP_LAZY AMP_COLD Tensor log_probabilities(const Tensor& x) {
  const Tensor log_p =
      empty(x.shape(), {.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()});
  if (log_p.numel() != 0)
    kernels::log_softmax(x.device(), kernels::SoftmaxArgs{x.operand(), log_p.operand(), 1});
  return log_p;
}
AMP_LAZY AMP_COLD Tensor log_probabilities_backward(const Tensor& grad, const Tensor& log_p,
                                                    DType dtype) {
  const Tensor grad_x = empty(log_p.shape(), {.dtype = dtype, .device = log_p.device()});
  const Tensor dense_grad = dense(grad);
  if (grad_x.numel() != 0)
    kernels::log_softmax_backward(
        log_p.device(),
        kernels::SoftmaxBackwardArgs{dense_grad.operand(), log_p.operand(), grad_x.operand(), 1});
  return grad_x;
}

/// The loss of logits x [N, C, ...] with targets t of that shape:
///   -sum over c of q log_softmax(x),  q = weight ((1 - smoothing) t + smoothing / C)
AMP_LAZY AMP_COLD Tensor cross_entropy_of_probabilities(std::string_view op, const Tensor& logits,
                                                        const Tensor& t,
                                                        const CrossEntropyOptions& options,
                                                        DType dtype) {
  const Tensor x = contiguous(logits), weight = along_classes(options.weight, x.dim());
  const double smoothing = options.label_smoothing;
  const DType wide = promote_types(promote_types(x.dtype(), t.dtype()), kFloat32);
  const Tensor log_p = log_probabilities(x);
  const Tensor losses = reduce(
      op, product(log_p, soft_targets(t.detach(), smoothing, weight, wide), wide), 1, false, -1);
  const Tensor output = reduced(op, losses, options.reduction, dtype);
  if (!autograd::recording(x, t)) return output;
  const double share = options.reduction == kMean ? 1 / static_cast<double>(losses.numel()) : 1;
  autograd::record(
      op, output,
      [op, log_p, wide, smoothing, share, targets = autograd::SavedTensor(t),
       weights = autograd::SavedTensor(weight), reduction = options.reduction, from = x.dtype()](
          const Tensor& gradient, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
        const Tensor &to = targets.get(op), &w = weights.get(op);
        Shape each = log_p.shape();
        each[1] = 1;
        const Tensor wide_grad = autocasting::convert_dtype(gradient, wide);
        const Tensor grad =
            scale(reduction == kNone ? reshape(wide_grad, each) : wide_grad, -share);
        const auto towards_logits = [&] {
          const Tensor q = soft_targets(to, smoothing, w, wide);
          return log_probabilities_backward(product(q, grad, log_p.dtype()), log_p, from);
        };
        const auto towards_targets = [&] {
          const Tensor weighted = w.defined() ? product(log_p, w, wide) : log_p;
          return product(weighted, scale(grad, 1 - smoothing), to.dtype());
        };
        return {needs[0] ? towards_logits() : Tensor(), needs[1] ? towards_targets() : Tensor()};
      },
      x, t);
  return output;
}

/// Throws unless `targets` are classes of `input`, or probabilities of them if these are allowed.
AMP_LAZY void check_targets(std::string_view op, std::string_view argument, const Tensor& input,
                            const Tensor& targets, const CrossEntropyOptions& options,
                            bool may_be_soft) {
  check_floating(op, argument, input);
  check_defined(op, "targets", targets);
  const bool soft = may_be_soft && is_floating_point(targets.dtype());
  AMP_CHECK(soft || targets.dtype() == kInt64, op, ": `targets` must be int64 class indices",
            may_be_soft ? " or floating-point probabilities" : "", ", but is ", describe(targets));
  AMP_CHECK(!soft || options.ignore_index < 0, op, ": `ignore_index` has no meaning for `targets` ",
            describe(targets), ", which are probabilities, but is ", options.ignore_index);
  AMP_CHECK(options.label_smoothing >= 0 && options.label_smoothing <= 1, op,
            ": `label_smoothing` must lie in [0, 1], but is ", options.label_smoothing);
  check_same_device(op, argument, input, "targets", targets);
  Shape expected = input.shape();
  if (input.dim() > 0) expected.erase(input.dim() == 1 ? 0 : 1);
  AMP_CHECK(input.dim() > 0 && targets.shape() == (soft ? input.shape() : expected), op, ": for `",
            argument, "` ", describe(input), " the targets must have shape ", expected,
            may_be_soft
                ? " if they are int64 class indices, and its shape if they are probabilities"
                : "",
            ", but `targets` is ", describe(targets));
}

AMP_LAZY void check_class_weight(std::string_view op, std::string_view argument,
                                 const Tensor& input, const Tensor& weight) {
  const std::int64_t classes = input.size(input.dim() == 1 ? 0 : 1);
  AMP_CHECK(classes > 0, op, ": `", argument, "` ", describe(input), " has no classes");
  if (!weight.defined()) return;
  AMP_CHECK(weight.shape() == Shape(classes) && is_floating_point(weight.dtype()), op,
            ": `weight` must be floating point of shape ", Shape(classes), ", but is ",
            describe(weight));
  check_same_device(op, argument, input, "weight", weight);
}

AMP_LAZY_DEFINITION void check_class_targets(std::string_view op, const Tensor& input,
                                             const Tensor& targets, const Tensor& weight) {
  check_targets(op, "input", input, targets, {}, false);
  check_class_weight(op, "input", input, weight);
}

AMP_LAZY_DEFINITION Tensor negative_scores(std::string_view op, const Tensor& scores,
                                           const Tensor& targets) {
  const CrossEntropyOptions pick{.ignore_index = (std::numeric_limits<std::int64_t>::min)(),
                                 .reduction = kNone};
  return cross_entropy(op, scores, targets, pick,
                       {kernels::nll_loss, kernels::nll_loss_backward, true},
                       promote_types(scores.dtype(), kFloat32));
}

AMP_LAZY Tensor class_loss(autocasting::OpId id, std::string_view argument, const Tensor& input,
                           const Tensor& targets, const CrossEntropyOptions& options,
                           const ClassLossKernels& run) {
  const std::string_view op = id.name();
  check_reduction(op, options.reduction);
  check_targets(op, argument, input, targets, options, !run.normalized);
  const std::int64_t classes = input.size(input.dim() == 1 ? 0 : 1);
  check_class_weight(op, argument, input, options.weight);
  const bool soft = is_floating_point(targets.dtype());
  const auto loss = [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& t) {
    if (!soft) return cross_entropy(op, x, t, options, run, dtype(x));
    return cross_entropy_of_probabilities(op, x, t, options, promote_types(dtype(x), dtype(t)));
  };
  const auto of_batch = [&](const autocasting::ResultDType& dtype, const Tensor& x,
                            const Tensor& t) {
    if (x.dim() > 1) return loss(dtype, x, t);
    const Tensor result =
        loss(dtype, reshape(x, {1, classes}), soft ? reshape(t, {1, classes}) : reshape(t, {1}));
    return reshape(result, {});
  };
  if (soft) return autocasting::call_reading(id, of_batch, input, targets);
  return autocasting::call_reading(
      id,
      [&](const autocasting::ResultDType& dtype, const Tensor& x) {
        return of_batch(dtype, x, targets);
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor cross_entropy(const Tensor& logits, const Tensor& targets,
                                         const CrossEntropyOptions& options) {
  return detail::class_loss("cross_entropy", "logits", logits, targets, options,
                            {kernels::cross_entropy, kernels::cross_entropy_backward, false});
}

AMP_LAZY_DEFINITION Tensor nll_loss(const Tensor& input, const Tensor& targets,
                                    const NllLossOptions& options) {
  return detail::class_loss("nll_loss", "input", input, targets,
                            {.ignore_index = options.ignore_index,
                             .reduction = options.reduction,
                             .weight = options.weight},
                            {kernels::nll_loss, kernels::nll_loss_backward, true});
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/grad_mode.hpp"
#include "amp/kernels/batch_norm/host.hpp"
#include "amp/kernels/norm/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/norm.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// Throws unless the parameter is undefined, or floating point, of `shape`, on the input's device.
AMP_LAZY void check_parameter(std::string_view op, std::string_view argument,
                              const Tensor& parameter, const Shape& shape, const Tensor& input) {
  if (!parameter.defined()) return;
  AMP_CHECK(parameter.shape() == shape && is_floating_point(parameter.dtype()), op, ": `", argument,
            "` must be floating point of shape ", shape, ", but is ", describe(parameter));
  check_same_device(op, "input", input, argument, parameter);
}

/// How rows are cut, and which affine parameter an element has (kernels::NormArgs).
struct NormLayout {
  std::int64_t rows, length, groups, inner;
  double eps;
  bool centered;
};

AMP_LAZY Tensor norm(std::string_view op, const Tensor& input, const Tensor& weight,
                     const Tensor& bias, const NormLayout& layout, DType dtype) {
  const Tensor x = contiguous(input), w = weight.defined() ? contiguous(weight) : weight,
               b = bias.defined() ? contiguous(bias) : bias;
  const Tensor output = empty(x.shape(), {.dtype = dtype, .device = x.device()});
  const TensorOptions words{.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()};
  const Tensor mean = layout.centered ? empty({layout.rows}, words) : Tensor();
  const Tensor rstd = empty({layout.rows}, words);
  const auto as_rows = [layout](const Tensor& tensor) {
    const Shape shape(layout.rows, layout.length);
    return tensor.defined() ? tensor.alias(shape, contiguous_strides(shape), tensor.impl().offset)
                            : tensor;
  };
  if (output.numel() != 0) {
    const kernels::NormArgs args{
        as_rows(x).operand(), w.operand(),    b.operand(),   as_rows(output).operand(),
        mean.operand(),       rstd.operand(), layout.groups, layout.inner,
        layout.eps,           layout.centered};
    kernels::norm(x.device(), args);
  }
  if (autograd::recording(x, w, b)) {
    autograd::record(
        op, output,
        [op, layout, as_rows, mean, rstd, x = autograd::SavedTensor(x),
         w = autograd::SavedTensor(w), bias_dtype = b.defined() ? b.dtype() : kFloat32,
         parameters = w.defined()   ? w.shape()
                      : b.defined() ? b.shape()
                                    : Shape()](
            const Tensor& gradient, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          const Tensor grad = dense(gradient);
          const Tensor &in = x.get(op), &scale = w.get(op);
          const Device device = grad.device();
          autograd::Gradients<3> gradients;
          if (needs[0]) gradients[0] = empty_like(in);
          if (needs[1]) gradients[1] = empty_like(scale);
          if (needs[2]) gradients[2] = empty(parameters, {.dtype = bias_dtype, .device = device});
          if (layout.length != 0) {
            const kernels::NormBackwardArgs args{
                as_rows(grad).operand(), as_rows(in).operand(),
                scale.operand(),         mean.operand(),
                rstd.operand(),          as_rows(gradients[0]).operand(),
                gradients[1].operand(),  gradients[2].operand(),
                layout.groups,           layout.inner,
                layout.centered};
            kernels::norm_backward(device, args);
          } else {
            if (needs[1]) gradients[1].zero_();
            if (needs[2]) gradients[2].zero_();
          }
          return gradients;
        },
        x, w, b);
  }
  return output;
}

/// The layout that normalises the last dimensions, which must be `normalized_shape`.
AMP_LAZY NormLayout last_dimensions(std::string_view op, const Tensor& input,
                                    const Shape& normalized_shape, double eps, bool centered) {
  const int n = normalized_shape.dims(), lead = input.dim() - n;
  bool matches = n > 0 && lead >= 0;
  for (int d = 0; matches && d < n; ++d) matches = input.shape()[lead + d] == normalized_shape[d];
  AMP_CHECK(matches, op, ": the last dimensions of `input` must be `normalized_shape` ",
            normalized_shape, ", but `input` is ", describe(input));
  std::int64_t rows = 1;
  for (int d = 0; d < lead; ++d) rows *= input.shape()[d];
  return {rows, normalized_shape.numel(), 1, 1, eps, centered};
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor layer_norm(const Tensor& input, const Shape& normalized_shape,
                                      const Tensor& weight, const Tensor& bias, double eps) {
  detail::check_floating("layer_norm", "input", input);
  detail::check_parameter("layer_norm", "weight", weight, normalized_shape, input);
  detail::check_parameter("layer_norm", "bias", bias, normalized_shape, input);
  const detail::NormLayout layout =
      detail::last_dimensions("layer_norm", input, normalized_shape, eps, true);
  return autocasting::call_reading(
      "layer_norm",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& w,
          const Tensor& b) { return detail::norm("layer_norm", x, w, b, layout, dtype(x)); },
      input, weight, bias);
}

AMP_LAZY_DEFINITION Tensor rms_norm(const Tensor& input, const Shape& normalized_shape,
                                    const Tensor& weight, std::optional<double> eps) {
  detail::check_floating("rms_norm", "input", input);
  detail::check_parameter("rms_norm", "weight", weight, normalized_shape, input);
  const double epsilon =
      eps.value_or(input.dtype() == kFloat64 ? std::numeric_limits<double>::epsilon()
                                             : double{std::numeric_limits<float>::epsilon()});
  const detail::NormLayout layout =
      detail::last_dimensions("rms_norm", input, normalized_shape, epsilon, false);
  return autocasting::call_reading(
      "rms_norm",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& w) {
        return detail::norm("rms_norm", x, w, {}, layout, dtype(x));
      },
      input, weight);
}

AMP_LAZY_DEFINITION Tensor group_norm(const Tensor& input, std::int64_t groups,
                                      const Tensor& weight, const Tensor& bias, double eps) {
  detail::check_floating("group_norm", "input", input);
  AMP_CHECK(input.dim() >= 2, "group_norm: `input` must be [N, C, ...], but is ", describe(input));
  const std::int64_t batch = input.size(0), channels = input.size(1);
  AMP_CHECK(groups >= 1 && channels % groups == 0 && (batch == 0 || groups <= INT64_MAX / batch),
            "group_norm: `groups` must divide the ", channels, " channels of `input` ",
            describe(input), ", but is ", groups);
  detail::check_parameter("group_norm", "weight", weight, {channels}, input);
  detail::check_parameter("group_norm", "bias", bias, {channels}, input);
  std::int64_t inner = 1;
  for (int d = 2; d < input.dim(); ++d) inner *= input.shape()[d];
  AMP_CHECK(batch != 1 || channels / groups != 1 || inner != 1, "group_norm: `input` ",
            describe(input), " in ", groups,
            " `groups` has one value per group, which is its own mean; give more, or take fewer "
            "groups");
  const detail::NormLayout layout{
      batch * groups, channels / groups * inner, groups, inner, eps, true};
  return autocasting::call_reading(
      "group_norm",
      [&](const autocasting::ResultDType& dtype, const Tensor& x, const Tensor& w,
          const Tensor& b) { return detail::norm("group_norm", x, w, b, layout, dtype(x)); },
      input, weight, bias);
}

namespace detail {

/// The operand for [N, C, ...] as [N, C, I]. Absent for an undefined tensor.
AMP_LAZY kernels::Operand planes(const Tensor& tensor, const ActivationOrder& order) {
  kernels::Operand operand = order.operand(tensor);
  if (!operand.present) return operand;
  const std::int64_t channels = tensor.shape()[1];
  for (; operand.dims > 3; --operand.dims) operand.sizes[2] *= operand.sizes[operand.dims - 1];
  for (; operand.dims < 3; ++operand.dims) operand.sizes[2] = 1;
  const std::int64_t inner = operand.sizes[2];
  operand.strides[0] = channels * inner;
  operand.strides[1] = order.is_channels_last() ? 1 : inner;
  operand.strides[2] = order.is_channels_last() ? channels : 1;
  return operand;
}

/// What batch_norm keeps for its backward function.
struct SavedBatchNorm {
  autograd::SavedTensor x, w;
  Tensor mean, rstd;
  ActivationOrder order;
  bool training;
  DType bias_dtype;
};

AMP_LAZY autograd::Gradients<3> batch_norm_backward(const SavedBatchNorm& saved,
                                                    const Tensor& gradient,
                                                    const autograd::Needs<3>& needs) {
  const ActivationOrder& order = saved.order;
  const Tensor grad = order.lay_out(gradient);
  const Tensor &in = saved.x.get("batch_norm"), &scale = saved.w.get("batch_norm");
  const Device device = grad.device();
  autograd::Gradients<3> gradients;
  if (needs[0]) gradients[0] = order.make(in.shape(), in.dtype(), in.device());
  if (needs[1]) gradients[1] = empty_like(scale);
  if (needs[2]) gradients[2] = empty({in.size(1)}, {.dtype = saved.bias_dtype, .device = device});
  if (in.numel() == 0) {
    if (needs[1]) gradients[1].zero_();
    if (needs[2]) gradients[2].zero_();
    return gradients;
  }
  const kernels::BatchNormBackwardArgs args{
      planes(grad, order),    planes(in, order),      scale.operand(),
      saved.mean.operand(),   saved.rstd.operand(),   planes(gradients[0], order),
      gradients[1].operand(), gradients[2].operand(), saved.training};
  kernels::batch_norm_backward(device, args);
  return gradients;
}

AMP_LAZY Tensor batch_norm(const Tensor& input, const Tensor& running_mean,
                           const Tensor& running_var, const Tensor& weight, const Tensor& bias,
                           bool training, double momentum, double eps) {
  const std::int64_t channels = input.size(1);
  const ActivationOrder order = ActivationOrder::of(input);
  const Tensor x = order.is_channels_last() ? input : contiguous(input),
               w = weight.defined() ? contiguous(weight) : weight,
               b = bias.defined() ? contiguous(bias) : bias;
  const Tensor output = order.make(x.shape(), x.dtype(), x.device());
  const TensorOptions words{.dtype = promote_types(x.dtype(), kFloat32), .device = x.device()};
  const Tensor mean = empty({channels}, words), rstd = empty({channels}, words);
  const bool moves = training && !is_recomputing();  // the running statistics, once per step
  const auto running = [&](const Tensor& statistic) {
    return training && !moves ? kernels::Operand() : statistic.operand();
  };
  if (output.numel() != 0) {
    const kernels::BatchNormArgs args{planes(x, order),
                                      w.operand(),
                                      b.operand(),
                                      running(running_mean),
                                      running(running_var),
                                      planes(output, order),
                                      mean.operand(),
                                      rstd.operand(),
                                      momentum,
                                      eps,
                                      training};
    kernels::batch_norm(x.device(), args);
    for (const Tensor* statistic : {&running_mean, &running_var}) {
      if (moves && statistic->defined()) statistic->impl().storage->bump_version();
    }
  }
  if (autograd::recording(x, w, b)) {
    autograd::record(
        "batch_norm", output,
        [saved =
             SavedBatchNorm{x, w, mean, rstd, order, training, b.defined() ? b.dtype() : kFloat32}](
            const Tensor& gradient, const autograd::Needs<3>& needs) {
          return batch_norm_backward(saved, gradient, needs);
        },
        x, w, b);
  }
  return output;
}

}  // namespace detail

namespace detail {
/// Throws, naming the op, unless the tensors of batch_norm or instance_norm fit. The running
/// statistics are read unless it is `training`, and else modified.
AMP_LAZY void check_batch_norm(std::string_view op, std::string_view flag, const Tensor& input,
                               const Tensor& running_mean, const Tensor& running_var,
                               const Tensor& weight, const Tensor& bias, bool training) {
  check_floating(op, "input", input);
  AMP_CHECK(input.dim() >= 2, op, ": `input` must be [N, C, ...], but is ", describe(input));
  const std::int64_t channels = input.size(1);
  check_parameter(op, "weight", weight, {channels}, input);
  check_parameter(op, "bias", bias, {channels}, input);
  check_parameter(op, "running_mean", running_mean, {channels}, input);
  check_parameter(op, "running_var", running_var, {channels}, input);
  for (const Tensor* running : {&running_mean, &running_var}) {
    const std::string_view name = running == &running_mean ? "running_mean" : "running_var";
    AMP_CHECK(training || running->defined(), op, ": `", name, "` must be defined unless `", flag,
              "`");
    if (!running->defined()) continue;
    AMP_CHECK(!training || !is_grad_enabled() || !autograd::requires_grad(*running), op, ": `",
              name, "` ", describe(*running),
              " requires gradients and is modified in place; detach() it, or use NoGradGuard");
  }
}
}  // namespace detail

AMP_LAZY_DEFINITION Tensor batch_norm(const Tensor& input, const Tensor& running_mean,
                                      const Tensor& running_var, const Tensor& weight,
                                      const Tensor& bias, bool training, double momentum,
                                      double eps) {
  detail::check_batch_norm("batch_norm", "training", input, running_mean, running_var, weight, bias,
                           training);
  for (const Tensor* running : {&running_mean, &running_var}) {
    AMP_CHECK(!running->defined() || running->is_contiguous(), "batch_norm: `",
              running == &running_mean ? "running_mean" : "running_var",
              "` must be contiguous, but is ", describe(*running), " with strides ",
              to_string(running->strides()));
  }
  const std::int64_t channels = input.size(1);
  AMP_CHECK(!training || input.numel() == 0 || input.numel() / channels > 1,
            "batch_norm: training needs more than one value per channel, but `input` is ",
            describe(input));
  return autocasting::call(
      "batch_norm",
      [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        return detail::batch_norm(x, running_mean, running_var, w, b, training, momentum, eps);
      },
      input, weight, bias);
}

namespace detail {

/// instance_norm with running statistics that move: a batch_norm of N * C channels. Copies of the
/// statistics move, and their means over N are the new ones.
AMP_LAZY Tensor moving_instance_norm(const Tensor& input, const Tensor& running_mean,
                                     const Tensor& running_var, const Tensor& weight,
                                     const Tensor& bias, double momentum, double eps) {
  const std::int64_t batch = input.size(0), channels = input.size(1);
  const auto repeated = [&](const Tensor& x) {
    return x.defined() ? reshape(expand(x, {batch, channels}), {batch * channels}) : x;
  };
  const auto copies = [&](const Tensor& running) {
    if (!running.defined()) return running;
    const Tensor many =
        empty({batch, channels}, {.dtype = running.dtype(), .device = running.device()});
    copy_elements(running, many);
    return reshape(many, {batch * channels});
  };
  Shape shape = input.shape();
  shape[0] = 1;
  shape[1] = batch * channels;
  const Tensor mean = copies(running_mean), var = copies(running_var);
  const Tensor output = detail::batch_norm(reshape(input, shape), mean, var, repeated(weight),
                                           repeated(bias), true, momentum, eps);
  const auto put_means = [&](const Tensor& many, const Tensor& running) {
    if (!running.defined() || is_recomputing()) return;
    const NoGradGuard no_grad;
    running.copy_(amp::mean(reshape(many, {batch, channels}), 0));
  };
  put_means(mean, running_mean);
  put_means(var, running_var);
  return reshape(output, input.shape());
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor instance_norm(const Tensor& input, const Tensor& running_mean,
                                         const Tensor& running_var, const Tensor& weight,
                                         const Tensor& bias, bool use_input_stats, double momentum,
                                         double eps) {
  detail::check_batch_norm("instance_norm", "use_input_stats", input, running_mean, running_var,
                           weight, bias, use_input_stats);
  const std::int64_t batch = input.size(0), channels = input.size(1);
  std::int64_t inner = 1;
  for (int d = 2; d < input.dim(); ++d) inner *= input.shape()[d];
  AMP_CHECK(!use_input_stats || inner != 1, "instance_norm: the statistics of the input need more ",
            "than one value per channel, but `input` is ", describe(input));
  const auto dense_or_none = [](const Tensor& running) {
    return running.defined() ? detail::dense(running) : running;
  };
  return autocasting::call(
      "instance_norm",
      [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        if (!use_input_stats || x.numel() == 0)
          return detail::batch_norm(x, dense_or_none(running_mean), dense_or_none(running_var), w,
                                    b, false, momentum, eps);
        if (running_mean.defined() || running_var.defined())
          return detail::moving_instance_norm(x, running_mean, running_var, w, b, momentum, eps);
        const detail::NormLayout layout{batch * channels, inner, channels, inner, eps, true};
        return detail::norm("instance_norm", x, w, b, layout, x.dtype());
      },
      input, weight, bias);
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/relu_mask.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

AMP_LAZY_DEFINITION std::int64_t window_extent(std::int64_t input, std::int64_t kernel,
                                               std::int64_t stride, std::int64_t padding,
                                               std::int64_t dilation) {
  const std::int64_t reach = input + 2 * padding - dilation * (kernel - 1) - 1;
  return reach < 0 ? 0 : reach / stride + 1;
}

AMP_LAZY_DEFINITION kernels::Window2d make_window(std::string_view op, Size2d kernel, Size2d stride,
                                                  Size2d padding, Size2d dilation) {
  const auto at_least = [&](std::string_view what, Size2d size, std::int64_t least) {
    AMP_CHECK(size.height >= least && size.width >= least, op, ": `", what, "` must be at least ",
              least, ", but is {", size.height, ", ", size.width, "}");
  };
  constexpr std::int64_t kMost = std::int64_t{1} << 30;  // no sum of these overflows
  const auto at_most = [&](std::string_view what, Size2d size) {
    AMP_CHECK(size.height <= kMost && size.width <= kMost, op, ": `", what, "` must be at most ",
              kMost, ", but is {", size.height, ", ", size.width, "}");
  };
  at_most("kernel", kernel);
  at_most("stride", stride);
  at_most("padding", padding);
  at_most("dilation", dilation);
  at_least("kernel", kernel, 1);
  at_least("stride", stride, 1);
  at_least("padding", padding, 0);
  at_least("dilation", dilation, 1);
  return {{kernel.height, kernel.width},
          {stride.height, stride.width},
          {padding.height, padding.width},
          {dilation.height, dilation.width}};
}

/// Throws unless the tensors can be convolved.
AMP_LAZY void check_convolved(const Tensor& input, const Tensor& weight, const Tensor& bias) {
  AMP_CHECK(input.dtype() == weight.dtype() && (!bias.defined() || bias.dtype() == weight.dtype()),
            "conv2d: `input`, `weight` and `bias` must have one dtype, but are ", describe(input),
            ", ", describe(weight), " and ", describe(bias),
            "; convert with to(), or convolve under an AutocastGuard");
  AMP_CHECK(is_floating_point(input.dtype()), "conv2d: `input` must be floating point, but is ",
            describe(input), "; convert it with to()");
  check_same_device("conv2d", "input", input, "weight", weight);
  if (bias.defined()) check_same_device("conv2d", "input", input, "bias", bias);
}

/// The extents of the result. Throws if the kernel does not fit, or if there are too many elements.
AMP_LAZY Shape convolved_shape(const Tensor& input, const Tensor& weight,
                               const kernels::Window2d& window) {
  const auto extent = [&](int d) {
    return window_extent(input.shape()[2 + d], window.kernel[d], window.stride[d],
                         window.padding[d], window.dilation[d]);
  };
  AMP_CHECK(extent(0) > 0 && extent(1) > 0, "conv2d: the kernel of `weight` ", describe(weight),
            " does not fit into `input` ", describe(input), " with this padding and dilation");
  const Shape shape(input.size(0), weight.size(0), extent(0), extent(1));
  (void)byte_count(shape, input.dtype());  // throws if there are too many
  return shape;
}

/// The order of the activations. The host has them channels-last, unless it convolves planes.
AMP_LAZY ActivationOrder convolved_order(const Tensor& input, const Tensor& weight,
                                         const Shape& result, const kernels::Window2d& window,
                                         std::int64_t groups) {
  if (input.device().type != kCPU) return ActivationOrder(false);
  const kernels::Operand images = input.operand_as_laid_out();  // operand() would copy it
  kernels::Operand output = images;
  for (int d = 0; d < 4; ++d) output.sizes[d] = result[d];
  const kernels::ConvShape shape(images, weight.operand(), output, window, groups);
  return ActivationOrder(!kernels::takes_planes(shape, input.dtype()) ||
                         ActivationOrder::of(input).is_channels_last());
}

/// The gradient of the input. It and `grad` lie in that order.
AMP_LAZY Tensor conv2d_input_gradient(const Tensor& grad, const Tensor& input, const Tensor& weight,
                                      const kernels::Window2d& window, std::int64_t groups,
                                      const ActivationOrder& order) {
  const Tensor result = order.make(input.shape(), input.dtype(), input.device());
  kernels::Conv2dBackwardInputArgs args{order.operand(grad), weight.operand(),
                                        order.operand(result), window, groups};
  if (order.is_channels_last()) args.packed = weight.impl().storage->packed();
  kernels::conv2d_backward_input(grad.device(), args);
  return result;
}

AMP_LAZY Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                       const kernels::Window2d& window, std::int64_t groups, bool relu) {
  check_convolved(input, weight, bias);
  const Tensor x = contiguous(input), w = contiguous(weight),
               b = bias.defined() ? contiguous(bias) : bias;
  const Shape shape = convolved_shape(x, w, window);
  const ActivationOrder order = convolved_order(x, w, shape, window, groups);
  const Tensor laid_out = order.lay_out(x);
  const Tensor output = order.make(shape, x.dtype(), x.device());
  if (output.numel() != 0) {
    kernels::Conv2dArgs args{order.operand(laid_out),
                             w.operand(),
                             b.operand(),
                             order.operand(output),
                             window,
                             groups,
                             relu};
    if (order.is_channels_last()) args.packed = w.impl().storage->packed();
    kernels::conv2d(x.device(), args);
  }
  if (autograd::recording(x, w, b)) {
    autograd::record(
        "conv2d", output,
        [x = autograd::SavedTensor(laid_out), w = autograd::SavedTensor(w), window, groups, order,
         passes = relu ? ReluMask(output) : ReluMask(), dtype = autograd::gradient_dtype(w),
         bias_dtype = autograd::gradient_dtype(b)](
            const Tensor& gradient, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          const Tensor grad = order.lay_out(passes.apply("conv2d", gradient));
          const Tensor &in = x.get("conv2d"), &kernel = w.get("conv2d");
          autograd::Gradients<3> gradients;
          if (needs[0])
            gradients[0] = conv2d_input_gradient(grad, in, kernel, window, groups, order);
          if (!needs[1] && !needs[2]) return gradients;
          gradients[1] = empty(kernel.shape(), {.dtype = dtype, .device = grad.device()});
          if (needs[2])
            gradients[2] = empty({kernel.size(0)}, {.dtype = bias_dtype, .device = grad.device()});
          kernels::conv2d_backward_weight(
              grad.device(), {order.operand(grad), order.operand(in), gradients[1].operand(),
                              gradients[2].operand(), window, groups});
          return gradients;
        },
        x, w, b);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Conv2dOptions& options) {
  detail::check_defined("conv2d", "input", input);
  detail::check_defined("conv2d", "weight", weight);
  AMP_CHECK((input.dim() == 4 || input.dim() == 3) && weight.dim() == 4,
            "conv2d: expected `input` [N, C, H, W] and `weight` [O, C / groups, ",
            "KH, KW], but got ", describe(input), " and ", describe(weight));
  AMP_CHECK(options.groups >= 1, "conv2d: `groups` must be at least 1, but is ", options.groups);
  const std::int64_t channels = input.size(-3);
  AMP_CHECK(weight.size(0) % options.groups == 0, "conv2d: `groups` ", options.groups,
            " must divide the ", weight.size(0), " filters of `weight` [O, C / groups, KH, KW], ",
            describe(weight), "; `input` is ", describe(input));
  AMP_CHECK(channels % options.groups == 0, "conv2d: `groups` ", options.groups,
            " must divide the ", channels, " channels of `input` [N, C, H, W], ", describe(input),
            "; `weight` is ", describe(weight));
  AMP_CHECK(channels / options.groups == weight.size(1), "conv2d: `weight` [O, C / groups, KH, ",
            "KW], ", describe(weight), ", with `groups` ", options.groups, " expects ",
            static_cast<std::uint64_t>(weight.size(1)) * static_cast<std::uint64_t>(options.groups),
            " channels, but `input` [N, C, H, W], ", describe(input), ", has ", channels);
  if (input.dim() == 3) {
    Shape batched = input.shape();
    batched.insert(0, 1);
    const Tensor output = conv2d(detail::reshape(input, batched), weight, bias, options);
    Shape shape = output.shape();
    shape.erase(0);
    return detail::reshape(output, shape);
  }
  AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)),
            "conv2d: `bias` must have shape [", weight.size(0), "], but is ", describe(bias));
  const kernels::Window2d window =
      detail::make_window("conv2d", Size2d(weight.size(2), weight.size(3)), options.stride,
                          options.padding, options.dilation);
  return autocasting::call(
      "conv2d",
      [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        return detail::conv2d(x, w, b, window, options.groups, options.relu);
      },
      input, weight, bias);
}

}  // namespace amp::inline v0

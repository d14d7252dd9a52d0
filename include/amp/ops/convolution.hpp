// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What convolutions and transposed ones share: their kernels, called with tensors, and checks.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/layout.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// A convolution, or a transposed one, of images of any number of dimensions.
struct ConvCall {
  std::string_view op;
  kernels::Window window;
  std::int64_t groups;
  bool relu;
};

/// How messages write the shapes of images and weights.
struct ConvText {
  std::string_view images, kernel;

  explicit ConvText(int dims)
      : images(dims == 1   ? "[N, C, L]"
               : dims == 2 ? "[N, C, H, W]"
                           : "[N, C, D, H, W]"),
        kernel(dims == 1   ? "K]"
               : dims == 2 ? "KH, KW]"
                           : "KD, KH, KW]") {}
};

/// Throws unless the tensors can be convolved.
AMP_LAZY inline void check_convolved(std::string_view op, const Tensor& input, const Tensor& weight,
                                     const Tensor& bias) {
  AMP_CHECK(input.dtype() == weight.dtype() && (!bias.defined() || bias.dtype() == weight.dtype()),
            op, ": `input`, `weight` and `bias` must have one dtype, but are ", describe(input),
            ", ", describe(weight), " and ", describe(bias),
            "; convert with to(), or convolve under an AutocastGuard");
  AMP_CHECK(is_floating_point(input.dtype()), op, ": `input` must be floating point, but is ",
            describe(input), "; convert it with to()");
  check_same_device(op, "input", input, "weight", weight);
  if (bias.defined()) check_same_device(op, "input", input, "bias", bias);
}

/// The order of the activations: images, and the results of windows over them. The host has them
/// channels-last, unless it convolves planes. `given` are those that exist.
AMP_LAZY inline ActivationOrder convolved_order(const Tensor& given, const Tensor& weight,
                                                const Shape& images, const Shape& results,
                                                const ConvCall& call) {
  if (given.device().type != kCPU) return ActivationOrder(false);
  kernels::Operand from = given.operand_as_laid_out(), to = from;  // operand() would copy it
  for (int d = 0; d < from.dims; ++d) {
    from.sizes[d] = images[d];
    to.sizes[d] = results[d];
  }
  const kernels::ConvShape shape(as_images(from), as_images(weight.operand()), as_images(to),
                                 call.window, call.groups);
  return ActivationOrder(!kernels::takes_planes(shape, given.dtype()) ||
                         ActivationOrder::of(given).is_channels_last());
}

/// The operand for activations in that order.
AMP_LAZY inline kernels::Operand images(const ActivationOrder& order, const Tensor& tensor) {
  return as_images(order.operand(tensor));
}

/// result = the convolution of x.
AMP_LAZY inline void run_conv(const ConvCall& call, const ActivationOrder& order, const Tensor& x,
                              const Tensor& weight, const Tensor& bias, const Tensor& result) {
  kernels::Conv2dArgs args{images(order, x), as_images(weight.operand()),
                           bias.operand(),   images(order, result),
                           call.window,      call.groups,
                           call.relu};
  if (order.is_channels_last()) args.packed = weight.impl().storage->packed();
  kernels::conv2d(x.device(), args);
}

/// result = the gradient of the image that was convolved, plus bias.
AMP_LAZY inline void run_conv_backward(const ConvCall& call, const ActivationOrder& order,
                                       const Tensor& grad, const Tensor& weight, const Tensor& bias,
                                       const Tensor& result) {
  kernels::Conv2dBackwardInputArgs args{images(order, grad), as_images(weight.operand()),
                                        images(order, result), call.window, call.groups};
  if (order.is_channels_last()) args.packed = weight.impl().storage->packed();
  args.bias = bias.operand();
  kernels::conv2d_backward_input(grad.device(), args);
}

/// Throws, naming the op, unless input and weight have the dimensions of a convolution.
AMP_LAZY inline void check_conv_dims(std::string_view op, int dims, std::string_view filters,
                                     const Tensor& input, const Tensor& weight,
                                     std::int64_t groups) {
  check_defined(op, "input", input);
  check_defined(op, "weight", weight);
  const ConvText text(dims);
  AMP_CHECK((input.dim() == dims + 2 || input.dim() == dims + 1) && weight.dim() == dims + 2, op,
            ": expected `input` ", text.images, " and `weight` ", filters, text.kernel,
            ", but got ", describe(input), " and ", describe(weight));
  AMP_CHECK(groups >= 1, op, ": `groups` must be at least 1, but is ", groups);
}

/// The numbers of a convolution's options, for any number of dimensions.
struct ConvNumbers {
  WindowSize stride, padding, after, dilation;  // padding: before the elements
  std::int64_t groups;
  bool is_same, relu;

  template <class Size>
  explicit ConvNumbers(const ConvOptions<Size>& o)
      : stride(o.stride),
        padding(static_cast<const Size&>(o.padding)),
        after(o.padding.after),
        dilation(o.dilation),
        groups(o.groups),
        is_same(o.padding.is_same),
        relu(o.relu) {}
};

}  // namespace amp::inline v0::detail

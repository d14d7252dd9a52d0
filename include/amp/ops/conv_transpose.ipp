// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/ops/batch.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/conv_transpose.hpp"
#include "amp/ops/convolution.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// The sums of [N, C, ...] over all but C.
AMP_LAZY Tensor sum_of_channels(const ActivationOrder& order, const Tensor& grad, DType dtype) {
  const std::int64_t channels = grad.size(1);
  const Tensor sums = empty({channels}, {.dtype = dtype, .device = grad.device()});
  kernels::Operand to = sums.operand();
  to.dims = 4;
  for (int d = 3; d >= 0; --d) {
    to.sizes[d] = d == 1 ? channels : 1;
    to.strides[d] = d == 0 ? channels : 1;
  }
  const kernels::ReduceArgs args{.input = images(order, grad), .output = to, .scale = 1};
  kernels::sum(grad.device(), args);
  return sums;
}

AMP_LAZY Tensor convolve_transposed(const ConvCall& call, const Tensor& input, const Tensor& weight,
                                    const Tensor& bias, const Shape& shape) {
  check_convolved(call.op, input, weight, bias);
  (void)byte_count(shape, input.dtype());  // throws if there are too many
  const Tensor x = contiguous(input), w = contiguous(weight),
               b = bias.defined() ? contiguous(bias) : bias;
  const ActivationOrder order = convolved_order(x, w, shape, x.shape(), call);
  const Tensor laid_out = order.lay_out(x);
  const Tensor output = order.make(shape, x.dtype(), x.device());
  if (output.numel() != 0) run_conv_backward(call, order, laid_out, w, b, output);
  if (autograd::recording(x, w, b)) {
    autograd::record(
        call.op, output,
        [x = autograd::SavedTensor(laid_out, autograd::requires_grad(w)),
         w = autograd::SavedTensor(w, autograd::requires_grad(x)), from = x.shape(),
         window = w.shape(), low = x.dtype(), call, order, dtype = autograd::gradient_dtype(w),
         bias_dtype = autograd::gradient_dtype(b)](
            const Tensor& gradient, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          const Tensor grad = order.lay_out(gradient);
          autograd::Gradients<3> gradients;
          if (needs[0]) {
            gradients[0] = order.make(from, low, grad.device());
            if (from.numel() != 0) run_conv(call, order, grad, w.get(call.op), {}, gradients[0]);
          }
          if (needs[1]) {
            gradients[1] = empty(window, {.dtype = dtype, .device = grad.device()});
            kernels::conv2d_backward_weight(grad.device(), {images(order, x.get(call.op)),
                                                            images(order, grad),
                                                            as_images(gradients[1].operand()),
                                                            {},
                                                            call.window,
                                                            call.groups});
          }
          if (needs[2]) gradients[2] = sum_of_channels(order, grad, bias_dtype);
          return gradients;
        },
        x, w, b);
  }
  return output;
}

AMP_LAZY Tensor conv_transpose(autocasting::OpId op, const Tensor& input, const Tensor& weight,
                               const Tensor& bias, const ConvNumbers& o,
                               const WindowSize& output_padding) {
  const int dims = o.stride.dims;
  const std::string_view name = op.name(), filters = "[C, O / groups, ";
  check_conv_dims(name, dims, filters, input, weight, o.groups);
  const ConvText text(dims);
  const std::int64_t channels = input.size(-dims - 1);
  std::int64_t outputs = 0;
  AMP_CHECK(channels == weight.size(0), name, ": `weight` ", filters, text.kernel, ", ",
            describe(weight), " expects ", weight.size(0), " channels, but `input` ", text.images,
            ", ", describe(input), ", has ", channels);
  AMP_CHECK(channels % o.groups == 0 && !__builtin_mul_overflow(weight.size(1), o.groups, &outputs),
            name, ": `groups` ", o.groups, " must divide the ", channels, " channels of `input` ",
            text.images, ", ", describe(input), "; `weight` is ", describe(weight));
  AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == outputs), name,
            ": `bias` must have shape [", outputs, "], but is ", describe(bias));
  check_extents(name, "output_padding", output_padding, 0);
  ConvCall call{
      name, make_window(name, WindowSize(dims, weight.shape()), o.stride, o.padding, o.dilation),
      o.groups, false};
  WindowSize extents(dims, input.shape());
  for (int i = 0; i < dims; ++i) {
    const std::int64_t stride = o.stride.values[i], dilation = o.dilation.values[i],
                       more = output_padding.values[i];
    AMP_CHECK(
        more < (std::max)(stride, dilation), name,
        ": `output_padding` must be less than `stride` or `dilation`: ", to_text(output_padding),
        " against ", to_text(o.stride), " and ", to_text(o.dilation));
    AMP_CHECK(extents.values[i] > 0, name, ": the images of `input` ", describe(input),
              " are empty");
    const std::int64_t reach = dilation * (weight.size(2 + i) - 1) + more + 1;
    AMP_CHECK((extents.values[i] - 1) <= ((std::int64_t{1} << 61) / stride), name,
              ": the result of `input` ", describe(input), " is too large");
    extents.values[i] = (extents.values[i] - 1) * stride - 2 * o.padding.values[i] + reach;
    AMP_CHECK(extents.values[i] >= 0, name, ": `padding` ", to_text(o.padding),
              " is more than the result has for `input` ", describe(input), " and `weight` ",
              describe(weight));
  }
  if (dims == 3) {
    call.window.slices = (std::max)(extents.values[0], std::int64_t{1});
    call.window.out_slices = input.size(-3);
  }
  return of_batch(input, dims, [&](const Tensor& batch) {
    Shape shape = batch.shape();
    shape[1] = outputs;
    for (int i = 0; i < dims; ++i) shape[2 + i] = extents.values[i];
    return autocasting::call(
        op,
        [&](const Tensor& x, const Tensor& w, const Tensor& b) {
          return convolve_transposed(call, x, w, b, shape);
        },
        batch, weight, bias);
  });
}

/// The options of the convolution whose gradient a transposed one is.
template <class Size>
ConvNumbers numbers_of(const ConvTransposeOptions<Size>& o) {
  return ConvNumbers(ConvOptions<Size>{
      .stride = o.stride, .padding = o.padding, .dilation = o.dilation, .groups = o.groups});
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                                            const Tensor& bias,
                                            const ConvTranspose1dOptions& options) {
  return detail::conv_transpose("conv_transpose1d", input, weight, bias,
                                detail::numbers_of(options), options.output_padding);
}
AMP_LAZY_DEFINITION Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                                            const Tensor& bias,
                                            const ConvTranspose2dOptions& options) {
  return detail::conv_transpose("conv_transpose2d", input, weight, bias,
                                detail::numbers_of(options), options.output_padding);
}
AMP_LAZY_DEFINITION Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                                            const Tensor& bias,
                                            const ConvTranspose3dOptions& options) {
  return detail::conv_transpose("conv_transpose3d", input, weight, bias,
                                detail::numbers_of(options), options.output_padding);
}

}  // namespace amp::inline v0

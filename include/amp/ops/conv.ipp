// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/conv/host.hpp"
#include "amp/ops/batch.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/convolution.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/relu_mask.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

AMP_LAZY Tensor convolve(const ConvCall& call, const Tensor& input, const Tensor& weight,
                         const Tensor& bias, const WindowSize& extents) {
  check_convolved(call.op, input, weight, bias);
  const Tensor x = contiguous(input), w = contiguous(weight),
               b = bias.defined() ? contiguous(bias) : bias;
  Shape shape = x.shape();
  shape[1] = w.size(0);
  for (int i = 0; i < extents.dims; ++i) shape[2 + i] = extents.values[i];
  (void)byte_count(shape, x.dtype());  // throws if there are too many elements
  const ActivationOrder order = convolved_order(x, w, x.shape(), shape, call);
  const Tensor laid_out = order.lay_out(x);
  const Tensor output = order.make(shape, x.dtype(), x.device());
  if (output.numel() != 0) run_conv(call, order, laid_out, w, b, output);
  if (autograd::recording(x, w, b)) {
    autograd::record(
        call.op, output,
        [x = autograd::SavedTensor(laid_out,
                                   autograd::requires_grad(w) || autograd::requires_grad(b)),
         w = autograd::SavedTensor(w, autograd::requires_grad(x)), from = x.shape(),
         window = w.shape(), low = x.dtype(), call, order,
         passes = call.relu ? ReluMask(output) : ReluMask(), dtype = autograd::gradient_dtype(w),
         bias_dtype = autograd::gradient_dtype(b)](
            const Tensor& gradient, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          const Tensor grad = order.lay_out(passes.apply(call.op, gradient));
          autograd::Gradients<3> gradients;
          if (needs[0]) {
            gradients[0] = order.make(from, low, grad.device());
            run_conv_backward(call, order, grad, w.get(call.op), {}, gradients[0]);
          }
          if (!needs[1] && !needs[2]) return gradients;
          const Tensor& in = x.get(call.op);
          gradients[1] = empty(window, {.dtype = dtype, .device = grad.device()});
          if (needs[2])
            gradients[2] = empty({window[0]}, {.dtype = bias_dtype, .device = grad.device()});
          kernels::conv2d_backward_weight(
              grad.device(),
              {images(order, grad), images(order, in), as_images(gradients[1].operand()),
               gradients[2].operand(), call.window, call.groups});
          return gradients;
        },
        x, w, b);
  }
  return output;
}

/// The window of a convolution, which has its slices, and the extents of its results.
struct ConvWindow {
  kernels::Window window;
  WindowSize extents;
};

/// Throws if the kernel does not fit.
AMP_LAZY ConvWindow conv_window(std::string_view op, const Tensor& input, const Tensor& weight,
                                const ConvNumbers& o) {
  const int dims = o.stride.dims;
  WindowSize extents(dims, input.shape());
  kernels::Window w =
      make_window(op, WindowSize(dims, weight.shape()), o.stride, o.padding, o.dilation);
  check_extents(op, "padding", o.after, 0);
  if (dims == 3) w.slices = (std::max)(extents.values[0], std::int64_t{1});
  for (int i = 0; i < dims; ++i) {
    const int d = window_dim(dims, i);
    std::int64_t padding = w.padding[d] + o.after.values[i];
    if (o.is_same) {
      AMP_CHECK(w.stride[d] == 1, op, ": with `padding` kSame, `stride` must be 1, but is ",
                to_text(o.stride));
      padding = w.dilation[d] * (w.kernel[d] - 1);
      w.padding[d] = padding / 2;
    }
    extents.values[i] =
        window_extent(extents.values[i], w.kernel[d], w.stride[d], padding, w.dilation[d]);
    AMP_CHECK(extents.values[i] > 0, op, ": the kernel of `weight` ", describe(weight),
              " does not fit into `input` ", describe(input), " with this padding and dilation");
  }
  if (dims == 3) w.out_slices = extents.values[0];
  return {w, extents};
}

AMP_LAZY Tensor conv(autocasting::OpId op, const Tensor& input, const Tensor& weight,
                     const Tensor& bias, const ConvNumbers& o) {
  const int dims = o.stride.dims;
  const std::string_view name = op.name(), filters = "[O, C / groups, ";
  check_conv_dims(name, dims, filters, input, weight, o.groups);
  const ConvText text(dims);
  const std::int64_t channels = input.size(-dims - 1);
  AMP_CHECK(weight.size(0) % o.groups == 0, name, ": `groups` ", o.groups, " must divide the ",
            weight.size(0), " filters of `weight` ", filters, text.kernel, ", ", describe(weight),
            "; `input` is ", describe(input));
  AMP_CHECK(channels % o.groups == 0, name, ": `groups` ", o.groups, " must divide the ", channels,
            " channels of `input` ", text.images, ", ", describe(input), "; `weight` is ",
            describe(weight));
  AMP_CHECK(channels / o.groups == weight.size(1), name, ": `weight` ", filters, text.kernel, ", ",
            describe(weight), ", with `groups` ", o.groups, " expects ",
            static_cast<std::uint64_t>(weight.size(1)) * static_cast<std::uint64_t>(o.groups),
            " channels, but `input` ", text.images, ", ", describe(input), ", has ", channels);
  AMP_CHECK(!bias.defined() || (bias.dim() == 1 && bias.size(0) == weight.size(0)), name,
            ": `bias` must have shape [", weight.size(0), "], but is ", describe(bias));
  const ConvWindow windows = conv_window(name, input, weight, o);
  const ConvCall call{name, windows.window, o.groups, o.relu};
  return of_batch(input, dims, [&](const Tensor& batch) {
    return autocasting::call(
        op,
        [&](const Tensor& x, const Tensor& w, const Tensor& b) {
          return convolve(call, x, w, b, windows.extents);
        },
        batch, weight, bias);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor conv1d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Conv1dOptions& options) {
  return detail::conv("conv1d", input, weight, bias, detail::ConvNumbers(options));
}
AMP_LAZY_DEFINITION Tensor conv2d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Conv2dOptions& options) {
  return detail::conv("conv2d", input, weight, bias, detail::ConvNumbers(options));
}
AMP_LAZY_DEFINITION Tensor conv3d(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                  const Conv3dOptions& options) {
  return detail::conv("conv3d", input, weight, bias, detail::ConvNumbers(options));
}

AMP_LAZY_DEFINITION Tensor conv_tbc(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                    std::int64_t pad) {
  detail::check_defined("conv_tbc", "input", input);
  detail::check_defined("conv_tbc", "weight", weight);
  detail::check_defined("conv_tbc", "bias", bias);
  AMP_CHECK(input.dim() == 3 && weight.dim() == 3 && input.size(2) == weight.size(1),
            "conv_tbc: expected `input` [T, N, C] and `weight` [K, C, O], but got ",
            describe(input), " and ", describe(weight));
  AMP_CHECK(bias.dim() == 1 && bias.size(0) == weight.size(2), "conv_tbc: `bias` must have shape [",
            weight.size(2), "], but is ", describe(bias));
  return autocasting::call(
      "conv_tbc",
      [&](const Tensor& x, const Tensor& w, const Tensor& b) {
        constexpr std::int64_t kChannelsSecond[] = {1, 2, 0}, kFiltersFirst[] = {2, 1, 0},
                               kTimeFirst[] = {2, 0, 1};
        detail::check_convolved("conv_tbc", x, w, b);
        const Tensor lines = detail::permute(x, kChannelsSecond),
                     filters = detail::permute(w, kFiltersFirst);
        const detail::ConvWindow windows = detail::conv_window(
            "conv_tbc", lines, filters, detail::ConvNumbers(Conv1dOptions{.padding = pad}));
        const detail::ConvCall call{"conv_tbc", windows.window, 1, false};
        return detail::permute(detail::convolve(call, lines, filters, b, windows.extents),
                               kTimeFirst);
      },
      input, weight, bias);
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling.
#pragma once

#include <cstdint>

#include "amp/kernels/host/pool.hpp"
#include "amp/ops/conv.hpp"

namespace amp::inline v0 {

/// The maximum of each kernel x kernel window of input [N, C, H, W] (or [C, H, W]), stride apart;
/// padding counts as -infinity. The gradient goes to the first maximum.
[[nodiscard]] inline Tensor max_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                       Size2d padding = 0) {
  AMP_CHECK(input.dim() == 4 || input.dim() == 3,
            "max_pool2d: expected `input` [N, C, H, W], but got ", describe(input));
  AMP_CHECK(is_floating_point(input.dtype()), "max_pool2d: `input` must be floating point, but is ",
            describe(input));
  const kernels::Window2d window = detail::make_window("max_pool2d", kernel, stride, padding, 1);
  AMP_CHECK(2 * padding.height <= kernel.height && 2 * padding.width <= kernel.width,
            "max_pool2d: `padding` must be at most half of `kernel`: {", padding.height, ", ",
            padding.width, "} against {", kernel.height, ", ", kernel.width, "}");
  return autocasting::call(
      "max_pool2d",
      [&](const Tensor& any) {
        const Tensor flat = detail::contiguous(any);
        const int lead = flat.dim() - 2;
        const std::int64_t planes = lead == 2 ? flat.size(0) * flat.size(1) : flat.size(0);
        const std::int64_t h = flat.size(-2), w = flat.size(-1);
        AMP_CHECK(h > 0 && w > 0, "max_pool2d: the planes of `input` ", describe(input),
                  " are empty");
        AMP_CHECK(h * w < (std::int64_t{1} << 31), "max_pool2d: a plane of `input` ",
                  describe(input), " has 2^31 elements or more");
        const std::int64_t out_h =
            detail::window_extent(h, kernel.height, stride.height, padding.height, 1);
        const std::int64_t out_w =
            detail::window_extent(w, kernel.width, stride.width, padding.width, 1);
        AMP_CHECK(out_h > 0 && out_w > 0, "max_pool2d: `kernel` {", kernel.height, ", ",
                  kernel.width, "} does not fit into `input` ", describe(input));
        const Tensor x = detail::reshape(flat, {1, planes, h, w});
        const Tensor output =
            empty({1, planes, out_h, out_w}, {.dtype = x.dtype(), .device = x.device()});
        const Tensor indices = empty(output.shape(), {.dtype = kInt32, .device = x.device()});
        if (output.numel() != 0) {
          const kernels::MaxPool2dArgs args{x.operand(), output.operand(), indices.operand(),
                                            window};
          kernels::dispatch<&kernels::Backend::max_pool2d, kernels::host::max_pool2d>(
              x.device(), x.dtype(), args);
        }
        if (autograd::recording(x)) {
          autograd::record(
              "max_pool2d", output,
              [indices, from = x.shape()](const Tensor& gradient,
                                          const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor grad = detail::dense(gradient);
                const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
                const kernels::MaxPool2dBackwardArgs args{grad.operand(), indices.operand(),
                                                          grad_x.operand()};
                kernels::dispatch<&kernels::Backend::max_pool2d_backward,
                                  kernels::host::max_pool2d_backward>(grad.device(), grad.dtype(),
                                                                      args);
                return {grad_x};
              },
              x);
        }
        Shape shape = any.shape();
        shape[lead] = out_h;
        shape[lead + 1] = out_w;
        return detail::reshape(output, shape);
      },
      input);
}
/// Windows side by side: stride = kernel.
[[nodiscard]] inline Tensor max_pool2d(const Tensor& input, Size2d kernel) {
  return max_pool2d(input, kernel, kernel);
}

}  // namespace amp::inline v0

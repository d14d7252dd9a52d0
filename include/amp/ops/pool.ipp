// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/pool/host.hpp"
#include "amp/kernels/traversal/window.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/conv.hpp"
#include "amp/ops/layout.hpp"
#include "amp/ops/pool.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

/// Input [N, C, H, W] or [C, H, W] as kernels take it, and the shapes of the result. The planes of
/// a row-major input are a single batch.
struct Pooling {
  Tensor planes;  // [1, N * C, H, W], or [N, C, H, W] channels-last
  ActivationOrder order;
  kernels::Window2d window;
  Shape pooled;  // [1, N * C, H', W'], or [N, C, H', W']
  Shape output;  // in the rank of the input
};

AMP_LAZY kernels::Window2d pool_window(std::string_view op, const Tensor& input, Size2d kernel,
                                       Size2d stride, Size2d padding) {
  check_floating(op, "input", input);
  AMP_CHECK(input.dim() == 4 || input.dim() == 3, op,
            ": expected `input` [N, C, H, W] or [C, H, W], but got ", describe(input));
  const kernels::Window2d window = make_window(op, kernel, stride, padding, 1);
  AMP_CHECK(2 * padding.height <= kernel.height && 2 * padding.width <= kernel.width, op,
            ": `padding` must be at most half of `kernel`: {", padding.height, ", ", padding.width,
            "} against {", kernel.height, ", ", kernel.width, "}");
  return window;
}

AMP_LAZY Pooling pooling(std::string_view op, const Tensor& any, const kernels::Window2d& window) {
  const ActivationOrder order = ActivationOrder::of(any);
  const Tensor x = order.is_channels_last() ? any : contiguous(any);
  const int lead = x.dim() - 2;
  const std::int64_t h = x.size(-2), w = x.size(-1);
  AMP_CHECK(h > 0 && w > 0, op, ": the planes of `input` ", describe(any), " are empty");
  AMP_CHECK(h * w < (std::int64_t{1} << 31), op, ": a plane of `input` ", describe(any),
            " has 2^31 elements or more");
  const auto extent = [&](std::int64_t size, int d) {
    return window_extent(size, window.kernel[d], window.stride[d], window.padding[d], 1);
  };
  const std::int64_t out_h = extent(h, 0), out_w = extent(w, 1);
  AMP_CHECK(out_h > 0 && out_w > 0, op, ": `kernel` {", window.kernel[0], ", ", window.kernel[1],
            "} does not fit into `input` ", describe(any));
  const std::int64_t planes = lead == 2 ? x.size(0) * x.size(1) : x.size(0);
  Shape output = x.shape();
  output[lead] = out_h;
  output[lead + 1] = out_w;
  if (order.is_channels_last()) return {x, order, window, output, output};
  return {reshape(x, {1, planes, h, w}), order, window, {1, planes, out_h, out_w}, output};
}

AMP_LAZY Tensor max_pool2d(const Pooling& pool) {
  const Tensor& x = pool.planes;
  const ActivationOrder order = pool.order;
  const Tensor output = order.make(pool.pooled, x.dtype(), x.device());
  const Tensor indices = order.make(pool.pooled, kInt32, x.device());
  if (output.numel() != 0) {
    const kernels::MaxPool2dArgs args{order.operand(x), order.operand(output),
                                      order.operand(indices), pool.window};
    kernels::max_pool2d(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        "max_pool2d", output,
        [indices, order, from = x.shape(), window = pool.window](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = order.lay_out(gradient);
          const Tensor grad_x = order.make(from, grad.dtype(), grad.device());
          if (grad_x.numel() != 0) {
            const kernels::MaxPool2dBackwardArgs args{order.operand(grad), order.operand(indices),
                                                      order.operand(grad_x), window};
            kernels::max_pool2d_backward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return reshape(output, pool.output);
}

AMP_LAZY Tensor avg_pool2d(const Pooling& pool) {
  const Tensor& x = pool.planes;
  const ActivationOrder order = pool.order;
  const double share =
      1 / (static_cast<double>(pool.window.kernel[0]) * static_cast<double>(pool.window.kernel[1]));
  const Tensor output = order.make(pool.pooled, x.dtype(), x.device());
  if (output.numel() != 0) {
    const kernels::AvgPool2dArgs args{order.operand(x), order.operand(output), pool.window, share};
    kernels::avg_pool2d(x.device(), args);
  }
  if (autograd::recording(x)) {
    autograd::record(
        "avg_pool2d", output,
        [order, window = pool.window, share, from = x.shape()](
            const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          const Tensor grad = order.lay_out(gradient);
          const Tensor grad_x = order.make(from, grad.dtype(), grad.device());
          if (grad_x.numel() != 0) {
            const kernels::AvgPool2dBackwardArgs args{order.operand(grad), order.operand(grad_x),
                                                      window, share};
            kernels::avg_pool2d_backward(grad.device(), args);
          }
          return {grad_x};
        },
        x);
  }
  return reshape(output, pool.output);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor max_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                      Size2d padding) {
  const kernels::Window2d window =
      detail::pool_window("max_pool2d", input, kernel, stride, padding);
  return autocasting::call(
      "max_pool2d",
      [&](const Tensor& x) { return detail::max_pool2d(detail::pooling("max_pool2d", x, window)); },
      input);
}
AMP_LAZY_DEFINITION Tensor max_pool2d(const Tensor& input, Size2d kernel) {
  return max_pool2d(input, kernel, kernel);
}

AMP_LAZY_DEFINITION Tensor avg_pool2d(const Tensor& input, Size2d kernel, Size2d stride,
                                      Size2d padding) {
  const kernels::Window2d window =
      detail::pool_window("avg_pool2d", input, kernel, stride, padding);
  return autocasting::call(
      "avg_pool2d",
      [&](const Tensor& x) { return detail::avg_pool2d(detail::pooling("avg_pool2d", x, window)); },
      input);
}
AMP_LAZY_DEFINITION Tensor avg_pool2d(const Tensor& input, Size2d kernel) {
  return avg_pool2d(input, kernel, kernel);
}

}  // namespace amp::inline v0

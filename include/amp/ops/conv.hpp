// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// 2-d convolution (cross-correlation, as in torch).
//   output[n, o, y, x] = bias[o] + sum over c, i, j of weight[o, c, i, j]
//                        * input[n, c, y * stride + i * dilation - padding, ...]
#pragma once

#include <concepts>
#include <cstdint>
#include <string_view>

#include "amp/kernels/traversal/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A height and a width: {h, w}, or one number for both.
struct Size2d {
  std::int64_t height, width;
  /// The same height and width.
  template <std::integral I>
  constexpr Size2d(I both) : height(static_cast<std::int64_t>(both)), width(height) {}
  /// A height and a width.
  template <std::integral H, std::integral W>
  constexpr Size2d(H h, W w)
      : height(static_cast<std::int64_t>(h)), width(static_cast<std::int64_t>(w)) {}
};

/// Options of conv2d().
struct Conv2dOptions {
  Size2d stride = 1;
  Size2d padding = 0;
  Size2d dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;  // true: relu(conv2d(...)) in the same pass over the result, rounded once
};

/// Convolves input [N, C, H, W] (or [C, H, W]) with weight [O, C / groups, KH, KW]; bias [O] may be
/// undefined. The result is [N, O, H', W'] (or [O, H', W']) with
///   H' = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1
/// and W' likewise; padding counts as 0. Sizes of the kernel, stride, padding and dilation are at
/// most 2^30. All have one floating-point dtype, which is that of the result: accumulated in float32
/// (float64), rounded once. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor conv2d(const Tensor& input, const Tensor& weight,
                                     const Tensor& bias = {},
                                     const Conv2dOptions& options = {});  // such as {.stride = 2}

namespace detail {

/// The number of windows along a dimension: floor((input + 2 padding - dilation (kernel - 1) - 1) /
/// stride) + 1, and 0 if no window fits.
AMP_LAZY std::int64_t window_extent(std::int64_t input, std::int64_t kernel, std::int64_t stride,
                                    std::int64_t padding, std::int64_t dilation);

/// Throws, naming `op`, if a number is out of range.
AMP_LAZY kernels::Window2d make_window(std::string_view op, Size2d kernel, Size2d stride,
                                       Size2d padding, Size2d dilation);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/conv.ipp"
#endif

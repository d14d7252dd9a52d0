// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions (cross-correlations, as in torch) in one, two and three dimensions. In two:
//   output[n, o, y, x] = bias[o] + sum over c, i, j of weight[o, c, i, j]
//                        * input[n, c, y * stride + i * dilation - padding, ...]
#pragma once

#include <cstdint>

#include "amp/ops/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of convolutions.
template <class Size>
struct ConvOptions {
  Size stride = 1;
  ConvPadding<Size> padding = 0;
  Size dilation = 1;
  std::int64_t groups = 1;
  bool relu = false;  // true: relu(conv2d(...)) in the same pass over the result, rounded once
};
using Conv1dOptions = ConvOptions<Size1d>;
using Conv2dOptions = ConvOptions<Size2d>;
using Conv3dOptions = ConvOptions<Size3d>;

/// Convolves input [N, C, H, W] (or [C, H, W]) with weight [O, C / groups, KH, KW]; bias [O] may be
/// undefined. The result is [N, O, H', W'] (or [O, H', W']) with
///   H' = floor((H + 2 padding - dilation (KH - 1) - 1) / stride) + 1
/// and W' likewise; padding counts as 0, and 2 padding is the sum of both ends. With Padding::kSame
/// H' = H, and the stride must be 1. Sizes of the kernel, stride, padding and dilation are at most
/// 2^30. All have one floating-point dtype, which is that of the result: accumulated in float32
/// (float64), rounded once. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor conv2d(const Tensor& input, const Tensor& weight,
                                     const Tensor& bias = {},
                                     const Conv2dOptions& options = {});  // such as {.stride = 2}
/// conv2d of input [N, C, L] (or [C, L]) and weight [O, C / groups, K].
AMP_LAZY [[nodiscard]] Tensor conv1d(const Tensor& input, const Tensor& weight,
                                     const Tensor& bias = {}, const Conv1dOptions& options = {});
/// conv2d of input [N, C, D, H, W] (or [C, D, H, W]) and weight [O, C / groups, KD, KH, KW].
AMP_LAZY [[nodiscard]] Tensor conv3d(const Tensor& input, const Tensor& weight,
                                     const Tensor& bias = {}, const Conv3dOptions& options = {});

/// conv1d of input [T, N, C] with weight [K, C, O] and bias [O], and `pad` zeros at both ends; the
/// result is [T', N, O]. Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor conv_tbc(const Tensor& input, const Tensor& weight,
                                       const Tensor& bias, std::int64_t pad = 0);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/conv.ipp"
#endif

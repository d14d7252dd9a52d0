// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transposed convolutions, which are the gradients of convolutions by their inputs. In two
// dimensions:
//   output[n, o, y * stride + i * dilation - padding, ...] = bias[o] + the sum, over all c, i, j, y
//   and x that meet there, of weight[c, o, i, j] * input[n, c, y, x]
#pragma once

#include <cstdint>

#include "amp/ops/window.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Options of transposed convolutions.
template <class Size>
struct ConvTransposeOptions {
  Size stride = 1;
  Size padding = 0;  // of the convolution whose gradient this is: it makes the result smaller
  Size output_padding = 0;  // more rows and columns of the result, at its ends
  std::int64_t groups = 1;
  Size dilation = 1;
};
using ConvTranspose1dOptions = ConvTransposeOptions<Size1d>;
using ConvTranspose2dOptions = ConvTransposeOptions<Size2d>;
using ConvTranspose3dOptions = ConvTransposeOptions<Size3d>;

/// The gradient, by its input, of the conv2d with this weight, plus bias: input [N, C, H, W] (or
/// [C, H, W]), weight [C, O / groups, KH, KW] and bias [O] (or undefined) give [N, O, H', W'] (or
/// [O, H', W']) with
///   H' = (H - 1) stride - 2 padding + dilation (KH - 1) + output_padding + 1
/// and W' likewise. Output padding is less than stride or dilation. Dtypes and limits as in conv2d.
/// Under autocast: low precision.
AMP_LAZY [[nodiscard]] Tensor conv_transpose2d(const Tensor& input, const Tensor& weight,
                                               const Tensor& bias = {},
                                               const ConvTranspose2dOptions& options = {});
/// The same of input [N, C, L] (or [C, L]) and weight [C, O / groups, K].
AMP_LAZY [[nodiscard]] Tensor conv_transpose1d(const Tensor& input, const Tensor& weight,
                                               const Tensor& bias = {},
                                               const ConvTranspose1dOptions& options = {});
/// The same of input [N, C, D, H, W] (or [C, D, H, W]) and weight [C, O / groups, KD, KH, KW].
AMP_LAZY [[nodiscard]] Tensor conv_transpose3d(const Tensor& input, const Tensor& weight,
                                               const Tensor& bias = {},
                                               const ConvTranspose3dOptions& options = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/conv_transpose.ipp"
#endif

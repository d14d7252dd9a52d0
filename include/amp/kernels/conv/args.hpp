// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of convolutions.
#pragma once

#include <cstdint>

#include "amp/kernels/onednn/packed_copies.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels {

/// Cross-correlation of input [N, C, H, W] with weight [O, C / groups, KH, KW], plus bias [O]
/// unless it is absent; with `relu`, max(result, 0). Rounded once. All arrays are contiguous. On
/// the host the activations and their gradients lie in the order N, H, W, C, unless takes_planes()
/// (shape.hpp); then and on other devices they may be row-major. The rows of images and kernels of
/// several slices lie one slice after another: [N, C, D * H, W], [O, C / groups, KD * KH, KW].
struct Conv2dArgs {
  Operand input, weight, bias, output;
  Window window;
  std::int64_t groups;
  bool relu = false;
  PackedAt packed = {};  // the cache for copies of the weight in another order
};
/// Plus bias [C] unless it is absent: so it is a transposed convolution of grad_output, too.
struct Conv2dBackwardInputArgs {
  Operand grad_output, weight, grad_input;
  Window window;
  std::int64_t groups;
  PackedAt packed = {};
  Operand bias = {};
};
/// grad_bias is absent if the convolution had no bias. Both gradients may be wider than the arrays
/// that they are computed from; a library may round grad_weight to the dtype of those.
struct Conv2dBackwardWeightArgs {
  Operand grad_output, input, grad_weight, grad_bias;
  Window window;
  std::int64_t groups;
};

/// columns [N, C * taps, P] = the patches of images [N, C, H, W], or images = the sums of the
/// columns that saw each pixel. All contiguous, of one dtype; the sums are rounded once.
struct UnfoldArgs {
  Operand images, columns;
  Window window;
  std::int64_t out_h, out_w;
};

}  // namespace amp::inline v0::kernels

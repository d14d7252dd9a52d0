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
/// (shape.hpp); then and on other devices they may be row-major.
struct Conv2dArgs {
  Operand input, weight, bias, output;
  Window2d window;
  std::int64_t groups;
  bool relu = false;
  PackedAt packed = {};  // the cache for copies of the weight in another order
};
struct Conv2dBackwardInputArgs {
  Operand grad_output, weight, grad_input;
  Window2d window;
  std::int64_t groups;
  PackedAt packed = {};
};
/// grad_bias is absent if the convolution had no bias. Both gradients may be wider than the arrays
/// that they are computed from; a library may round grad_weight to the dtype of those.
struct Conv2dBackwardWeightArgs {
  Operand grad_output, input, grad_weight, grad_bias;
  Window2d window;
  std::int64_t groups;
};

}  // namespace amp::inline v0::kernels

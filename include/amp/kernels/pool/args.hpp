// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of pooling.
#pragma once

#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels {

/// A window over images, or as many adaptive ones as `kernel` says: window i sees the positions
/// [floor(i * extent / kernel), ceil((i + 1) * extent / kernel)).
struct PoolWindow : Window {
  bool is_adaptive = false;
};

/// Maximum over windows of input [N, C, H, W], or [N, C, D * H, W] with slices; indices (int32) are
/// positions (d * H + h) * W + w in the plane. All contiguous, or, on the host, all channels-last.
struct MaxPool2dArgs {
  Operand input, output, indices;
  PoolWindow window;
};
struct MaxPool2dBackwardArgs {
  Operand grad_output, indices, grad_input;
  PoolWindow window;
};

/// What sums over windows are multiplied by: one number, or 1 / (the number of elements) of each
/// window. Padding counts as 0, and its elements may be counted.
struct PoolScale {
  double of_all = 1;  // 0: each window has its own
  bool counts_padding = false;
};

/// Sums over the same windows times the scale. The orders are the same.
struct AvgPool2dArgs {
  Operand input, output;
  PoolWindow window;
  PoolScale scale;
};
struct AvgPool2dBackwardArgs {
  Operand grad_output, grad_input;
  PoolWindow window;
  PoolScale scale;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of pooling.
#pragma once

#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels {

/// Maximum over windows of input [N, C, H, W]; indices (int32) are positions h * W + w in the
/// plane. All contiguous, or, on the host, all channels-last.
struct MaxPool2dArgs {
  Operand input, output, indices;
  Window2d window;
};
struct MaxPool2dBackwardArgs {
  Operand grad_output, indices, grad_input;
  Window2d window;
};

/// Sums over the same windows times `scale`; padding counts as 0. The orders are the same.
struct AvgPool2dArgs {
  Operand input, output;
  Window2d window;
  double scale;
};
struct AvgPool2dBackwardArgs {
  Operand grad_output, grad_input;
  Window2d window;
  double scale;
};

}  // namespace amp::inline v0::kernels

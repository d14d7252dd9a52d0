// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of softmax and log_softmax.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Softmax over `dim`; the other dimensions are independent. Contiguous.
struct SoftmaxArgs {
  Operand input, output;
  int dim;
};
struct SoftmaxBackwardArgs {
  Operand grad_output, output, grad_input;
  int dim;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the variance.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = sum((input - mean)^2) / (n - correction) over `dim`, in which input has n > 0 elements;
/// output and mean have one. `mean`, an output too, is float32 (float64 if the input is). All
/// contiguous.
struct VarArgs {
  Operand input, output, mean;
  int dim;
  double correction;
};
/// grad_input = grad_output * 2 / (n - correction) * (input - mean), for the mean of the forward
/// pass.
struct VarBackwardArgs {
  Operand grad_output, input, mean, grad_input;
  int dim;
  double correction;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the variance and of the standard deviation.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = sum((input - mean)^2) / (n - correction) over `dim`, in which input has n > 0 elements,
/// or with `root` its square root; output and mean have one element. `mean`, an output too, is
/// float32 (float64 if the input is). All contiguous.
struct VarArgs {
  Operand input, output, mean;
  int dim;
  double correction;
  bool root;
};
/// grad_input = grad_variance * 2 / (n - correction) * (input - mean), for the mean of the forward
/// pass. grad_variance is grad_output; or if `root`, the root of the forward pass, is present,
/// grad_output / (2 root), and 0 if the root is 0.
struct VarBackwardArgs {
  Operand grad_output, input, mean, root, grad_input;
  int dim;
  double correction;
};

}  // namespace amp::inline v0::kernels

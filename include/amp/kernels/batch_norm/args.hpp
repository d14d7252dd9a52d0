// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of batch_norm.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// As NormArgs (norm/args.hpp), over the channels of input [N, C, I], each one row of N * I
/// elements. `training`: with the batch's mean and variance, and running = (1 - momentum) * running
/// + momentum * batch's (the variance with Bessel's correction) where running_mean and running_var
/// are present; else with the running ones. mean and rstd [C] are what was used. All contiguous,
/// or, on the host, [N, C, I] in the order N, I, C.
struct BatchNormArgs {
  Operand input, weight, bias, running_mean, running_var, output, mean, rstd;
  double momentum, eps;
  bool training;
};
struct BatchNormBackwardArgs {
  Operand grad_output, input, weight, mean, rstd, grad_input, grad_weight, grad_bias;
  bool training;
};

}  // namespace amp::inline v0::kernels

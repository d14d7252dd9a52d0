// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of batch_norm.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Like NormArgs (norm/args.hpp), over the channels of input [N, C, I]: each channel is one row of
/// N * I elements. With `training`, uses the batch's mean and variance, and updates running_mean
/// and running_var, if present: running = (1 - momentum) * running + momentum * batch's (the
/// variance with Bessel's correction). Otherwise uses the running ones. mean and rstd [C] are the
/// statistics that were used. All contiguous, or, on the host, [N, C, I] in the order N, I, C.
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

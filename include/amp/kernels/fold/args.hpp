// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the reductions that are folds: products, extrema, norms, log-sum-exp.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = a fold of input over the dimensions in which output has extent 1 (of equal rank). The
/// input may have any strides; the output is contiguous and not empty.
struct FoldArgs {
  Operand input, output;
  double order = 0;  // of a norm
};
/// grad_input = grad_output times the derivative of a fold. `output` is its result, `more` is what
/// else the derivative depends on: a number, or an array as `output`. These and grad_output
/// broadcast to input. Any strides; grad_input is contiguous and not empty.
struct FoldBackwardArgs {
  Operand grad_output, input, output, more, grad_input;
};

}  // namespace amp::inline v0::kernels

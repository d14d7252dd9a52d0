// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of max and min.
#pragma once

#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels {

/// The first maximum (minimum) of input, which may have any strides, over `dim`. values and indices
/// (int64) have extent 1 in `dim`. NaN counts as the extremum. With kAllDims the search goes over
/// all elements: values and indices have one element, and the index is the position in row-major
/// order. `values` may be absent; both are contiguous. The input is not copied.
struct ExtremumArgs {
  Operand input, values, indices;
  int dim;
};
/// grad_input[..., indices[...], ...] = grad_output, 0 elsewhere. All contiguous; kAllDims as
/// above.
struct ExtremumBackwardArgs {
  Operand grad_output, indices, grad_input;
  int dim;
};

}  // namespace amp::inline v0::kernels

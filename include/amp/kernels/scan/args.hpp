// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of scans: each element of the result depends on the elements of its line up to its
// place. All arrays are contiguous.
#pragma once

#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels {

/// output[i] = the fold of the elements up to i of each line along `dim`; of those before i if
/// `exclusive`. If `reverse`, a line begins at its end.
struct ScanArgs {
  Operand input, output;
  int dim;
  bool reverse = false, exclusive = false;
};
/// The largest (smallest) element up to each place, and its position (int64), the last one if
/// several are equal. NaN counts as the extremum.
struct ExtremumScanArgs {
  Operand input, values, indices;
  int dim;
};
/// grad_x[i] = factor(i) * s[i], with s[i] = grad[i] + decay(i) * s[i + 1], along `dim`
/// (ScanBackward in formula.hpp says what factor and decay are). grad, x, y and grad_x have one
/// shape; x may be indices (int64), and y absent.
struct ScanBackwardArgs {
  Operand grad, x, y, grad_x;
  int dim;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of distances between points.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output[b, i, j] = |x[b, i] - y[b, j]|_p, for x [B, P, M], y [B, R, M] and output [B, P, R]. x
/// and y are contiguous, of float32 or both of float64, and B broadcasts from 1. If `condensed`, y
/// is x, B is 1, and the output [P (P - 1) / 2] has the pairs i < j only, row after row. The output
/// is contiguous, in any floating dtype. None is empty.
struct DistanceArgs {
  Operand x, y, output;
  double p;
  bool condensed = false;
};

/// grad_x[b, i] = the sum over j of grad_output[b, i, j] times the derivative of
/// distance[b, i, j] by x[b, i]. p is not 0. grad_output and distance [B, P, R], of the dtype of x,
/// have any strides; condensed, they are contiguous. grad_x [B, P, M], in any floating dtype, is
/// contiguous. None is empty.
struct DistanceBackwardArgs {
  Operand grad_output, distance, x, y, grad_x;
  double p;
  bool condensed = false;
};

}  // namespace amp::inline v0::kernels

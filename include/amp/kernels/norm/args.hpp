// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of norms of rows.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Each row of input [R, L] is normalised on its own, x^ = (x - mean) * rstd, then scaled and
/// shifted:
///   output = x^ * weight + bias,   rstd = 1 / sqrt(variance + eps)
/// Weight and bias (1 and 0 if absent) repeat every `groups` rows and every `inner` elements:
/// element j of row r has the parameter (r % groups) * (L / inner) + j / inner. Without `centered`
/// the mean is 0. mean and rstd [R] are float32 (float64 for float64 inputs). All contiguous.
struct NormArgs {
  Operand input, weight, bias, output, mean, rstd;
  std::int64_t groups, inner;
  double eps;
  bool centered;
};
/// The arguments of the backward pass. Gradients that are absent are not computed. grad_weight and
/// grad_bias are summed before they are rounded.
struct NormBackwardArgs {
  Operand grad_output, input, weight, mean, rstd, grad_input, grad_weight, grad_bias;
  std::int64_t groups, inner;
  bool centered;
};

}  // namespace amp::inline v0::kernels

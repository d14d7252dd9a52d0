// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of elementwise kernels.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = value
struct FillArgs {
  Operand output;
  double value;
};

/// output[i] = f(input[i]). The shapes are equal; `output` may be `input`.
struct UnaryArgs {
  Operand input, output;
};

/// output[i] = f(a[i], b[i]). a and b broadcast to the shape of the output, which may be one of
/// them. Comparisons store bool.
struct BinaryArgs {
  Operand a, b, output;
};

/// output[i] = condition[i] ? a[i] : b[i]. All broadcast to the shape of the output; condition is
/// bool.
struct WhereArgs {
  Operand condition, a, b, output;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of sums.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = scale * sum of input over the dimensions in which output has extent 1 (of equal rank).
struct ReduceArgs {
  Operand input, output;
  double scale;
};

}  // namespace amp::inline v0::kernels

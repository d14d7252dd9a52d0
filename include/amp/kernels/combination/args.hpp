// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of combinations: functions of three or four operands, in one pass.
#pragma once

#include "amp/kernels/elementwise/args.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output[i] = f(inputs[0][i], inputs[1][i], ...). The inputs, arrays or numbers, broadcast to the
/// shape of the output, which may be one of them. A function reads as many as it has.
struct CombinationArgs {
  Operand inputs[4] = {};
  Operand output;
  Parameters parameters = {};
};

}  // namespace amp::inline v0::kernels

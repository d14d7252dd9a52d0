// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of multilabel_margin_loss.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// For scores x of C classes and int64 targets y, of which those before the first -1 count:
///   loss = sum over the targets k and the classes i that are none of max(0, 1 - x[y[k]] + x[i]) / C
/// input [N, C] is float32 or float64, as losses [N]; all are contiguous.
struct MultilabelMarginArgs {
  Operand input, targets, losses;
};
struct MultilabelMarginBackwardArgs {
  Operand grad, input, targets, grad_input;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of scaled dot-product attention.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = softmax(scale * query key^T + mask) value, for query [..., L, E], key [..., S, E],
/// value [..., S, V], output [..., L, V]: any strides, equal leading dimensions, nothing empty.
/// `mask`
/// [..., L, S], which may be absent, is bool, true where a query may look, or floating point; -inf
/// and NaN are where it may not. `causal`: query i looks at the keys up to i. What sees nothing
/// becomes 0. statistics [..., L, 2], contiguous float32 (float64 for float64), are the largest
/// score of a query and the reciprocal of its sum of exp(score - largest). The scale is positive.
struct AttentionArgs {
  Operand query, key, value, mask, output, statistics;
  double scale;
  bool causal;
};
/// The gradients of what is present, of any strides without overlap. `output` and `statistics` are
/// what forward wrote.
struct AttentionBackwardArgs {
  Operand grad_output, query, key, value, mask, output, statistics;
  Operand grad_query, grad_key, grad_value;
  double scale;
  bool causal;
};

}  // namespace amp::inline v0::kernels

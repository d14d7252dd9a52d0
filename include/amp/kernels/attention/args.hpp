// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of scaled dot-product attention.
#pragma once

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = softmax(scale * query key^T + mask) value, for query [..., L, E], key [..., S, E],
/// value [..., S, V], output [..., L, V]: any strides, equal leading dimensions, nothing empty. The
/// optional `mask` [..., L, S] is bool (true: the query attends to the key) or floating point (-inf
/// and NaN: it does not). With `causal`, query i attends to the keys up to i. A query that attends
/// to no key gives 0. statistics [..., L, 2], contiguous float32 (float64 for float64), are the
/// largest score of a query and the reciprocal of its sum of exp(score - largest). The scale is
/// positive.
struct AttentionArgs {
  Operand query, key, value, mask, output, statistics;
  double scale;
  bool causal;
};
/// The arguments of the backward pass. Gradients that are absent are not computed; the others may
/// have any strides without overlap. `output` and `statistics` are those of the forward pass.
struct AttentionBackwardArgs {
  Operand grad_output, query, key, value, mask, output, statistics;
  Operand grad_query, grad_key, grad_value;
  double scale;
  bool causal;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of scaled dot-product attention.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Which keys a query attends to, beside the mask, and how scores are scaled: query i attends to
/// the keys j with |i - j| < window, and if `causal`, only to those up to i.
struct AttentionRule {
  double scale = 1;
  bool causal = false;
  std::int64_t window = 1;
};

/// output = softmax(scale * query key^T + mask) value, for query [..., L, E], key [..., S, E],
/// value [..., S, V], output [..., L, V]: any strides, equal leading dimensions, nothing empty. The
/// optional `mask` [..., L, S] is bool (true: the query attends to the key) or floating point (-inf
/// and NaN: it does not). A query that attends to no key gives 0. statistics [..., L, 2],
/// contiguous float32 (float64 for float64), are the largest score of a query and the reciprocal of
/// its sum of exp(score - largest). The scale and the window are positive; a window of the larger
/// of L and S is none.
struct AttentionArgs {
  Operand query, key, value, mask, output, statistics;
  AttentionRule rule;
};
/// The arguments of the backward pass. Gradients that are absent are not computed; the others may
/// have any strides without overlap. `output` and `statistics` are those of the forward pass.
struct AttentionBackwardArgs {
  Operand grad_output, query, key, value, mask, output, statistics;
  Operand grad_query, grad_key, grad_value;
  AttentionRule rule;
};

}  // namespace amp::inline v0::kernels

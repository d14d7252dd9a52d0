// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of scaled dot-product attention.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// output = softmax(scale * query key^T + mask) value, for query [..., L, E], key [..., S, E],
/// value [..., S, V], output [..., L, V]: any strides, equal leading dimensions, nothing empty. The
/// optional `mask` [..., L, S] is bool (true: the query attends to the key) or floating point (-inf
/// and NaN: it does not). Query i attends to the keys j with |i - j| < window, and if `causal` only to
/// those up to i; window > 0 is at most the larger of L and S. A query that attends to no key gives
/// 0. statistics [..., L, 2], contiguous float32 (float64 for float64), are the
/// largest score of a query and the reciprocal of its sum of exp(score - largest). The scale is
/// positive.
struct AttentionArgs {
  Operand query, key, value, mask, output, statistics;
  double scale;
  bool causal;
  std::int64_t window;
};
/// The arguments of the backward pass. Gradients that are absent are not computed; the others may
/// have any strides without overlap. `output` and `statistics` are those of the forward pass.
struct AttentionBackwardArgs {
  Operand grad_output, query, key, value, mask, output, statistics;
  Operand grad_query, grad_key, grad_value;
  double scale;
  bool causal;
  std::int64_t window;
};

}  // namespace amp::inline v0::kernels

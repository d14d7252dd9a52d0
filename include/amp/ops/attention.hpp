// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scaled dot-product attention (Vaswani et al. 2017, arXiv 1706.03762, equation 1):
//   softmax(query key^T / sqrt(E) + mask) value
#pragma once

#include <cstdint>
#include <optional>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The options of scaled_dot_product_attention(), in torch's order, and `window`.
struct AttentionOptions {
  Tensor attn_mask = {};
  double dropout_p = 0.0;
  bool is_causal = false;
  /// 1 / sqrt(E) if unset.
  std::optional<double> scale = {};
  /// Grouped queries (Ainslie et al. 2023, arXiv 2305.13245): if `query` is [..., G H, L, E], and
  /// `key` and `value` have H heads, heads h G to h G + G - 1 of `query` attend to head h.
  bool enable_gqa = false;
  /// Query i attends only to the keys j with |i - j| < window: with `is_causal`, to the last
  /// `window` keys up to i, as in Mistral's sliding window.
  std::optional<std::int64_t> window = {};
};

/// Attention of query [..., L, E] to key [..., S, E] and value [..., S, V]; the result is [..., L,
/// V]. Leading dimensions broadcast (see also AttentionOptions::enable_gqa). All three have one floating-point dtype, which is that of the
/// result; scores and probabilities are float32 (float64). Under autocast: low precision.
/// `attn_mask` broadcasts to [..., L, S]: bool, true for the keys that a query attends to, or
/// floating point of any dtype (torch wants float32 or that of `query`), added to the scores. A
/// query that attends to no key gives 0. If `is_causal`, query i attends to the keys up to i, and
/// `attn_mask` must be undefined. `dropout_p` applies to the probabilities at every call, also in
/// evaluation. `scale` is 1 / sqrt(E) if unset.
/// Keys that a query does not attend to do not change its result, except that infinite or NaN
/// values of such keys may make it NaN. On the CPU the scores are computed block by block, in
/// forward and again in backward. Memory for all L x S of them is needed only on other devices,
/// with dropout, if `attn_mask` requires gradients, and if `scale` is not positive.
AMP_LAZY [[nodiscard]] Tensor scaled_dot_product_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask = {},
    double dropout_p = 0.0, bool is_causal = false, std::optional<double> scale = {},
    bool enable_gqa = false);
/// The same with names: `{.is_causal = true, .window = 4096}`.
AMP_LAZY [[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                                           const Tensor& value,
                                                           const AttentionOptions& options);

namespace detail {

/// What decides which keys a query attends to, beside the mask, and how scores are scaled.
struct AttentionRule {
  double scale;
  double dropout_p = 0;
  bool is_causal = false;
  std::int64_t window;  // at most the larger of L and S, which is none
};

/// Attention as a composition of other ops. Scores and probabilities are float32 (float64); the
/// probabilities are rounded to the dtype of `value` before they are multiplied with it.
AMP_LAZY Tensor composed_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask, const AttentionRule& rule);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/attention.ipp"
#endif

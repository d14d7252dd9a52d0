// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scaled dot-product attention (Vaswani et al. 2017, arXiv 1706.03762, equation 1):
//   softmax(query key^T / sqrt(E) + mask) value
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>

#include "amp/kernels/attention/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The options of scaled_dot_product_attention(), in torch's order, and `window`.
struct AttentionOptions {
  Tensor attn_mask = {};
  double dropout_p = 0.0;
  bool is_causal = false;
  /// 1 / sqrt(E) if unset.
  std::optional<double> scale = {};
  /// Grouped queries (Ainslie et al. 2023, arXiv 2305.13245): `query` is [..., G H, L, E], `key`
  /// and `value` have H heads, and each G neighbouring heads of `query` share one of those.
  bool enable_gqa = false;
  /// Query i attends only to the keys j with |i - j| < window: with `is_causal`, to the last
  /// `window` keys up to i, as in Mistral's sliding window. Positions count from the first query
  /// and the first key, as those of `is_causal` do.
  std::optional<std::int64_t> window = {};
};

/// Attention of query [..., L, E] to key [..., S, E] and value [..., S, V]; the result is [..., L,
/// V]. Leading dimensions broadcast (see also AttentionOptions::enable_gqa). All three have one
/// floating-point dtype, which is that of the result; scores and probabilities are float32
/// (float64). Under autocast: low precision.
/// `attn_mask` broadcasts to [..., L, S]: bool, true for
/// the keys that a query attends to, or floating point of any dtype (torch wants float32 or that of
/// `query`), added to the scores. A query that attends to no key gives 0. If `is_causal`, query i
/// attends to the keys up to i, and `attn_mask` must be undefined. `dropout_p` applies to the
/// probabilities at every call, also in evaluation. `scale` is 1 / sqrt(E) if unset.
/// Keys that a query does not attend to do not change its result, except that infinite or NaN values of such
/// keys may make it NaN. On the CPU the scores are computed block by block, in forward and again in
/// backward. Memory for all L x S of them is needed only on other devices, with dropout, if
/// `attn_mask` requires gradients, and if `scale` is not positive.
AMP_LAZY [[nodiscard]] Tensor scaled_dot_product_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask = {},
    double dropout_p = 0.0, bool is_causal = false, std::optional<double> scale = {},
    bool enable_gqa = false);

namespace detail {

/// Attention as a composition of other ops. Scores and probabilities are float32 (float64); the
/// probabilities are rounded to the dtype of `value` before they are multiplied with it.
AMP_LAZY Tensor composed_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask, const kernels::AttentionRule& rule,
                                   double dropout_p = 0);
/// scaled_dot_product_attention() with all of its options.
AMP_LAZY Tensor attention_with(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionOptions& options);

}  // namespace detail

/// The same with names: `{.is_causal = true, .window = 4096}`. It is a template so that `{}` in
/// this place is a mask that is not there, as before.
template <std::same_as<AttentionOptions> Options = AttentionOptions>
[[nodiscard]] Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                                  const Tensor& value, const Options& options) {
  return detail::attention_with(query, key, value, options);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/attention.ipp"
#endif

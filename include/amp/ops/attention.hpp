// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scaled dot-product attention (Vaswani et al. 2017, arXiv 1706.03762, equation 1):
//   softmax(query key^T / sqrt(E) + mask) value
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "amp/ops/arithmetic.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/softmax.hpp"

namespace amp::inline v0 {
namespace detail {

/// [L, S], true where the key is not in the query's future.
inline Tensor causal_mask(std::int64_t queries, std::int64_t keys, Device device) {
  const Tensor row = reshape(arange(queries, {.device = device}), {queries, 1});
  return le(arange(keys, {.device = device}), row);
}

/// Scores and probabilities are float32 (float64); the probabilities are rounded to the dtype of
/// `value` before they are multiplied with it.
inline Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                        const Tensor& mask, double dropout_p, bool is_causal, double scale) {
  constexpr std::string_view kOp = "scaled_dot_product_attention";
  AMP_CHECK(query.dtype() == key.dtype() && query.dtype() == value.dtype(), kOp,
            ": `query`, `key` and `value` must have one dtype, but are ", describe(query), ", ",
            describe(key), " and ", describe(value),
            "; convert with to(), or call it under an AutocastGuard");
  const DType wide = promote_types(query.dtype(), kFloat32);
  Tensor scores = matmul(kOp, query, transpose(key, -2, -1), wide) * scale;
  Tensor seen;  // where attention may look
  if (is_causal) {
    seen = causal_mask(query.size(-2), key.size(-2), query.device());
  } else if (mask.defined() && mask.dtype() == kBool) {
    seen = mask;
  } else if (mask.defined()) {
    scores = scores + autocasting::convert_dtype(mask, wide);
    seen = gt(mask.detach(), -std::numeric_limits<double>::infinity());
  }
  if (seen.defined()) {
    const auto nothing = -std::numeric_limits<double>::infinity();
    scores = where(seen, scores, kernels::Operand::scalar(nothing, scores.device()), false);
  }
  Tensor weights = softmax(scores, -1);
  // A query that sees nothing attends to nothing.
  if (seen.defined()) weights = where(seen, weights, zero_on(weights.device()), false);
  if (dropout_p > 0) weights = detail::dropout(weights, dropout_p);
  return matmul(kOp, autocasting::convert_dtype(weights, value.dtype()), value);
}

/// The leading dimensions must broadcast, and `attn_mask` to the scores [..., L, S].
inline void check_attention_shapes(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const Tensor& mask) {
  constexpr std::string_view kOp = "scaled_dot_product_attention";
  const auto batch = [](const Tensor& x) {
    Shape shape = x.shape();
    shape.erase(shape.dims() - 1);
    shape.erase(shape.dims() - 1);
    return shape;
  };
  const bool do_match = do_broadcast(batch(query), batch(key)) &&
                        do_broadcast(broadcast_shapes(kOp, batch(query), batch(key)), batch(value));
  AMP_CHECK(do_match, kOp,
            ": the leading dimensions of `query`, `key` and `value` do not broadcast: they are ",
            describe(query), ", ", describe(key), " and ", describe(value));
  if (!mask.defined()) return;
  Shape scores = broadcast_shapes(kOp, batch(query), batch(key));
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  AMP_CHECK(
      do_broadcast(scores, mask.shape()) && broadcast_shapes(kOp, scores, mask.shape()) == scores,
      kOp, ": `attn_mask` must broadcast to the scores ", scores, ", but is ", describe(mask));
}

}  // namespace detail

/// Attention of query [..., L, E] to key [..., S, E] and value [..., S, V]: [..., L, V]; leading
/// dimensions broadcast. `attn_mask` broadcasts to [..., L, S]: bool, true where attention may
/// look, or floating point of any dtype (torch wants float32 or that of `query`), added to the
/// scores; a query that may look nowhere gives 0. `is_causal`: query i looks at the keys up to i.
/// `dropout_p` applies to the probabilities, always. `scale` unset: 1 / sqrt(E). Needs memory for L
/// x S scores.
[[nodiscard]] inline Tensor scaled_dot_product_attention(
    const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& attn_mask = {},
    double dropout_p = 0.0, bool is_causal = false, std::optional<double> scale = {}) {
  constexpr std::string_view kOp = "scaled_dot_product_attention";
  detail::check_floating(kOp, "query", query);
  detail::check_floating(kOp, "key", key);
  detail::check_floating(kOp, "value", value);
  detail::check_same_device(kOp, "query", query, "key", key);
  detail::check_same_device(kOp, "query", query, "value", value);
  AMP_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2 &&
                query.size(-1) == key.size(-1) && key.size(-2) == value.size(-2),
            kOp,
            ": expected `query` [..., L, E], `key` [..., S, E] and `value` [..., S, V], but got ",
            describe(query), ", ", describe(key), " and ", describe(value));
  AMP_CHECK(dropout_p >= 0 && dropout_p <= 1, kOp, ": `dropout_p` must lie in [0, 1], but is ",
            dropout_p);
  if (attn_mask.defined()) {
    AMP_CHECK(!is_causal, kOp, ": give `attn_mask` or `is_causal`, not both");
    AMP_CHECK(attn_mask.dtype() == kBool || is_floating_point(attn_mask.dtype()), kOp,
              ": `attn_mask` must be bool or floating point, but is ", describe(attn_mask));
    detail::check_same_device(kOp, "query", query, "attn_mask", attn_mask);
  }
  detail::check_attention_shapes(query, key, value, attn_mask);
  const double factor = scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1))));
  return autocasting::call(
      "scaled_dot_product_attention",
      [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
        const autocasting::NoCasts no_casts;
        return detail::attention(q, k, v, mask, dropout_p, is_causal, factor);
      },
      query, key, value, attn_mask);
}

}  // namespace amp::inline v0

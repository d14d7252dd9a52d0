// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/attention/host.hpp"
#include "amp/kernels/attention/host/backward.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/attention.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// [L, S]: true if the query attends to the key; undefined if each attends to all.
AMP_LAZY Tensor mask_of(const kernels::AttentionRule& rule, std::int64_t queries, std::int64_t keys,
                        Device device) {
  const bool is_cut = rule.window < (std::max)(queries, keys);
  if (!rule.causal && !is_cut) return {};
  const Tensor query = reshape(arange(queries, {.device = device}), {queries, 1});
  const Tensor key = arange(keys, {.device = device});
  const Tensor past = rule.causal ? le(key, query) : lt(key, query + rule.window);
  return is_cut ? logical_and(past, gt(key, query - rule.window)) : past;
}

AMP_LAZY_DEFINITION Tensor composed_attention(const Tensor& query, const Tensor& key,
                                              const Tensor& value, const Tensor& mask,
                                              const kernels::AttentionRule& rule,
                                              double dropout_p) {
  static constexpr std::string_view kOp = "scaled_dot_product_attention";
  const DType wide = promote_types(query.dtype(), kFloat32);
  // Queries that share a head of keys and values are rows of one product, so that these are not
  // repeated for each of them.
  const bool shared = query.dim() >= 3 && key.dim() >= 3 && value.dim() >= 3 &&
                      query.size(-3) > 1 && key.size(-3) == 1 && value.size(-3) == 1;
  const auto product = [shared](const Tensor& rows, const Tensor& columns, DType dtype) {
    if (!shared) return matmul(kOp, rows, columns, dtype);
    return matmul(kOp, rows.flatten(-3, -2), columns.squeeze(-3), dtype)
        .unflatten(-2, {rows.size(-3), rows.size(-2)});
  };
  Tensor scores = product(query, transpose(key, -2, -1), wide) * rule.scale;
  // True for the keys that a query attends to.
  Tensor seen = mask_of(rule, query.size(-2), key.size(-2), query.device());
  if (mask.defined()) {
    if (mask.dtype() != kBool) scores = scores + autocasting::convert_dtype(mask, wide);
    const Tensor by_mask =
        mask.dtype() == kBool ? mask : gt(mask.detach(), -std::numeric_limits<double>::infinity());
    seen = seen.defined() ? logical_and(seen, by_mask) : by_mask;
  }
  if (seen.defined()) {
    const auto nothing = -std::numeric_limits<double>::infinity();
    scores = where(seen, scores, kernels::Operand::scalar(nothing, scores.device()), false);
  }
  Tensor weights = softmax(scores, -1);
  // The result of a query that attends to no key is 0.
  if (seen.defined()) weights = where(seen, weights, zero_on(weights.device()), false);
  if (dropout_p > 0) weights = detail::dropout(weights, dropout_p);
  return product(autocasting::convert_dtype(weights, value.dtype()), value, value.dtype());
}

/// The dimensions before the matrix.
AMP_LAZY Shape leading(const Tensor& x) {
  Shape shape = x.shape();
  shape.erase(shape.dims() - 1);
  shape.erase(shape.dims() - 1);
  return shape;
}

/// Memory for a gradient of `input` in the order of its elements, so that backward of the views
/// that gave `input` copies nothing.
AMP_LAZY Tensor empty_as_it_lies(const Tensor& input, DType dtype) {
  const Shape& shape = input.shape();
  int order[kMaxDims] = {};
  for (int d = 0; d < input.dim(); ++d) order[d] = d;
  const auto distance = [&](int d) {  // broadcast dimensions go outermost
    return input.strides()[d] == 0 ? INT64_MAX : input.strides()[d];
  };
  std::stable_sort(order, order + input.dim(),
                   [&](int a, int b) { return distance(a) > distance(b); });
  Strides strides(shape);
  std::int64_t stride = 1;
  for (int d = input.dim() - 1; d >= 0; --d) {
    strides[order[d]] = stride;
    stride *= shape[order[d]];
  }
  return empty(shape, {.dtype = dtype, .device = input.device()}).alias(shape, strides, 0);
}

/// Runs the kernel of the host. The leading dimensions are equal, nothing is empty, and scale > 0;
/// `mask` is that of the scores, [..., L, S], or undefined.
AMP_LAZY Tensor blocked_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const Tensor& mask, const kernels::AttentionRule& rule) {
  static constexpr std::string_view kOp = "scaled_dot_product_attention";
  Shape shape = query.shape();
  shape[shape.dims() - 1] = 2;
  const Tensor statistics = empty(shape, {.dtype = promote_types(query.dtype(), kFloat32)});
  shape[shape.dims() - 1] = value.size(-1);
  const Tensor output = empty(shape, {.dtype = query.dtype()});
  kernels::host::attention({query.operand(), key.operand(), value.operand(), mask.operand(),
                            output.operand(), statistics.operand(), rule});
  if (autograd::recording(query, key, value)) {
    autograd::record(
        kOp, output,
        [rule, statistics, q = autograd::SavedTensor(query), k = autograd::SavedTensor(key),
         v = autograd::SavedTensor(value), mask = autograd::SavedTensor(mask),
         output = autograd::SavedTensor(output), q_dtype = autograd::gradient_dtype(query),
         k_dtype = autograd::gradient_dtype(key), v_dtype = autograd::gradient_dtype(value)](
            const Tensor& grad, const autograd::Needs<3>& needs) -> autograd::Gradients<3> {
          const Tensor &x = q.get(kOp), &y = k.get(kOp), &z = v.get(kOp);
          const auto gradient = [](bool needed, const Tensor& input, DType dtype) {
            return needed ? empty_as_it_lies(input, dtype) : Tensor();
          };
          autograd::Gradients<3> gradients = {gradient(needs[0], x, q_dtype),
                                              gradient(needs[1], y, k_dtype),
                                              gradient(needs[2], z, v_dtype)};
          kernels::host::attention_backward({grad.operand(), x.operand(), y.operand(), z.operand(),
                                             mask.get(kOp).operand(), output.get(kOp).operand(),
                                             statistics.operand(), gradients[0].operand(),
                                             gradients[1].operand(), gradients[2].operand(), rule});
          return gradients;
        },
        query, key, value);
  }
  return output;
}

/// Chooses the implementation for the device and the arguments.
AMP_LAZY Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value,
                          const Tensor& mask, const kernels::AttentionRule& rule,
                          double dropout_p) {
  static constexpr std::string_view kOp = "scaled_dot_product_attention";
  const bool empty = query.numel() == 0 || key.numel() == 0 || value.numel() == 0;
  const bool mask_learns = mask.defined() && autograd::recording(mask);
  if (query.device().type != kCPU || dropout_p > 0 || empty || mask_learns ||
      !(static_cast<float>(rule.scale) > 0))
    return composed_attention(query, key, value, mask, rule, dropout_p);
  const Shape batch =
      broadcast_shapes(kOp, broadcast_shapes(kOp, leading(query), leading(key)), leading(value));
  const auto expanded = [&](const Tensor& x, std::int64_t rows, std::int64_t columns) {
    Shape shape = batch;
    shape.push_back(rows);
    shape.push_back(columns);
    if (shape == x.shape()) return x;
    const Tensor y = expand(x, shape);
    // Its gradient is a sum over those that share it: rounded once, after that.
    if (autograd::requires_grad(y))
      autograd::node_of(y)->want_gradient_in(promote_types(x.dtype(), kFloat32));
    return y;
  };
  const std::int64_t queries = query.size(-2), keys = key.size(-2), width = query.size(-1);
  return blocked_attention(expanded(query, queries, width), expanded(key, keys, width),
                           expanded(value, keys, value.size(-1)),
                           mask.defined() ? expanded(mask.detach(), queries, keys) : mask, rule);
}

/// The heads of x [..., heads, L, E] in groups: [..., groups, heads / groups, L, E]. A mask may
/// have one head for all, or none.
AMP_LAZY Tensor in_groups(const Tensor& x, std::int64_t groups) {
  if (x.dim() < 3) return x;
  return x.unflatten(-3, {x.size(-3) == 1 ? 1 : groups, -1});
}

/// The same for grouped queries: the heads of a group broadcast over its queries.
AMP_LAZY Tensor grouped_attention(const Tensor& query, const Tensor& key, const Tensor& value,
                                  const Tensor& mask, const kernels::AttentionRule& rule,
                                  double dropout_p) {
  const std::int64_t heads = key.size(-3);
  if (heads == query.size(-3)) return attention(query, key, value, mask, rule, dropout_p);
  return attention(in_groups(query, heads), key.unsqueeze(-3), value.unsqueeze(-3),
                   mask.defined() ? in_groups(mask, heads) : mask, rule, dropout_p)
      .flatten(-4, -3);
}

/// Throws unless the leading dimensions broadcast, and `attn_mask` to the scores [..., L, S].
AMP_LAZY void check_attention_shapes(const Tensor& query, const Tensor& key, const Tensor& value,
                                     const Tensor& mask, bool grouped) {
  constexpr std::string_view kOp = "scaled_dot_product_attention";
  Shape heads = leading(query);
  if (grouped) {
    const bool has_heads = query.dim() >= 3 && key.dim() >= 3 && value.dim() >= 3 &&
                           key.size(-3) > 0 && key.size(-3) == value.size(-3) &&
                           query.size(-3) % key.size(-3) == 0 && query.dim() < kMaxDims;
    AMP_CHECK(
        has_heads, kOp,
        ": with `enable_gqa`, `query`, `key` and `value` must have a dimension of heads before the "
        "last two, `key` and `value` equally many heads, and `query` a multiple of them, but they "
        "are ",
        describe(query), ", ", describe(key), " and ", describe(value));
    heads[heads.dims() - 1] = key.size(-3);
  }
  const bool do_match = do_broadcast(heads, leading(key)) &&
                        do_broadcast(broadcast_shapes(kOp, heads, leading(key)), leading(value));
  AMP_CHECK(do_match, kOp,
            ": the leading dimensions of `query`, `key` and `value` do not broadcast: they are ",
            describe(query), ", ", describe(key), " and ", describe(value));
  if (!mask.defined()) return;
  Shape scores = broadcast_shapes(kOp, heads, leading(key));
  if (grouped) scores[scores.dims() - 1] = query.size(-3);
  scores.push_back(query.size(-2));
  scores.push_back(key.size(-2));
  AMP_CHECK(
      do_broadcast(scores, mask.shape()) && broadcast_shapes(kOp, scores, mask.shape()) == scores,
      kOp, ": `attn_mask` must broadcast to the scores ", scores, ", but is ", describe(mask));
}

AMP_LAZY_DEFINITION Tensor attention_with(const Tensor& query, const Tensor& key,
                                          const Tensor& value, const AttentionOptions& options) {
  const auto& [attn_mask, dropout_p, is_causal, scale, enable_gqa, window] = options;
  constexpr std::string_view kOp = "scaled_dot_product_attention";
  check_floating(kOp, "query", query);
  check_floating(kOp, "key", key);
  check_floating(kOp, "value", value);
  check_same_device(kOp, "query", query, "key", key);
  check_same_device(kOp, "query", query, "value", value);
  AMP_CHECK(query.dim() >= 2 && key.dim() >= 2 && value.dim() >= 2 &&
                query.size(-1) == key.size(-1) && key.size(-2) == value.size(-2),
            kOp,
            ": expected `query` [..., L, E], `key` [..., S, E] and `value` [..., S, V], but got ",
            describe(query), ", ", describe(key), " and ", describe(value));
  AMP_CHECK(dropout_p >= 0 && dropout_p <= 1, kOp, ": `dropout_p` must lie in [0, 1], but is ",
            dropout_p);
  AMP_CHECK(!window || *window > 0, kOp, ": `window` must be positive, but is ", *window);
  if (attn_mask.defined()) {
    AMP_CHECK(!is_causal, kOp, ": give `attn_mask` or `is_causal`, not both");
    AMP_CHECK(attn_mask.dtype() == kBool || is_floating_point(attn_mask.dtype()), kOp,
              ": `attn_mask` must be bool or floating point, but is ", describe(attn_mask));
    check_same_device(kOp, "query", query, "attn_mask", attn_mask);
  }
  check_attention_shapes(query, key, value, attn_mask, enable_gqa);
  const std::int64_t longest = (std::max)({query.size(-2), key.size(-2), std::int64_t{1}});
  const kernels::AttentionRule rule{
      scale.value_or(1 / std::sqrt(static_cast<double>(query.size(-1)))), is_causal,
      (std::min)(window.value_or(longest), longest)};
  return autocasting::call(
      "scaled_dot_product_attention",
      [&](const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& mask) {
        AMP_CHECK(q.dtype() == k.dtype() && q.dtype() == v.dtype(), kOp,
                  ": `query`, `key` and `value` must have one dtype, but are ", describe(q), ", ",
                  describe(k), " and ", describe(v),
                  "; convert with to(), or call it under an AutocastGuard");
        const autocasting::NoCasts no_casts;
        return options.enable_gqa ? grouped_attention(q, k, v, mask, rule, options.dropout_p)
                                  : attention(q, k, v, mask, rule, options.dropout_p);
      },
      query, key, value, attn_mask);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor scaled_dot_product_attention(const Tensor& query, const Tensor& key,
                                                        const Tensor& value,
                                                        const Tensor& attn_mask, double dropout_p,
                                                        bool is_causal, std::optional<double> scale,
                                                        bool enable_gqa) {
  return detail::attention_with(query, key, value,
                                {attn_mask, dropout_p, is_causal, scale, enable_gqa, std::nullopt});
}

}  // namespace amp::inline v0

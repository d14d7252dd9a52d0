// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/attention.hpp"
#include "amp/nn/init.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/attention.hpp"
#include "amp/ops/clamp.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/dropout.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/matmul.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/ops/rearrange.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/softmax.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// A matrix [out, in] as Glorot and Bengio 2010 draw it (xavier_uniform_).
AMP_COLD Tensor xavier_uniform(std::int64_t out, std::int64_t in) {
  return init::uniform({out, in}, std::sqrt(6 / static_cast<double>(in + out)));
}

/// What pairs of queries and keys are not attended to, and what is added to the scores of pairs.
/// Both broadcast to [N, heads, L, S], and may be undefined.
struct AttentionMasks {
  Tensor blocked, added;

  AMP_LAZY void combine(const Tensor& mask) {
    if (!mask.defined()) return;
    Tensor& own = mask.dtype() == kBool ? blocked : added;
    if (!own.defined())
      own = mask;
    else
      own = mask.dtype() == kBool ? logical_or(own, mask) : own + mask;
  }
  AMP_LAZY bool defined() const { return blocked.defined() || added.defined(); }
  /// For so many more keys, to which all queries attend.
  AMP_LAZY void append(std::int64_t keys) {
    for (Tensor* mask : {&blocked, &added}) {
      if (keys > 0 && mask->defined()) *mask = pad(*mask, {0, keys});
    }
  }
  /// As scaled_dot_product_attention takes them.
  AMP_LAZY Tensor for_attention() const {
    if (!added.defined()) return blocked.defined() ? logical_not(blocked) : Tensor();
    return blocked.defined() ? where(blocked, -std::numeric_limits<double>::infinity(), added)
                             : added;
  }
};

/// The attention weights [N, heads, L, S].
AMP_LAZY Tensor attention_weights(const Tensor& query, const Tensor& key,
                                  const AttentionMasks& masks) {
  constexpr double kNothing = -std::numeric_limits<double>::infinity();
  const double scale = std::sqrt(1 / static_cast<double>(query.size(-1)));
  Tensor scores = matmul(query * scale, key.transpose(-2, -1)), blocked = masks.blocked;
  if (masks.added.defined()) {
    scores = scores + masks.added;
    const Tensor infinite = eq(masks.added.detach(), kNothing);
    blocked = blocked.defined() ? logical_or(blocked, infinite) : infinite;
  }
  if (blocked.defined()) scores = masked_fill(scores, blocked, kNothing);
  const Tensor weights = softmax(scores, -1);
  return blocked.defined() ? masked_fill(weights, blocked, 0) : weights;  // if all are blocked
}

/// The sizes of a call.
struct AttentionSizes {
  std::int64_t batch, queries, keys, heads;
};

AMP_LAZY void check_mask(const char* name, const Tensor& mask, const Tensor& query) {
  if (!mask.defined()) return;
  AMP_CHECK(mask.dtype() == kBool || is_floating_point(mask.dtype()), "nn::MultiheadAttention: `",
            name, "` must be bool or floating point, but is ", describe(mask));
  AMP_CHECK(mask.device() == query.device(), "nn::MultiheadAttention: `", name,
            "` must be on the device of `query`, ", query.device(), ", but is ", describe(mask));
}

/// The masks of a call, each of four dimensions. Throws if they do not fit.
AMP_LAZY AttentionMasks masks_of(const AttentionCallOptions& options, const AttentionSizes& s,
                                 const Tensor& query, bool is_batch) {
  AttentionMasks masks;
  Tensor pairs = options.attn_mask, keys = options.key_padding_mask;
  check_mask("attn_mask", pairs, query);
  check_mask("key_padding_mask", keys, query);
  if (pairs.defined()) {
    const Shape all(s.batch * s.heads, s.queries, s.keys), one(s.queries, s.keys);
    AMP_CHECK(pairs.shape() == one || pairs.shape() == all, "nn::MultiheadAttention: `attn_mask` ",
              "must have shape ", one, " or ", all, ", but is ", describe(pairs));
    masks.combine(pairs.dim() == 2 ? pairs : pairs.reshape({s.batch, s.heads, s.queries, s.keys}));
  }
  if (keys.defined()) {
    const Shape shape = is_batch ? Shape(s.batch, s.keys) : Shape(s.keys);
    AMP_CHECK(keys.shape() == shape, "nn::MultiheadAttention: `key_padding_mask` must have shape ",
              shape, ", but is ", describe(keys));
    masks.combine(keys.reshape({s.batch, 1, 1, s.keys}));
  }
  return masks;
}

}  // namespace detail

AMP_LAZY_DEFINITION MultiheadAttention::MultiheadAttention(std::int64_t embed_dim,
                                                           std::int64_t num_heads,
                                                           const MultiheadAttentionOptions& options)
    : embed_dim_(embed_dim), heads_(num_heads), options_(options) {
  const std::int64_t kdim = options.kdim.value_or(embed_dim),
                     vdim = options.vdim.value_or(embed_dim);
  AMP_CHECK(embed_dim >= 1 && embed_dim <= std::int64_t{1} << 40 && num_heads >= 1 &&
                embed_dim % num_heads == 0,
            "nn::MultiheadAttention: `num_heads` ", num_heads, " must divide `embed_dim` ",
            embed_dim);
  AMP_CHECK(kdim >= 1 && vdim >= 1,
            "nn::MultiheadAttention: `kdim` and `vdim` must be at least 1, ", "but are ", kdim,
            " and ", vdim);
  AMP_CHECK(options.dropout >= 0 && options.dropout <= 1,
            "nn::MultiheadAttention: `dropout` must lie in [0, 1], but is ", options.dropout);
  if (kdim == embed_dim && vdim == embed_dim) {
    in_proj_weight =
        register_parameter("in_proj_weight", detail::xavier_uniform(3 * embed_dim, embed_dim));
  } else {
    const auto draw = [&](const char* name, std::int64_t inputs) {
      return register_parameter(name, detail::xavier_uniform(embed_dim, inputs));
    };
    q_proj_weight = draw("q_proj_weight", embed_dim);
    k_proj_weight = draw("k_proj_weight", kdim);
    v_proj_weight = draw("v_proj_weight", vdim);
  }
  if (options.bias) in_proj_bias = register_parameter("in_proj_bias", zeros({3 * embed_dim}));
  if (options.add_bias_kv) {
    const NoGradGuard no_grad;
    const double deviation = std::sqrt(1 / static_cast<double>(embed_dim));
    const auto draw = [&] { return randn({1, 1, embed_dim}) * deviation; };
    bias_k = register_parameter("bias_k", draw());
    bias_v = register_parameter("bias_v", draw());
  }
  out_proj = register_module("out_proj", Linear(embed_dim, embed_dim, {.bias = options.bias}));
  if (options.bias) out_proj.bias.detach().zero_();
}

AMP_LAZY_DEFINITION AttentionResult
MultiheadAttention::operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                               const AttentionCallOptions& options) const {
  return Layer<MultiheadAttention>::operator()(query, key, value, options);
}

AMP_LAZY_DEFINITION MultiheadAttention::Call MultiheadAttention::check_call(
    const Tensor& query, const Tensor& key, const Tensor& value) const {
  const bool is_batch = query.defined() && query.dim() == 3;
  const int batch_dim = is_batch && options_.batch_first ? 0 : 1, steps_dim = 1 - batch_dim;
  const std::int64_t extents[] = {embed_dim_, options_.kdim.value_or(embed_dim_),
                                  options_.vdim.value_or(embed_dim_)};
  const Tensor* const inputs[] = {&query, &key, &value};
  constexpr const char* kNames[] = {"query", "key", "value"};
  for (int i = 0; i < 3; ++i) {
    const Tensor& x = *inputs[i];
    const int steps = is_batch ? steps_dim : 0;
    AMP_CHECK(x.defined() && (x.dim() == 2 || x.dim() == 3) && x.dim() == query.dim() &&
                  x.size(-1) == extents[i] &&
                  (!is_batch || x.size(batch_dim) == query.size(batch_dim)) &&
                  (i != 2 || x.size(steps) == key.size(steps)),
              "nn::MultiheadAttention: expected `query`, `key` and `value` of 2 or 3 dimensions, ",
              "with one batch size and ", extents[0], ", ", extents[1], " and ", extents[2],
              " elements, as many values as keys, but `", kNames[i], "` is ", describe(x),
              " for the `query` ", describe(query));
  }
  return {is_batch, batch_dim, steps_dim};
}

AMP_LAZY_DEFINITION std::array<Tensor, 3> MultiheadAttention::project(
    const std::array<Tensor, 3>& inputs) const {
  const Tensor& bias = registered("in_proj_bias", in_proj_bias);
  const auto part = [&](const Tensor& packed, int first, int count) {
    return packed.defined() ? packed.narrow(-1, first * embed_dim_, count * embed_dim_) : packed;
  };
  std::array<Tensor, 3> projected;
  if (!in_proj_weight.defined()) {
    const Tensor weights[] = {registered("q_proj_weight", q_proj_weight),
                              registered("k_proj_weight", k_proj_weight),
                              registered("v_proj_weight", v_proj_weight)};
    for (std::size_t i = 0; i < 3; ++i)
      projected[i] = linear(inputs[i], weights[i], part(bias, static_cast<int>(i), 1));
    return projected;
  }
  const Tensor& weight = registered("in_proj_weight", in_proj_weight);
  for (std::size_t i = 0; i < 3;) {  // one product for neighbours that are the same tensor
    std::size_t end = i + 1;
    while (end < 3 && inputs[end].is_same(inputs[i])) ++end;
    const int first = static_cast<int>(i), count = static_cast<int>(end - i);
    const Tensor packed =
        count == 3 ? linear(inputs[i], weight, bias)
                   : linear(inputs[i], weight.narrow(0, first * embed_dim_, count * embed_dim_),
                            part(bias, first, count));
    for (; i < end; ++i) projected[i] = part(packed, static_cast<int>(i) - first, 1);
  }
  return projected;
}

AMP_LAZY_DEFINITION std::int64_t MultiheadAttention::append_keys(
    const Call& call, std::array<Tensor, 3>& projected) const {
  const auto append = [&](Tensor& x, const Tensor& step) {
    Shape shape(1, 1, embed_dim_);
    shape[call.batch_dim] = x.size(call.batch_dim);
    x = cat({x, step.expand(shape)}, call.steps_dim);
  };
  const bool has_bias = bias_k.defined();
  if (has_bias) {
    append(projected[1], registered("bias_k", bias_k));
    append(projected[2], registered("bias_v", bias_v));
  }
  if (!options_.add_zero_attn) return has_bias ? 1 : 0;
  for (Tensor* x : {&projected[1], &projected[2]})
    append(*x, zeros({1, 1, 1}, {.dtype = x->dtype(), .device = x->device()}));
  return has_bias ? 2 : 1;
}

AMP_LAZY_DEFINITION AttentionResult
MultiheadAttention::forward(const Tensor& query, const Tensor& key, const Tensor& value,
                            const AttentionCallOptions& options) const {
  check_defined();
  const Call call = check_call(query, key, value);
  std::array<Tensor, 3> inputs{query, key, value};
  if (!call.is_batch) {  // what is the same tensor stays so
    inputs[0] = query.unsqueeze(1);
    inputs[1] = key.is_same(query) ? inputs[0] : key.unsqueeze(1);
    inputs[2] = value.is_same(key) ? inputs[1] : value.unsqueeze(1);
  }
  std::array<Tensor, 3> projected = project(inputs);

  const detail::AttentionSizes sizes{projected[0].size(call.batch_dim),
                                     projected[0].size(call.steps_dim),
                                     projected[1].size(call.steps_dim), heads_};
  detail::AttentionMasks masks = detail::masks_of(options, sizes, query, call.is_batch);
  const std::int64_t more = append_keys(call, projected);
  const bool is_causal = options.is_causal && !masks.defined() && more == 0 &&
                         !options.need_weights;  // then it needs no mask
  if (options.is_causal && !is_causal) {
    const Tensor all =
        ones({sizes.queries, sizes.keys}, {.dtype = kBool, .device = query.device()});
    masks.combine(triu(all, 1));
  }
  masks.append(more);

  const auto split = [&](const Tensor& x) {  // [N, heads, L, E / heads]
    const Tensor heads = x.unflatten(-1, {heads_, embed_dim_ / heads_});
    return call.batch_dim == 0 ? heads.permute({0, 2, 1, 3}) : heads.permute({1, 2, 0, 3});
  };
  const Tensor q = split(projected[0]), k = split(projected[1]), v = split(projected[2]);
  const double dropout_p = is_training() ? options_.dropout : 0;
  Tensor y, weights;
  if (options.need_weights) {
    weights = detail::attention_weights(q, k, masks);
    if (dropout_p > 0) weights = dropout(weights, dropout_p, true);
    y = matmul(weights, v);
    if (options.average_attn_weights) weights = mean(weights, 1);
    if (!call.is_batch) weights = weights.squeeze(0);
  } else {
    y = scaled_dot_product_attention(q, k, v, masks.for_attention(), dropout_p, is_causal);
  }
  y = call.batch_dim == 0 ? y.permute({0, 2, 1, 3}) : y.permute({2, 0, 1, 3});
  const Tensor output = out_proj(y.flatten(-2, -1));
  return {call.is_batch ? output : output.squeeze(1), weights};
}

}  // namespace amp::inline v0::nn

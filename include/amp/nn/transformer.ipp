// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>

#include "amp/autograd/grad_mode.hpp"
#include "amp/core/error.hpp"
#include "amp/nn/attention.hpp"
#include "amp/nn/transformer.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/matrix_parts.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn {

namespace detail {

/// x and part(x), added, with the norm before the part or after the sum.
template <class Part>
Tensor around(const TransformerLayerOptions& options, const LayerNorm& norm, const Tensor& x,
              const Part& part) {
  return options.norm_first ? x + part(norm(x)) : norm(x + part(x));
}

/// The linear layers, and what stands between them.
template <class OneLayer>
Tensor feed(const TransformerLayerOptions& options, const OneLayer& layer, const Tensor& x) {
  const Tensor h = layer.linear1(x);
  return layer.linear2(layer.dropout(options.activation ? options.activation(h) : relu(h)));
}

}  // namespace detail

AMP_LAZY_DEFINITION TransformerEncoderLayer::TransformerEncoderLayer(
    std::int64_t d_model, std::int64_t nhead, const TransformerLayerOptions& options)
    : options_(options) {
  const auto& [width, p, activation, eps, batch_first, norm_first, bias] = options_;
  const NormOptions norm{.eps = eps, .bias = bias};
  self_attn = register_module(
      "self_attn",
      MultiheadAttention(d_model, nhead, {.dropout = p, .bias = bias, .batch_first = batch_first}));
  linear1 = register_module("linear1", Linear(d_model, width, {.bias = bias}));
  dropout = register_module("dropout", Dropout(p));
  linear2 = register_module("linear2", Linear(width, d_model, {.bias = bias}));
  norm1 = register_module("norm1", LayerNorm({d_model}, norm));
  norm2 = register_module("norm2", LayerNorm({d_model}, norm));
  dropout1 = register_module("dropout1", Dropout(p));
  dropout2 = register_module("dropout2", Dropout(p));
}

AMP_LAZY_DEFINITION Tensor TransformerEncoderLayer::forward(
    const Tensor& src, const TransformerEncoderLayerCallOptions& options) const {
  check_defined();
  const Tensor x = detail::around(options_, norm1, src, [&](const Tensor& y) {
    return dropout1(self_attn(y, y, y,
                              {.key_padding_mask = options.src_key_padding_mask,
                               .need_weights = false,
                               .attn_mask = options.src_mask,
                               .is_causal = options.is_causal})
                        .output);
  });
  return detail::around(options_, norm2, x, [&](const Tensor& y) {
    return dropout2(detail::feed(options_, *this, y));
  });
}

AMP_LAZY_DEFINITION TransformerDecoderLayer::TransformerDecoderLayer(
    std::int64_t d_model, std::int64_t nhead, const TransformerLayerOptions& options)
    : options_(options) {
  const auto& [width, p, activation, eps, batch_first, norm_first, bias] = options_;
  const NormOptions norm{.eps = eps, .bias = bias};
  const MultiheadAttentionOptions attention{.dropout = p, .bias = bias, .batch_first = batch_first};
  self_attn = register_module("self_attn", MultiheadAttention(d_model, nhead, attention));
  multihead_attn = register_module("multihead_attn", MultiheadAttention(d_model, nhead, attention));
  linear1 = register_module("linear1", Linear(d_model, width, {.bias = bias}));
  dropout = register_module("dropout", Dropout(p));
  linear2 = register_module("linear2", Linear(width, d_model, {.bias = bias}));
  norm1 = register_module("norm1", LayerNorm({d_model}, norm));
  norm2 = register_module("norm2", LayerNorm({d_model}, norm));
  norm3 = register_module("norm3", LayerNorm({d_model}, norm));
  dropout1 = register_module("dropout1", Dropout(p));
  dropout2 = register_module("dropout2", Dropout(p));
  dropout3 = register_module("dropout3", Dropout(p));
}

AMP_LAZY_DEFINITION Tensor TransformerDecoderLayer::forward(
    const Tensor& tgt, const Tensor& memory, const TransformerDecoderCallOptions& options) const {
  check_defined();
  Tensor x = detail::around(options_, norm1, tgt, [&](const Tensor& y) {
    return dropout1(self_attn(y, y, y,
                              {.key_padding_mask = options.tgt_key_padding_mask,
                               .need_weights = false,
                               .attn_mask = options.tgt_mask,
                               .is_causal = options.tgt_is_causal})
                        .output);
  });
  x = detail::around(options_, norm2, x, [&](const Tensor& y) {
    return dropout2(multihead_attn(y, memory, memory,
                                   {.key_padding_mask = options.memory_key_padding_mask,
                                    .need_weights = false,
                                    .attn_mask = options.memory_mask,
                                    .is_causal = options.memory_is_causal})
                        .output);
  });
  return detail::around(options_, norm3, x, [&](const Tensor& y) {
    return dropout3(detail::feed(options_, *this, y));
  });
}

AMP_LAZY_DEFINITION Tensor
TransformerEncoder::forward(const Tensor& src, const TransformerEncoderCallOptions& options) const {
  check_defined();
  Tensor x = src;
  for (const TransformerEncoderLayer& layer : layers)
    x = layer(x, {options.mask, options.src_key_padding_mask, options.is_causal});
  return normed(x);
}

AMP_LAZY_DEFINITION Tensor TransformerDecoder::forward(
    const Tensor& tgt, const Tensor& memory, const TransformerDecoderCallOptions& options) const {
  check_defined();
  Tensor x = tgt;
  for (const TransformerDecoderLayer& layer : layers) x = layer(x, memory, options);
  return normed(x);
}

AMP_LAZY_DEFINITION Transformer::Transformer(std::int64_t d_model, std::int64_t nhead,
                                             const TransformerOptions& options) {
  const TransformerLayerOptions layer{
      options.dim_feedforward, options.dropout,    options.activation, options.layer_norm_eps,
      options.batch_first,     options.norm_first, options.bias};
  const auto norm = [&] {
    return LayerNorm({d_model}, {.eps = options.layer_norm_eps, .bias = options.bias});
  };
  encoder =
      register_module("encoder", TransformerEncoder(TransformerEncoderLayer(d_model, nhead, layer),
                                                    options.num_encoder_layers, norm()));
  decoder =
      register_module("decoder", TransformerDecoder(TransformerDecoderLayer(d_model, nhead, layer),
                                                    options.num_decoder_layers, norm()));
  const NoGradGuard no_grad;
  for (const Tensor& weight : parameters()) {
    if (weight.dim() > 1) weight.copy_(detail::xavier_uniform(weight.size(0), weight.size(1)));
  }
}

AMP_LAZY_DEFINITION Tensor Transformer::forward(const Tensor& src, const Tensor& tgt,
                                                const TransformerCallOptions& options) const {
  check_defined();
  const Tensor memory =
      encoder(src, {options.src_mask, options.src_key_padding_mask, options.src_is_causal});
  return decoder(
      tgt, memory,
      {options.tgt_mask, options.memory_mask, options.tgt_key_padding_mask,
       options.memory_key_padding_mask, options.tgt_is_causal, options.memory_is_causal});
}

AMP_LAZY_DEFINITION Tensor
Transformer::generate_square_subsequent_mask(std::int64_t size, const TensorOptions& options) {
  return triu(full({size, size}, -std::numeric_limits<double>::infinity(), options), 1);
}

// The calls with options in braces.
AMP_LAZY_DEFINITION Tensor TransformerEncoderLayer::operator()(
    const Tensor& src, const TransformerEncoderLayerCallOptions& options) const {
  return Layer<TransformerEncoderLayer>::operator()(src, options);
}
AMP_LAZY_DEFINITION Tensor TransformerDecoderLayer::operator()(
    const Tensor& tgt, const Tensor& memory, const TransformerDecoderCallOptions& options) const {
  return Layer<TransformerDecoderLayer>::operator()(tgt, memory, options);
}
AMP_LAZY_DEFINITION Tensor TransformerEncoder::operator()(
    const Tensor& src, const TransformerEncoderCallOptions& options) const {
  return Layer<TransformerEncoder>::operator()(src, options);
}
AMP_LAZY_DEFINITION Tensor TransformerDecoder::operator()(
    const Tensor& tgt, const Tensor& memory, const TransformerDecoderCallOptions& options) const {
  return Layer<TransformerDecoder>::operator()(tgt, memory, options);
}
AMP_LAZY_DEFINITION Tensor Transformer::operator()(const Tensor& src, const Tensor& tgt,
                                                   const TransformerCallOptions& options) const {
  return Layer<Transformer>::operator()(src, tgt, options);
}

}  // namespace amp::inline v0::nn

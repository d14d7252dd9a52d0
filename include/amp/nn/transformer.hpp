// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Transformers (Vaswani et al. 2017, arXiv 1706.03762). All sequences are [T, N, d_model], [N, T,
// d_model] with `batch_first`, or [T, d_model] without a batch. Masks are those of
// AttentionCallOptions: true, or added, for what is not attended to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "amp/core/not_options.hpp"
#include "amp/nn/activation.hpp"
#include "amp/nn/attention.hpp"
#include "amp/nn/containers.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/linear.hpp"
#include "amp/nn/norm.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of TransformerEncoderLayer and TransformerDecoderLayer.
struct TransformerLayerOptions {
  std::int64_t dim_feedforward = 2048;  // the elements between the linear layers
  double dropout = 0.1;
  /// What stands between the linear layers: nn::GELU(), or a function. Relu if empty.
  std::function<Tensor(const Tensor&)> activation = {};
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;  // norms before attention and linear layers, and not after them
  bool bias = true;         // of all layers
};
using TransformerEncoderLayerOptions = TransformerLayerOptions;
using TransformerDecoderLayerOptions = TransformerLayerOptions;

/// What a call of TransformerEncoderLayer takes beside the sequence.
struct TransformerEncoderLayerCallOptions {
  Tensor src_mask = {}, src_key_padding_mask = {};
  bool is_causal = false;
};
/// The same of TransformerEncoder.
struct TransformerEncoderCallOptions {
  Tensor mask = {}, src_key_padding_mask = {};
  bool is_causal = false;
};
/// The same of TransformerDecoderLayer and TransformerDecoder.
struct TransformerDecoderCallOptions {
  Tensor tgt_mask = {}, memory_mask = {};
  Tensor tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool tgt_is_causal = false, memory_is_causal = false;
};
/// The same of Transformer.
struct TransformerCallOptions {
  Tensor src_mask = {}, tgt_mask = {}, memory_mask = {};
  Tensor src_key_padding_mask = {}, tgt_key_padding_mask = {}, memory_key_padding_mask = {};
  bool src_is_causal = false, tgt_is_causal = false, memory_is_causal = false;
};

/// Self-attention and two linear layers, each with a norm and a way around it.
///
/// ```cpp
/// const amp::nn::TransformerEncoderLayer layer(
///     16, 4, {.dim_feedforward = 32, .activation = amp::nn::GELU(), .batch_first = true});
/// const amp::nn::TransformerEncoder encoder(layer, 3);  // of three copies of it
/// const amp::Tensor x = amp::ones({2, 5, 16});
/// assert(encoder(x, {.is_causal = true}).shape() == x.shape());
/// ```
class TransformerEncoderLayer : public Layer<TransformerEncoderLayer> {
 public:
  TransformerEncoderLayer(std::nullptr_t = nullptr)
      : Layer<TransformerEncoderLayer>(nullptr) {}  // empty
  /// For sequences of `d_model` elements, with `nhead` heads.
  AMP_LAZY TransformerEncoderLayer(std::int64_t d_model, std::int64_t nhead,
                                   const TransformerLayerOptions& options = {});
  template <amp::detail::NotOptions<TransformerLayerOptions> ByPlace, class... More>
  TransformerEncoderLayer(auto, auto, ByPlace, More...) = delete;  // write {.dropout = 0.1}

  /// Returns the sequence that comes next, of the same shape.
  AMP_LAZY Tensor forward(const Tensor& src,
                          const TransformerEncoderLayerCallOptions& options = {}) const;

  using Layer<TransformerEncoderLayer>::operator();
  AMP_LAZY Tensor operator()(const Tensor& src,
                             const TransformerEncoderLayerCallOptions& options) const;

  MultiheadAttention self_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2;
  Dropout dropout = nullptr, dropout1 = nullptr, dropout2 = nullptr;

 private:
  TransformerLayerOptions options_;
};

/// Self-attention, attention to the result of an encoder, and two linear layers, each with a norm
/// and a way around it.
class TransformerDecoderLayer : public Layer<TransformerDecoderLayer> {
 public:
  TransformerDecoderLayer(std::nullptr_t = nullptr)
      : Layer<TransformerDecoderLayer>(nullptr) {}  // empty
  /// For sequences of `d_model` elements, with `nhead` heads.
  AMP_LAZY TransformerDecoderLayer(std::int64_t d_model, std::int64_t nhead,
                                   const TransformerLayerOptions& options = {});
  template <amp::detail::NotOptions<TransformerLayerOptions> ByPlace, class... More>
  TransformerDecoderLayer(auto, auto, ByPlace, More...) = delete;  // write {.dropout = 0.1}

  /// `memory` is what the encoder returned.
  AMP_LAZY Tensor forward(const Tensor& tgt, const Tensor& memory,
                          const TransformerDecoderCallOptions& options = {}) const;

  using Layer<TransformerDecoderLayer>::operator();
  AMP_LAZY Tensor operator()(const Tensor& tgt, const Tensor& memory,
                             const TransformerDecoderCallOptions& options) const;

  MultiheadAttention self_attn, multihead_attn;
  Linear linear1, linear2;
  LayerNorm norm1, norm2, norm3;
  Dropout dropout = nullptr, dropout1 = nullptr, dropout2 = nullptr, dropout3 = nullptr;

 private:
  TransformerLayerOptions options_;
};

namespace detail {

/// What TransformerEncoder and TransformerDecoder have in common.
template <class Self, class OneLayer>
class TransformerStack : public Layer<Self> {
 public:
  TransformerStack(std::nullptr_t = nullptr) : Layer<Self>(nullptr) {}  // empty
  /// Of `num_layers` copies of the layer, which start with the same values, and a norm of their
  /// result, if there is one.
  TransformerStack(const OneLayer& layer, std::int64_t num_layers,
                   const LayerNorm& final_norm = nullptr)
      : norm(final_norm) {
    AMP_CHECK(num_layers >= 0, "nn::", kTypeName<Self>,
              ": `num_layers` must not be negative, but is ", num_layers);
    layers = this->register_module("layers", ModuleList<OneLayer>());
    for (std::int64_t i = 0; i < num_layers; ++i) layers.push_back(layer.clone());
    if (norm.defined()) (void)this->register_module("norm", norm);
  }

  ModuleList<OneLayer> layers = nullptr;
  LayerNorm norm;

 protected:
  Tensor normed(const Tensor& x) const { return norm.defined() ? norm(x) : x; }
};

}  // namespace detail

/// Encoder layers, one after the other, and a norm.
class TransformerEncoder
    : public detail::TransformerStack<TransformerEncoder, TransformerEncoderLayer> {
 public:
  using TransformerStack::TransformerStack;

  /// Returns the sequence that comes next, of the same shape.
  AMP_LAZY Tensor forward(const Tensor& src,
                          const TransformerEncoderCallOptions& options = {}) const;

  using Layer<TransformerEncoder>::operator();
  AMP_LAZY Tensor operator()(const Tensor& src, const TransformerEncoderCallOptions& options) const;
};

/// Decoder layers, one after the other, and a norm.
class TransformerDecoder
    : public detail::TransformerStack<TransformerDecoder, TransformerDecoderLayer> {
 public:
  using TransformerStack::TransformerStack;

  /// `memory` is what the encoder returned.
  AMP_LAZY Tensor forward(const Tensor& tgt, const Tensor& memory,
                          const TransformerDecoderCallOptions& options = {}) const;

  using Layer<TransformerDecoder>::operator();
  AMP_LAZY Tensor operator()(const Tensor& tgt, const Tensor& memory,
                             const TransformerDecoderCallOptions& options) const;
};

/// Options of Transformer.
struct TransformerOptions {
  std::int64_t num_encoder_layers = 6, num_decoder_layers = 6;
  std::int64_t dim_feedforward = 2048;
  double dropout = 0.1;
  std::function<Tensor(const Tensor&)> activation = {};  // as in TransformerLayerOptions
  double layer_norm_eps = 1e-5;
  bool batch_first = false;
  bool norm_first = false;
  bool bias = true;
};

/// An encoder and a decoder, each with a norm at its end.
///
/// ```cpp
/// const amp::nn::Transformer net(16, 4, {.num_encoder_layers = 2, .num_decoder_layers = 1});
/// const amp::Tensor src = amp::ones({7, 2, 16}), tgt = amp::ones({5, 2, 16});
/// assert(net(src, tgt, {.tgt_is_causal = true}).shape() == tgt.shape());
/// ```
class Transformer : public Layer<Transformer> {
 public:
  Transformer(std::nullptr_t = nullptr) : Layer<Transformer>(nullptr) {}  // empty
  /// For sequences of `d_model` elements, with `nhead` heads.
  AMP_LAZY Transformer(std::int64_t d_model, std::int64_t nhead,
                       const TransformerOptions& options = {});
  template <amp::detail::NotOptions<TransformerOptions> ByPlace, class... More>
  Transformer(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.dropout = 0.1}

  /// What the decoder makes of `tgt` and of what the encoder makes of `src`.
  AMP_LAZY Tensor forward(const Tensor& src, const Tensor& tgt,
                          const TransformerCallOptions& options = {}) const;

  using Layer<Transformer>::operator();
  AMP_LAZY Tensor operator()(const Tensor& src, const Tensor& tgt,
                             const TransformerCallOptions& options) const;

  /// A mask [size, size] to add to scores: -infinity for the keys behind a query, and else 0.
  AMP_LAZY [[nodiscard]] static Tensor generate_square_subsequent_mask(
      std::int64_t size, const TensorOptions& options = {});

  TransformerEncoder encoder;
  TransformerDecoder decoder;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/transformer.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Attention of several heads (Vaswani et al. 2017, arXiv 1706.03762, section 3.2.2).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/linear.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of MultiheadAttention.
struct MultiheadAttentionOptions {
  double dropout = 0;  // of the attention weights, in training
  bool bias = true;
  bool add_bias_kv = false;    // one more key and value for each head, which are trained
  bool add_zero_attn = false;  // one more key and value for each head, which are 0
  std::optional<std::int64_t> kdim = {}, vdim = {};  // extents of keys and values; unset: embed_dim
  bool batch_first = false;
};

/// What a call of MultiheadAttention takes beside query, key and value. Masks are bool, true for
/// what is *not* attended to, or floating point, and added to the scores.
struct AttentionCallOptions {
  Tensor key_padding_mask = {};      // [N, S]: of keys
  bool need_weights = true;          // false: faster, and takes less memory
  Tensor attn_mask = {};             // [L, S], or [N num_heads, L, S]: of pairs
  bool average_attn_weights = true;  // false: the weights of each head
  bool is_causal = false;            // query i attends to no key behind i; needs no mask
};

/// The result, and the attention weights, if they were asked for: [N, L, S], averaged over the
/// heads, or [N, num_heads, L, S].
struct AttentionResult {
  Tensor output, weights;
};

/// Attention of query [L, N, E] to key [S, N, kdim] and value [S, N, vdim] with `num_heads` heads
/// of E / num_heads elements; the result has the shape of query. With `batch_first`, N comes first;
/// without a batch, N is not there. A query that attends to no key gets what a value of 0 gives.
/// Parameters are in_proj_weight [3 E, E] (or q_proj_weight, k_proj_weight and v_proj_weight, if
/// kdim or vdim is not E), in_proj_bias, bias_k, bias_v, out_proj.weight and out_proj.bias.
///
/// ```cpp
/// const amp::nn::MultiheadAttention attention(16, 4, {.batch_first = true});
/// const amp::Tensor x = amp::ones({2, 5, 16});
/// assert(attention(x, x, x).weights.shape() == amp::Shape(2, 5, 5));
/// const amp::Tensor y = attention(x, x, x, {.need_weights = false, .is_causal = true}).output;
/// assert(y.shape() == x.shape());
/// ```
class MultiheadAttention : public Layer<MultiheadAttention> {
 public:
  MultiheadAttention(std::nullptr_t = nullptr) : Layer<MultiheadAttention>(nullptr) {}  // empty
  /// Draws the weights at random. `num_heads` must divide `embed_dim`.
  AMP_LAZY MultiheadAttention(std::int64_t embed_dim, std::int64_t num_heads,
                              const MultiheadAttentionOptions& options = {});
  template <amp::detail::NotOptions<MultiheadAttentionOptions> ByPlace, class... More>
  MultiheadAttention(auto, auto, ByPlace, More...) = delete;  // write {.dropout = 0.1}

  /// Attends. Under autocast, the weights are float32.
  AMP_LAZY AttentionResult forward(const Tensor& query, const Tensor& key, const Tensor& value,
                                   const AttentionCallOptions& options = {}) const;

  using Layer<MultiheadAttention>::operator();
  AMP_LAZY AttentionResult operator()(const Tensor& query, const Tensor& key, const Tensor& value,
                                      const AttentionCallOptions& options) const;

  Tensor in_proj_weight, q_proj_weight, k_proj_weight, v_proj_weight;
  Tensor in_proj_bias, bias_k, bias_v;
  Linear out_proj;

 private:
  /// What the shapes of a call say.
  struct Call {
    bool is_batch;
    int batch_dim, steps_dim;  // as if it had a batch
  };
  /// Throws unless the inputs fit.
  AMP_LAZY Call check_call(const Tensor& query, const Tensor& key, const Tensor& value) const;
  /// The products of query, key and value with their weights.
  AMP_LAZY std::array<Tensor, 3> project(const std::array<Tensor, 3>& inputs) const;
  /// Adds the keys and values of add_bias_kv and add_zero_attn. Returns how many.
  AMP_LAZY std::int64_t append_keys(const Call& call, std::array<Tensor, 3>& projected) const;

  std::int64_t embed_dim_ = 0, heads_ = 1;
  MultiheadAttentionOptions options_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/attention.ipp"
#endif

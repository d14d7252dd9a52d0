// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers with a matrix or a table: Linear, Embedding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of Linear.
struct LinearOptions {
  bool bias = true;
};

/// Returns x weight^T + bias [..., out] for x [..., in]; weight [out, in], bias [out] (linear).
class Linear : public Layer<Linear> {
 public:
  Linear(std::nullptr_t = nullptr) : Layer<Linear>(nullptr) {}  // empty
  /// Draws the weight and the bias at random.
  Linear(std::int64_t in_features, std::int64_t out_features, const LinearOptions& options = {});
  template <amp::detail::NotOptions<LinearOptions> ByPlace, class... More>
  Linear(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.bias = false}
  /// Returns linear(x, weight, bias).
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight, bias;
};

/// Options of Embedding.
struct EmbeddingOptions {
  std::optional<std::int64_t> padding_idx = {};  // a row that starts as 0 and is not trained;
                                                 // negative numbers count from the end
};
/// Options of Embedding::from_pretrained().
struct PretrainedOptions {
  bool freeze = true;  // the weight requires no gradients
  std::optional<std::int64_t> padding_idx = {};
};

/// Returns the rows of weight [count, dim] that indices [...] (int64 or int32) name, [..., dim]
/// (embedding). The weight is drawn from N(0, 1).
class Embedding : public Layer<Embedding> {
 public:
  Embedding(std::nullptr_t = nullptr) : Layer<Embedding>(nullptr) {}  // empty
  /// For `count` rows of `dim` elements.
  Embedding(std::int64_t count, std::int64_t dim, const EmbeddingOptions& options = {});
  template <amp::detail::NotOptions<EmbeddingOptions> ByPlace, class... More>
  Embedding(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.padding_idx = 0}
  /// With these rows, a matrix, as its weight: the tensor itself, as a leaf.
  [[nodiscard]] static Embedding from_pretrained(const Tensor& embeddings,
                                                 const PretrainedOptions& options = {});
  /// Returns embedding(weight, indices).
  AMP_LAZY Tensor forward(const Tensor& indices) const;

  Tensor weight;

 private:
  Embedding(const Tensor& weight, bool requires_grad, std::optional<std::int64_t> padding_idx);

  std::optional<std::int64_t> padding_idx_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/linear.ipp"
#endif

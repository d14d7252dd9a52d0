// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers with a matrix, a kernel or a table: Linear, Conv2d, Embedding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/ops/conv.hpp"
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

/// Options of Conv2d.
struct Conv2dLayerOptions {
  Size2d stride = 1, padding = 0, dilation = 1;
  std::int64_t groups = 1;
  bool bias = true;
  bool relu = false;  // relu of the result, as in Conv2dOptions
};

/// Convolves x [N, in, H, W] to [N, out, H', W'] (conv2d); weight [out, in / groups, KH, KW],
/// bias [out].
class Conv2d : public Layer<Conv2d> {
 public:
  Conv2d(std::nullptr_t = nullptr) : Layer<Conv2d>(nullptr) {}  // empty
  /// Draws the weight and the bias at random.
  Conv2d(std::int64_t in_channels, std::int64_t out_channels, Size2d kernel,
         const Conv2dLayerOptions& options = {});
  template <amp::detail::NotOptions<Conv2dLayerOptions> ByPlace, class... More>
  Conv2d(std::int64_t, std::int64_t, Size2d, ByPlace, More...) = delete;  // write {.stride = 2}
  /// Returns conv2d(x, weight, bias), with the options of the layer.
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight, bias;

 private:
  static std::string describe(std::int64_t in_channels, std::int64_t out_channels, Size2d kernel,
                              const Conv2dLayerOptions& options);

  Conv2dOptions options_;
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

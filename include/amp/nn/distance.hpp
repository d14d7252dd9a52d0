// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Layers of two tensors.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/nn/linear.hpp"
#include "amp/ops/distance.hpp"
#include "amp/ops/products.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// cosine_similarity(x1, x2, dim, eps).
class CosineSimilarity : public Layer<CosineSimilarity> {
 public:
  using Layer::Layer;
  /// Of the vectors along `dim`, whose lengths count as `eps` at least.
  explicit CosineSimilarity(std::int64_t dim = 1, double eps = 1e-8) : dim_(dim), eps_(eps) {}
  /// Returns cosine_similarity(x1, x2, dim, eps).
  AMP_LAZY Tensor forward(const Tensor& x1, const Tensor& x2) const {
    return cosine_similarity(x1, x2, dim_, eps_);
  }

 private:
  std::int64_t dim_ = 1;
  double eps_ = 1e-8;
};

/// pairwise_distance(x1, x2, p, eps, keepdim).
class PairwiseDistance : public Layer<PairwiseDistance> {
 public:
  using Layer::Layer;
  /// Of order `p`, of differences to which `eps` is added.
  explicit PairwiseDistance(double p = 2, double eps = 1e-6, bool keepdim = false)
      : p_(p), eps_(eps), keepdim_(keepdim) {}
  /// Returns pairwise_distance(x1, x2, p, eps, keepdim).
  AMP_LAZY Tensor forward(const Tensor& x1, const Tensor& x2) const {
    return pairwise_distance(x1, x2, p_, eps_, keepdim_);
  }

 private:
  double p_ = 2, eps_ = 1e-6;
  bool keepdim_ = false;
};

/// x1^T weight x2 + bias [..., out] for x1 [..., in1] and x2 [..., in2]; weight [out, in1, in2],
/// bias [out] (bilinear).
class Bilinear : public Layer<Bilinear> {
 public:
  Bilinear(std::nullptr_t = nullptr) : Layer<Bilinear>(nullptr) {}  // empty
  /// Draws the weight and the bias at random, uniform in +-1 / sqrt(in1).
  Bilinear(std::int64_t in1_features, std::int64_t in2_features, std::int64_t out_features,
           const LinearOptions& options = {});
  template <amp::detail::NotOptions<LinearOptions> ByPlace, class... More>
  Bilinear(std::int64_t, std::int64_t, std::int64_t, ByPlace,
           More...) = delete;  // write {.bias = false}
  /// Returns bilinear(x1, x2, weight, bias).
  AMP_LAZY Tensor forward(const Tensor& x1, const Tensor& x2) const {
    return bilinear(x1, x2, registered("weight", weight), registered("bias", bias));
  }

  Tensor weight, bias;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/distance.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation layers: weights start as 1, biases as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>

#include "amp/core/not_options.hpp"
#include "amp/nn/layer.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of LayerNorm and GroupNorm.
struct NormOptions {
  double eps = 1e-5;
  bool affine = true;  // whether there are weight and bias
};

/// Normalises over the last dimensions, whose extents are normalized_shape (layer_norm).
class LayerNorm : public Layer<LayerNorm> {
 public:
  LayerNorm(std::nullptr_t = nullptr) : Layer<LayerNorm>(nullptr) {}  // empty
  /// Over the last dimensions, which are `normalized_shape`.
  LayerNorm(std::initializer_list<std::int64_t> normalized_shape, const NormOptions& options = {})
      : LayerNorm(Shape(normalized_shape), options) {}
  explicit LayerNorm(const Shape& normalized_shape, const NormOptions& options = {});
  template <amp::detail::NotOptions<NormOptions> ByPlace, class... More>
  LayerNorm(const Shape&, ByPlace, More...) = delete;  // write {.eps = 1e-6, .affine = false}
  /// Returns layer_norm(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight, bias;

 private:
  Shape shape_;
  double eps_ = 0;
};

/// Options of RMSNorm.
struct RMSNormOptions {
  std::optional<double> eps = {};  // unset: the epsilon of the input's dtype
  bool affine = true;
};

/// The same without mean and bias (rms_norm).
class RMSNorm : public Layer<RMSNorm> {
 public:
  RMSNorm(std::nullptr_t = nullptr) : Layer<RMSNorm>(nullptr) {}  // empty
  /// Over the last dimensions, which are `normalized_shape`.
  RMSNorm(std::initializer_list<std::int64_t> normalized_shape, const RMSNormOptions& options = {})
      : RMSNorm(Shape(normalized_shape), options) {}
  explicit RMSNorm(const Shape& normalized_shape, const RMSNormOptions& options = {});
  template <amp::detail::NotOptions<RMSNormOptions> ByPlace, class... More>
  RMSNorm(const Shape&, ByPlace, More...) = delete;  // write {.eps = 1e-6, .affine = false}
  /// Returns rms_norm(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight;

 private:
  Shape shape_;
  std::optional<double> eps_;
};

/// Normalises over each of `groups` groups of channels (group_norm).
class GroupNorm : public Layer<GroupNorm> {
 public:
  GroupNorm(std::nullptr_t = nullptr) : Layer<GroupNorm>(nullptr) {}  // empty
  /// For [N, channels, ...], whose channels are cut into `groups`.
  GroupNorm(std::int64_t groups, std::int64_t channels, const NormOptions& options = {});
  template <amp::detail::NotOptions<NormOptions> ByPlace, class... More>
  GroupNorm(std::int64_t, std::int64_t, ByPlace, More...) = delete;  // write {.eps = 1e-6}
  /// Returns group_norm(x).
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight, bias;

 private:
  std::int64_t groups_ = 1;
  double eps_ = 0;
};

/// Options of BatchNorm2d.
struct BatchNorm2dOptions {
  double eps = 1e-5;
  std::optional<double> momentum =
      0.1;  // unset: the running statistics are the mean of all batches
  bool affine = true;
  bool track_running_stats = true;
};

/// Normalises each channel of x [N, C, H, W] (batch_norm): in training with the statistics of the
/// batch, in evaluation with the running ones.
class BatchNorm2d : public Layer<BatchNorm2d> {
 public:
  BatchNorm2d(std::nullptr_t = nullptr) : Layer<BatchNorm2d>(nullptr) {}  // empty
  /// For [N, channels, H, W].
  BatchNorm2d(std::int64_t channels, const BatchNorm2dOptions& options = {});
  template <amp::detail::NotOptions<BatchNorm2dOptions> ByPlace, class... More>
  BatchNorm2d(std::int64_t, ByPlace, More...) = delete;  // write {.eps = 1e-3, .momentum = 0.01}
  /// Synchronises in training if `momentum` is unset, because it reads num_batches_tracked.
  AMP_LAZY Tensor forward(const Tensor& x) const;

  Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  BatchNorm2dOptions options_;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/norm.ipp"
#endif

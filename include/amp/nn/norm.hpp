// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation layers: weights start as 1, biases as 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "amp/core/not_options.hpp"
#include "amp/core/refcount.hpp"
#include "amp/nn/layer.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::nn {

/// Options of LayerNorm and GroupNorm.
struct NormOptions {
  double eps = 1e-5;
  bool affine = true;  // whether there are weight and bias
  bool bias = true;    // whether there is a bias beside the weight, if `affine`
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

/// Options of BatchNorm1d, BatchNorm2d and BatchNorm3d.
struct BatchNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum =
      0.1;  // unset: the running statistics are the mean of all batches
  bool affine = true;
  bool track_running_stats = true;
  bool bias = true;  // whether there is a bias beside the weight, if `affine`
};
using BatchNorm1dOptions = BatchNormOptions;
using BatchNorm2dOptions = BatchNormOptions;
using BatchNorm3dOptions = BatchNormOptions;

/// Options of InstanceNorm1d, InstanceNorm2d and InstanceNorm3d.
struct InstanceNormOptions {
  double eps = 1e-5;
  std::optional<double> momentum = 0.1;  // unset: the running statistics stay as they are
  bool affine = false;
  bool track_running_stats = false;
  bool bias = true;  // whether there is a bias beside the weight, if `affine`
};
using InstanceNorm1dOptions = InstanceNormOptions;
using InstanceNorm2dOptions = InstanceNormOptions;
using InstanceNorm3dOptions = InstanceNormOptions;

namespace detail {

/// Computes a batch norm in training over more samples than this process has. It is attached to a
/// module.
class AMP_EXPORT SynchronizedBatchNorm : public RefCounted {
 public:
  virtual Tensor forward(const Tensor& x, const Tensor& running_mean, const Tensor& running_var,
                         const Tensor& weight, const Tensor& bias, double momentum, double eps) = 0;
};

/// A layer that normalises channels, with `dims` dimensions after the channels.
struct ChannelNorm {
  std::string_view type;
  int dims;
  bool training;
  const Tensor &weight, &bias, &running_mean, &running_var, &num_batches_tracked;
  SynchronizedBatchNorm* synchronized;  // null: over the samples of x
};
AMP_LAZY Tensor forward_norm(const ChannelNorm& norm, const BatchNormOptions& options,
                             const Tensor& x);
AMP_LAZY Tensor forward_norm(const ChannelNorm& norm, const InstanceNormOptions& options,
                             const Tensor& x);

/// The extra_repr of the layers below.
std::string channel_norm_text(std::int64_t channels, const BatchNormOptions& options);

/// What the layers below have in common.
template <class Self, class Options, int kDims>
class ChannelNormLayer : public Layer<Self> {
 public:
  ChannelNormLayer(std::nullptr_t = nullptr) : Layer<Self>(nullptr) {}  // empty
  /// For inputs of so many channels.
  ChannelNormLayer(std::int64_t channels, const Options& options = {}) : options_(options) {
    this->keep_float32();
    this->set_extra_repr([&] {
      return channel_norm_text(channels, {options.eps, options.momentum, options.affine,
                                          options.track_running_stats, options.bias});
    });
    if (options.affine) weight = this->register_parameter("weight", ones({channels}));
    if (options.affine && options.bias) bias = this->register_parameter("bias", zeros({channels}));
    if (!options.track_running_stats) return;
    running_mean = this->register_buffer("running_mean", zeros({channels}));
    running_var = this->register_buffer("running_var", ones({channels}));
    num_batches_tracked =
        this->register_buffer("num_batches_tracked", zeros({}, {.dtype = kInt64}));
  }
  template <amp::detail::NotOptions<Options> ByPlace, class... More>
  ChannelNormLayer(std::int64_t, ByPlace, More...) = delete;  // write {.eps = 1e-3, ...}

  /// Returns x, normalised.
  Tensor forward(const Tensor& x) const {
    this->check_defined();
    return forward_norm(
        {kTypeName<Self>, kDims, this->is_training(), this->registered("weight", weight),
         this->registered("bias", bias), running_mean, running_var, num_batches_tracked,
         static_cast<SynchronizedBatchNorm*>(this->attached())},
        options_, x);
  }

  Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  Options options_;
};

template <class Self, int kDims>
using BatchNorm = ChannelNormLayer<Self, BatchNormOptions, kDims>;
template <class Self, int kDims>
using InstanceNorm = ChannelNormLayer<Self, InstanceNormOptions, kDims>;

}  // namespace detail

/// Normalises each channel of x [N, C] or [N, C, L] (batch_norm): in training with the statistics
/// of the batch, in evaluation with the running ones. Synchronises in training if `momentum` is
/// unset, because it reads num_batches_tracked.
class BatchNorm1d : public detail::BatchNorm<BatchNorm1d, 1> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};
/// The same of x [N, C, H, W].
class BatchNorm2d : public detail::BatchNorm<BatchNorm2d, 2> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};
/// The same of x [N, C, D, H, W].
class BatchNorm3d : public detail::BatchNorm<BatchNorm3d, 3> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};

/// Normalises each channel of each sample of x [N, C, L] or [C, L] (instance_norm) with its own
/// statistics; in evaluation with the running ones, if these are tracked. num_batches_tracked stays
/// 0, as torch's does.
class InstanceNorm1d : public detail::InstanceNorm<InstanceNorm1d, 1> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};
/// The same of x [N, C, H, W] or [C, H, W].
class InstanceNorm2d : public detail::InstanceNorm<InstanceNorm2d, 2> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};
/// The same of x [N, C, D, H, W] or [C, D, H, W].
class InstanceNorm3d : public detail::InstanceNorm<InstanceNorm3d, 3> {
 public:
  using ChannelNormLayer::ChannelNormLayer;
};

}  // namespace amp::inline v0::nn

#if AMP_HEADER_ONLY
#include "amp/nn/norm.ipp"
#endif

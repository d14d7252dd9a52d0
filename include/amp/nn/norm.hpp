// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation layers: weights start as 1, biases as 0.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>

#include "amp/nn/layer.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/norm.hpp"

namespace amp::inline v0::nn {

struct NormOptions {
  double eps = 1e-5;
  bool affine = true;  // whether there are weight and bias
};

namespace detail {

/// What the norms whose affine option governs weight and bias say of it.
inline std::string affine_text(const char* name, bool affine) {
  return name + python_text(affine) + ", bias=" + python_text(affine);
}

}  // namespace detail

/// Over the last dimensions, which are normalized_shape (layer_norm).
class LayerNorm : public Layer<LayerNorm> {
 public:
  using Layer<LayerNorm>::Layer;
  LayerNorm() : Layer<LayerNorm>(nullptr) {}  // empty
  LayerNorm(std::initializer_list<std::int64_t> normalized_shape, const NormOptions& options = {})
      : LayerNorm(Shape(normalized_shape), options) {}
  explicit LayerNorm(const Shape& normalized_shape, const NormOptions& options = {})
      : shape_(normalized_shape), eps_(options.eps) {
    keep_float32();
    set_extra_repr([&] {
      return detail::python_text(shape_) + ", eps=" + detail::python_text(eps_) +
             detail::affine_text(", elementwise_affine=", options.affine);
    });
    if (!options.affine) return;
    weight = register_parameter("weight", ones(shape_));
    bias = register_parameter("bias", zeros(shape_));
  }
  Tensor forward(const Tensor& x) const {
    check_defined();
    return layer_norm(x, shape_, registered("weight", weight), registered("bias", bias), eps_);
  }

  Tensor weight, bias;

 private:
  Shape shape_;
  double eps_ = 0;
};

struct RMSNormOptions {
  std::optional<double> eps = {};  // unset: the epsilon of the input's dtype
  bool affine = true;
};

/// rms_norm
class RMSNorm : public Layer<RMSNorm> {
 public:
  using Layer<RMSNorm>::Layer;
  RMSNorm() : Layer<RMSNorm>(nullptr) {}  // empty
  RMSNorm(std::initializer_list<std::int64_t> normalized_shape, const RMSNormOptions& options = {})
      : RMSNorm(Shape(normalized_shape), options) {}
  explicit RMSNorm(const Shape& normalized_shape, const RMSNormOptions& options = {})
      : shape_(normalized_shape), eps_(options.eps) {
    keep_float32();
    set_extra_repr([&] {
      return detail::python_text(shape_) + ", eps=" + detail::python_text(eps_) +
             ", elementwise_affine=" + detail::python_text(options.affine);
    });
    if (options.affine) weight = register_parameter("weight", ones(shape_));
  }
  Tensor forward(const Tensor& x) const {
    check_defined();
    return rms_norm(x, shape_, registered("weight", weight), eps_);
  }

  Tensor weight;

 private:
  Shape shape_;
  std::optional<double> eps_;
};

/// Over the channels of each of `groups` groups (group_norm).
class GroupNorm : public Layer<GroupNorm> {
 public:
  using Layer<GroupNorm>::Layer;
  GroupNorm() : Layer<GroupNorm>(nullptr) {}  // empty
  GroupNorm(std::int64_t groups, std::int64_t channels, const NormOptions& options = {})
      : groups_(groups), eps_(options.eps) {
    AMP_CHECK(groups >= 1 && channels % groups == 0, "nn::GroupNorm: `groups` ", groups,
              " must divide `channels` ", channels);
    keep_float32();
    set_extra_repr([&] {
      return std::to_string(groups) + ", " + std::to_string(channels) +
             ", eps=" + detail::python_text(eps_) +
             detail::affine_text(", affine=", options.affine);
    });
    if (!options.affine) return;
    weight = register_parameter("weight", ones({channels}));
    bias = register_parameter("bias", zeros({channels}));
  }
  Tensor forward(const Tensor& x) const {
    check_defined();
    return group_norm(x, groups_, registered("weight", weight), registered("bias", bias), eps_);
  }

  Tensor weight, bias;

 private:
  std::int64_t groups_ = 1;
  double eps_ = 0;
};

struct BatchNorm2dOptions {
  double eps = 1e-5;
  std::optional<double> momentum =
      0.1;  // unset: the running statistics are the mean of all batches
  bool affine = true;
  bool track_running_stats = true;
};

/// Over each channel of x [N, C, H, W] (batch_norm): with the batch's statistics in training, with
/// the running ones in evaluation.
class BatchNorm2d : public Layer<BatchNorm2d> {
 public:
  using Layer<BatchNorm2d>::Layer;
  BatchNorm2d() : Layer<BatchNorm2d>(nullptr) {}  // empty
  BatchNorm2d(std::int64_t channels, const BatchNorm2dOptions& options = {}) : options_(options) {
    keep_float32();
    set_extra_repr([&] {
      return std::to_string(channels) + ", eps=" + detail::python_text(options.eps) +
             ", momentum=" + detail::python_text(options.momentum) +
             detail::affine_text(", affine=", options.affine) +
             ", track_running_stats=" + detail::python_text(options.track_running_stats);
    });
    if (options.affine) {
      weight = register_parameter("weight", ones({channels}));
      bias = register_parameter("bias", zeros({channels}));
    }
    if (!options.track_running_stats) return;
    running_mean = register_buffer("running_mean", zeros({channels}));
    running_var = register_buffer("running_var", ones({channels}));
    num_batches_tracked = register_buffer("num_batches_tracked", zeros({}, {.dtype = kInt64}));
  }
  /// Without `momentum` this synchronises in training: it reads num_batches_tracked.
  Tensor forward(const Tensor& x) const {
    check_defined();
    AMP_CHECK(x.dim() == 4, "nn::BatchNorm2d: `x` must be [N, C, H, W], but is ", describe(x));
    const bool batch_statistics = is_training() || !running_mean.defined();
    if (!is_training() || !running_mean.defined())
      return batch_norm(x, running_mean, running_var, registered("weight", weight),
                        registered("bias", bias), batch_statistics, 0.0, options_.eps);
    const double momentum =
        options_.momentum ? *options_.momentum
                          : 1 / static_cast<double>(num_batches_tracked.item<std::int64_t>() + 1);
    const Tensor y = batch_norm(x, running_mean, running_var, registered("weight", weight),
                                registered("bias", bias), true, momentum, options_.eps);
    num_batches_tracked.copy_(num_batches_tracked + 1);
    return y;
  }

  Tensor weight, bias, running_mean, running_var, num_batches_tracked;

 private:
  BatchNorm2dOptions options_;
};

}  // namespace amp::inline v0::nn

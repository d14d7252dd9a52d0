// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "amp/autograd/grad_mode.hpp"
#include "amp/nn/norm.hpp"
#include "amp/nn/python_text.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/norm.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/factory.hpp"
namespace amp::inline v0::nn {

namespace detail {

/// The extra_repr of norms whose affine option stands for weight and bias.
AMP_COLD std::string affine_text(const char* name, bool affine) {
  return name + python_text(affine) + ", bias=" + python_text(affine);
}

}  // namespace detail

AMP_COLD LayerNorm::LayerNorm(const Shape& normalized_shape, const NormOptions& options)
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

AMP_LAZY_DEFINITION Tensor LayerNorm::forward(const Tensor& x) const {
  check_defined();
  return layer_norm(x, shape_, registered("weight", weight), registered("bias", bias), eps_);
}

AMP_COLD RMSNorm::RMSNorm(const Shape& normalized_shape, const RMSNormOptions& options)
    : shape_(normalized_shape), eps_(options.eps) {
  keep_float32();
  set_extra_repr([&] {
    return detail::python_text(shape_) + ", eps=" + detail::python_text(eps_) +
           ", elementwise_affine=" + detail::python_text(options.affine);
  });
  if (options.affine) weight = register_parameter("weight", ones(shape_));
}

AMP_LAZY_DEFINITION Tensor RMSNorm::forward(const Tensor& x) const {
  check_defined();
  return rms_norm(x, shape_, registered("weight", weight), eps_);
}

AMP_COLD GroupNorm::GroupNorm(std::int64_t groups, std::int64_t channels,
                              const NormOptions& options)
    : groups_(groups), eps_(options.eps) {
  AMP_CHECK(groups >= 1 && channels % groups == 0, "nn::GroupNorm: `groups` ", groups,
            " must divide `channels` ", channels);
  keep_float32();
  set_extra_repr([&] {
    return std::to_string(groups) + ", " + std::to_string(channels) +
           ", eps=" + detail::python_text(eps_) + detail::affine_text(", affine=", options.affine);
  });
  if (!options.affine) return;
  weight = register_parameter("weight", ones({channels}));
  bias = register_parameter("bias", zeros({channels}));
}

AMP_LAZY_DEFINITION Tensor GroupNorm::forward(const Tensor& x) const {
  check_defined();
  return group_norm(x, groups_, registered("weight", weight), registered("bias", bias), eps_);
}

AMP_COLD BatchNorm2d::BatchNorm2d(std::int64_t channels, const BatchNorm2dOptions& options)
    : options_(options) {
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

AMP_LAZY_DEFINITION Tensor BatchNorm2d::forward(const Tensor& x) const {
  check_defined();
  AMP_CHECK(x.dim() == 4, "nn::BatchNorm2d: `x` must be [N, C, H, W], but is ", describe(x));
  const bool batch_statistics = is_training() || !running_mean.defined();
  if (!is_training() || !running_mean.defined())
    return batch_norm(x, running_mean, running_var, registered("weight", weight),
                      registered("bias", bias), batch_statistics, 0.0, options_.eps);
  const bool moves = !is_recomputing();  // the running statistics, once per step
  const double momentum =
      options_.momentum || !moves
          ? options_.momentum.value_or(0)
          : 1 / static_cast<double>(num_batches_tracked.item<std::int64_t>() + 1);
  const Tensor y = batch_norm(x, running_mean, running_var, registered("weight", weight),
                              registered("bias", bias), true, momentum, options_.eps);
  if (moves) num_batches_tracked.copy_(num_batches_tracked + 1);
  return y;
}

}  // namespace amp::inline v0::nn

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
AMP_COLD std::string affine_text(const char* name, bool affine, bool bias) {
  return name + python_text(affine) + ", bias=" + python_text(affine && bias);
}

}  // namespace detail

AMP_COLD LayerNorm::LayerNorm(const Shape& normalized_shape, const NormOptions& options)
    : shape_(normalized_shape), eps_(options.eps) {
  keep_float32();
  set_extra_repr([&] {
    return detail::python_text(shape_) + ", eps=" + detail::python_text(eps_) +
           detail::affine_text(", elementwise_affine=", options.affine, options.bias);
  });
  if (!options.affine) return;
  weight = register_parameter("weight", ones(shape_));
  if (options.bias) bias = register_parameter("bias", zeros(shape_));
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
           ", eps=" + detail::python_text(eps_) +
           detail::affine_text(", affine=", options.affine, options.bias);
  });
  if (!options.affine) return;
  weight = register_parameter("weight", ones({channels}));
  if (options.bias) bias = register_parameter("bias", zeros({channels}));
}

AMP_LAZY_DEFINITION Tensor GroupNorm::forward(const Tensor& x) const {
  check_defined();
  return group_norm(x, groups_, registered("weight", weight), registered("bias", bias), eps_);
}

namespace detail {

AMP_COLD std::string channel_norm_text(std::int64_t channels, const BatchNormOptions& options) {
  return std::to_string(channels) + ", eps=" + python_text(options.eps) +
         ", momentum=" + python_text(options.momentum) +
         affine_text(", affine=", options.affine, options.bias) +
         ", track_running_stats=" + python_text(options.track_running_stats);
}

AMP_LAZY_DEFINITION Tensor forward_norm(const ChannelNorm& norm, const BatchNormOptions& options,
                                        const Tensor& x) {
  constexpr const char* kShapes[] = {"[N, C, ...]", "[N, C] or [N, C, L]", "[N, C, H, W]",
                                     "[N, C, D, H, W]"};
  const bool fits = norm.dims == 0 ? x.dim() >= 2  // of SyncBatchNorm
                                   : x.dim() == norm.dims + 2 || (norm.dims == 1 && x.dim() == 2);
  AMP_CHECK(fits, "nn::", norm.type, ": `x` must be ", kShapes[norm.dims], ", but is ",
            describe(x));
  const auto compute = [&](bool training, double momentum) {
    return training && norm.synchronized != nullptr
               ? norm.synchronized->forward(x, norm.running_mean, norm.running_var, norm.weight,
                                            norm.bias, momentum, options.eps)
               : batch_norm(x, norm.running_mean, norm.running_var, norm.weight, norm.bias,
                            training, momentum, options.eps);
  };
  const bool tracks = norm.running_mean.defined();
  if (!norm.training || !tracks) return compute(!tracks, 0);
  const Tensor& count = norm.num_batches_tracked;
  const bool moves = !is_recomputing();  // the running statistics, once per step
  const double momentum = options.momentum || !moves
                              ? options.momentum.value_or(0)
                              : 1 / static_cast<double>(count.item<std::int64_t>() + 1);
  const Tensor y = compute(true, momentum);
  if (moves) count.copy_(count + 1);
  return y;
}

AMP_LAZY_DEFINITION Tensor forward_norm(const ChannelNorm& norm, const InstanceNormOptions& options,
                                        const Tensor& x) {
  constexpr const char* kShapes[] = {"[N, C, L] or [C, L]", "[N, C, H, W] or [C, H, W]",
                                     "[N, C, D, H, W] or [C, D, H, W]"};
  const bool is_batch = x.dim() == norm.dims + 2;
  AMP_CHECK(is_batch || x.dim() == norm.dims + 1, "nn::", norm.type, ": `x` must be ",
            kShapes[norm.dims - 1], ", but is ", describe(x));
  const Tensor y = instance_norm(
      is_batch ? x : x.unsqueeze(0), norm.running_mean, norm.running_var, norm.weight, norm.bias,
      norm.training || !norm.running_mean.defined(), options.momentum.value_or(0), options.eps);
  return is_batch ? y : y.squeeze(0);
}

}  // namespace detail

}  // namespace amp::inline v0::nn

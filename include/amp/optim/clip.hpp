// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Clipping the gradients of a model by their common norm (Pascanu et al. 2013, arXiv 1211.5063).
#pragma once

#include <span>
#include <vector>

#include "amp/kernels/host/unscale.hpp"
#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

/// Scales all gradients of `params` by min(1, max_norm / (norm + 1e-6)), norm being the L2 norm
/// over all of them. Returns the norm before clipping, 0-dimensional float32 where the gradients
/// are; does not synchronise. Throws on a gradient that still carries a loss scale.
inline Tensor clip_grad_norm_(std::span<const Tensor> params, double max_norm) {
  AMP_CHECK(max_norm > 0, "clip_grad_norm_: `max_norm` must be above 0, but is ", max_norm);
  std::vector<kernels::GradientSpan> gradients;
  Device device;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const Tensor grad = params[i].grad();
    if (!grad.defined()) continue;
    AMP_CHECK(!autograd::leaf_of(params[i])->is_scaled, "clip_grad_norm_: the gradient of params[",
              i, "], ", describe(params[i]),
              ", still carries the loss scale, so its norm means nothing; call "
              "scaler.unscale_(optimizer) first, or use "
              "scaler.unscale_and_clip(optimizer, max_norm)");
    AMP_CHECK(gradients.empty() || grad.device() == device, "clip_grad_norm_: gradients are on ",
              device, " and ", grad.device());
    AMP_CHECK(grad.is_contiguous(), "clip_grad_norm_: the gradient of params[", i,
              "] must be contiguous");
    device = grad.device();
    gradients.push_back({grad.raw_data(), grad.numel(), grad.dtype()});
  }
  const Tensor words = zeros({2}, {.device = device});  // the norm, and the coefficient
  const Tensor norm = words.alias({}, {}, 0);
  auto* const word = static_cast<float*>(words.raw_data());
  const auto count = static_cast<std::int64_t>(gradients.size());
  if (count == 0) return norm;
  kernels::dispatch<&kernels::Backend::grad_norm, kernels::host::grad_norm>(
      device, gradients[0].dtype, {device, gradients.data(), count, nullptr, word});
  kernels::dispatch<&kernels::Backend::clip, kernels::host::clip>(
      device, gradients[0].dtype,
      {device, gradients.data(), count, word, word + 1, nullptr, max_norm});
  for (const Tensor& p : params) {
    if (const Tensor grad = p.grad(); grad.defined()) grad.impl().storage->bump_version();
  }
  return norm;
}

}  // namespace amp::inline v0

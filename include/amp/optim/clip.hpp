// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Clipping the gradients of a model by their common norm (Pascanu et al. 2013, arXiv 1211.5063).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "amp/kernels/host/unscale.hpp"
#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

namespace detail {

/// words[0] = the norm of the gradients times *inverse (null: 1), words[1] = the coefficient that
/// clips it. A norm that is not finite sets *found_inf, where that is not null.
inline void grad_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                      const float* inverse, double max_norm, float* words, float* found_inf,
                      kernels::KeptTable* table) {
  if (gradients.empty()) return;
  kernels::dispatch<&kernels::Backend::grad_norm, kernels::host::grad_norm>(
      device, gradients[0].dtype,
      {device, gradients.data(), static_cast<std::int64_t>(gradients.size()), inverse, words,
       words + 1, found_inf, max_norm, table});
}
/// Multiplies the gradients by words[1], unless *found_inf (where not null) says no.
inline void clip(Device device, std::span<const kernels::GradientSpan> gradients,
                 const float* words, const float* found_inf, kernels::KeptTable* table) {
  if (gradients.empty()) return;
  kernels::dispatch<&kernels::Backend::clip, kernels::host::clip>(
      device, gradients[0].dtype,
      {device, gradients.data(), static_cast<std::int64_t>(gradients.size()), words + 1, found_inf,
       table});
}

/// Both, for gradients as they are.
inline void clip_by_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                         double max_norm, float* words) {
  kernels::KeptTable table;
  grad_norm(device, gradients, nullptr, max_norm, words, nullptr, &table);
  clip(device, gradients, words, nullptr, &table);
}

}  // namespace detail

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
  detail::clip_by_norm(device, gradients, max_norm, static_cast<float*>(words.raw_data()));
  for (const Tensor& p : params) {
    if (const Tensor grad = p.grad(); grad.defined()) grad.impl().storage->bump_version();
  }
  return words.alias({}, {}, 0);
}
inline Tensor clip_grad_norm_(std::initializer_list<Tensor> params, double max_norm) {
  return clip_grad_norm_(std::span(params.begin(), params.size()), max_norm);
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Clipping the gradients of a model by their common norm (Pascanu et al. 2013, arXiv 1211.5063).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "amp/kernels/unscale/host.hpp"
#include "amp/optim/known_norm.hpp"
#include "amp/optim/optimizer.hpp"

namespace amp::inline v0 {

namespace detail {

/// float32, or float64 where a gradient is that.
inline DType norm_dtype(std::span<const kernels::GradientSpan> gradients) {
  const auto count = static_cast<std::int64_t>(gradients.size());
  return kernels::any_float64(gradients.data(), count) ? kFloat64 : kFloat32;
}
/// Room for the norm.
inline Tensor make_norm(std::span<const kernels::GradientSpan> gradients, Device device) {
  return empty({}, {.dtype = norm_dtype(gradients), .device = device});
}
/// Where a norm of either dtype lies; nowhere without a tensor.
inline kernels::NormWord norm_word(const Tensor& norm) {
  if (!norm.defined()) return nullptr;
  if (norm.dtype() == kFloat64) return static_cast<double*>(norm.raw_data());
  return static_cast<float*>(norm.raw_data());
}

inline void grad_norm(const kernels::GradNormArgs& args) {
  if (args.count == 0) return;
  kernels::dispatch<&kernels::Backend::grad_norm, kernels::host::grad_norm>(args.device, args);
}
/// Multiplies the gradients by what brings *norm to max_norm, unless *found_inf (where not null)
/// says no.
inline void clip(Device device, std::span<const kernels::GradientSpan> gradients,
                 kernels::NormWord norm, double max_norm, const float* found_inf,
                 kernels::KeptTable* table) {
  if (gradients.empty()) return;
  kernels::dispatch<&kernels::Backend::clip, kernels::host::clip>(
      device, {device, gradients.data(), static_cast<std::int64_t>(gradients.size()), nullptr,
               found_inf, table, norm, max_norm});
}
/// Both, for gradients as they are.
inline void clip_by_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                         double max_norm, const Tensor& norm) {
  kernels::KeptTable table;
  const kernels::NormWord word = norm_word(norm);
  fill(norm, 0);  // that of no gradients
  grad_norm({device, gradients.data(), static_cast<std::int64_t>(gradients.size()), nullptr, word,
             nullptr, nullptr, 0, &table});
  clip(device, gradients, word, max_norm, nullptr, &table);
}

}  // namespace detail

/// Scales all gradients of `params` by min(1, max_norm / (norm + 1e-6)), norm being the L2 norm
/// over all of them. Returns the norm before clipping, 0-dimensional float32 where the gradients
/// are, float64 if one of them is; does not synchronise. The norm is infinite if a sum of squares
/// is: from elements of 1.8e19 on, of 1.3e154 in float64. Throws on a gradient that still carries a
/// loss scale. After such an error a scaler's cycle is still open: skip_step() and update() end it.
///
/// After scaler.unscale_(optimizer), for all of its gradients and unchanged, the norm need not be
/// computed again. Who writes gradients through pointers in between says so by mark_modified().
inline Tensor clip_grad_norm_(std::span<const Tensor> params, double max_norm) {
  AMP_CHECK(max_norm > 0, "clip_grad_norm_: `max_norm` must be above 0, but is ", max_norm);
  detail::PoolVector<kernels::GradientSpan> spans;
  detail::PoolVector<Tensor> gradients;
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
    spans.push_back({grad.raw_data(), grad.numel(), grad.dtype()});
    gradients.push_back(grad);
  }
  Tensor norm = detail::KnownNorm::find(gradients);
  if (norm.defined()) {
    detail::clip(device, spans, detail::norm_word(norm), max_norm, nullptr, nullptr);
  } else {
    norm = detail::make_norm(spans, device);
    detail::clip_by_norm(device, spans, max_norm, norm);
  }
  for (const Tensor& grad : gradients) grad.impl().storage->bump_version();
  return norm;
}
inline Tensor clip_grad_norm_(std::initializer_list<Tensor> params, double max_norm) {
  return clip_grad_norm_(std::span(params.begin(), params.size()), max_norm);
}

}  // namespace amp::inline v0

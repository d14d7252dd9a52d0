// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Clipping the gradients of a model by their common norm (Pascanu et al. 2013, arXiv 1211.5063).
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "amp/kernels/unscale/args.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Scales all gradients of `params` by min(1, max_norm / (norm + 1e-6)), norm being the L2 norm
/// over all of them. Returns the norm before clipping, 0-dimensional float32 where the gradients
/// are, float64 if one of them is; does not synchronise. The norm is infinite if a sum of squares
/// is: from elements of 1.8e19 on, of 1.3e154 in float64. Throws on a gradient that still carries a
/// loss scale. After such an error a scaler's cycle is still open: skip_step() and update() end it.
///
/// After scaler.unscale_(optimizer), for all of its gradients and unchanged, the norm need not be
/// computed again. Who writes gradients through pointers in between says so by mark_modified().
Tensor clip_grad_norm_(std::span<const Tensor> params, double max_norm);
Tensor clip_grad_norm_(std::initializer_list<Tensor> params, double max_norm);

/// The same of gradients in memory of the user's, as they are: with the scaler's words they are to
/// be unscaled before, which views do not show. Throws if a view is not floating point, has no
/// data, or is on another device than the first.
Tensor clip_grad_norm_(std::span<const TensorView> gradients, double max_norm);
Tensor clip_grad_norm_(std::initializer_list<TensorView> gradients, double max_norm);
/// The norm alone; nothing is written. 0 without gradients.
[[nodiscard]] Tensor grad_norm(std::span<const TensorView> gradients);
[[nodiscard]] Tensor grad_norm(std::initializer_list<TensorView> gradients);

namespace detail {

/// Throws, naming `call`, if a gradient cannot be used; `device` becomes that of the first.
void check_gradient_view(std::string_view call, std::int64_t index, const TensorView& view,
                         std::optional<Device>& device);

/// Room for the norm.
Tensor make_norm(std::span<const kernels::GradientSpan> gradients, Device device);
/// float32, or float64 where a gradient is that.
DType norm_dtype(std::span<const kernels::GradientSpan> gradients);
/// Where a norm of either dtype lies; nowhere without a tensor.
kernels::NormPointer norm_pointer(const Tensor& norm);

void grad_norm(const kernels::GradNormArgs& args);
/// Multiplies the gradients by what brings *norm to max_norm, unless *found_inf (where not null)
/// says no.
void clip(Device device, std::span<const kernels::GradientSpan> gradients,
          kernels::NormPointer norm, double max_norm, const float* found_inf,
          kernels::DescriptorTable* table);
/// Both, for gradients as they are.
void clip_by_norm(Device device, std::span<const kernels::GradientSpan> gradients, double max_norm,
                  const Tensor& norm);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/clip.ipp"
#endif

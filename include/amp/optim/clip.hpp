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

/// Multiplies all gradients of `params` by min(1, max_norm / (norm + 1e-6)), in place; norm is the
/// L2 norm of all of them. Returns the norm before clipping, 0-dimensional float32, or float64 if a
/// gradient is, on the gradients' device. Does not synchronise. The norm is infinite if the sum of
/// squares is: from elements of 1.8e19 on, of 1.3e154 in float64.
///
/// Throws amp::Error if a gradient still carries the loss scale, if the gradients lie on several
/// devices, if one is not contiguous, or if `max_norm` is not above 0. A scaler's cycle is still
/// open after such an error: skip_step() and update() end it. scaler.unscale_and_clip(optimizer,
/// max_norm) does the same as unscale_ and clip_grad_norm_, and reads the gradients once less.
AMP_LAZY Tensor clip_grad_norm_(std::span<const Tensor> params, double max_norm);
AMP_LAZY Tensor clip_grad_norm_(std::initializer_list<Tensor> params, double max_norm);

/// The same for gradients in memory of your own. They are clipped as they are: unscale them first,
/// because a view does not show whether its gradient carries the loss scale. Throws if a view is
/// not floating point, has no data, or is on another device than the first.
AMP_LAZY Tensor clip_grad_norm_(std::span<const TensorView> gradients, double max_norm);
AMP_LAZY Tensor clip_grad_norm_(std::initializer_list<TensorView> gradients, double max_norm);
/// Returns the L2 norm of all gradients, and writes none of them. 0 if there are none.
AMP_LAZY [[nodiscard]] Tensor grad_norm(std::span<const TensorView> gradients);
AMP_LAZY [[nodiscard]] Tensor grad_norm(std::initializer_list<TensorView> gradients);

namespace detail {

/// Throws, naming `call`, if a gradient is not valid. Sets `device` to that of the first gradient.
AMP_LAZY void check_gradient_view(std::string_view call, std::int64_t index, const TensorView& view,
                                  std::optional<Device>& device);

/// Allocates the norm of the gradients.
AMP_LAZY Tensor make_norm(std::span<const kernels::GradientSpan> gradients, Device device);
/// float32, or float64 if a gradient is float64.
AMP_LAZY DType norm_dtype(std::span<const kernels::GradientSpan> gradients);
/// The address of a norm, in either dtype; null if `norm` is undefined.
AMP_LAZY kernels::NormPointer norm_pointer(const Tensor& norm);

AMP_LAZY void grad_norm(const kernels::GradNormArgs& args);
/// Multiplies the gradients by the coefficient that brings *norm to max_norm, unless found_inf is
/// not null and *found_inf is not 0.
AMP_LAZY void clip(Device device, std::span<const kernels::GradientSpan> gradients,
                   kernels::NormPointer norm, double max_norm, const float* found_inf,
                   kernels::DescriptorTable* table);
/// Computes the norm; 0 if there are no gradients.
AMP_LAZY void write_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                         const Tensor& norm, kernels::DescriptorTable* table);
/// Computes the norm and clips by it.
AMP_LAZY void clip_by_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                           double max_norm, const Tensor& norm);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/optim/clip.ipp"
#endif

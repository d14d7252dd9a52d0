// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "amp/autograd/node.hpp"
#include "amp/kernels/unscale/host.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/optim/clip.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {

namespace detail {

AMP_LAZY_DEFINITION DType norm_dtype(std::span<const kernels::GradientSpan> gradients) {
  const auto count = static_cast<std::int64_t>(gradients.size());
  return kernels::any_float64(gradients.data(), count) ? kFloat64 : kFloat32;
}
AMP_LAZY_DEFINITION Tensor make_norm(std::span<const kernels::GradientSpan> gradients,
                                     Device device) {
  return empty({}, {.dtype = norm_dtype(gradients), .device = device});
}
AMP_LAZY_DEFINITION kernels::NormPointer norm_pointer(const Tensor& norm) {
  if (!norm.defined()) return nullptr;
  if (norm.dtype() == kFloat64) return static_cast<double*>(norm.raw_data());
  return static_cast<float*>(norm.raw_data());
}

AMP_LAZY_DEFINITION void grad_norm(const kernels::GradNormArgs& args) {
  if (args.count == 0) return;
  kernels::grad_norm(args.device, args);
}
AMP_LAZY_DEFINITION void clip(Device device, std::span<const kernels::GradientSpan> gradients,
                              kernels::NormPointer norm, double max_norm, const float* found_inf,
                              kernels::DescriptorTable* table) {
  if (gradients.empty()) return;
  kernels::clip(device, {device, gradients.data(), static_cast<std::int64_t>(gradients.size()),
                         nullptr, found_inf, table, norm, max_norm});
}
AMP_LAZY_DEFINITION void write_norm(Device device, std::span<const kernels::GradientSpan> gradients,
                                    const Tensor& norm, kernels::DescriptorTable* table) {
  fill(norm, 0);  // that of no gradients
  grad_norm({device, gradients.data(), static_cast<std::int64_t>(gradients.size()), nullptr,
             norm_pointer(norm), nullptr, nullptr, 0, table});
}
AMP_LAZY_DEFINITION void clip_by_norm(Device device,
                                      std::span<const kernels::GradientSpan> gradients,
                                      double max_norm, const Tensor& norm) {
  kernels::DescriptorTable table;
  write_norm(device, gradients, norm, &table);
  clip(device, gradients, norm_pointer(norm), max_norm, nullptr, &table);
}

AMP_LAZY_DEFINITION void check_gradient_view(std::string_view call, std::int64_t index,
                                             const TensorView& view,
                                             std::optional<Device>& device) {
  AMP_CHECK(is_floating_point(view.dtype), call, ": gradient ", index, " ", view.name,
            " must be floating point, but is ", view.dtype);
  AMP_CHECK(view.numel >= 0 && (view.data != nullptr || view.numel == 0), call, ": gradient ",
            index, " ", view.name, " has ", view.numel, " elements, but no data");
  if (!device) device = view.device;
  AMP_CHECK(view.device == *device, call, ": gradient ", index, " ", view.name, " is on ",
            view.device, ", but must be on ", *device);
}
/// Their device, too: the host if there are none.
AMP_LAZY PoolVector<kernels::GradientSpan> spans_of(std::string_view call,
                                                    std::span<const TensorView> gradients,
                                                    Device& device) {
  PoolVector<kernels::GradientSpan> spans;
  std::optional<Device> found;
  for (const TensorView& view : gradients) {
    check_gradient_view(call, static_cast<std::int64_t>(spans.size()), view, found);
    spans.push_back({view.data, view.numel, view.dtype});
  }
  device = found.value_or(kCPU);
  return spans;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor clip_grad_norm_(std::span<const Tensor> params, double max_norm) {
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
  Tensor norm = detail::make_norm(spans, device);
  detail::clip_by_norm(device, spans, max_norm, norm);
  for (const Tensor& grad : gradients) grad.impl().storage->bump_version();
  return norm;
}
AMP_LAZY_DEFINITION Tensor clip_grad_norm_(std::initializer_list<Tensor> params, double max_norm) {
  return clip_grad_norm_(std::span(params.begin(), params.size()), max_norm);
}

AMP_LAZY_DEFINITION Tensor clip_grad_norm_(std::span<const TensorView> gradients, double max_norm) {
  AMP_CHECK(max_norm > 0, "clip_grad_norm_: `max_norm` must be above 0, but is ", max_norm);
  Device device;
  const auto spans = detail::spans_of("clip_grad_norm_", gradients, device);
  Tensor norm = detail::make_norm(spans, device);
  detail::clip_by_norm(device, spans, max_norm, norm);
  return norm;
}
AMP_LAZY_DEFINITION Tensor clip_grad_norm_(std::initializer_list<TensorView> gradients,
                                           double max_norm) {
  return clip_grad_norm_(std::span(gradients.begin(), gradients.size()), max_norm);
}

AMP_LAZY_DEFINITION Tensor grad_norm(std::span<const TensorView> gradients) {
  Device device;
  const auto spans = detail::spans_of("grad_norm", gradients, device);
  Tensor norm = detail::make_norm(spans, device);
  kernels::DescriptorTable table;
  detail::write_norm(device, spans, norm, &table);
  return norm;
}
AMP_LAZY_DEFINITION Tensor grad_norm(std::initializer_list<TensorView> gradients) {
  return grad_norm(std::span(gradients.begin(), gradients.size()));
}

}  // namespace amp::inline v0

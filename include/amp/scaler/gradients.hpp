// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The passes over an optimizer's gradients: collect and check them, unscale, and
// note their norm.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "amp/kernels/unscale/host.hpp"
#include "amp/optim/clip.hpp"
#include "amp/optim/known_norm.hpp"
#include "amp/scaler/adapter.hpp"

namespace amp::inline v0::detail {

using GradientSpans = PoolVector<kernels::GradientSpan>;

/// The gradients of an optimizer, all on `device` (any one device where that is unset). Throws,
/// naming `call`, where one cannot be used.
template <OptimizerLike O>
GradientSpans collect_gradients(std::string_view call, O& optimizer,
                                std::optional<Device>& device) {
  GradientSpans spans;
  std::int64_t index = 0;
  const auto add = [&](const TensorView& view) {
    AMP_CHECK(is_floating_point(view.dtype), call, ": gradient ", index, " ", view.name,
              " must be floating point, but is ", view.dtype);
    AMP_CHECK(view.numel >= 0 && (view.data != nullptr || view.numel == 0), call, ": gradient ",
              index, " ", view.name, " has ", view.numel, " elements, but no data");
    if (!device) device = view.device;
    AMP_CHECK(view.device == *device, call, ": gradient ", index, " ", view.name, " is on ",
              view.device, ", but must be on ", *device);
    spans.push_back({view.data, view.numel, view.dtype});
    ++index;
  };
  if constexpr (std::derived_from<O, Optimizer>) {
    optimizer.visit_gradients(add);
  } else {
    for (const TensorView& view : optimizer.gradients()) add(view);
  }
  return spans;
}

/// Whether the gradient at `data` carries the mark of a scaled loss: accumulated, and not unscaled,
/// since its memory was perhaps another gradient's. False where optimizers know no marks.
template <OptimizerLike O>
bool is_marked(O& optimizer, const void* data) {
  if constexpr (requires { optimizer.parameters(); }) {
    for (const Tensor& p : optimizer.parameters()) {
      const autograd::Leaf* const leaf = autograd::leaf_of(p);
      if (leaf != nullptr && leaf->grad.defined() && leaf->grad.raw_data() == data)
        return leaf->is_scaled;
    }
  }
  return false;
}

inline void unscale(const kernels::UnscaleArgs& args) {
  if (args.count == 0) return;
  kernels::dispatch<&kernels::Backend::unscale, kernels::host::unscale>(args.device, args);
}

/// The words that a step clips by: the norm, and its coefficient; the latter twice where the norm
/// is float64, since optimizers of one's own read a float32.
struct ClipWords {
  ClipWords(const GradientSpans& spans, Device device)
      : memory(empty({3}, {.dtype = norm_dtype(spans), .device = device})),
        norm(norm_word(memory)) {
    if (memory.dtype() == kFloat64) {
      coefficient_float64 = static_cast<double*>(memory.raw_data()) + 1;
      coefficient = reinterpret_cast<float*>(coefficient_float64 + 1);
    } else {
      coefficient = static_cast<float*>(memory.raw_data()) + 1;
    }
  }

  Tensor memory;  // begins with the norm
  kernels::NormWord norm;
  float* coefficient = nullptr;
  double* coefficient_float64 = nullptr;
};

/// Notes `norm` (undefined: not computed) as that of an optimizer's gradients as they are now. Null
/// where these are not tensors, or not unscaled.
template <OptimizerLike O>
std::unique_ptr<KnownNorm> note_norm(O& optimizer, const GradientSpans& spans, Tensor norm) {
  if constexpr (MarksGradients<O> && requires { optimizer.parameters(); }) {
    PoolVector<Tensor> gradients;
    for (const Tensor& p : optimizer.parameters()) {
      if (Tensor grad = p.grad(); grad.defined()) gradients.push_back(std::move(grad));
    }
    const bool same = std::equal(gradients.begin(), gradients.end(), spans.begin(), spans.end(),
                                 [](const Tensor& grad, const kernels::GradientSpan& span) {
                                   return grad.raw_data() == span.data &&
                                          grad.numel() == span.numel && !span.read_only;
                                 });
    if (same)
      return or_out_of_memory(
          [&] { return std::make_unique<KnownNorm>(gradients, std::move(norm)); });
  }
  return nullptr;
}

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The passes over an optimizer's gradients: collect and check them, unscale.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "amp/kernels/host/unscale.hpp"
#include "amp/optim/clip.hpp"
#include "amp/scaler/adapter.hpp"

namespace amp::inline v0::detail {

using GradientSpans = std::vector<kernels::GradientSpan>;

/// The gradients of an optimizer, all on `device` (any one device where that is unset). Throws,
/// naming `call`, where one cannot be used.
template <OptimizerLike O>
GradientSpans collect_gradients(std::string_view call, O& optimizer,
                                std::optional<Device>& device) {
  GradientSpans spans;
  std::int64_t index = 0;
  for (const TensorView& view : optimizer.gradients()) {
    AMP_CHECK(is_floating_point(view.dtype), call, ": gradient ", index, " ", view.name,
              " must be floating point, but is ", view.dtype);
    AMP_CHECK(view.numel >= 0 && (view.data != nullptr || view.numel == 0), call, ": gradient ",
              index, " ", view.name, " has ", view.numel, " elements, but no data");
    if (!device) device = view.device;
    AMP_CHECK(view.device == *device, call, ": gradient ", index, " ", view.name, " is on ",
              view.device, ", but must be on ", *device);
    spans.push_back({view.data, view.numel, view.dtype});
    ++index;
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

/// Notes in *found_inf whether any gradient is not finite, and with `write` multiplies all by
/// *inverse that are not read_only.
inline void unscale(Device device, std::span<const kernels::GradientSpan> gradients,
                    const float* inverse, float* found_inf, bool write,
                    kernels::KeptTable* table = nullptr) {
  if (gradients.empty()) return;
  const auto count = static_cast<std::int64_t>(gradients.size());
  kernels::dispatch<&kernels::Backend::unscale, kernels::host::unscale>(
      device, gradients[0].dtype,
      {device, gradients.data(), count, inverse, found_inf, write, table});
}

}  // namespace amp::inline v0::detail

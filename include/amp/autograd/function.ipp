// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/autograd/function.hpp"
#include "amp/core/error.hpp"

namespace amp::inline v0::autograd {

AMP_INLINE SavedTensor::SavedTensor(const Tensor& tensor) {
  if (!tensor.defined()) return;
  tensor_ = tensor.detach();
  version_ = tensor.version();
}

AMP_INLINE const Tensor& SavedTensor::get(std::string_view op) const {
  AMP_CHECK(!tensor_.defined() || tensor_.version() == version_, op,
            ": a tensor saved for backward, ", describe(tensor_),
            ", was modified in place after the forward pass (version ", tensor_.version(),
            ", saved at ", version_,
            "); clone() it before modifying it, or modify it after backward");
  return tensor_;
}

AMP_INLINE bool recording(std::span<const Tensor> inputs) {
  if (!is_grad_enabled()) return false;
  for (const Tensor& input : inputs) {
    if (requires_grad(input)) return true;
  }
  return false;
}

AMP_INLINE void detail::refuse_second(std::string_view name) {
  amp::detail::fail(
      name,
      ": backward through this graph a second time, but what it saved was freed by "
      "the first; run forward again, call backward once on the sum of the losses, or keep "
      "the graph: amp::grad has retain_graph");
}

}  // namespace amp::inline v0::autograd

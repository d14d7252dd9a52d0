// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What an op that ends in relu keeps for its derivative.
#pragma once

#include <string_view>

#include "amp/kernels/host/relu_mask.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0::detail {

/// Which elements relu let pass: on the host a bit each, which outlives the result; elsewhere the
/// result itself.
class ReluMask {
 public:
  /// Of no relu: all pass.
  ReluMask() = default;
  explicit ReluMask(const Tensor& output) {
    if (output.device().type != kCPU) {
      output_ = autograd::SavedTensor(output);
      return;
    }
    bits_ = empty({ceil_div(output.numel(), 8)}, {.dtype = kUInt8});
    if (output.numel() != 0)
      kernels::host::relu_mask(output.operand(), static_cast<std::uint8_t*>(bits_.raw_data()));
  }

  /// The gradient of what relu was given, dense; in the memory of `gradient` if nothing else holds
  /// that.
  Tensor apply(std::string_view op, const Tensor& gradient) const {
    if (const Tensor& output = output_.get(op); output.defined()) {
      return binary_kernel<&kernels::Backend::relu_backward, kernels::host::relu_backward>(
          gradient, output, gradient.shape(), gradient.dtype());
    }
    if (!bits_.defined() || gradient.numel() == 0) return dense(gradient);
    const bool in_place = gradient.unique() && gradient.is_contiguous();
    const Tensor from = dense(gradient), result = in_place ? gradient : empty_like(gradient);
    kernels::host::pass_relu_mask(
        from.operand(), static_cast<const std::uint8_t*>(bits_.raw_data()), result.operand());
    return result;
  }

 private:
  Tensor bits_;
  autograd::SavedTensor output_;
};

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mask that an op which ends in relu saves for its derivative.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autograd/function.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/elementwise/host/relu_mask.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/layout.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// The elements that relu let pass: on the host a bit each, so that the result need not be kept; on
/// other devices the result itself.
class ReluMask {
 public:
  /// Without relu: all elements pass.
  ReluMask() = default;
  explicit ReluMask(const Tensor& output) {
    if (output.device().type != kCPU) {
      output_ = autograd::SavedTensor(output);
      return;
    }
    bits_ = empty({ceil_div(output.numel(), 8)}, {.dtype = kUInt8});
    order_ = ActivationOrder::of(output);
    if (output.numel() != 0)
      kernels::host::relu_mask(order_.operand(output),
                               static_cast<std::uint8_t*>(bits_.raw_data()));
  }

  /// The gradient of the input of relu; in the memory of `gradient` if nothing else owns that.
  Tensor apply(std::string_view op, const Tensor& gradient) const {
    if (const Tensor& output = output_.get(op); output.defined()) {
      return run_binary(kernels::derivative<functions::Relu>, gradient, output, gradient.shape(),
                        gradient.dtype());
    }
    if (!bits_.defined() || gradient.numel() == 0) return gradient;
    const bool owned = gradient.unique();
    const Tensor from = order_.lay_out(gradient);
    // Beside elements that lie channels-last there may be a row-major copy, which would be stale.
    const bool has_copy = order_.is_channels_last() && from.impl().storage->has_row_major();
    const bool in_place = (owned || !from.is_same(gradient)) && !has_copy;
    const Tensor result = in_place ? from : order_.make(from.shape(), from.dtype(), from.device());
    kernels::host::pass_relu_mask(order_.operand(from),
                                  static_cast<const std::uint8_t*>(bits_.raw_data()),
                                  order_.operand(result));
    return result;
  }

 private:
  Tensor bits_;  // of the elements as they lie
  ActivationOrder order_{false};
  autograd::SavedTensor output_;
};

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of the elements of an op's activations [N, C, H, W], or of other dimensions.
#pragma once

#include <cstdint>

#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::detail {

/// The operand for activations [N, C, L], [N, C, H, W] or [N, C, D, H, W], or for weights, as
/// kernels take it: [N, C, 1, L], [N, C, H, W], or [N, C, D * H, W].
AMP_LAZY inline kernels::Operand as_images(kernels::Operand operand) {
  if (!operand.present || operand.dims == 4) return operand;
  std::int64_t *const sizes = operand.sizes, *const strides = operand.strides;
  if (operand.dims == 3) {
    sizes[3] = sizes[2];
    strides[3] = strides[2];
    sizes[2] = 1;
    strides[2] *= sizes[3];
  } else {
    sizes[2] *= sizes[3];
    strides[2] = strides[3];
    sizes[3] = sizes[4];
    strides[3] = strides[4];
  }
  operand.dims = 4;
  return operand;
}

/// One order for all activations of an op and of its backward pass: channels-last or row-major.
class ActivationOrder {
 public:
  explicit ActivationOrder(bool channels_last) : channels_last_(channels_last) {}
  /// The order of a tensor's elements. On the host, a view may have it by its strides: one of a
  /// tensor [N, H, W, C].
  static ActivationOrder of(const Tensor& tensor) {
    return ActivationOrder(lies_channels_last(tensor) ||
                           (tensor.device().type == kCPU && !tensor.is_contiguous() &&
                            kernels::lies_channels_last(tensor.operand())));
  }

  bool is_channels_last() const { return channels_last_; }
  /// An uninitialised tensor in this order.
  Tensor make(const Shape& shape, DType dtype, Device device) const {
    return channels_last_ ? make_channels_last(shape, dtype, device)
                          : make_tensor(shape, dtype, device);
  }
  /// The tensor itself if its elements lie in this order, else a copy. No history.
  Tensor lay_out(const Tensor& tensor) const {
    return channels_last_ ? channels_last(tensor) : dense(tensor);
  }
  /// The operand for a tensor in this order.
  kernels::Operand operand(const Tensor& tensor) const {
    return channels_last_ ? tensor.operand_as_laid_out() : tensor.operand();
  }

 private:
  bool channels_last_;
};

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/tensor/layout.hpp"

namespace amp::inline v0::detail {

AMP_INLINE kernels::Operand channels_last_operand(const Shape& shape, DType dtype, Device device) {
  kernels::Operand operand;
  operand.dtype = dtype;
  operand.device = device;
  operand.present = true;
  operand.dims = shape.dims();
  for (int d = 0; d < shape.dims(); ++d) operand.sizes[d] = shape[d];
  kernels::set_channels_last(operand);
  return operand;
}

AMP_INLINE Tensor make_channels_last(const Shape& shape, DType dtype, Device device) {
  if (is_channels_last_anyway(shape)) return make_tensor(shape, dtype, device);
  (void)byte_count(shape, dtype);  // throws if there are too many
  auto storage = make_ref<Storage>(channels_last_operand(shape, dtype, device));
  return Tensor(
      make_ref<TensorImpl>(std::move(storage), shape, contiguous_strides(shape), 0, dtype));
}

AMP_INLINE Tensor empty_as_laid_out(const Tensor& tensor, DType dtype) {
  return lies_channels_last(tensor) ? make_channels_last(tensor.shape(), dtype, tensor.device())
                                    : make_tensor(tensor.shape(), dtype, tensor.device());
}

AMP_INLINE Tensor copy_as_laid_out(const Tensor& tensor, DType dtype) {
  const Tensor copy = empty_as_laid_out(tensor, dtype);
  copy_elements(tensor.operand_as_laid_out(), copy.operand_as_laid_out());
  return copy;
}

AMP_INLINE Tensor channels_last(const Tensor& tensor) {
  if (lies_channels_last(tensor) ||
      (is_channels_last_anyway(tensor.shape()) && tensor.is_contiguous()))
    return tensor;
  const Tensor copy = make_channels_last(tensor.shape(), tensor.dtype(), tensor.device());
  copy_elements(tensor.operand(), copy.operand_as_laid_out());
  return copy;
}

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors whose elements lie channels-last: the channels of a pixel side by side, as convolutions
// read them best. Ops that have a kernel for it keep to the order of their inputs; to everything
// else these tensors are row-major (tensor/storage.hpp).
#pragma once

#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

/// What kernels would see of such a tensor [N, C, H, W], without memory.
inline kernels::Operand channels_last_operand(const Shape& shape, DType dtype, Device device) {
  kernels::Operand operand;
  operand.dtype = dtype;
  operand.device = device;
  operand.present = true;
  operand.dims = shape.dims();
  for (int d = 0; d < shape.dims(); ++d) operand.sizes[d] = shape[d];
  kernels::set_channels_last(operand);
  return operand;
}

/// Uninitialised, [N, C, H, W], its elements in the order N, H, W, C. To be written through
/// operand_as_laid_out() before anything else sees it.
inline Tensor make_channels_last(const Shape& shape, DType dtype, Device device) {
  if (is_channels_last_anyway(shape)) return make_tensor(shape, dtype, device);
  (void)byte_count(shape, dtype);  // throws where there are too many
  auto storage = make_ref<Storage>(channels_last_operand(shape, dtype, device));
  return Tensor(
      make_ref<TensorImpl>(std::move(storage), shape, contiguous_strides(shape), 0, dtype));
}

/// Uninitialised, of the shape of `tensor` and in the order of its elements; row-major if the
/// tensor is a view with other strides. To be written as above.
inline Tensor empty_as_laid_out(const Tensor& tensor, DType dtype) {
  return lies_channels_last(tensor) ? make_channels_last(tensor.shape(), dtype, tensor.device())
                                    : make_tensor(tensor.shape(), dtype, tensor.device());
}

/// A copy in another dtype, laid out as the tensor. No history.
inline Tensor copy_as_laid_out(const Tensor& tensor, DType dtype) {
  const Tensor copy = empty_as_laid_out(tensor, dtype);
  copy_elements(tensor.operand_as_laid_out(), copy.operand_as_laid_out());
  return copy;
}

/// The tensor itself where its elements lie channels-last, else a copy that does. No history.
inline Tensor channels_last(const Tensor& tensor) {
  if (lies_channels_last(tensor) ||
      (is_channels_last_anyway(tensor.shape()) && tensor.is_contiguous()))
    return tensor;
  const Tensor copy = make_channels_last(tensor.shape(), tensor.dtype(), tensor.device());
  copy_elements(tensor.operand(), copy.operand_as_laid_out());
  return copy;
}

}  // namespace amp::inline v0::detail

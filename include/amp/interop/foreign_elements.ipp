// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/interop/foreign_elements.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/blob.hpp"

namespace amp::inline v0 {

AMP_COLD Tensor detail::tensor_over_elements(std::string_view call, void* data, DType dtype,
                                             const Shape& shape, const Strides& strides,
                                             const TensorOptions& options) {
  AMP_CHECK(options.dtype.value_or(dtype) == dtype, call, ": the elements are ", dtype,
            ", but `options.dtype` is ", *options.dtype,
            "; leave it unset, and convert the tensor with to()");
  TensorOptions of_elements = options;
  of_elements.dtype = dtype;
  return tensor_over(call, data, shape, strides, nullptr, of_elements);
}

}  // namespace amp::inline v0

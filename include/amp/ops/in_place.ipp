// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <initializer_list>
#include <string_view>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/shape.hpp"

namespace amp::inline v0::detail {

AMP_INLINE void check_writable(std::string_view op, const Tensor& tensor) {
  (void)tensor.impl(op);  // throws if it is undefined
  autograd::check_in_place(op, tensor);
  for (int d = 0; d < tensor.dim(); ++d) {
    AMP_CHECK(tensor.strides()[d] != 0 || tensor.shape()[d] <= 1, op, ": elements of the tensor ",
              describe(tensor), " share memory, as expand makes them; clone() it first");
  }
}

AMP_LAZY_DEFINITION void check_result(std::string_view op, const Tensor& tensor, const Shape& shape,
                                      DType dtype) {
  AMP_CHECK(shape == tensor.shape(), op, ": the result has the shape ", shape,
            ", which cannot be written to ", describe(tensor));
  const bool holds = is_floating_point(tensor.dtype()) || dtype == kBool ||
                     (!is_floating_point(dtype) && tensor.dtype() != kBool);
  AMP_CHECK(holds, op, ": the result is ", dtype, ", which cannot be written to ", describe(tensor),
            "; convert the tensor with to()");
}

AMP_LAZY_DEFINITION bool overlap(const Tensor& tensor, const Tensor& other) {
  return other.impl().storage->may_overlap(*tensor.impl().storage);
}

AMP_LAZY_DEFINITION Tensor begin_write(const Tensor& tensor) {
  Storage& storage = *tensor.impl().storage;
  const bool replays = storage.device().type != kCPU && Capture::current() != nullptr;
  if (lies_channels_last(tensor) && !storage.has_row_major() && !replays) {
    storage.bump_version_as_laid_out();
  } else {
    storage.bump_version();
  }
  return tensor.detach();
}

AMP_INLINE const Tensor& write(std::string_view op, const Tensor& tensor, const Tensor& value) {
  check_writable(op, tensor);
  Tensor source = value;
  if (source.impl().storage->may_overlap(*tensor.impl().storage)) source = source.clone();
  source = expand(source, tensor.shape());
  if (autograd::recording(source)) source = source.to(tensor.dtype());
  tensor.impl().storage->bump_version();
  autograd::WrittenHistory history(op, tensor, source);
  copy_elements(source, tensor);
  history.commit();
  return tensor;
}

AMP_LAZY_DEFINITION Tensor before_write(std::string_view op, const Tensor& tensor,
                                        std::initializer_list<const Tensor*> others) {
  check_writable(op, tensor);
  bool records = autograd::recording(tensor);
  for (const Tensor* other : others) {
    if (other->defined()) records = records || autograd::recording(*other);
  }
  return records && is_floating_point(tensor.dtype()) ? tensor.clone() : tensor.detach();
}

}  // namespace amp::inline v0::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The parts of ops that write in place. Such an op computes as the one that returns a new tensor,
// without the casts of autocast, as in torch; the result is converted to the dtype of the tensor.
// It must have the shape of the tensor, and no higher category: bool, integers, floating point.
#pragma once

#include <initializer_list>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/view.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// Throws if the tensor cannot be written in place: its elements share memory, or gradients forbid
/// it (autograd::check_in_place).
void check_writable(std::string_view op, const Tensor& tensor);

/// Throws if a result of this shape and dtype cannot be written to the tensor.
AMP_LAZY void check_result(std::string_view op, const Tensor& tensor, const Shape& shape,
                           DType dtype);

/// Whether a write to the tensor may be one to `other`.
AMP_LAZY bool overlap(const Tensor& tensor, const Tensor& other);

/// Writes `value`, on the device of the tensor, to which it broadcasts; of any dtype. Returns the
/// tensor, whose history becomes that of the value.
const Tensor& write(std::string_view op, const Tensor& tensor, const Tensor& value);

/// Raises the version, and returns a tensor over the same memory, without history. Elements that
/// lie channels-last stay so if nothing has asked for them in row-major order.
AMP_LAZY Tensor begin_write(const Tensor& tensor);

/// Calls kernel(value), which writes all elements of the tensor: `value` has its memory, and the
/// history of what is written to it.
template <class Kernel>
const Tensor& overwrite(std::string_view op, const Tensor& tensor, const Tensor& value,
                        const Kernel& kernel) {
  autograd::WrittenHistory history(op, tensor, value);
  kernel(value);
  history.commit();
  return tensor;
}
/// The same for values without history, which the kernel writes in row-major order.
template <class Kernel>
const Tensor& overwrite(std::string_view op, const Tensor& tensor, const Kernel& kernel) {
  check_writable(op, tensor);
  tensor.impl().storage->bump_version();
  return overwrite(op, tensor, tensor.detach(), kernel);
}

/// The tensor before a write: with its history, and in memory of its own if `others` or it have
/// one, so that the op may save it.
AMP_LAZY Tensor before_write(std::string_view op, const Tensor& tensor,
                             std::initializer_list<const Tensor*> others);

/// Writes function(tensor) to the tensor. `others` are the other operands.
template <class Function>
const Tensor& in_place(std::string_view op, const Tensor& tensor,
                       std::initializer_list<const Tensor*> others, const Function& function) {
  const Tensor before = before_write(op, tensor, others);
  const autocasting::NoCasts no_casts;
  const Tensor result = function(before);
  check_result(op, tensor, result.shape(), result.dtype());
  return write(op, tensor, result);
}

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/in_place.ipp"
#endif

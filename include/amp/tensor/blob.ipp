// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/device/memory.hpp"
#include "amp/tensor/blob.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The strides of elements, checked. A stride along whose dimension there is no second element does
/// not matter: it becomes that of row-major order, as BLAS expects.
AMP_COLD Strides checked_strides(std::string_view call, const Shape& shape,
                                 const Strides& strides) {
  AMP_CHECK(strides.dims() == shape.dims(), call, ": `strides` has ", strides.dims(),
            " numbers, but `shape` ", shape, " has ", shape.dims(), " dimensions");
  Strides checked = contiguous_strides(shape);
  if (shape.numel() == 0) return checked;
  for (int d = 0; d < shape.dims(); ++d) {
    if (shape[d] == 1) continue;
    AMP_CHECK(strides[d] >= 0, call, ": `strides` must not be negative, but is ", strides,
              "; copy the elements first");
    checked[d] = strides[d];
  }
  return checked;
}

/// The bytes from the first to the last element, both included. Throws if 63 bits do not count
/// them.
AMP_COLD std::int64_t span_in_bytes(std::string_view call, const Shape& shape,
                                    const Strides& strides, DType dtype) {
  if (shape.numel() == 0) return 0;
  std::int64_t bytes = 1;
  bool overflow = false;
  for (int d = 0; d < shape.dims(); ++d) {
    std::int64_t length = 0;
    overflow = overflow || __builtin_mul_overflow(shape[d] - 1, strides[d], &length) ||
               __builtin_add_overflow(bytes, length, &bytes);
  }
  overflow = overflow || __builtin_mul_overflow(bytes, item_size(dtype), &bytes);
  AMP_CHECK(!overflow, call, ": ", shape, " elements of ", dtype, " with `strides` ", strides,
            " are more bytes than 63 bits count");
  return bytes;
}

AMP_COLD Tensor over_memory(std::string_view call, void* data, const Shape& shape,
                            const Strides& strides, std::int64_t bytes, Ref<RefCounted> keeper,
                            const TensorOptions& options) {
  const DType dtype = options.dtype.value_or(kFloat32);
  AMP_CHECK(data != nullptr || shape.numel() == 0, call, ": `data` is null, but `shape` ", shape,
            " has ", shape.numel(), " elements");
  const auto beyond = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(data) %
                                                static_cast<std::uintptr_t>(item_size(dtype)));
  AMP_CHECK(beyond == 0, call, ": `data` must be at a multiple of the ", item_size(dtype),
            " bytes of ", dtype, ", but is ", beyond, " bytes beyond one");
  if (options.device.type != kCPU) (void)device_memory(options.device);  // throws without a backend
  auto storage = make_ref<Storage>(options.device, data, bytes, std::move(keeper));
  Tensor tensor(make_ref<TensorImpl>(std::move(storage), shape, strides, 0, dtype));
  if (options.requires_grad) tensor.requires_grad_();
  return tensor;
}

AMP_COLD Tensor tensor_over(std::string_view call, void* data, const Shape& shape,
                            const Strides& strides, Ref<RefCounted> keeper,
                            const TensorOptions& options) {
  const Strides checked = checked_strides(call, shape, strides);
  const std::int64_t bytes = span_in_bytes(call, shape, checked, options.dtype.value_or(kFloat32));
  return over_memory(call, data, shape, checked, bytes, std::move(keeper), options);
}

}  // namespace detail

AMP_COLD Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options) {
  const std::int64_t bytes = detail::byte_count(shape, options.dtype.value_or(kFloat32));
  return detail::over_memory("from_blob", data, shape, contiguous_strides(shape), bytes, {},
                             options);
}

}  // namespace amp::inline v0

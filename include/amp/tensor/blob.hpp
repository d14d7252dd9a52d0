// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors over memory that amp did not allocate.
#pragma once

#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

#include "amp/core/error.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/shape.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// A tensor over memory of the caller's: row-major elements on options.device. Nothing is copied.
/// The memory must outlive the tensor and every view of it. amp does not see writes to it that do
/// not go through the tensor: see Tensor::mark_modified.
///
/// Throws amp::Error if `data` is null though there are elements, if it is not at a multiple of the
/// element's size, and if the device cannot be used. Does not synchronise.
[[nodiscard]] Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options = {});

/// What from_blob calls to give memory back. It may be null if there is nothing to do: nullptr, a
/// null function pointer, or an empty std::function.
template <class D>
concept BlobDeleter = std::invocable<D&, void*> || std::same_as<D, std::nullptr_t>;

namespace detail {

/// Calls deleter(data) when it is destroyed, once it is armed.
template <class Deleter>
class BlobKeeper final : public RefCounted {
 public:
  BlobKeeper(void* data, Deleter deleter) : data_(data), deleter_(std::move(deleter)) {}
  void arm() { armed_ = true; }

 private:
  ~BlobKeeper() override {
    if (armed_) deleter_(data_);
  }

  void* data_;
  Deleter deleter_;
  bool armed_ = false;
};

Tensor tensor_over(std::string_view call, void* data, const Shape& shape, const Strides& strides,
                   Ref<RefCounted> keeper, const TensorOptions& options);

template <class Deleter>
bool is_null(const Deleter& deleter) {
  if constexpr (std::is_pointer_v<Deleter>)
    return deleter == nullptr;
  else if constexpr (requires { deleter.operator bool(); })
    return !deleter;
  else
    return false;
}

/// What from_blob does, in the name of `call`.
template <BlobDeleter Deleter>
Tensor tensor_over(std::string_view call, void* data, const Shape& shape, const Strides& strides,
                   Deleter deleter, const TensorOptions& options) {
  if constexpr (std::is_null_pointer_v<Deleter>) {
    return tensor_over(call, data, shape, strides, {}, options);
  } else {
    Ref<BlobKeeper<Deleter>> keeper;
    if (!is_null(deleter))
      keeper =
          or_out_of_memory([&] { return make_ref<BlobKeeper<Deleter>>(data, std::move(deleter)); });
    Tensor tensor = tensor_over(call, data, shape, strides, keeper, options);
    if (keeper) keeper->arm();
    return tensor;
  }
}

}  // namespace detail

/// A tensor over memory whose elements lie as `strides` says, and which is given back: element
/// (i, j, ...) is `data[i * strides[0] + j * strides[1] + ...]`, and `deleter(data)` is called when
/// the last tensor over the memory is gone, in the thread in which that happens. It must not throw.
///
/// A stride of 0 repeats elements; the result of a write to elements that share memory is
/// undefined. Optimizers take only row-major parameters. Throws amp::Error, without having called
/// `deleter`, for negative strides, and as from_blob without strides does.
///
/// ```cpp
/// float* const columns = new float[6]{1, 2, 3, 4, 5, 6};  // column-major, 2 rows
/// const amp::Tensor x = amp::from_blob(columns, {2, 3}, {1, 2}, [=](void*) { delete[] columns; });
/// assert((x.to_vector<float>() == std::vector<float>{1, 3, 5, 2, 4, 6}));
/// ```
template <BlobDeleter Deleter>
[[nodiscard]] Tensor from_blob(void* data, const Shape& shape, const Strides& strides,
                               Deleter deleter, const TensorOptions& options = {}) {
  return detail::tensor_over("from_blob", data, shape, strides, std::move(deleter), options);
}

/// The same for row-major elements.
template <BlobDeleter Deleter>
[[nodiscard]] Tensor from_blob(void* data, const Shape& shape, Deleter deleter,
                               const TensorOptions& options = {}) {
  return from_blob(data, shape, contiguous_strides(shape), std::move(deleter), options);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/blob.ipp"
#endif

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

/// A tensor over memory of the caller's, row-major on options.device, which must outlive it and
/// every view of it. amp cannot see writes to it: see Tensor::mark_modified.
///
/// Throws amp::Error if `data` is null though there are elements, and if it is not at a multiple of
/// the element's size. Nothing is copied. Does not synchronise.
[[nodiscard]] Tensor from_blob(void* data, const Shape& shape, const TensorOptions& options = {});

/// What from_blob calls to give memory back, or nullptr if there is nothing to do.
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

/// What from_blob does, in the name of `call`.
template <BlobDeleter Deleter>
Tensor tensor_over(std::string_view call, void* data, const Shape& shape, const Strides& strides,
                   Deleter deleter, const TensorOptions& options) {
  if constexpr (std::is_same_v<Deleter, std::nullptr_t>) {
    return tensor_over(call, data, shape, strides, {}, options);
  } else {
    const auto keeper =
        or_out_of_memory([&] { return make_ref<BlobKeeper<Deleter>>(data, std::move(deleter)); });
    Tensor tensor = tensor_over(call, data, shape, strides, keeper, options);
    keeper->arm();
    return tensor;
  }
}

}  // namespace detail

/// The same for elements that lie otherwise than row-major, and for memory that is given back:
/// element (i, j, ...) is `data[i * strides[0] + j * strides[1] + ...]`, and `deleter(data)` is
/// called when the last tensor over the memory is gone, in the thread in which that happens. It
/// must not throw.
///
/// A stride of 0 repeats elements; the result of a write to elements that share memory is
/// undefined. Throws amp::Error, without having called `deleter`, for negative strides, and as
/// above.
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

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/blob.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Views, and what a write in place does to history. A view knows its base, the tensor whose memory
// it shows, and a write to either changes the history of both, as in torch: after it, the base is
// its old self with a part replaced, and a view is a part of that. The other views of the base
// follow when their history is next asked for.
#pragma once

#include <cstdint>
#include <string_view>

#include "amp/autograd/function.hpp"
#include "amp/core/refcount.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::autograd {

/// A view of `base`, whose history the caller records.
Tensor view_of(const Tensor& base, const Shape& shape, const Strides& strides, std::int64_t offset);

/// Records that `view` sees the elements of `base` which lie at these strides and this offset if
/// the base is row-major. Its gradient may pass in any dtype that the base accepts.
void record_view(std::string_view name, const Tensor& view, const Tensor& base,
                 const Strides& strides, std::int64_t offset);

/// Another handle to the memory of the tensor, with the history that it has now.
Tensor second_handle(const Tensor& tensor);

/// Throws if a write in place would falsify recorded history: to a leaf that requires gradients,
/// or a view of it.
void check_in_place(std::string_view op, const Tensor& tensor);

/// What a write changes beside memory. It is made before the write, because it may run out of
/// memory, and committed after it.
class WrittenHistory {
 public:
  /// For a write of `value`, of the same shape and dtype, to `tensor`.
  WrittenHistory(std::string_view op, const Tensor& tensor, const Tensor& value);
  /// Gives the tensor, and the base if it is a view, the new history.
  void commit() noexcept;

 private:
  Tensor tensor_, base_;  // undefined: nothing to record; no base
  Ref<RefCounted> history_, base_history_;
};

}  // namespace amp::inline v0::autograd

#if AMP_HEADER_ONLY
#include "amp/autograd/view.ipp"
#endif

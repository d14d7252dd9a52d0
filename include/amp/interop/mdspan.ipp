// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "amp/core/error.hpp"
#include "amp/interop/mdspan.hpp"

namespace amp::inline v0 {
namespace detail {

/// Returns the strides of a tensor with elements, as std::layout_stride requires them: a dimension
/// with a smaller stride than another must end before the other's first step. The stride of a
/// dimension of one element is never used; it is replaced by one that fits.
AMP_COLD Strides nested_strides(const Tensor& tensor) {
  const Shape& shape = tensor.shape();
  Strides strides = tensor.strides();
  std::int64_t end = 1;  // of all dimensions
  for (int a = 0; a < shape.dims(); ++a) {
    if (shape[a] == 1) continue;
    AMP_CHECK(strides[a] > 0, "to_mdspan: elements of the tensor ", describe(tensor),
              " with strides ", tensor.strides(), " share memory; make a copy with clone()");
    for (int b = 0; b < shape.dims(); ++b) {
      if (a == b || shape[b] == 1) continue;
      const bool a_within_b = strides[a] <= strides[b] / shape[a];
      const bool b_within_a = strides[b] <= strides[a] / shape[b];
      AMP_CHECK(a_within_b || b_within_a, "to_mdspan: elements of the tensor ", describe(tensor),
                " with strides ", tensor.strides(),
                " share memory or interleave; make a copy with clone()");
    }
    std::int64_t length = 0;
    const bool overflow = __builtin_mul_overflow(strides[a], shape[a], &length);
    end = (std::max)(end, overflow ? INT64_MAX : length);
  }
  for (int d = 0; d < shape.dims(); ++d) {
    if (shape[d] == 1) strides[d] = end;
  }
  return strides;
}

AMP_COLD Strides strides_for_mdspan(const Tensor& tensor, DType dtype,
                                    std::span<const std::int64_t> static_extents,
                                    std::uint64_t largest_index) {
  const TensorImpl& t = tensor.impl("to_mdspan");
  AMP_CHECK(t.dtype == dtype, "to_mdspan: the mdspan's elements are ", dtype,
            ", but the tensor is ", describe(tensor), "; ask for that type or convert with to()");
  AMP_CHECK(static_extents.size() == static_cast<std::size_t>(t.shape.dims()),
            "to_mdspan: the mdspan has ", static_extents.size(), " dimensions, but the tensor is ",
            describe(tensor));
  const Strides strides =
      t.shape.numel() == 0 ? contiguous_strides(t.shape) : nested_strides(tensor);
  std::uint64_t span = 1;  // from the first to the last element
  for (int d = 0; d < t.shape.dims(); ++d) {
    const std::int64_t extent = static_extents[static_cast<std::size_t>(d)];
    AMP_CHECK(extent == -1 || extent == t.shape[d], "to_mdspan: the static extent ", d,
              " of the mdspan is ", extent, ", but the tensor is ", describe(tensor));
    if (t.shape.numel() > 0)
      span += static_cast<std::uint64_t>(t.shape[d] - 1) * static_cast<std::uint64_t>(strides[d]);
  }
  std::uint64_t largest = span;
  for (int d = 0; d < t.shape.dims(); ++d)
    largest = (std::max)(
        {largest, static_cast<std::uint64_t>(t.shape[d]), static_cast<std::uint64_t>(strides[d])});
  AMP_CHECK(largest <= largest_index, "to_mdspan: the mdspan's index_type counts to ",
            largest_index, ", but the tensor ", describe(tensor), " with strides ", strides,
            " needs ", largest, "; use a wider index_type");
  return strides;
}

AMP_COLD void check_layout_of_mdspan(const Tensor& tensor, const Strides& strides,
                                     const Strides& strides_of_layout) {
  const Shape& shape = tensor.shape();
  if (shape.numel() == 0) return;
  for (int d = 0; d < shape.dims(); ++d) {
    AMP_CHECK(shape[d] == 1 || strides[d] == strides_of_layout[d],
              "to_mdspan: the mdspan's layout has the strides ", strides_of_layout,
              ", but the tensor ", describe(tensor), " has ", tensor.strides(),
              "; use std::layout_stride, or pass contiguous() if the layout is layout_right");
  }
}

}  // namespace detail
}  // namespace amp::inline v0

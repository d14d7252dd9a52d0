// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Views and copies of one tensor's elements. A view shares memory and version with its base; its
// backward moves the elements back.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <utility>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/autograd/view.hpp"
#include "amp/tensor/layout.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::detail {

/// The tensor itself if its elements lie row-major, else a dense copy. No history.
Tensor dense(const Tensor& tensor);

/// Records an op that only moves elements, as its backward function does: the gradient may pass in
/// any dtype that the input accepts.
template <class Backward>
void record_move(std::string_view name, const Tensor& output, Backward backward,
                 const Tensor& input) {
  autograd::record(name, output, std::move(backward), input);
  autograd::node_of(output)->want_gradient_in(autograd::gradient_dtype(input));
}

Tensor permute(const Tensor& input, std::span<const std::int64_t> dims);
Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1);
Tensor contiguous(const Tensor& input);
/// The tensor itself, with the strides it has, if it has the shape already; else contiguous.
Tensor reshape(const Tensor& input, const Shape& shape);
/// The elements in another shape: a view if strides can show them, else a copy.
Tensor reshape_or_view(const Tensor& input, const Shape& shape);
Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start, std::int64_t length);

/// The backward function of broadcasting: sums `grad` over the dimensions in which `shape` has
/// extent 1 or none, rounding once to `dtype`.
Tensor sum_to(const Tensor& grad, const Shape& shape, DType dtype);

/// Broadcasts without copying: the strides of broadcast dimensions are 0.
Tensor expand(const Tensor& input, const Shape& shape);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/ops/shape.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/function_dispatch.hpp"
#include "amp/kernels/reduce/host.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::detail {

AMP_INLINE Tensor dense(const Tensor& tensor) {
  if (tensor.is_contiguous()) return tensor;
  const Tensor copy = empty_like(tensor);
  copy_elements(tensor, copy);
  return copy;
}

AMP_INLINE Tensor permute(const Tensor& input, std::span<const std::int64_t> dims) {
  const int n = input.dim();
  AMP_CHECK(static_cast<int>(dims.size()) == n, "permute: `dims` must name each of the ", n,
            " dimensions of ", describe(input), " once, but has ", dims.size());
  Shape shape = input.shape();
  Strides strides = input.strides();
  Strides inverse = input.strides();
  unsigned seen = 0;
  for (int d = 0; d < n; ++d) {
    const int from = wrap_dim("permute", dims[static_cast<std::size_t>(d)], n, "dims");
    AMP_CHECK((seen >> from & 1u) == 0, "permute: `dims` names dimension ", from, " twice");
    seen |= 1u << from;
    shape[d] = input.shape()[from];
    strides[d] = input.strides()[from];
    inverse[from] = d;
  }
  const Tensor output = autograd::view_of(input, shape, strides, input.impl().offset);
  if (autograd::recording(input)) {
    record_move(
        "permute", output,
        [inverse](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {permute(grad, inverse.span())};
        },
        input);
  }
  return output;
}

AMP_INLINE Tensor transpose(const Tensor& input, std::int64_t dim0, std::int64_t dim1) {
  const int a = wrap_dim("transpose", dim0, input.dim(), "dim0"),
            b = wrap_dim("transpose", dim1, input.dim(), "dim1");
  if (input.dim() == 0) return input;
  Shape order = input.shape();
  for (int d = 0; d < input.dim(); ++d) order[d] = d == a ? b : d == b ? a : d;
  return permute(input, order.span());
}

AMP_INLINE Tensor contiguous(const Tensor& input) {
  if (input.is_contiguous()) return input;
  const Tensor output = dense(input);
  if (autograd::recording(input)) {
    record_move(
        "contiguous", output,
        [](const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {grad};
        },
        input);
  }
  return output;
}

AMP_INLINE Tensor reshape(const Tensor& input, const Shape& shape) {
  if (shape == input.shape()) return input;
  const Tensor base = contiguous(input);
  const Tensor output =
      autograd::view_of(base, shape, contiguous_strides(shape), base.impl().offset);
  if (autograd::recording(base)) {
    record_move(
        "reshape", output,
        [from = base.shape()](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {reshape(grad, from)}; },
        base);
  }
  return output;
}

AMP_INLINE Tensor reshape_or_view(const Tensor& input, const Shape& shape) {
  const std::optional<Strides> strides = view_strides(input.shape(), input.strides(), shape);
  if (!strides || shape == input.shape()) return reshape(input, shape);
  const Tensor output = autograd::view_of(input, shape, *strides, input.impl().offset);
  if (autograd::recording(input)) {
    record_move(
        "reshape", output,
        [from = input.shape()](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {reshape(grad, from)}; },
        input);
  }
  return output;
}

AMP_INLINE Tensor narrow(const Tensor& input, std::int64_t dim, std::int64_t start,
                         std::int64_t length) {
  const int d = wrap_dim("narrow", dim, input.dim());
  AMP_CHECK(input.dim() > 0, "narrow: a 0-dimensional tensor has no dimension to narrow");
  const std::int64_t extent = input.shape()[d];
  AMP_CHECK(start >= 0 && length >= 0 && start <= extent && length <= extent - start,
            "narrow: `start` ", start, " and `length` ", length, " must lie within dimension ", d,
            " of ", describe(input));
  Shape shape = input.shape();
  shape[d] = length;
  const Tensor output = autograd::view_of(input, shape, input.strides(),
                                          input.impl().offset + start * input.strides()[d]);
  if (autograd::recording(input)) {
    const Strides steps = contiguous_strides(input.shape());
    autograd::record_view("narrow", output, input, steps, start * steps[d]);
  }
  return output;
}

AMP_INLINE Tensor sum_to(const Tensor& grad, const Shape& shape, DType dtype) {
  if (grad.shape() == shape) return autocasting::convert_dtype(grad, dtype);
  Shape kept = grad.shape();
  const int lead = grad.dim() - shape.dims();
  for (int d = 0; d < grad.dim(); ++d) kept[d] = d < lead ? 1 : shape[d - lead];
  const Tensor result = empty(kept, {.dtype = dtype, .device = grad.device()});
  const kernels::ReduceArgs args{.input = grad.operand(), .output = result.operand(), .scale = 1};
  kernels::sum(grad.device(), args);
  return result.alias(shape, contiguous_strides(shape), 0);
}

AMP_INLINE Tensor expand(const Tensor& input, const Shape& shape) {
  AMP_CHECK(broadcast_shapes("expand", input.shape(), shape, "this", "shape") == shape,
            "expand: ", describe(input), " does not broadcast to `shape` ", shape);
  const int lead = shape.dims() - input.dim();
  Strides strides(shape);
  for (int d = 0; d < shape.dims(); ++d) {
    const bool own = d >= lead && input.shape()[d - lead] != 1;
    strides[d] = own ? input.strides()[d - lead] : 0;
  }
  const Tensor output = autograd::view_of(input, shape, strides, input.impl().offset);
  if (autograd::recording(input)) {
    record_move(
        "expand", output,
        [from = input.shape()](const Tensor& grad, const autograd::Needs<1>&)
            -> autograd::Gradients<1> { return {sum_to(grad, from, grad.dtype())}; },
        input);
  }
  return output;
}

}  // namespace amp::inline v0::detail

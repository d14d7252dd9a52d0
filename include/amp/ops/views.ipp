// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "amp/autograd/function.hpp"
#include "amp/core/math.hpp"
#include "amp/ops/shape.hpp"
#include "amp/ops/views.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor Tensor::expand_as(const Tensor& other) const {
  check_defined("expand_as");
  detail::check_defined("expand_as", "other", other);
  return detail::expand(*this, other.shape());
}
AMP_LAZY_DEFINITION Tensor Tensor::view_as(const Tensor& other) const {
  check_defined("view_as");
  detail::check_defined("view_as", "other", other);
  return view(other.shape());
}
AMP_LAZY_DEFINITION Tensor Tensor::broadcast_to(const Shape& shape) const {
  check_defined("broadcast_to");
  return detail::expand(*this, shape);
}

namespace detail {

/// An index of a slice, clamped as Python's.
AMP_LAZY std::int64_t clamped_index(std::int64_t index, std::int64_t extent) {
  return (std::clamp)(index < 0 ? index + extent : index, std::int64_t{0}, extent);
}
/// Slice i along `dim` is slice start + i step of the input.
AMP_LAZY Tensor slice(const Tensor& input, int dim, std::int64_t start, std::int64_t end,
                      std::int64_t step) {
  Shape shape = input.shape();
  shape[dim] = end > start ? ceil_div(end - start, step) : 0;
  Strides strides = input.strides(), within = contiguous_strides(input.shape());
  const Tensor output = autograd::view_of(
      input, shape,
      [&] {
        Strides own = strides;
        if (shape[dim] > 1) own[dim] *= step;
        return own;
      }(),
      input.impl().offset + start * strides[dim]);
  if (autograd::recording(input)) {
    const std::int64_t offset = start * within[dim];
    if (shape[dim] > 1) within[dim] *= step;
    autograd::record_view("slice", output, input, within, offset);
  }
  return output;
}

/// The dimension along which a tensor is cut.
AMP_LAZY int cut_dim(std::string_view op, const Tensor& input, std::int64_t dim) {
  const int d = wrap_dim(op, dim, input.dim());
  AMP_CHECK(input.dim() > 0, op, ": a 0-dimensional tensor has no dimension to cut");
  return d;
}
/// Views of this length along `dim`, of which the last is cut off; at least one.
AMP_LAZY std::vector<Tensor> cut_evenly(const Tensor& input, int dim, std::int64_t length) {
  const std::int64_t extent = input.shape()[dim];
  std::vector<Tensor> parts;
  for (std::int64_t start = 0; start < extent || start == 0; start += length) {
    parts.push_back(narrow(input, dim, start, (std::min)(length, extent - start)));
    if (length == 0) break;
  }
  return parts;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor Tensor::slice(std::int64_t dim, std::optional<std::int64_t> start,
                                         std::optional<std::int64_t> end, std::int64_t step) const {
  check_defined("slice");
  const int d = detail::cut_dim("slice", *this, dim);
  AMP_CHECK(step > 0, "slice: `step` must be positive, but is ", step, "; flip() the tensor first");
  const std::int64_t extent = shape()[d];
  return detail::slice(*this, d, detail::clamped_index(start.value_or(0), extent),
                       detail::clamped_index(end.value_or(extent), extent), step);
}

AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::chunk(std::int64_t chunks, std::int64_t dim) const {
  check_defined("chunk");
  const int d = detail::cut_dim("chunk", *this, dim);
  AMP_CHECK(chunks > 0, "chunk: `chunks` must be positive, but is ", chunks);
  const std::int64_t extent = shape()[d];
  if (extent == 0)  // as torch, so that a fixed number of parts can be taken apart
    return std::vector<Tensor>(static_cast<std::size_t>(chunks), detail::narrow(*this, d, 0, 0));
  return detail::cut_evenly(*this, d, ceil_div(extent, chunks));
}

AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::split(std::int64_t split_size,
                                                      std::int64_t dim) const {
  check_defined("split");
  const int d = detail::cut_dim("split", *this, dim);
  AMP_CHECK(split_size > 0 || (split_size == 0 && shape()[d] == 0),
            "split: `split_size` must be positive, but is ", split_size);
  return detail::cut_evenly(*this, d, split_size);
}
AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::split(std::span<const std::int64_t> split_sizes,
                                                      std::int64_t dim) const {
  check_defined("split");
  const int d = detail::cut_dim("split", *this, dim);
  std::int64_t left = shape()[d];
  for (const std::int64_t size : split_sizes) {
    AMP_CHECK(size >= 0 && size <= left, "split: `split_sizes` must be at least 0 and add up to ",
              shape()[d], ", the extent of dimension ", d, " of ", describe(*this),
              ", but one of them is ", size, " and ", left, " are left");
    left -= size;
  }
  AMP_CHECK(left == 0, "split: `split_sizes` must add up to ", shape()[d],
            ", the extent of dimension ", d, " of ", describe(*this), ", but leave ", left);
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : split_sizes) {
    parts.push_back(detail::narrow(*this, d, start, size));
    start += size;
  }
  return parts;
}
AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::split(
    std::initializer_list<std::int64_t> split_sizes, std::int64_t dim) const {
  return split(std::span(split_sizes.begin(), split_sizes.size()), dim);
}

AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::tensor_split(std::int64_t sections,
                                                             std::int64_t dim) const {
  check_defined("tensor_split");
  const int d = detail::cut_dim("tensor_split", *this, dim);
  AMP_CHECK(sections > 0, "tensor_split: `sections` must be positive, but is ", sections);
  const std::int64_t least = shape()[d] / sections, longer = shape()[d] % sections;
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (std::int64_t i = 0; i < sections; ++i) {
    const std::int64_t length = least + (i < longer ? 1 : 0);
    parts.push_back(detail::narrow(*this, d, start, length));
    start += length;
  }
  return parts;
}
AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::tensor_split(std::span<const std::int64_t> indices,
                                                             std::int64_t dim) const {
  check_defined("tensor_split");
  const int d = detail::cut_dim("tensor_split", *this, dim);
  const std::int64_t extent = shape()[d];
  std::vector<Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t index : indices) {
    const std::int64_t end = detail::clamped_index(index, extent);
    parts.push_back(detail::slice(*this, d, start, end, 1));
    start = end;
  }
  parts.push_back(detail::slice(*this, d, start, extent, 1));
  return parts;
}
AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::tensor_split(
    std::initializer_list<std::int64_t> indices, std::int64_t dim) const {
  return tensor_split(std::span(indices.begin(), indices.size()), dim);
}

AMP_LAZY_DEFINITION std::vector<Tensor> Tensor::unbind(std::int64_t dim) const {
  check_defined("unbind");
  const int d = detail::cut_dim("unbind", *this, dim);
  std::vector<Tensor> slices;
  for (std::int64_t i = 0; i < shape()[d]; ++i) slices.push_back(select(d, i));
  return slices;
}

AMP_LAZY_DEFINITION Tensor Tensor::movedim(const Dims& source, const Dims& destination) const {
  check_defined("movedim");
  AMP_CHECK(source.dims() == destination.dims(), "movedim: `source` ", source,
            " and `destination` ", destination, " must have as many dimensions");
  constexpr std::int64_t kOpen = -1;
  Shape order = shape();
  for (int d = 0; d < dim(); ++d) order[d] = kOpen;
  unsigned moved = 0;
  for (int i = 0; i < source.dims(); ++i) {
    const int from = wrap_dim("movedim", source[i], dim(), "source");
    const int to = wrap_dim("movedim", destination[i], dim(), "destination");
    if (dim() == 0) continue;
    AMP_CHECK((moved >> from & 1U) == 0, "movedim: `source` ", source, " names dimension ", from,
              " twice");
    AMP_CHECK(order[to] == kOpen, "movedim: `destination` ", destination, " names dimension ", to,
              " twice");
    moved |= 1U << from;
    order[to] = from;
  }
  for (int d = 0, next = 0; d < dim(); ++d) {
    if (order[d] != kOpen) continue;
    while ((moved >> next & 1U) != 0) ++next;
    order[d] = next++;
  }
  return detail::permute(*this, order.span());
}
AMP_LAZY_DEFINITION Tensor Tensor::swapaxes(std::int64_t axis0, std::int64_t axis1) const {
  check_defined("swapaxes");
  return detail::transpose(*this, axis0, axis1);
}
AMP_LAZY_DEFINITION Tensor Tensor::swapdims(std::int64_t dim0, std::int64_t dim1) const {
  check_defined("swapdims");
  return detail::transpose(*this, dim0, dim1);
}

AMP_LAZY_DEFINITION Tensor Tensor::unflatten(std::int64_t dim, const ReshapeTo& sizes) const {
  check_defined("unflatten");
  const int d = detail::cut_dim("unflatten", *this, dim);
  AMP_CHECK(sizes.dims() > 0, "unflatten: `sizes` must not be empty");
  const Shape cut = sizes.resolve(Shape(shape()[d]), "unflatten");
  Shape to;
  for (int i = 0; i < this->dim(); ++i) {
    if (i != d) {
      to.push_back(shape()[i]);
    } else {
      for (const std::int64_t size : cut) to.push_back(size);
    }
  }
  return view(to);
}

namespace detail {

AMP_INLINE Diagonal::Diagonal(std::int64_t rows, std::int64_t columns, std::int64_t offset)
    : length((std::max)(std::int64_t{0}, offset >= 0 ? (std::min)(rows, columns - offset)
                                                     : (std::min)(rows + offset, columns))),
      row(length == 0 || offset >= 0 ? 0 : -offset),
      column(length == 0 || offset < 0 ? 0 : offset) {}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor Tensor::diagonal(std::int64_t offset, std::int64_t dim1,
                                            std::int64_t dim2) const {
  check_defined("diagonal");
  AMP_CHECK(dim() >= 2, "diagonal: the tensor must have at least 2 dimensions, but is ",
            describe(*this));
  const int a = wrap_dim("diagonal", dim1, dim(), "dim1"),
            b = wrap_dim("diagonal", dim2, dim(), "dim2");
  AMP_CHECK(a != b, "diagonal: `dim1` and `dim2` must differ, but both are dimension ", a);
  const detail::Diagonal picked(shape()[a], shape()[b], offset);
  Shape to = shape();
  const auto without = [&](Strides steps) {  // of the matrix; its diagonal goes last
    const std::int64_t along = steps[a] + steps[b];
    steps.erase((std::max)(a, b));
    steps.erase((std::min)(a, b));
    steps.push_back(along);
    return steps;
  };
  to.erase((std::max)(a, b));
  to.erase((std::min)(a, b));
  to.push_back(picked.length);
  const auto first = [&](const Strides& steps) {
    return picked.row * steps[a] + picked.column * steps[b];
  };
  const Tensor output =
      autograd::view_of(*this, to, without(strides()), impl().offset + first(strides()));
  if (autograd::recording(*this)) {
    const Strides within = contiguous_strides(shape());
    autograd::record_view("diagonal", output, *this, without(within), first(within));
  }
  return output;
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/ops/join.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_LAZY_DEFINITION void check_list(std::string_view op, std::span<const Tensor> tensors) {
  AMP_CHECK(!tensors.empty(), op, ": `tensors` must not be empty");
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    AMP_CHECK(tensors[i].defined(), op, ": `tensors`[", i, "] is undefined");
    AMP_CHECK(tensors[i].device() == tensors[0].device(), op,
              ": `tensors` must be on one device, but number ", i, " ", describe(tensors[i]),
              " is on ", tensors[i].device(), " and number 0 ", describe(tensors[0]), " on ",
              tensors[0].device(), "; move one with to(device)");
  }
}

/// Returns whether the tensor is empty and 1-dimensional: cat() joins it to tensors of any rank.
AMP_LAZY bool is_nothing(const Tensor& tensor) { return tensor.dim() == 1 && tensor.numel() == 0; }

/// Copies the tensors one behind the other along `dim`; the gradient is cut the same way. All have
/// the `shape` except in that dimension, or are nothing (is_nothing).
AMP_LAZY Tensor cat(std::string_view op, std::span<const Tensor> tensors, Shape shape, int dim) {
  const int rank = shape.dims();
  shape[dim] = 0;
  DType dtype = tensors[0].dtype();
  for (const Tensor& tensor : tensors) {
    dtype = promote_types(dtype, tensor.dtype());
    if (tensor.dim() != rank) continue;
    AMP_CHECK(!__builtin_add_overflow(shape[dim], tensor.shape()[dim], &shape[dim]), op,
              ": `tensors` add up to an extent beyond 63 bits in dimension ", dim);
  }
  const Tensor output = empty(Shape(shape.span()), {.dtype = dtype, .device = tensors[0].device()});
  std::int64_t start = 0;
  for (const Tensor& tensor : tensors) {
    if (tensor.dim() != rank) continue;
    copy_elements(tensor,
                  output.alias(tensor.shape(), output.strides(), start * output.strides()[dim]));
    start += tensor.shape()[dim];
  }
  if (is_floating_point(dtype) && autograd::recording(tensors)) {
    constexpr std::int64_t kNothing = -1;
    PoolVector<std::int64_t> lengths;
    for (const Tensor& tensor : tensors)
      lengths.push_back(tensor.dim() == rank ? tensor.shape()[dim] : kNothing);
    autograd::record(
        op, output,
        [dim, lengths](const Tensor& grad, const autograd::ListNeeds& needs) {
          autograd::ListGradients gradients(lengths.size());
          std::int64_t from = 0;
          for (std::size_t i = 0; i < lengths.size(); ++i) {
            if (needs[i]) {
              gradients[i] = lengths[i] == kNothing
                                 ? empty({0}, {.dtype = grad.dtype(), .device = grad.device()})
                                 : narrow(grad, dim, from, lengths[i]);
            }
            if (lengths[i] != kNothing) from += lengths[i];
          }
          return gradients;
        },
        tensors);
  }
  return output;
}

}  // namespace detail

namespace detail {

/// cat() as the op of this name.
AMP_LAZY Tensor cat_as(autocasting::OpId op, std::span<const Tensor> tensors, std::int64_t dim) {
  const std::string_view name = op.name();
  const Tensor* first = &tensors[0];
  for (const Tensor& tensor : tensors) {
    if (is_nothing(*first)) first = &tensor;
  }
  AMP_CHECK(first->dim() > 0, name, ": `tensors` must have at least 1 dimension, but one is ",
            describe(*first), "; use stack");
  const int d = wrap_dim(name, dim, first->dim());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (is_nothing(tensors[i])) continue;
    Shape expected = first->shape();
    if (tensors[i].dim() == expected.dims()) expected[d] = tensors[i].shape()[d];
    AMP_CHECK(tensors[i].shape() == expected, name, ": `tensors` must agree but in dimension ", d,
              ", but number ", i, " is ", describe(tensors[i]), " beside ", describe(*first));
  }
  return autocasting::call_list(
      op, [&](std::span<const Tensor> x) { return cat(name, x, first->shape(), d); }, tensors);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor cat(std::span<const Tensor> tensors, std::int64_t dim) {
  detail::check_list("cat", tensors);
  return detail::cat_as("cat", tensors, dim);
}
AMP_LAZY_DEFINITION Tensor cat(std::initializer_list<Tensor> tensors, std::int64_t dim) {
  return cat(std::span(tensors.begin(), tensors.size()), dim);
}

AMP_LAZY_DEFINITION Tensor stack(std::span<const Tensor> tensors, std::int64_t dim) {
  detail::check_list("stack", tensors);
  const int d = wrap_dim("stack", dim, tensors[0].dim() + 1);
  detail::PoolVector<Tensor> slices;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    AMP_CHECK(tensors[i].shape() == tensors[0].shape(),
              "stack: `tensors` must have one shape, but number ", i, " is ", describe(tensors[i]),
              " beside ", describe(tensors[0]));
    slices.push_back(tensors[i].unsqueeze(d));
  }
  return autocasting::call_list(
      "stack",
      [&](std::span<const Tensor> x) { return detail::cat("stack", x, slices[0].shape(), d); },
      slices);
}
AMP_LAZY_DEFINITION Tensor stack(std::initializer_list<Tensor> tensors, std::int64_t dim) {
  return stack(std::span(tensors.begin(), tensors.size()), dim);
}

namespace detail {

/// Joins the tensors along `dim`, after tensors of fewer dimensions have got new ones, of extent 1,
/// in these places, one after the other.
AMP_LAZY Tensor cat_of_at_least(autocasting::OpId op, std::span<const Tensor> tensors,
                                std::initializer_list<int> places, std::int64_t dim) {
  check_list(op.name(), tensors);
  PoolVector<Tensor> grown;
  for (const Tensor& tensor : tensors) {
    grown.push_back(tensor);
    int dims = 0;
    for (const int place : places) {
      if (grown.back().dim() == dims++) grown.back() = grown.back().unsqueeze(place);
    }
  }
  return cat_as(op, grown, dim);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor hstack(std::span<const Tensor> tensors) {
  const bool lines = !tensors.empty() && tensors[0].defined() && tensors[0].dim() < 2;
  return detail::cat_of_at_least("hstack", tensors, {0}, lines ? 0 : 1);
}
AMP_LAZY_DEFINITION Tensor hstack(std::initializer_list<Tensor> tensors) {
  return hstack(std::span(tensors.begin(), tensors.size()));
}
AMP_LAZY_DEFINITION Tensor vstack(std::span<const Tensor> tensors) {
  return detail::cat_of_at_least("vstack", tensors, {0, 0}, 0);
}
AMP_LAZY_DEFINITION Tensor vstack(std::initializer_list<Tensor> tensors) {
  return vstack(std::span(tensors.begin(), tensors.size()));
}
AMP_LAZY_DEFINITION Tensor dstack(std::span<const Tensor> tensors) {
  return detail::cat_of_at_least("dstack", tensors, {0, 0, 2}, 2);
}
AMP_LAZY_DEFINITION Tensor dstack(std::initializer_list<Tensor> tensors) {
  return dstack(std::span(tensors.begin(), tensors.size()));
}

}  // namespace amp::inline v0

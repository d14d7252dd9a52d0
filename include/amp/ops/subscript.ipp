// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

#include "amp/ops/checks.hpp"
#include "amp/ops/in_place.hpp"
#include "amp/ops/indexing.hpp"
#include "amp/ops/scatter.hpp"
#include "amp/ops/subscript.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// How many dimensions of the tensor an index takes.
AMP_LAZY int dims_of(const indexing::TensorIndex& index) {
  using Kind = indexing::TensorIndex::Kind;
  if (index.kind() == Kind::kTensor)
    return index.tensor().defined() && index.tensor().dtype() == kBool ? index.tensor().dim() : 1;
  return index.kind() == Kind::kInteger || index.kind() == Kind::kSlice ? 1 : 0;
}

AMP_LAZY_DEFINITION Subscripted subscript(std::string_view op, const Tensor& tensor,
                                          std::span<const indexing::TensorIndex> indices,
                                          bool writes) {
  using Kind = indexing::TensorIndex::Kind;
  (void)tensor.impl(op);
  int taken = 0, ellipses = 0;
  for (const indexing::TensorIndex& index : indices) {
    taken += dims_of(index);
    if (index.kind() == Kind::kEllipsis) ++ellipses;
  }
  AMP_CHECK(ellipses <= 1, op, ": `indices` must have one Ellipsis at most, but have ", ellipses);
  AMP_CHECK(taken <= tensor.dim(), op, ": `indices` are of ", taken, " dimensions, but ",
            describe(tensor), " has ", tensor.dim());
  Subscripted result{tensor, {}};
  Tensor& view = result.view;
  int dim = 0;  // of the view
  const auto put = [&](int d, const Tensor& index) {
    result.indices.resize(static_cast<std::size_t>(d));
    result.indices.push_back(index);
  };
  for (const indexing::TensorIndex& index : indices) {
    switch (index.kind()) {
      case Kind::kInteger:
        view = view.select(dim, index.integer());
        break;
      case Kind::kSlice: {
        const indexing::Slice& s = index.slice();
        if (s.start || s.stop || s.step != 1) view = view.slice(dim, s.start, s.stop, s.step);
        ++dim;
        break;
      }
      case Kind::kNone:
        view = view.unsqueeze(dim++);
        break;
      case Kind::kEllipsis:
        dim += tensor.dim() - taken;
        break;
      case Kind::kTensor: {
        const Tensor& by = index.tensor();
        check_defined(op, "indices", by);
        if (by.dim() == 0 && by.dtype() == kBool) {
          view = view.unsqueeze(dim);
          put(dim++, by.unsqueeze(0));
        } else if (by.dim() == 0 && (writes || by.device().type == kCPU)) {
          AMP_CHECK(by.dtype() == kInt64 || by.dtype() == kInt32, op,
                    ": `indices` must be int64, int32 or bool, but one is ", describe(by));
          view = view.select(dim, by.item<std::int64_t>());
        } else {
          put(dim, by);
          dim += dims_of(index);
        }
        break;
      }
    }
  }
  return result;
}

/// The value without leading dimensions of extent 1 that the elements lack, as torch takes it.
AMP_LAZY Tensor without_leading(Tensor value, int dims) {
  while (value.dim() > dims && value.shape()[0] == 1) value = value.squeeze(0);
  return value;
}

AMP_LAZY const Tensor& index_put_(const Tensor& tensor,
                                  std::span<const indexing::TensorIndex> indices,
                                  const Tensor& value, bool accumulate) {
  check_writable("index_put_", tensor);
  check_defined("index_put_", "value", value);
  const Subscripted at = subscript("index_put_", tensor, indices, true);
  if (at.indices.empty()) {
    const Tensor source = without_leading(value, at.view.dim());
    AMP_CHECK(
        do_broadcast(at.view.shape(), source.shape()) &&
            broadcast_shapes("index_put_", at.view.shape(), source.shape()) == at.view.shape(),
        "index_put_: `value` ", describe(value), " does not broadcast to the elements, ",
        at.view.shape());
    if (accumulate) {
      at.view.add_(source);
    } else {
      at.view.copy_(source);
    }
    return tensor;
  }
  const Tensor same = value.numel() == 1 ? value.to(tensor.device()) : value;
  in_place("index_put_", at.view, {&same}, [&](const Tensor& x) {
    return amp::index_put(x, at.indices, same.to(x.dtype()), {.accumulate = accumulate});
  });
  return tensor;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor TensorMethods::operator[](std::int64_t index) const {
  (void)self().impl("operator[]");
  AMP_CHECK(self().dim() > 0,
            "operator[]: a 0-dimensional tensor has no elements to choose from; "
            "use item()");
  return self().select(0, index);
}
AMP_LAZY_DEFINITION Tensor TensorMethods::operator[](const Tensor& index) const {
  return self().index({index});
}
AMP_LAZY_DEFINITION Tensor
TensorMethods::index(std::initializer_list<indexing::TensorIndex> indices) const {
  const detail::Subscripted at =
      detail::subscript("index", self(), std::span(indices.begin(), indices.size()), false);
  return at.indices.empty() ? at.view : amp::index(at.view, at.indices);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::index_put_(
    std::initializer_list<indexing::TensorIndex> indices, const Tensor& value,
    bool accumulate) const {
  return detail::index_put_(self(), std::span(indices.begin(), indices.size()), value, accumulate);
}
AMP_LAZY_DEFINITION const Tensor& InPlaceMethods::index_put_(
    std::initializer_list<indexing::TensorIndex> indices, const Scalar& value) const {
  (void)self().impl("index_put_");
  return detail::index_put_(
      self(), std::span(indices.begin(), indices.size()),
      full({}, value.value(), {.dtype = self().dtype(), .device = self().device()}), false);
}

}  // namespace amp::inline v0

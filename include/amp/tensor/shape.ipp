// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/tensor/shape.hpp"

namespace amp::inline v0 {
namespace detail {

AMP_COLD void Extents::insert(int position, std::int64_t value) {
  push_back(value);
  for (int d = dims_ - 1; d > position; --d) (*this)[d] = (*this)[d - 1];
  (*this)[position] = value;
}
AMP_COLD void Extents::erase(int position) {
  for (int d = position; d + 1 < dims_; ++d) (*this)[d] = (*this)[d + 1];
  --dims_;
}

AMP_COLD void Extents::refuse_further(std::int64_t value) const {
  fail("shape: a tensor has at most ", kMaxDims, " dimensions, but a further extent ", value,
       " came to ", to_string(*this));
}
AMP_COLD void Extents::refuse_wide(std::uint64_t extent) {
  fail("shape: extent ", extent, " does not fit into 63 bits");
}

}  // namespace detail

AMP_INLINE void Shape::validate() const {
  std::int64_t n = 1;
  for (const std::int64_t extent : *this) {
    AMP_CHECK(extent >= 0, "shape: extents must not be negative, but ", *this, " was given");
    AMP_CHECK(!__builtin_mul_overflow(n, extent == 0 ? 1 : extent, &n), "shape: ", *this,
              " has more elements than 63 bits count");
  }
}

AMP_COLD std::string to_string(const detail::Extents& extents) {
  std::string text = "[";
  for (int d = 0; d < extents.dims(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(extents[d]);
  return text + "]";
}

AMP_INLINE Shape ReshapeTo::resolve(const Shape& from, std::string_view op) const {
  Extents extents = *this;
  int inferred = -1;
  std::int64_t known = 1;
  for (int d = 0; d < dims(); ++d) {
    if (extents[d] == -1) {
      AMP_CHECK(inferred < 0, op, ": `shape` may have one -1, but is ", *this);
      inferred = d;
    } else {
      AMP_CHECK(extents[d] >= 0, op,
                ": `shape` must have extents of at least 0, or one -1, but is ", *this);
      AMP_CHECK(!__builtin_mul_overflow(known, extents[d], &known), op, ": `shape` ", *this,
                " overflows: it has more elements than 63 bits count");
    }
  }
  if (inferred >= 0) {
    AMP_CHECK(known != 0 && from.numel() % known == 0, op, ": `shape` ", *this,
              " does not divide the ", from.numel(), " elements of ", from);
    extents[inferred] = from.numel() / known;
  }
  Shape shape(extents.span());
  AMP_CHECK(shape.numel() == from.numel(), op, ": `shape` ", *this, " has ", shape.numel(),
            " elements, but the tensor ", from, " has ", from.numel());
  return shape;
}

AMP_INLINE Strides contiguous_strides(const Shape& shape) {
  Strides strides(shape);
  std::int64_t stride = 1;
  AMP_NO_UNROLL
  for (int d = shape.dims() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape[d] == 0 ? 1 : shape[d];
  }
  return strides;
}

AMP_INLINE std::optional<Strides> view_strides(const Shape& from, const Strides& strides,
                                               const Shape& to) {
  Strides result = contiguous_strides(to);
  if (to.numel() == 0) return result;
  int next = to.dims() - 1;  // of the new dimensions, from the last on
  for (int last = from.dims() - 1; last >= 0;) {
    std::int64_t run = from[last];
    int first = last - 1;
    for (; first >= 0 && (from[first] == 1 || strides[first] == run * strides[last]); --first)
      run *= from[first];
    std::int64_t cut = 1;
    for (; next >= 0 && (cut < run || to[next] == 1); --next) {
      result[next] = cut * strides[last];
      cut *= to[next];
    }
    if (cut != run) return {};
    last = first;
  }
  return result;
}

AMP_INLINE Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b,
                                  std::string_view name_a, std::string_view name_b) {
  const Shape& longer = a.dims() >= b.dims() ? a : b;
  const Shape& shorter = a.dims() >= b.dims() ? b : a;
  Shape result = longer;
  const int lead = longer.dims() - shorter.dims();
  for (int d = 0; d < shorter.dims(); ++d) {
    const std::int64_t x = longer[lead + d], y = shorter[d];
    AMP_CHECK(x == y || x == 1 || y == 1, op, ": shapes ", a, " of `", name_a, "` and ", b, " of `",
              name_b, "` do not broadcast: dimension ", lead + d, " of the result would be both ",
              x, " and ", y);
    result[lead + d] = x == 1 ? y : x;
  }
  std::int64_t n = 1;
  for (const std::int64_t extent : result) {
    AMP_CHECK(!__builtin_mul_overflow(n, extent == 0 ? 1 : extent, &n), op, ": shapes ", a, " of `",
              name_a, "` and ", b, " of `", name_b,
              "` broadcast to more elements than 63 bits count");
  }
  return result;
}

AMP_INLINE bool do_broadcast(const Shape& a, const Shape& b) {
  const int shared = a.dims() < b.dims() ? a.dims() : b.dims();
  for (int d = 1; d <= shared; ++d) {
    const std::int64_t x = a[a.dims() - d], y = b[b.dims() - d];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

AMP_INLINE int wrap_dim(std::string_view op, std::int64_t dim, int dims,
                        std::string_view argument) {
  const int range = dims == 0 ? 1 : dims;
  AMP_CHECK(dim >= -range && dim < range, op, ": `", argument, "` must lie in [", -range, ", ",
            range, ") for ", dims, " dimensions, but is ", dim);
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Extents and strides, without heap allocation.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

#include "amp/core/error.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0 {

namespace detail {
class Extents;
}
std::string to_string(const detail::Extents& extents);

namespace detail {

/// Up to kMaxDims numbers.
class Extents {
 public:
  Extents() = default;

  int dims() const { return dims_; }
  std::int64_t operator[](int d) const { return values_[static_cast<std::size_t>(d)]; }
  std::int64_t& operator[](int d) { return values_[static_cast<std::size_t>(d)]; }
  const std::int64_t* begin() const { return values_.data(); }
  const std::int64_t* end() const { return values_.data() + dims_; }
  std::span<const std::int64_t> span() const {
    return {values_.data(), static_cast<std::size_t>(dims_)};
  }

  void push_back(std::int64_t value) {
    AMP_CHECK(dims_ < kMaxDims, "shape: a tensor has at most ", kMaxDims,
              " dimensions, but a further extent ", value, " came to ", to_string(*this));
    values_[static_cast<std::size_t>(dims_++)] = value;
  }
  void insert(int position, std::int64_t value) {
    push_back(value);
    for (int d = dims_ - 1; d > position; --d) (*this)[d] = (*this)[d - 1];
    (*this)[position] = value;
  }
  void erase(int position) {
    for (int d = position; d + 1 < dims_; ++d) (*this)[d] = (*this)[d + 1];
    --dims_;
  }

  friend bool operator==(const Extents& a, const Extents& b) {
    if (a.dims_ != b.dims_) return false;
    for (int d = 0; d < a.dims_; ++d) {
      if (a[d] != b[d]) return false;
    }
    return true;
  }

 protected:
  template <std::integral I>
  void append(I extent) {
    if constexpr (std::unsigned_integral<I> && sizeof(I) == 8) {
      AMP_CHECK(extent <= static_cast<std::uint64_t>(INT64_MAX), "shape: extent ", extent,
                " does not fit into 63 bits");
    }
    push_back(static_cast<std::int64_t>(extent));
  }

 private:
  std::array<std::int64_t, kMaxDims> values_{};
  int dims_ = 0;
};

template <class R>
concept IntegerRange = requires(const R& range) {
  { *std::begin(range) } -> std::convertible_to<std::int64_t>;
  std::end(range);
  requires std::integral<std::remove_cvref_t<decltype(*std::begin(range))>>;
};

}  // namespace detail

/// The extents of a tensor, outermost first: from {2, 3} of any integral types, or from any range
/// of integers. Negative extents, and more elements than 63 bits count, throw amp::Error.
class Shape : public detail::Extents {
 public:
  Shape() = default;
  template <std::integral... I>
  Shape(I... extents) {
    (append(extents), ...);
    validate();
  }
  template <class Range>
    requires detail::IntegerRange<Range> &&
        (!std::derived_from<Range, Shape>)Shape(const Range& range) {
      for (const auto extent : range) append(extent);
      validate();
    }

    std::int64_t numel() const {
      std::int64_t n = 1;
      for (const std::int64_t extent : *this) n *= extent;
      return n;
    }

   private:
    void validate() const {
      std::int64_t n = 1;
      for (const std::int64_t extent : *this) {
        AMP_CHECK(extent >= 0, "shape: extents must not be negative, but ", *this, " was given");
        AMP_CHECK(!__builtin_mul_overflow(n, extent == 0 ? 1 : extent, &n), "shape: ", *this,
                  " has more elements than 63 bits count");
      }
    }
};

/// A shape one of whose extents may be -1: whatever the number of elements leaves for it. The
/// argument of reshape and view.
class ReshapeTo : public detail::Extents {
 public:
  ReshapeTo(const Shape& shape) : Extents(shape) {}
  template <std::integral... I>
  ReshapeTo(I... extents) {
    (append(extents), ...);
  }
  template <class Range>
    requires detail::IntegerRange<Range> &&
        (!std::derived_from<Range, detail::Extents>)ReshapeTo(const Range& range) {
      for (const auto extent : range) append(extent);
    }

    /// The shape for `from`'s elements; throws where it does not hold exactly these.
    /// Throws naming `op` otherwise.
    Shape resolve(const Shape& from, std::string_view op = "reshape") const;
};

using Strides = detail::Extents;

inline std::string to_string(const detail::Extents& extents) {
  std::string text = "[";
  for (int d = 0; d < extents.dims(); ++d)
    text += (d == 0 ? "" : ", ") + std::to_string(extents[d]);
  return text + "]";
}

inline Shape ReshapeTo::resolve(const Shape& from, std::string_view op) const {
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

/// Row-major: the last dimension is dense.
inline Strides contiguous_strides(const Shape& shape) {
  Strides strides = shape;
  std::int64_t stride = 1;
  for (int d = shape.dims() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape[d] == 0 ? 1 : shape[d];
  }
  return strides;
}

/// The strides with which the memory of a tensor shows the same elements, in row-major order, in
/// another shape; none where only a copy can. Dimensions that lie behind one another are one run,
/// and each run must be cut into whole dimensions of the new shape: the rule of torch's view().
inline std::optional<Strides> view_strides(const Shape& from, const Strides& strides,
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

/// The shape to which both broadcast, aligned at the last dimension, as in NumPy. Throws, naming
/// `op` and its arguments, where there is none.
inline Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b,
                              std::string_view name_a = "a", std::string_view name_b = "b") {
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

/// Whether broadcast_shapes would find a shape.
inline bool do_broadcast(const Shape& a, const Shape& b) {
  const int shared = a.dims() < b.dims() ? a.dims() : b.dims();
  for (int d = 1; d <= shared; ++d) {
    const std::int64_t x = a[a.dims() - d], y = b[b.dims() - d];
    if (x != y && x != 1 && y != 1) return false;
  }
  return true;
}

/// A dimension counted from the front: -1 is the last. Throws, naming `op`, where out of range.
inline int wrap_dim(std::string_view op, std::int64_t dim, int dims,
                    std::string_view argument = "dim") {
  const int range = dims == 0 ? 1 : dims;
  AMP_CHECK(dim >= -range && dim < range, op, ": `", argument, "` must lie in [", -range, ", ",
            range, ") for ", dims, " dimensions, but is ", dim);
  return static_cast<int>(dim < 0 ? dim + range : dim);
}

}  // namespace amp::inline v0

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
#include <string_view>
#include <type_traits>

#include "amp/core/error.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0 {

namespace detail {
class Extents;
}
/// "[2, 3]".
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
    if (dims_ >= kMaxDims) [[unlikely]]
      refuse_further(value);
    values_[static_cast<std::size_t>(dims_++)] = value;
  }
  void insert(int position, std::int64_t value);
  void erase(int position);

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
      if (extent > static_cast<std::uint64_t>(INT64_MAX)) [[unlikely]]
        refuse_wide(extent);
    }
    push_back(static_cast<std::int64_t>(extent));
  }

 private:
  // Throw; apart from the checks, so that user code compiles no messages.
  [[noreturn, gnu::cold]] void refuse_further(std::int64_t value) const;
  [[noreturn, gnu::cold]] static void refuse_wide(std::uint64_t extent);

  std::array<std::int64_t, kMaxDims> values_{};
  int dims_ = 0;
};

template <class R>
concept IntegerRange = requires(const R& range) {
  { *std::begin(range) } -> std::convertible_to<std::int64_t>;
  std::end(range);
  requires std::integral<std::remove_cvref_t<decltype(*std::begin(range))>>;
};

template <class R>
concept ForeignRange = IntegerRange<R> && !std::derived_from<R, Extents>;

/// Any numbers: made from {2, -1} of any integral types, or from any range of integers that is not
/// an Extents.
class Numbers : public Extents {
 public:
  Numbers() = default;
  template <std::integral... I>
  Numbers(I... numbers) {
    (append(numbers), ...);
  }
  template <ForeignRange Range>
  Numbers(const Range& range) {
    for (const auto number : range) append(number);
  }

 protected:
  explicit Numbers(const Extents& extents) : Extents(extents) {}
};

}  // namespace detail

/// The extents of a tensor, outermost first: made from {2, 3} of any integral types, or from any
/// range of integers. Throws amp::Error if an extent is negative, and if 63 bits do not count the
/// elements.
class Shape : public detail::Extents {
 public:
  Shape() = default;
  /// Of these extents.
  template <std::integral... I>
  Shape(I... extents) {
    (append(extents), ...);
    validate();
  }
  /// Of the extents in a range.
  template <detail::IntegerRange Range>
  Shape(const Range& range) {
    for (const auto extent : range) append(extent);
    validate();
  }

  /// The number of elements: the product of the extents.
  std::int64_t numel() const {
    std::int64_t n = 1;
    for (const std::int64_t extent : *this) n *= extent;
    return n;
  }

 private:
  void validate() const;
};

/// A shape in which one extent may be -1: it follows from the number of elements. The argument of
/// reshape and view.
class ReshapeTo : public detail::Numbers {
 public:
  using Numbers::Numbers;
  ReshapeTo() = default;
  /// The same shape.
  ReshapeTo(const Shape& shape) : Numbers(static_cast<const Extents&>(shape)) {}

  /// The shape for the elements of `from`. Throws, naming `op`, if it does not hold exactly these.
  Shape resolve(const Shape& from, std::string_view op = "reshape") const;
};

/// How far apart in memory, in elements, the neighbours along each dimension are.
class Strides : public detail::Numbers {
 public:
  using Numbers::Numbers;
  Strides() = default;
  /// The numbers of `shape`, to be overwritten by strides.
  explicit Strides(const Shape& shape) : Numbers(static_cast<const Extents&>(shape)) {}
};

/// The dimensions that an op reduces: one, {0, -1} of any integral types, or any range of integers.
/// Negative ones count from the end. An empty list means all.
class Dims : public detail::Numbers {
 public:
  using Numbers::Numbers;
  Dims() = default;
};

/// Numbers for the dimensions of an op, one each: made as Dims are.
class Counts : public detail::Numbers {
 public:
  using Numbers::Numbers;
  Counts() = default;
};

/// Row-major: the last dimension is dense.
Strides contiguous_strides(const Shape& shape);

/// The strides with which the memory of a tensor shows the same elements, in row-major order, in
/// another shape; none if only a copy can. Dimensions that lie behind one another are one run,
/// and each run must be cut into whole dimensions of the new shape: the rule of torch's view().
std::optional<Strides> view_strides(const Shape& from, const Strides& strides, const Shape& to);

/// The shape to which both broadcast, aligned at the last dimension, as in NumPy. Throws, naming
/// `op` and its arguments, if there is none.
Shape broadcast_shapes(std::string_view op, const Shape& a, const Shape& b,
                       std::string_view name_a = "a", std::string_view name_b = "b");

/// Whether broadcast_shapes would find a shape.
bool do_broadcast(const Shape& a, const Shape& b);

/// A dimension counted from the front: -1 is the last. Throws, naming `op`, if it is out of range.
int wrap_dim(std::string_view op, std::int64_t dim, int dims, std::string_view argument = "dim");

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/tensor/shape.ipp"
#endif

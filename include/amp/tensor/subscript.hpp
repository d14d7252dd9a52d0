// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What Tensor::index() and Tensor::index_put_() take, under libtorch's names.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <utility>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::indexing {

/// None: a new dimension of extent 1; in a Slice, no bound.
inline constexpr std::nullopt_t None = std::nullopt;

/// start:stop:step of Python. A negative number counts from the end, one beyond an end stands for
/// that end, and an absent one for the whole. Using it throws if `step` is not positive.
struct Slice {
  /// All elements.
  Slice() = default;
  /// from:to:by of Python.
  Slice(std::optional<std::int64_t> from, std::optional<std::int64_t> to = None,
        std::optional<std::int64_t> by = None)
      : start(from), stop(to), step(by.value_or(1)) {}

  std::optional<std::int64_t> start = {}, stop = {};
  std::int64_t step = 1;
};

/// The type of Ellipsis.
struct EllipsisType {};
/// All dimensions that the other indices leave.
inline constexpr EllipsisType Ellipsis = {};

/// One index of several: a number, a Slice, None, Ellipsis, or a tensor of indices (int64, int32)
/// or a mask (bool).
class TensorIndex {
 public:
  /// Which of these.
  enum class Kind : std::uint8_t { kInteger, kSlice, kNone, kEllipsis, kTensor };

  /// One slice, without its dimension; -1 is the last.
  template <std::integral I>
    requires(!std::same_as<I, bool>)
  TensorIndex(I index) : kind_(Kind::kInteger), integer_(static_cast<std::int64_t>(index)) {}
  /// A part of a dimension.
  TensorIndex(const Slice& slice) : kind_(Kind::kSlice), slice_(slice) {}
  /// A new dimension.
  TensorIndex(std::nullopt_t) : kind_(Kind::kNone) {}
  /// All other dimensions.
  TensorIndex(EllipsisType) : kind_(Kind::kEllipsis) {}
  /// Those that the tensor names.
  TensorIndex(Tensor tensor) : kind_(Kind::kTensor), tensor_(std::move(tensor)) {}

  /// What it is; the others are for this kind.
  Kind kind() const { return kind_; }
  /// The number of kInteger.
  std::int64_t integer() const { return integer_; }
  /// The slice of kSlice.
  const Slice& slice() const { return slice_; }
  /// The tensor of kTensor.
  const Tensor& tensor() const { return tensor_; }

 private:
  Kind kind_;
  std::int64_t integer_ = 0;
  Slice slice_ = {};
  Tensor tensor_ = {};
};

}  // namespace amp::inline v0::indexing

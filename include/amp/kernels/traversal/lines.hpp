// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An array along one of its dimensions, or all of it.
#pragma once

#include <cstdint>

#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels {

/// Instead of a dimension: all elements, in row-major order, as one line.
inline constexpr int kAllDims = -1;

/// The lines of a contiguous array along one dimension: line l starts at start(l), its elements
/// `stride` apart. With kAllDims it is one.
struct Lines {
  std::int64_t count = 1, length = 1, stride = 1;
  Lines(const Operand& array, int dim) {
    for (int d = 0; d < array.dims; ++d)
      (dim == kAllDims || d == dim ? length : count) *= array.sizes[d];
    for (int d = dim == kAllDims ? array.dims : dim + 1; d < array.dims; ++d)
      stride *= array.sizes[d];
  }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const {
    return line / stride * length * stride + line % stride;
  }
};

/// The same of an array with any strides. A line has one stride; with kAllDims, as many as do not
/// merge.
struct StridedLines {
  Strided<1> starts, elements;
  std::int64_t count, length;

  StridedLines(const Operand& array, int dim)
      : starts(part(array, dim, false)),
        elements(part(array, dim, true)),
        count(starts.numel()),
        length(elements.numel()) {}

  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const { return offset(starts, line); }
  /// Of element i from the start of its line.
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return offset(elements, i); }
  /// Whether all elements lie row-major, without gaps.
  static bool are_dense(const Operand& array) {
    const Strided<1> all = part(array, kAllDims, true);
    return all.dims == 1 && all.inner_stride(0) == 1;
  }
  /// Whether the elements next to an element are those of other lines.
  bool are_side_by_side() const {
    const std::int64_t across = starts.inner_stride(0), along = elements.inner_stride(0);
    return starts.inner_size() > 1 && across < along;
  }

 private:
  /// The array with extent 1 in the dimensions of the lines, or in all others.
  static Strided<1> part(const Operand& array, int dim, bool of_lines) {
    Operand shape = array;
    for (int d = 0; d < array.dims; ++d) {
      if ((dim == kAllDims || d == dim) != of_lines) shape.sizes[d] = 1;
    }
    return Strided<1>::over(shape, {&shape});
  }
  AMP_HOST_DEVICE static std::int64_t offset(const Strided<1>& shape, std::int64_t i) {
    std::int64_t offsets[1];
    shape.locate(i, offsets);
    return offsets[0];
  }
};

}  // namespace amp::inline v0::kernels

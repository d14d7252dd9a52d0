// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The lines of an array along one of its dimensions, or all of the array as one line.
#pragma once

#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels {

/// Used in place of a dimension: all elements, in row-major order, as one line.
inline constexpr int kAllDims = -1;

/// The lines of a contiguous array along one dimension: line l starts at start(l), its elements are
/// `stride` apart. With kAllDims there is one line.
struct Lines {
  std::int64_t count = 1, length = 1, stride = 1;
  Lines(std::int64_t rows, std::int64_t row_length) : count(rows), length(row_length) {}
  Lines(const Operand& array, int dim) {
    AMP_NO_UNROLL
    for (int d = 0; d < array.dims; ++d)
      (dim == kAllDims || d == dim ? length : count) *= array.sizes[d];
    AMP_NO_UNROLL
    for (int d = dim == kAllDims ? array.dims : dim + 1; d < array.dims; ++d)
      stride *= array.sizes[d];
  }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const {
    return start(line / stride, line % stride);
  }
  /// Returns the start of line outer * stride + inner.
  AMP_HOST_DEVICE std::int64_t start(std::int64_t outer, std::int64_t inner) const {
    return outer * length * stride + inner;
  }
  /// The elements of a line are [begin, end).
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t) const { return 0; }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t) const { return length; }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t, std::int64_t) const { return 0; }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t, std::int64_t) const { return length; }
  /// Returns the offset of element i from the start of its line.
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return i * stride; }
};

/// The lines of a contiguous matrix, which are its rows.
struct MatrixRows {
  std::int64_t count, length;

  AMP_HOST_DEVICE std::int64_t start(std::int64_t row) const { return row * length; }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t) const { return 0; }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t) const { return length; }
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return i; }
};

/// The lines of an array with any strides. A line has one stride; with kAllDims it has as many as
/// do not merge.
struct StridedLines {
  Strided<1> starts, elements;
  std::int64_t count, length;

  StridedLines(const Operand& array, int dim)
      : starts(part(array, dim, false)),
        elements(part(array, dim, true)),
        count(starts.numel()),
        length(elements.numel()) {}

  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const { return offset(starts, line); }
  /// Returns the offset of element i from the start of its line.
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return offset(elements, i); }
  /// Whether all elements are row-major, without gaps.
  static bool are_dense(const Operand& array) {
    const Strided<1> all = part(array, kAllDims, true);
    return all.dims == 1 && all.inner_stride(0) == 1;
  }
  /// Whether the neighbours of an element in memory belong to other lines.
  bool are_side_by_side() const {
    const std::int64_t across = starts.inner_stride(0), along = elements.inner_stride(0);
    return starts.inner_size() > 1 && across < along;
  }

 private:
  /// Returns the array with extent 1 in the dimensions of the lines, or in all others.
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

/// StridedLines cut into parts of equal length, except the last one of a line. Each part counts as
/// a line, so that the whole device works on few long lines.
struct CutLines {
  StridedLines lines;
  std::int64_t parts, length, count;

  CutLines(const StridedLines& whole, std::int64_t parts_)
      : lines(whole),
        parts(parts_),
        length(ceil_div(whole.length, parts_)),
        count(whole.count * parts_) {}

  AMP_HOST_DEVICE std::int64_t start(std::int64_t piece) const {
    return lines.start(parts == 1 ? piece : piece / parts);
  }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t piece) const { return piece % parts * length; }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t piece) const {
    const std::int64_t beyond = begin(piece) + length;
    return beyond < lines.length ? beyond : lines.length;
  }
  /// Returns the offset of element i of the whole line from the start of that line.
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const { return lines.at(i); }
};

}  // namespace amp::inline v0::kernels

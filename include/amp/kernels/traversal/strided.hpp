// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The shape that strided, broadcast operands share. Dimensions that are contiguous in every operand
// are merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels {

template <int N>
struct Strided {
  static constexpr auto kOperands = static_cast<std::size_t>(N);

  int dims = 0;  // at least 1; the last is the innermost
  std::int64_t sizes[kMaxDims + 1] = {};
  std::int64_t strides[kOperands][kMaxDims + 1] = {};  // 0 if an operand broadcasts
  Divider dividers[kMaxDims + 1] = {};  // by the sizes, except that of the first dimension

  std::int64_t inner_size() const { return sizes[dims - 1]; }
  std::int64_t inner_stride(int operand) const { return strides[operand][dims - 1]; }

  using Operands = std::array<const Operand*, kOperands>;

  /// Returns the shape of `shape`, to which all operands broadcast, aligned at the last dimension.
  static Strided over(const Operand& shape, const Operands& operands) {
    Strided merged;
    for (int d = 0; d < shape.dims; ++d) merged.append(shape, d, operands);
    merged.finish();
    return merged;
  }
  /// The same with the dimensions in the memory order of `shape`: for work that does not depend on
  /// the order of the elements.
  static Strided in_memory_order(const Operand& shape, const Operands& operands) {
    int order[kMaxDims];
    for (int d = 0; d < shape.dims; ++d) {
      int place = d;
      for (; place > 0 && shape.strides[order[place - 1]] < shape.strides[d]; --place)
        order[place] = order[place - 1];
      order[place] = d;
    }
    Strided merged;
    for (int d = 0; d < shape.dims; ++d) merged.append(shape, order[d], operands);
    merged.finish();
    return merged;
  }

  std::int64_t numel() const {
    std::int64_t n = 1;
    AMP_NO_UNROLL
    for (int d = 0; d < dims; ++d) n *= sizes[d];
    return n;
  }

  /// Computes the offset of element i, in row-major order, in each operand.
  AMP_HOST_DEVICE void locate(std::int64_t i, std::int64_t (&offsets)[kOperands]) const {
    for (int k = 0; k < N; ++k) offsets[k] = 0;
    for (int d = dims - 1; d > 0; --d) {
      const std::int64_t index = dividers[d].take_remainder(i);
      for (int k = 0; k < N; ++k) offsets[k] += index * strides[k][d];
    }
    for (int k = 0; k < N; ++k) offsets[k] += i * strides[k][0];
  }

 private:
  /// Appends dimension d of `shape` as the innermost, or merges it with the previous one.
  void append(const Operand& shape, int d, const Operands& operands) {
    if (shape.sizes[d] == 1) return;
    std::int64_t stride[kOperands];
    bool merges = dims > 0;
    for (int k = 0; k < N; ++k) {
      const Operand& operand = *operands[static_cast<std::size_t>(k)];
      const int own = d - (shape.dims - operand.dims);
      stride[k] = own < 0 || operand.sizes[own] == 1 ? 0 : operand.strides[own];
      merges = merges && strides[k][dims - 1] == stride[k] * shape.sizes[d];
    }
    if (merges) {
      sizes[dims - 1] *= shape.sizes[d];
    } else {
      sizes[dims++] = shape.sizes[d];
    }
    for (int k = 0; k < N; ++k) strides[k][dims - 1] = stride[k];
  }
  void finish() {
    if (dims == 0) sizes[dims++] = 1;
    for (int d = 1; d < dims; ++d) dividers[d] = Divider(sizes[d]);
  }
};

}  // namespace amp::inline v0::kernels

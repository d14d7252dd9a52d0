// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The shape that strided, broadcast operands share: dimensions that lie behind one another in every
// operand are merged.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "amp/kernels/divider.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

template <int N>
struct Strided {
  static constexpr auto kOperands = static_cast<std::size_t>(N);

  int dims = 0;  // at least 1; the last is the innermost
  std::int64_t sizes[kMaxDims + 1] = {};
  std::int64_t strides[kOperands][kMaxDims + 1] = {};  // 0 where an operand broadcasts
  Divider dividers[kMaxDims + 1] = {};                 // by the sizes

  std::int64_t inner_size() const { return sizes[dims - 1]; }
  std::int64_t inner_stride(int operand) const { return strides[operand][dims - 1]; }

  /// The shape of `shape`, to which all operands broadcast, aligned at the last dimension.
  static Strided over(const Operand& shape, const std::array<const Operand*, kOperands>& operands) {
    Strided merged;
    for (int d = 0; d < shape.dims; ++d) {
      if (shape.sizes[d] == 1) continue;
      std::int64_t stride[kOperands];
      bool merges = merged.dims > 0;
      for (int k = 0; k < N; ++k) {
        const Operand& operand = *operands[static_cast<std::size_t>(k)];
        const int own = d - (shape.dims - operand.dims);
        stride[k] = own < 0 || operand.sizes[own] == 1 ? 0 : operand.strides[own];
        merges = merges && merged.strides[k][merged.dims - 1] == stride[k] * shape.sizes[d];
      }
      if (merges) {
        merged.sizes[merged.dims - 1] *= shape.sizes[d];
      } else {
        merged.sizes[merged.dims++] = shape.sizes[d];
      }
      for (int k = 0; k < N; ++k) merged.strides[k][merged.dims - 1] = stride[k];
    }
    if (merged.dims == 0) merged.sizes[merged.dims++] = 1;
    for (int d = 0; d < merged.dims; ++d) merged.dividers[d] = Divider(merged.sizes[d]);
    return merged;
  }

  std::int64_t numel() const {
    std::int64_t n = 1;
    for (int d = 0; d < dims; ++d) n *= sizes[d];
    return n;
  }

  /// Where element i, in row-major order, lies in each operand.
  AMP_HOST_DEVICE void locate(std::int64_t i, std::int64_t (&offsets)[kOperands]) const {
    for (int k = 0; k < N; ++k) offsets[k] = 0;
    for (int d = dims - 1; d > 0; --d) {
      const std::int64_t index = dividers[d].take_remainder(i);
      for (int k = 0; k < N; ++k) offsets[k] += index * strides[k][d];
    }
    for (int k = 0; k < N; ++k) offsets[k] += i * strides[k][0];
  }
};

}  // namespace amp::inline v0::kernels

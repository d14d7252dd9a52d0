// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Iteration over strided, broadcast operands: dimensions that lie behind one another in every
// operand are merged, the innermost is handed out in blocks.
#pragma once

#include <array>
#include <cstdint>

#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"

namespace amp::inline v0::kernels::host {

template <int N>
struct Loop {
  using Body = FunctionRef<void(const std::int64_t* offsets, std::int64_t n)>;

  int dims = 0;  // at least 1; the last is the innermost
  std::int64_t sizes[kMaxDims + 1] = {};
  std::int64_t strides[N][kMaxDims + 1] = {};  // 0 where an operand broadcasts

  std::int64_t inner_size() const { return sizes[dims - 1]; }
  std::int64_t inner_stride(int operand) const { return strides[operand][dims - 1]; }

  /// The loop over the shape of `shape`, to which all operands broadcast, aligned at the last
  /// dimension.
  static Loop over(const Operand& shape, const std::array<const Operand*, N>& operands) {
    Loop loop;
    for (int d = 0; d < shape.dims; ++d) {
      if (shape.sizes[d] == 1) continue;
      std::int64_t stride[N];
      bool merges = loop.dims > 0;
      for (int k = 0; k < N; ++k) {
        const Operand& operand = *operands[static_cast<std::size_t>(k)];
        const int own = d - (shape.dims - operand.dims);
        stride[k] = own < 0 || operand.sizes[own] == 1 ? 0 : operand.strides[own];
        merges = merges && loop.strides[k][loop.dims - 1] == stride[k] * shape.sizes[d];
      }
      if (merges) {
        loop.sizes[loop.dims - 1] *= shape.sizes[d];
      } else {
        loop.sizes[loop.dims++] = shape.sizes[d];
      }
      for (int k = 0; k < N; ++k) loop.strides[k][loop.dims - 1] = stride[k];
    }
    if (loop.dims == 0) loop.sizes[loop.dims++] = 1;
    return loop;
  }

  /// body(offsets, n) for blocks of at most kBlock inner elements, rows [begin, end) of the blocks'
  /// enumeration, in order.
  void run(std::int64_t begin, std::int64_t end, Body body) const {
    const std::int64_t per_row = ceil_div(inner_size(), kBlock);
    for (std::int64_t block = begin; block < end;) {
      std::int64_t row = block / per_row;
      std::int64_t offsets[N] = {};
      for (int d = dims - 2; d >= 0; --d) {
        const std::int64_t index = row % sizes[d];
        row /= sizes[d];
        for (int k = 0; k < N; ++k) offsets[k] += index * strides[k][d];
      }
      for (std::int64_t i = block % per_row; i < per_row && block < end; ++i, ++block) {
        std::int64_t at[N];
        for (int k = 0; k < N; ++k) at[k] = offsets[k] + i * kBlock * inner_stride(k);
        body(at, (std::min)(kBlock, inner_size() - i * kBlock));
      }
    }
  }

  std::int64_t blocks() const {
    std::int64_t count = ceil_div(inner_size(), kBlock);
    for (int d = 0; d + 1 < dims; ++d) count *= sizes[d];
    return count;
  }

  /// All blocks, on all threads, each block by one of them.
  void run_parallel(Body body) const {
    const std::int64_t block_size = (std::min)(kBlock, (std::max)(inner_size(), std::int64_t{1}));
    parallel_ranges(blocks(), ceil_div(16 * kBlock, block_size),
                    [&](std::int64_t begin, std::int64_t end) { run(begin, end, body); });
  }
};

}  // namespace amp::inline v0::kernels::host

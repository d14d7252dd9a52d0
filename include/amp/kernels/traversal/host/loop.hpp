// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Iteration over strided, broadcast operands: the innermost dimension is passed on in blocks.
#pragma once

#include <array>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::host {

template <int N>
struct Loop : Strided<N> {
  using Body = FunctionRef<void(const std::int64_t* offsets, std::int64_t n)>;
  using Strided<N>::dims;
  using Strided<N>::kOperands;
  using Strided<N>::sizes;
  using Strided<N>::strides;
  using Strided<N>::inner_size;
  using Strided<N>::inner_stride;

  /// Elements per block. More than kBlock are for bodies that need no buffers.
  std::int64_t block = kBlock;

  static Loop over(const Operand& shape, const std::array<const Operand*, kOperands>& operands) {
    return {Strided<N>::over(shape, operands)};
  }
  static Loop in_memory_order(const Operand& shape,
                              const std::array<const Operand*, kOperands>& operands) {
    return {Strided<N>::in_memory_order(shape, operands)};
  }

  /// Calls body(offsets, n) for blocks of at most `block` inner elements: those with indices [begin,
  /// end), in order. Rows may be short, so only the first one is found by divisions.
  void run(std::int64_t begin, std::int64_t end, Body body) const {
    const std::int64_t per_row = ceil_div(inner_size(), block);
    if (begin >= end) return;
    std::int64_t row = begin / per_row, index[kMaxDims + 1], offsets[kOperands] = {};
    AMP_NO_UNROLL
    for (int d = dims - 2; d >= 0; --d) {
      index[d] = row % sizes[d];
      row /= sizes[d];
      for (int k = 0; k < N; ++k) offsets[k] += index[d] * strides[k][d];
    }
    std::int64_t i = begin % per_row;
    for (std::int64_t current = begin; current < end; i = 0) {
      for (; i < per_row && current < end; ++i, ++current) {
        std::int64_t at[kOperands];
        for (int k = 0; k < N; ++k) at[k] = offsets[k] + i * block * inner_stride(k);
        body(at, (std::min)(block, inner_size() - i * block));
      }
      for (int d = dims - 2; d >= 0; --d) {
        const bool carries = ++index[d] == sizes[d];
        const std::int64_t step = carries ? 1 - sizes[d] : 1;
        for (int k = 0; k < N; ++k) offsets[k] += step * strides[k][d];
        if (!carries) break;
        index[d] = 0;
      }
    }
  }

  std::int64_t blocks() const {
    std::int64_t count = ceil_div(inner_size(), block);
    AMP_NO_UNROLL
    for (int d = 0; d + 1 < dims; ++d) count *= sizes[d];
    return count;
  }

  /// Calls it for all blocks, on all threads, each block on one of them.
  void run_parallel(Body body) const {
    const std::int64_t block_size = (std::min)(block, (std::max)(inner_size(), std::int64_t{1}));
    parallel_ranges(blocks(), ceil_div(16 * kBlock, block_size),
                    [&](std::int64_t begin, std::int64_t end) { run(begin, end, body); });
  }
};

}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lines that lie side by side, [outer, length, stride] along the middle: a thread has eight
// neighbouring lines, so that what it reads is a 16-byte word of each of their elements; neighbours
// in a block have the next eight, and those above them other elements of the same lines.
#pragma once

#include <cstdint>

#include "amp/kernels/traversal/cuda/rows.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::cuda {

/// Whether lines of all these arrays can be taken so.
template <class... Operands>
bool are_columns_of_vectors(const Lines& lines, const Operands&... operands) {
  return lines.stride > 1 && lines.length > 0 && are_rows_of_vectors(lines.stride, operands...);
}

/// The values of all threads of the block that have the same lines, those `team` threads apart,
/// combined for each line; each of them gets the result.
template <class Function, class T>
__device__ __forceinline__ void column_reduce(T (&values)[kVector], unsigned team) {
  __shared__ T found[kVector][kThreads];
  for (unsigned lanes = 16; lanes >= team; lanes /= 2) {
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l)
      values[l] = Function::apply(values[l], from_lane(values[l], lanes));
  }
  const unsigned apart = team < 32 ? 32 : team;  // the same lines in another warp
  if (apart >= blockDim.x) return;
  __syncthreads();  // the result of the call before is read
  AMP_UNROLL
  for (int l = 0; l < kVector; ++l) found[l][threadIdx.x] = values[l];
  __syncthreads();
  const unsigned first = threadIdx.x % apart;
  AMP_UNROLL
  for (int l = 0; l < kVector; ++l) values[l] = found[l][first];
  for (unsigned t = first + apart; t < blockDim.x; t += apart) {
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) values[l] = Function::apply(values[l], found[l][t]);
  }
}

/// Eight lines.
struct ColumnTile {
  std::int64_t line, base;  // the first one's number, and where it begins
  bool is_empty;            // beyond the last
};

/// Elements of a thread's lines: vectors `step` elements apart.
struct ColumnShare {
  std::int64_t base, first, length, stride;
  unsigned step;

  __device__ std::int64_t element(int k) const { return first + k * std::int64_t{step}; }
  __device__ bool has(int k) const { return element(k) < length; }
  __device__ std::int64_t at(int k) const { return base + element(k) * stride; }
};

/// `Kept` elements of a line in the registers of a thread.
template <int Kept>
struct Columns {
  static constexpr int kKept = Kept;

  std::int64_t length, stride, tiles;  // tiles: what blocks share, `team` vectors across
  Divider across;                      // tiles of [length, stride]
  unsigned team = kThreads;

  explicit Columns(const Lines& lines) : length(lines.length), stride(lines.stride), across(1) {
    constexpr unsigned kCoalesced = 4;  // whole sectors of memory
    const std::int64_t vectors = stride / kVector, outer = lines.count / stride;
    const auto tiles_across = [&] { return ceil_div(vectors, std::int64_t{team}); };
    while (team > 1 && team / 2 >= vectors) team /= 2;
    // No wider than lets a block keep its lines; and blocks enough for a device, as long as all of
    // their threads have `Kept` elements.
    const auto kept = [&] { return std::int64_t{Kept} * (kThreads / team); };
    while (team > kCoalesced &&
           (kept() < length || (2 * kept() <= length && outer * tiles_across() < 512)))
      team /= 2;
    tiles = outer * tiles_across();
    across = Divider(tiles_across());
  }
  std::int64_t blocks() const { return grid_for(tiles, 1); }

  // Of a thread; blocks take tiles blockIdx.x, blockIdx.x + gridDim.x, ...
  __device__ unsigned rows() const { return blockDim.x / team; }
  __device__ unsigned row() const { return threadIdx.x / team; }
  __device__ ColumnTile tile(std::int64_t index) const {
    std::int64_t outer = index;
    const std::int64_t column =
        (across.take_remainder(outer) * team + threadIdx.x % team) * kVector;
    const bool is_empty = column >= stride;
    const std::int64_t inner = is_empty ? 0 : column;
    return {outer * stride + inner, outer * length * stride + inner, is_empty};
  }

  /// Stretches of a line are numbered 0 to last().
  AMP_HOST_DEVICE int last() const {
    return static_cast<int>((length - 1) / (std::int64_t{kThreads / team} * Kept));
  }
  __device__ ColumnShare share(const ColumnTile& tile, int stretch) const {
    return {tile.base, std::int64_t{stretch} * (rows() * Kept) + row(), tile.is_empty ? 0 : length,
            stride, rows()};
  }
};

}  // namespace amp::inline v0::kernels::cuda

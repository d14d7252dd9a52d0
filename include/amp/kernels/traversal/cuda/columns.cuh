// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Lines that lie side by side (sweep.cuh), [outer, length, stride] along the middle. A thread has
// eight neighbouring lines, so it reads a 16-byte packet of each of their elements. Its neighbours
// in the block have the next eight lines, and the threads above them other elements of the same
// lines.
#pragma once

#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/tile.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/lines.hpp"

namespace amp::inline v0::kernels::cuda {

/// Whether lines of all these arrays can be read so.
template <class... Operands>
bool are_columns_of_vectors(const Lines& lines, const Operands&... operands) {
  return lines.stride > 1 && lines.length > 0 && are_rows_of_vectors(lines.stride, operands...);
}

/// Combines, for each line, the values of all threads of the block that have the same lines, those
/// `team` threads apart; each thread gets the result.
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
  __syncthreads();  // the result of the previous call is read
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

/// `Array` gives the positions of the lines: [outer, length, stride], and start(outer, inner),
/// begin(outer, inner), end(outer, inner) and at(i) as for Rows.
template <int Kept, class Array = Lines>
struct AMP_HIDDEN Columns {
  using Compute = float;
  static constexpr int kKept = Kept, kWidth = kVector, kLines = kVector, kMostThreads = kThreads,
                       kBlocksTogether = 0;

  /// Eight lines.
  struct Place {
    std::int64_t first, base;  // index of the first line, and its offset
    std::int64_t begin, end;   // their elements; end -1 beyond the last line
  };
  /// The elements of a thread's lines that it reads, `step` apart.
  struct Part {
    const Array* lines;
    std::int64_t base, first, end;
    unsigned step;

    __device__ std::int64_t element(int k, int) const { return first + k * std::int64_t{step}; }
    __device__ bool has(int k) const { return element(k, 0) < end; }
    __device__ std::int64_t at(int k) const { return base + lines->at(element(k, 0)); }
  };

  Array lines;
  std::int64_t length, stride, tiles;  // tiles: shared by the blocks, `team` vectors across
  Divider across;                      // tiles of [length, stride]
  unsigned team = kThreads;

  explicit Columns(const Array& array)
      : lines(array), length(array.length), stride(array.stride), across(1) {
    constexpr unsigned kCoalesced = 4;  // whole sectors of memory
    const std::int64_t vectors = stride / kVector, outer = lines.count / stride;
    const auto tiles_across = [&] { return ceil_div(vectors, std::int64_t{team}); };
    while (team > 1 && team / 2 >= vectors) team /= 2;
    // Teams are only as wide as lets a block keep its lines, and the grid gets enough blocks for a
    // device, as long as all of their threads have `Kept` elements.
    const auto kept = [&] { return std::int64_t{Kept} * (kThreads / team); };
    while (team > kCoalesced &&
           (kept() < length || (2 * kept() <= length && outer * tiles_across() < 512)))
      team /= 2;
    tiles = outer * tiles_across();
    across = Divider(tiles_across());
  }
  unsigned block_threads() const { return kThreads; }
  std::int64_t blocks() const { return grid_for(tiles, 1); }

  template <class Body>
  __device__ __forceinline__ void for_each_tile(Body&& body) const {
    for (std::int64_t i = blockIdx.x; i < tiles; i += gridDim.x) body(Tile(*this, place(i)));
  }
  /// Returns the place of this thread in a tile.
  __device__ Place place(std::int64_t tile) const {
    std::int64_t outer = tile;
    const std::int64_t column =
        (across.take_remainder(outer) * team + threadIdx.x % team) * kVector;
    if (column >= stride) return {outer * stride, lines.start(outer, 0), 0, -1};
    return {outer * stride + column, lines.start(outer, column), lines.begin(outer, column),
            lines.end(outer, column)};
  }

  __device__ int last() const {
    return static_cast<int>((length - 1) / (std::int64_t{kThreads / team} * Kept));
  }
  __device__ Part part(const Place& place, int stretch) const {
    return {&lines, place.base, place.begin + std::int64_t{stretch} * (rows() * Kept) + row(),
            place.end, rows()};
  }
  template <class Function, class T>
  __device__ void reduce(const Place&, T (&values)[kVector]) const {
    column_reduce<Function>(values, team);
  }
  __device__ bool has_line(const Place& place) const { return place.end >= 0; }
  __device__ std::int64_t line(const Place& place, int l) const { return place.first + l; }
  __device__ std::int64_t first(const Place& place) const { return place.begin; }
  __device__ std::int64_t at(const Place& place, int l, std::int64_t i) const {
    return place.base + l + lines.at(i);
  }
  /// Whether this thread writes the result of line l. Threads with the same lines take turns.
  __device__ bool owns(const Place& place, int l) const {
    return has_line(place) && static_cast<unsigned>(l) % rows() == row();
  }

 private:
  __device__ unsigned rows() const { return blockDim.x / team; }
  __device__ unsigned row() const { return threadIdx.x / team; }
};

}  // namespace amp::inline v0::kernels::cuda

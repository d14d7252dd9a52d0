// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arrays of a table, cut into pieces that are numbered in order and divided among the blocks. A
// piece is processed in vectors if the addresses allow it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/device/cuda/error.hpp"
#include "amp/kernels/traversal/cuda/vectors.cuh"

namespace amp::inline v0::kernels::cuda {

inline constexpr std::int64_t kPiece = 4096;  // elements that a block processes at a time

/// [begin, end)
struct Range {
  std::int64_t begin, end;
};

/// Returns the elements of piece n of an array of `numel` elements whose first piece has index
/// `first`.
AMP_HOST_DEVICE constexpr Range piece_range(std::int64_t n, std::int64_t first, std::int64_t numel,
                                            std::int64_t piece_size) {
  const std::int64_t begin = (n - first) * piece_size, tail = numel - begin;
  return {begin, begin + (tail < piece_size ? tail : piece_size)};
}

/// Returns part `index` of `count` items divided into `shares` parts, whose sizes differ by at most
/// one.
AMP_HOST_DEVICE constexpr Range share_of(std::int64_t count, std::int64_t index,
                                         std::int64_t shares) {
  const std::int64_t size = count / shares, longer = count % shares;
  const std::int64_t begin = index * size + (index < longer ? index : longer);
  return {begin, begin + size + (index < longer ? 1 : 0)};
}

/// Returns the row that holds piece n: the last of `count` > 0 rows that begins at it or before.
template <class Row>
AMP_HOST_DEVICE std::int64_t row_with(const Row* rows, std::int64_t count, std::int64_t Row::*first,
                                      std::int64_t n) {
  std::int64_t low = 0;
  for (std::int64_t high = count; high - low > 1;) {
    const std::int64_t middle = low + (high - low) / 2;
    (rows[middle].*first <= n ? low : high) = middle;
  }
  return low;
}

/// Calls body(row, range, n) for the pieces n of this block. They are neighbours, so one search
/// suffices.
template <class Row, class Body>
__device__ __forceinline__ void for_each_piece(const Row* rows, std::int64_t count,
                                               std::int64_t Row::*first, std::int64_t pieces,
                                               std::int64_t piece_size, Body&& body) {
  const Range share = share_of(pieces, blockIdx.x, gridDim.x);
  if (share.begin == share.end) return;
  std::int64_t r = row_with(rows, count, first, share.begin);
  for (std::int64_t n = share.begin; n < share.end; ++n) {
    while (r + 1 < count && rows[r + 1].*first <= n) ++r;
    body(rows[r], piece_range(n, rows[r].*first, rows[r].numel(), piece_size), n);
  }
}

/// Returns the number of blocks for so many pieces: at most several times what the device runs at
/// once, so that blocks have equal work; 1 if there are none.
inline std::int64_t blocks_for(Device device, std::int64_t pieces) {
  constexpr std::int64_t kMost = 64;  // for each multiprocessor
  int multiprocessors = 0;
  AMP_CUDA_CALL(cudaDeviceGetAttribute, &multiprocessors, cudaDevAttrMultiProcessorCount,
                device.index);
  return std::clamp(pieces, std::int64_t{1}, kMost * multiprocessors);
}

/// Loads N elements from i on as load_vector does, or one as load does.
template <class C, int N>
__device__ __forceinline__ void load_some(const void* data, DType dtype, std::int64_t i,
                                          C (&values)[N]) {
  if constexpr (N == 1) {
    values[0] = load<C>(data, dtype, i);
  } else {
    load_vector<C>(data, dtype, i, values);
  }
}
template <class C, int N>
__device__ __forceinline__ void store_some(void* data, DType dtype, std::int64_t i,
                                           const C (&values)[N]) {
  if constexpr (N == 1) {
    store<C>(data, dtype, i, values[0]);
  } else {
    store_vector<C>(data, dtype, i, values);
  }
}

template <int N>
using Size = std::integral_constant<int, N>;

/// Calls body(Size<N>, i) for the elements [i, i + N) of the range that are this thread's: in
/// vectors if possible, one by one in the tail.
template <class C, class Body>
__device__ __forceinline__ void for_each_vector(bool vectors, Range range, Body&& body) {
  std::int64_t tail = range.begin;
  if constexpr (std::is_same_v<C, float>) {  // other types have no vectors
    if (vectors) {
      tail = range.end - (range.end - range.begin) % kVector;
      const std::int64_t step = static_cast<std::int64_t>(blockDim.x) * kVector;
      for (std::int64_t i = range.begin + static_cast<std::int64_t>(threadIdx.x) * kVector;
           i < tail; i += step)
        body(Size<kVector>{}, i);
    }
  }
  for (std::int64_t i = tail + threadIdx.x; i < range.end; i += blockDim.x) body(Size<1>{}, i);
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies between two orders of the same elements, if neighbours in the one order are not neighbours
// in the other. It proceeds tile by tile, so the cache lines that are read and written stay in the
// nearest cache until all of each line is used.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/core/math.hpp"
#include "amp/core/simd/transpose.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Transposes `rows` x `columns` elements in the same way, i < rows and j < columns.
template <class T>
void transpose_tile(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                    std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = simd::kSquare<T>;
  const std::int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  for (std::int64_t i = 0; i < whole_rows; i += kSide) {
    for (std::int64_t j = 0; j < whole_columns; j += kSide) {
      simd::transpose_square(from + j * from_stride + i, from_stride, to + i * to_stride + j,
                             to_stride);
    }
  }
  for (std::int64_t i = 0; i < rows; ++i) {  // what the squares leave
    AMP_NO_UNROLL
    for (std::int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j)
      to[i * to_stride + j] = from[j * from_stride + i];
  }
}

}  // namespace detail

/// Returns the dimension in which the elements of operand 0 are neighbours, if those of operand 1
/// are neighbours in another one, the innermost; else -1.
AMP_LAZY inline int transposed_dimension(const Strided<2>& shape) {
  if (shape.inner_stride(1) != 1 || shape.inner_stride(0) <= 1) return -1;
  for (int d = 0; d + 1 < shape.dims; ++d) {
    if (shape.strides[0][d] == 1) return d;
  }
  return -1;
}

namespace detail {

/// transpose_tile() for elements of one size; strides count elements.
using TransposeTile = void (*)(const char* from, std::int64_t from_at, std::int64_t from_stride,
                               char* to, std::int64_t to_at, std::int64_t to_stride,
                               std::int64_t rows, std::int64_t columns);
template <class T>
void transpose_tile_at(const char* from, std::int64_t from_at, std::int64_t from_stride, char* to,
                       std::int64_t to_at, std::int64_t to_stride, std::int64_t rows,
                       std::int64_t columns) {
  transpose_tile(reinterpret_cast<const T*>(from) + from_at, from_stride,
                 reinterpret_cast<T*>(to) + to_at, to_stride, rows, columns);
}

}  // namespace detail

/// to[...] = from[...] over a shape whose transposed dimension is `across`.
AMP_LAZY inline void transpose(const Strided<2>& shape, int across, DType dtype, const void* from,
                               void* to) {
  constexpr std::int64_t kTile = 64;
  const int inner = shape.dims - 1;
  const std::int64_t rows = shape.sizes[across], columns = shape.sizes[inner];
  const std::int64_t to_stride = shape.strides[1][across], from_stride = shape.inner_stride(0);
  const std::int64_t row_tiles = ceil_div(rows, kTile), column_tiles = ceil_div(columns, kTile);
  const std::int64_t planes = shape.numel() / (rows * columns);
  detail::TransposeTile transpose_tile = nullptr;
  visit_bits(dtype, [&](auto tag) {
    transpose_tile = detail::transpose_tile_at<typename decltype(tag)::type>;
  });
  const auto copy_tile = [&](std::int64_t tile) {
    const std::int64_t j = tile % column_tiles * kTile, i = tile / column_tiles % row_tiles * kTile;
    std::int64_t plane = tile / column_tiles / row_tiles, offsets[2] = {};
    for (int d = inner - 1; d >= 0; --d) {
      if (d == across) continue;
      for (int k = 0; k < 2; ++k) offsets[k] += plane % shape.sizes[d] * shape.strides[k][d];
      plane /= shape.sizes[d];
    }
    transpose_tile(static_cast<const char*>(from), offsets[0] + j * from_stride + i, from_stride,
                   static_cast<char*>(to), offsets[1] + i * to_stride + j, to_stride,
                   (std::min)(kTile, rows - i), (std::min)(kTile, columns - j));
  };
  const std::int64_t tile_size = (std::min)(kTile, rows) * (std::min)(kTile, columns);
  parallel_ranges(planes * row_tiles * column_tiles, ceil_div(4 * kTile * kTile, tile_size),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t tile = begin; tile < end; ++tile) copy_tile(tile);
                  });
}

}  // namespace amp::inline v0::kernels::host

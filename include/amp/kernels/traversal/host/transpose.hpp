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
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/traversal/strided.hpp"

#if AMP_X86
#include <emmintrin.h>
#endif

namespace amp::inline v0::kernels::host {

namespace detail {

/// The number of elements of T in a vector of 16 bytes.
template <class T>
inline constexpr std::int64_t kSquare = 16 / static_cast<std::int64_t>(sizeof(T));

#if AMP_X86
template <class T>
__m128i interleave_low(__m128i a, __m128i b) {
  if constexpr (sizeof(T) == 1) return _mm_unpacklo_epi8(a, b);
  if constexpr (sizeof(T) == 2) return _mm_unpacklo_epi16(a, b);
  if constexpr (sizeof(T) == 4) return _mm_unpacklo_epi32(a, b);
  if constexpr (sizeof(T) == 8) return _mm_unpacklo_epi64(a, b);
}
template <class T>
__m128i interleave_high(__m128i a, __m128i b) {
  if constexpr (sizeof(T) == 1) return _mm_unpackhi_epi8(a, b);
  if constexpr (sizeof(T) == 2) return _mm_unpackhi_epi16(a, b);
  if constexpr (sizeof(T) == 4) return _mm_unpackhi_epi32(a, b);
  if constexpr (sizeof(T) == 8) return _mm_unpackhi_epi64(a, b);
}

/// Transposes as many rows as a row has elements of T. The index of an element consists of the bits
/// of its row and those of its column. Interleaving the first half of the rows with the second half
/// moves the highest bit of the row behind the others; after as many rounds as a row index has
/// bits, rows and columns are exchanged.
template <class T, std::size_t... kRows>
AMP_ALWAYS_INLINE void transpose_vectors(__m128i (&rows)[sizeof...(kRows)],
                                         std::index_sequence<kRows...>) {
  constexpr std::size_t kCount = sizeof...(kRows), kHalf = kCount / 2;
  for (std::size_t round = 1; round < kCount; round *= 2) {
    const __m128i next[] = {kRows % 2 == 0
                                ? interleave_low<T>(rows[kRows / 2], rows[kRows / 2 + kHalf])
                                : interleave_high<T>(rows[kRows / 2], rows[kRows / 2 + kHalf])...};
    ((rows[kRows] = next[kRows]), ...);
  }
}

/// to[i * to_stride + j] = from[j * from_stride + i] for i, j < kSquare.
template <class T, std::size_t... kRows>
AMP_ALWAYS_INLINE void transpose_square(const T* from, std::int64_t from_stride, T* to,
                                        std::int64_t to_stride, std::index_sequence<kRows...> all) {
  const auto at = [](std::size_t row, std::int64_t stride) {
    return static_cast<std::int64_t>(row) * stride;
  };
  __m128i rows[] = {
      _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + at(kRows, from_stride)))...};
  transpose_vectors<T>(rows, all);
  (_mm_storeu_si128(reinterpret_cast<__m128i*>(to + at(kRows, to_stride)), rows[kRows]), ...);
}
template <class T>
void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  constexpr auto kCount = static_cast<std::size_t>(kSquare<T>);
  transpose_square(from, from_stride, to, to_stride, std::make_index_sequence<kCount>());
}
#else
template <class T>
void transpose_square(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride) {
  for (std::int64_t i = 0; i < kSquare<T>; ++i) {
    for (std::int64_t j = 0; j < kSquare<T>; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  }
}
#endif

/// Transposes `rows` x `columns` elements in the same way, i < rows and j < columns.
template <class T>
void transpose_tile(const T* from, std::int64_t from_stride, T* to, std::int64_t to_stride,
                    std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kSide = kSquare<T>;
  const std::int64_t whole_rows = rows / kSide * kSide, whole_columns = columns / kSide * kSide;
  const auto one_by_one = [&](std::int64_t i, std::int64_t first, std::int64_t last) {
    for (std::int64_t j = first; j < last; ++j) to[i * to_stride + j] = from[j * from_stride + i];
  };
  for (std::int64_t i = 0; i < whole_rows; i += kSide) {
    for (std::int64_t j = 0; j < whole_columns; j += kSide) {
      transpose_square(from + j * from_stride + i, from_stride, to + i * to_stride + j, to_stride);
    }
  }
  for (std::int64_t i = 0; i < whole_rows; ++i) one_by_one(i, whole_columns, columns);
  for (std::int64_t i = whole_rows; i < rows; ++i) one_by_one(i, 0, columns);
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

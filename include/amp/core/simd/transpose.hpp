// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Squares of elements, a row in each register of 16 bytes, and their transposes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

/// One row of a square.
template <class T>
using Row = typename Register<T, 16>::type;

/// The number of elements of T in a row, and of rows in a square.
template <class T>
inline constexpr std::int64_t kSquare = 16 / static_cast<std::int64_t>(sizeof(T));

template <class T>
AMP_ALWAYS_INLINE Row<T> load_row(const void* x) {
  Row<T> row;
  row = in_memory<T, 16>(x).value;
  return row;
}
template <class T>
AMP_ALWAYS_INLINE void store_row(const Row<T>& row, void* x) {
  in_memory<T, 16>(x).value = row;
}

/// a[i], b[i], a[i + 1], b[i + 1], ... from the first element of a half on. The lanes are spelled
/// out, because nvcc expands no pack there.
template <class T, bool kUpper>
AMP_ALWAYS_INLINE Row<T> interleave(const Row<T>& a, const Row<T>& b) {
  constexpr int n = static_cast<int>(kSquare<T>), i = kUpper ? n / 2 : 0, k = i + n;
  if constexpr (n == 2)
    return __builtin_shufflevector(a, b, i, k);
  else if constexpr (n == 4)
    return __builtin_shufflevector(a, b, i, k, i + 1, k + 1);
  else if constexpr (n == 8)
    return __builtin_shufflevector(a, b, i, k, i + 1, k + 1, i + 2, k + 2, i + 3, k + 3);
  else
    return __builtin_shufflevector(a, b, i, k, i + 1, k + 1, i + 2, k + 2, i + 3, k + 3, i + 4,
                                   k + 4, i + 5, k + 5, i + 6, k + 6, i + 7, k + 7);
}

/// Transposes a square. The index of an element consists of the bits of its row and those of its
/// column. Interleaving the first half of the rows with the second half moves the highest bit of
/// the row behind the others; after as many rounds as a row index has bits, rows and columns are
/// exchanged.
template <class T, std::size_t... kRows>
AMP_ALWAYS_INLINE void transpose(Row<T> (&rows)[sizeof...(kRows)], std::index_sequence<kRows...>) {
  constexpr std::size_t kHalf = sizeof...(kRows) / 2;
  for (std::size_t round = 1; round < sizeof...(kRows); round *= 2) {
    const Row<T> next[] = {
        interleave<T, kRows % 2 != 0>(rows[kRows / 2], rows[kRows / 2 + kHalf])...};
    ((rows[kRows] = next[kRows]), ...);
  }
}

/// to[i * to_stride + j] = from[j * from_stride + i] for i, j < kSquare.
template <class T, std::size_t... kRows>
AMP_ALWAYS_INLINE void transpose_square(const T* from, std::int64_t from_stride, T* to,
                                        std::int64_t to_stride, std::index_sequence<kRows...> all) {
  Row<T> rows[] = {load_row<T>(from + static_cast<std::int64_t>(kRows) * from_stride)...};
  transpose<T>(rows, all);
  (store_row<T>(rows[kRows], to + static_cast<std::int64_t>(kRows) * to_stride), ...);
}
template <class T>
AMP_ALWAYS_INLINE void transpose_square(const T* from, std::int64_t from_stride, T* to,
                                        std::int64_t to_stride) {
  constexpr auto kRows = static_cast<std::size_t>(kSquare<T>);
  transpose_square(from, from_stride, to, to_stride, std::make_index_sequence<kRows>());
}

}  // namespace amp::inline v0::simd

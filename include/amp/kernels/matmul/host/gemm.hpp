// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls of float or double on one thread: panels packed as float (or double), multiplied by a
// register-blocked micro-kernel that is compiled for several instruction sets and chosen at run
// time (the structure of Goto and van de Geijn 2008, "Anatomy of High-Performance Matrix
// Multiplication"). Every element is accumulated over k in one fixed order, whatever the number of
// threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/globals.hpp"
#include "amp/core/object_pool.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/transpose.hpp"

namespace amp::inline v0::kernels::host {

/// A matrix of floats or doubles in memory; element (i, j) at data[i * row_stride + j *
/// column_stride].
template <class T>
struct Matrix {
  const T* data;
  std::int64_t row_stride, column_stride;
};

namespace gemm {

inline constexpr std::int64_t kDepth =
    256;  // k per panel: a strip of B panel stays in the first-level cache
inline constexpr std::int64_t kRowsInCache =
    288;  // rows of a packed panel of A, which stays in the second-level cache; for all kernels

// Vector types are spelled out, since some compilers allow no template parameter in the attribute.
// clang-format off
struct Generic32 { using scalar = float; using vector [[gnu::vector_size(16)]] = float; static constexpr int kRows = 4, kVectors = 2; };
struct Generic64 { using scalar = double; using vector [[gnu::vector_size(16)]] = double; static constexpr int kRows = 4, kVectors = 2; };
struct Avx2Float { using scalar = float; using vector [[gnu::vector_size(32)]] = float; static constexpr int kRows = 6, kVectors = 2; };
struct Avx2Double { using scalar = double; using vector [[gnu::vector_size(32)]] = double; static constexpr int kRows = 6, kVectors = 2; };
struct Avx512Float { using scalar = float; using vector [[gnu::vector_size(64)]] = float; static constexpr int kRows = 12, kVectors = 2; };
struct Avx512Double { using scalar = double; using vector [[gnu::vector_size(64)]] = double; static constexpr int kRows = 12, kVectors = 2; };
// clang-format on

/// at[...] = sums, or += sums.
template <class V, class T>
AMP_ALWAYS_INLINE void put(T* at, const V& sums, bool accumulate) {
  V out = sums;
  if (accumulate) {
    __builtin_memcpy(&out, at, sizeof out);
    out += sums;
  }
  __builtin_memcpy(at, &out, sizeof out);
}

/// c[kRows, columns] = a_panel[depth, kRows]^T @ b_panel[depth, columns], or +=, columns = kVectors
/// * lanes; c has `stride`. kTile counts the vectors of c. It is a fold over them: with loops, g++
/// keeps the sums in memory even at -O3, which takes twice the time. Each vector of b is loaded by
/// itself: g++ copies an array in small pieces to the stack, and waits for all of them.
template <class Isa, int... kTile>
AMP_ALWAYS_INLINE void micro_kernel(std::integer_sequence<int, kTile...>, std::int64_t depth,
                                    const typename Isa::scalar* a, const typename Isa::scalar* b,
                                    typename Isa::scalar* c, std::int64_t stride, bool accumulate) {
  using V = typename Isa::vector;
  constexpr int kVectors = Isa::kVectors;
  constexpr int kLanes = static_cast<int>(sizeof(V) / sizeof(typename Isa::scalar));
  V sums[sizeof...(kTile)];
  ((sums[kTile] = V{}), ...);
  for (int i = 0; i < Isa::kRows; ++i) __builtin_prefetch(c + i * stride, 1);
  AMP_UNROLL_BY_4
  for (std::int64_t k = 0; k < depth; ++k) {
    V row[static_cast<std::size_t>(kVectors)];
    for (int v = 0; v < kVectors; ++v) __builtin_memcpy(&row[v], b + v * kLanes, sizeof(V));
    ((sums[kTile] += a[kTile / kVectors] * row[kTile % kVectors]), ...);
    a += Isa::kRows;
    b += kVectors * kLanes;
  }
  (put(c + kTile / kVectors * stride + kTile % kVectors * kLanes, sums[kTile], accumulate), ...);
}

template <class T>
struct Kernel {
  int rows, columns;
  void (*run)(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride,
              bool accumulate);
};

#define AMP_MICRO_KERNEL(name, Isa, ...)                                                          \
  __VA_ARGS__ inline void name(std::int64_t depth, const Isa::scalar* a, const Isa::scalar* b,    \
                               Isa::scalar* c, std::int64_t stride, bool accumulate) {            \
    micro_kernel<Isa>(std::make_integer_sequence<int, Isa::kRows * Isa::kVectors>(), depth, a, b, \
                      c, stride, accumulate);                                                     \
  }
AMP_MICRO_KERNEL(run_generic, Generic32)
AMP_MICRO_KERNEL(run_generic, Generic64)
#if AMP_X86
AMP_MICRO_KERNEL(run_avx2, Avx2Float, AMP_WITH_AVX2)
AMP_MICRO_KERNEL(run_avx2, Avx2Double, AMP_WITH_AVX2)
AMP_MICRO_KERNEL(run_avx512, Avx512Float, AMP_WITH_AVX512)
AMP_MICRO_KERNEL(run_avx512, Avx512Double, AMP_WITH_AVX512)
#endif
#undef AMP_MICRO_KERNEL

template <class T, class Isa>
constexpr Kernel<T> kernel_of(decltype(Kernel<T>::run) run) {
  return {Isa::kRows, Isa::kVectors * static_cast<int>(sizeof(typename Isa::vector) / sizeof(T)),
          run};
}

template <class T>
Kernel<T> choose_kernel() {
  constexpr bool kFloat = sizeof(T) == 4;
#if AMP_X86
  using amp::detail::InstructionSet;
  const InstructionSet set = amp::detail::instruction_set();
  if (set >= InstructionSet::kAvx512)
    return kernel_of<T, std::conditional_t<kFloat, Avx512Float, Avx512Double>>(run_avx512);
  if (set >= InstructionSet::kAvx2)
    return kernel_of<T, std::conditional_t<kFloat, Avx2Float, Avx2Double>>(run_avx2);
#endif
  return kernel_of<T, std::conditional_t<kFloat, Generic32, Generic64>>(run_generic);
}

/// Packs panels of `width` rows of the matrix, k running fastest across panels: panel[k * width +
/// i]; padded with zeros to `width`. Whole panels are copied in vectors, the last of which overlaps
/// the one before it if the width is no multiple.
template <class T>
void pack(const Matrix<T>& matrix, std::int64_t rows, std::int64_t depth, std::int64_t width,
          T* panel) {
  constexpr std::int64_t kSide = simd::kSquare<T>;
  const std::int64_t row = matrix.row_stride, column = matrix.column_stride;
  const std::int64_t whole_rows = row == 1 || column == 1 ? rows / width * width : 0;
  const std::int64_t whole_depth = depth / kSide * kSide;
  const auto one_by_one = [&](std::int64_t start, std::int64_t first) {
    for (std::int64_t k = first; k < depth; ++k) {
      for (std::int64_t i = 0; i < width; ++i) {
        panel[start * depth + k * width + i] =
            start + i < rows ? matrix.data[(start + i) * row + k * column] : T{0};
      }
    }
  };
  const auto for_vectors = [&](std::int64_t start, const auto& body) {
    for (std::int64_t i = 0; i < width; i += kSide)
      body(start + (std::min)(i, width - kSide),
           panel + start * depth + (std::min)(i, width - kSide));
  };
  if (row == 1) {  // rows lie side by side: memory is read in order, and written in whole lines
    constexpr std::int64_t kLines = 8;
    for (std::int64_t k0 = 0; k0 < depth; k0 += kLines) {
      for (std::int64_t start = 0; start < whole_rows; start += width) {
        for (std::int64_t k = k0; k < (std::min)(depth, k0 + kLines); ++k) {
          for_vectors(start, [&](std::int64_t i, T* to) {
            __builtin_memcpy(to + k * width, matrix.data + i + k * column, kSide * sizeof(T));
          });
        }
      }
    }
  } else {
    for (std::int64_t start = 0; start < whole_rows; start += width) {
      for (std::int64_t k = 0; k < whole_depth; k += kSide) {
        for_vectors(start, [&](std::int64_t i, T* to) {
          simd::transpose_square(matrix.data + i * row + k, row, to + k * width, width);
        });
      }
      one_by_one(start, whole_depth);
    }
  }
  for (std::int64_t start = whole_rows; start < rows; start += width) one_by_one(start, 0);
}

/// A thread's scratch memory: panels of a and b, a partial tile, and two widened matrices.
template <class T>
struct AMP_EXPORT Scratch {
  amp::detail::PoolVector<T> buffers[5];
};

/// Reused scratch memory of this thread.
template <class T>
T* scratch(std::int64_t slot, std::int64_t count) {
  amp::detail::PoolVector<T>& buffer = thread_object<Scratch<T>>().buffers[slot];
  if (static_cast<std::int64_t>(buffer.size()) < count)
    buffer.resize(static_cast<std::size_t>(count));
  return buffer.data();
}

/// c = a @ b, or c += a @ b, in place on this thread, for a [m, depth], b [depth, n] packed in
/// panels of micro.columns, and c [m, n] with dense rows.
template <class T>
void add_panels(const Kernel<T>& micro, std::int64_t m, std::int64_t n, std::int64_t depth,
                const Matrix<T>& a, const T* b, T* c, std::int64_t c_stride, bool accumulate) {
  const std::int64_t rows = micro.rows, columns = micro.columns, block = kRowsInCache;
  T* const a_panel = scratch<T>(0, block * kDepth);
  T* const edge = scratch<T>(2, rows * columns);
  for (std::int64_t m0 = 0; m0 < m; m0 += block) {
    const std::int64_t mm = (std::min)(block, m - m0);
    pack<T>({a.data + m0 * a.row_stride, a.row_stride, a.column_stride}, mm, depth, rows, a_panel);
    for (std::int64_t j = 0; j < n; j += columns) {
      const T* const b_panel = b + j * depth;
      for (std::int64_t i = 0; i < mm; i += rows) {
        T* const out = c + (m0 + i) * c_stride + j;
        if (i + rows <= mm && j + columns <= n) {
          micro.run(depth, a_panel + i * depth, b_panel, out, c_stride, accumulate);
          continue;
        }
        // A partial tile is computed as a full one.
        micro.run(depth, a_panel + i * depth, b_panel, edge, columns, false);
        for (std::int64_t r = 0; r < (std::min)(rows, mm - i); ++r) {
          for (std::int64_t s = 0; s < (std::min)(columns, n - j); ++s) {
            T& element = out[r * c_stride + s];
            element = accumulate ? element + edge[r * columns + s] : edge[r * columns + s];
          }
        }
      }
    }
  }
}

/// c += a @ b in place on this thread, for a [m, k], b [k, n] and a dense row-major c [m, n].
template <class T>
void multiply_add(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                  const Matrix<T>& b, T* c, std::int64_t c_stride) {
  const Kernel<T> micro = choose_kernel<T>();
  const std::int64_t columns = micro.columns, block = columns * 32;
  T* const b_panels = scratch<T>(1, block * kDepth);
  for (std::int64_t n0 = 0; n0 < n; n0 += block) {
    const std::int64_t nn = (std::min)(block, n - n0);
    for (std::int64_t k0 = 0; k0 < k; k0 += kDepth) {
      const std::int64_t kk = (std::min)(kDepth, k - k0);
      pack<T>({b.data + k0 * b.row_stride + n0 * b.column_stride, b.column_stride, b.row_stride},
              nn, kk, columns, b_panels);
      add_panels<T>(micro, m, nn, kk,
                    {a.data + k0 * a.column_stride, a.row_stride, a.column_stride}, b_panels,
                    c + n0, c_stride, true);
    }
  }
}

}  // namespace gemm
}  // namespace amp::inline v0::kernels::host

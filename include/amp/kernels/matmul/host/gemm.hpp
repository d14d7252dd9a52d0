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
#include "amp/core/instruction_set.hpp"
#include "amp/core/object_pool.hpp"

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

// Vector types are spelled out, since some compilers allow no template parameter in the attribute.
// clang-format off
struct Generic32 { using scalar = float; using vector [[gnu::vector_size(16)]] = float; static constexpr int kRows = 4, kVectors = 2; };
struct Generic64 { using scalar = double; using vector [[gnu::vector_size(16)]] = double; static constexpr int kRows = 4, kVectors = 2; };
struct Avx2Float { using scalar = float; using vector [[gnu::vector_size(32)]] = float; static constexpr int kRows = 6, kVectors = 2; };
struct Avx2Double { using scalar = double; using vector [[gnu::vector_size(32)]] = double; static constexpr int kRows = 6, kVectors = 2; };
struct Avx512Float { using scalar = float; using vector [[gnu::vector_size(64)]] = float; static constexpr int kRows = 12, kVectors = 2; };
struct Avx512Double { using scalar = double; using vector [[gnu::vector_size(64)]] = double; static constexpr int kRows = 12, kVectors = 2; };
// clang-format on

template <class V, class T>
AMP_ALWAYS_INLINE void add_to(T* at, const V& sums) {
  V out;
  __builtin_memcpy(&out, at, sizeof out);
  out += sums;
  __builtin_memcpy(at, &out, sizeof out);
}

/// c[kRows, columns] += a_panel[depth, kRows]^T @ b_panel[depth, columns], columns = kVectors *
/// lanes; c has `stride`. kTile counts the vectors of c. It is a fold over them: with loops, g++
/// keeps the sums in memory even at -O3, which takes twice the time.
template <class Isa, int... kTile>
AMP_ALWAYS_INLINE void micro_kernel(std::integer_sequence<int, kTile...>, std::int64_t depth,
                                    const typename Isa::scalar* a, const typename Isa::scalar* b,
                                    typename Isa::scalar* c, std::int64_t stride) {
  using V = typename Isa::vector;
  constexpr int kVectors = Isa::kVectors;
  constexpr int kLanes = static_cast<int>(sizeof(V) / sizeof(typename Isa::scalar));
  V sums[sizeof...(kTile)];
  ((sums[kTile] = V{}), ...);
  for (std::int64_t k = 0; k < depth; ++k) {
    V row[static_cast<std::size_t>(kVectors)];
    __builtin_memcpy(row, b, sizeof row);
    ((sums[kTile] += a[kTile / kVectors] * row[kTile % kVectors]), ...);
    a += Isa::kRows;
    b += kVectors * kLanes;
  }
  (add_to(c + kTile / kVectors * stride + kTile % kVectors * kLanes, sums[kTile]), ...);
}

template <class T>
struct Kernel {
  int rows, columns;
  void (*run)(std::int64_t depth, const T* a, const T* b, T* c, std::int64_t stride);
};

#define AMP_MICRO_KERNEL(name, Isa, ...)                                                          \
  __VA_ARGS__ inline void name(std::int64_t depth, const Isa::scalar* a, const Isa::scalar* b,    \
                               Isa::scalar* c, std::int64_t stride) {                             \
    micro_kernel<Isa>(std::make_integer_sequence<int, Isa::kRows * Isa::kVectors>(), depth, a, b, \
                      c, stride);                                                                 \
  }
AMP_MICRO_KERNEL(run_generic, Generic32)
AMP_MICRO_KERNEL(run_generic, Generic64)
#if AMP_X86
AMP_MICRO_KERNEL(run_avx2, Avx2Float, __attribute__((target("avx2,fma"))))
AMP_MICRO_KERNEL(run_avx2, Avx2Double, __attribute__((target("avx2,fma"))))
AMP_MICRO_KERNEL(run_avx512, Avx512Float, __attribute__((target("avx512f,avx2,fma"))))
AMP_MICRO_KERNEL(run_avx512, Avx512Double, __attribute__((target("avx512f,avx2,fma"))))
#endif
#undef AMP_MICRO_KERNEL

template <class T, class Isa>
constexpr Kernel<T> kernel_of(void (*run)(std::int64_t, const T*, const T*, T*, std::int64_t)) {
  return {Isa::kRows, Isa::kVectors * static_cast<int>(sizeof(typename Isa::vector) / sizeof(T)),
          run};
}

template <class T>
Kernel<T> choose_kernel() {
  constexpr bool kFloat = sizeof(T) == 4;
#if AMP_X86
  if (amp::detail::has_avx512()) {
    return kernel_of<T, std::conditional_t<kFloat, Avx512Float, Avx512Double>>(run_avx512);
  }
  if (amp::detail::has_avx2()) {
    return kernel_of<T, std::conditional_t<kFloat, Avx2Float, Avx2Double>>(run_avx2);
  }
#endif
  return kernel_of<T, std::conditional_t<kFloat, Generic32, Generic64>>(run_generic);
}

/// Packs panels of `width` rows of the matrix, k running fastest across panels: panel[k * width +
/// i]; padded with zeros to `width`.
template <class T>
void pack(const Matrix<T>& matrix, std::int64_t rows, std::int64_t depth, std::int64_t width,
          T* panel) {
  for (std::int64_t start = 0; start < rows; start += width, panel += width * depth) {
    const std::int64_t count = (std::min)(width, rows - start);
    const T* const from = matrix.data + start * matrix.row_stride;
    if (matrix.row_stride == 1) {  // rows lie side by side
      for (std::int64_t k = 0; k < depth; ++k) {
        const T* const line = from + k * matrix.column_stride;
        T* const to = panel + k * width;
        for (std::int64_t i = 0; i < count; ++i) to[i] = line[i];
        for (std::int64_t i = count; i < width; ++i) to[i] = T{0};
      }
    } else {
      for (std::int64_t i = 0; i < width; ++i) {
        for (std::int64_t k = 0; k < depth; ++k) {
          panel[k * width + i] =
              i < count ? from[i * matrix.row_stride + k * matrix.column_stride] : T{0};
        }
      }
    }
  }
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

/// c += a @ b in place on this thread, for a [m, k], b [k, n] and a dense row-major c [m, n].
template <class T>
void multiply_add(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                  const Matrix<T>& b, T* c, std::int64_t c_stride) {
  const Kernel<T> micro = choose_kernel<T>();
  const std::int64_t rows = micro.rows, columns = micro.columns;
  const std::int64_t block_m = rows * 16, block_n = columns * 32;
  T* const a_panel = scratch<T>(0, block_m * kDepth);
  T* const b_panel = scratch<T>(1, block_n * kDepth);
  T* const edge = scratch<T>(2, rows * columns);
  for (std::int64_t n0 = 0; n0 < n; n0 += block_n) {
    const std::int64_t nn = (std::min)(block_n, n - n0);
    for (std::int64_t k0 = 0; k0 < k; k0 += kDepth) {
      const std::int64_t kk = (std::min)(kDepth, k - k0);
      pack<T>({b.data + k0 * b.row_stride + n0 * b.column_stride, b.column_stride, b.row_stride},
              nn, kk, columns, b_panel);
      for (std::int64_t m0 = 0; m0 < m; m0 += block_m) {
        const std::int64_t mm = (std::min)(block_m, m - m0);
        pack<T>({a.data + m0 * a.row_stride + k0 * a.column_stride, a.row_stride, a.column_stride},
                mm, kk, rows, a_panel);
        for (std::int64_t j = 0; j < nn; j += columns) {
          for (std::int64_t i = 0; i < mm; i += rows) {
            T* const out = c + (m0 + i) * c_stride + n0 + j;
            if (i + rows <= mm && j + columns <= nn) {
              micro.run(kk, a_panel + i * kk, b_panel + j * kk, out, c_stride);
              continue;
            }
            std::fill_n(edge, rows * columns, T{0});  // a partial tile is computed as a full one
            micro.run(kk, a_panel + i * kk, b_panel + j * kk, edge, columns);
            for (std::int64_t r = 0; r < (std::min)(rows, mm - i); ++r) {
              for (std::int64_t s = 0; s < (std::min)(columns, nn - j); ++s)
                out[r * c_stride + s] += edge[r * columns + s];
            }
          }
        }
      }
    }
  }
}

}  // namespace gemm
}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls of matrices so small that packing, buffers and threads would cost more than the
// arithmetic. Every element is summed over k as in gemm.hpp, so the results have the same bits.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/device/parallel.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::gemm {

inline constexpr std::int64_t kTinyWidth = 16;                          // columns of a and b
inline constexpr std::int64_t kTinyElements = kTinyWidth * kTinyWidth;  // of each matrix
inline constexpr std::int64_t kTinyLanes = 8;                           // of the widest vector

/// c [m, kTinyWidth] = a [m, k] @ b [k, kTinyWidth]. Only the first n columns count.
template <class Isa>
AMP_ALWAYS_INLINE void multiply_tiny(std::int64_t m, std::int64_t n, std::int64_t k,
                                     const Matrix<typename Isa::scalar>& a,
                                     const typename Isa::scalar* b, typename Isa::scalar* c) {
  using V = typename Isa::vector;
  constexpr auto kLanes = static_cast<std::int64_t>(sizeof(V) / sizeof(typename Isa::scalar));
  static_assert(kTinyLanes % kLanes == 0);
  for (std::int64_t j = 0; j < n; j += kLanes) {
    for (std::int64_t i = 0; i < m; ++i) {
      V sum{};
      for (std::int64_t q = 0; q < k; ++q) {
        V row;
        __builtin_memcpy(&row, b + q * kTinyWidth + j, sizeof row);
        sum += a.data[i * a.row_stride + q * a.column_stride] * row;
      }
      __builtin_memcpy(c + i * kTinyWidth + j, &sum, sizeof sum);
    }
  }
}

#define AMP_TINY_KERNEL(name, Isa, ...)                                            \
  __VA_ARGS__ inline void name(std::int64_t m, std::int64_t n, std::int64_t k,     \
                               const Matrix<Isa::scalar>& a, const Isa::scalar* b, \
                               Isa::scalar* c) {                                   \
    multiply_tiny<Isa>(m, n, k, a, b, c);                                          \
  }
AMP_TINY_KERNEL(run_tiny_generic, Generic32)
AMP_TINY_KERNEL(run_tiny_generic, Generic64)
#if AMP_X86
AMP_TINY_KERNEL(run_tiny_avx2, Avx2Float, AMP_WITH_AVX2)
AMP_TINY_KERNEL(run_tiny_avx2, Avx2Double, AMP_WITH_AVX2)
#endif
#undef AMP_TINY_KERNEL

template <class C>
void run_tiny(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<C>& a, const C* b,
              C* c) {
#if AMP_X86
  using amp::detail::InstructionSet;
  if (amp::detail::instruction_set() >= InstructionSet::kAvx2)
    return run_tiny_avx2(m, n, k, a, b, c);
#endif
  run_tiny_generic(m, n, k, a, b, c);
}

/// Returns the matrix of a batch entry as C: in place if the dtype is C, else widened into
/// `buffer`, in the order in which the elements lie.
template <class C>
Matrix<C> widen_tiny(const Operand& operand, std::int64_t batch, C* buffer) {
  const std::int64_t rows = operand.sizes[1], columns = operand.sizes[2];
  const std::int64_t offset = batch * operand.strides[0];
  const std::int64_t row_stride = operand.strides[1], column_stride = operand.strides[2];
  if (operand.data == nullptr) return {nullptr, row_stride, column_stride};  // empty
  if (operand.dtype == dtype_of<C>)
    return {operand.as<const C>() + offset, row_stride, column_stride};
  const bool row_major = column_stride == 1 && row_stride == columns;
  if (row_major || (row_stride == 1 && column_stride == rows)) {
    fetch(operand, offset, 1, rows * columns, buffer);
    return {buffer, row_stride, column_stride};
  }
  for (std::int64_t i = 0; i < rows; ++i)
    fetch(operand, offset + i * row_stride, column_stride, columns, buffer + i * columns);
  return {buffer, columns, 1};
}

template <class C>
void multiply_batches(const MatmulArgs& args, std::int64_t first, std::int64_t last) {
  const std::int64_t m = args.output.sizes[1], n = args.output.sizes[2], k = args.a.sizes[2];
  alignas(64) C a_buffer[kTinyElements], b_buffer[kTinyElements], lines[kTinyElements],
      c[kTinyElements];
  C bias_buffer[kTinyWidth];
  const C* const bias =
      args.bias.present ? fetch(args.bias, 0, args.bias.strides[0], n, bias_buffer) : nullptr;
  for (std::int64_t batch = first; batch < last; ++batch) {
    const Matrix<C> a = widen_tiny(args.a, batch, a_buffer),
                    b = widen_tiny(args.b, batch, b_buffer);
    for (std::int64_t q = 0; q < k; ++q) {
      C* const line = lines + q * kTinyWidth;
      for (std::int64_t j = 0; j < n; ++j) line[j] = b.data[q * b.row_stride + j * b.column_stride];
      for (std::int64_t j = n; j % kTinyLanes != 0; ++j) line[j] = C{0};
    }
    run_tiny(m, n, k, a, lines, c);
    for (std::int64_t i = 0; i < m; ++i) {  // without the padding, which may overlap in place
      for (std::int64_t j = 0; j < n; ++j)
        c[i * n + j] = bias != nullptr ? c[i * kTinyWidth + j] + bias[j] : c[i * kTinyWidth + j];
    }
    const std::int64_t offset = batch * args.output.strides[0];
    if (args.output.strides[2] == 1 && args.output.strides[1] == n) {
      store(c, args.output, offset, 1, m * n);
    } else {
      for (std::int64_t i = 0; i < m; ++i)
        store(c + i * n, args.output, offset + i * args.output.strides[1], args.output.strides[2],
              n);
    }
  }
}

/// Computes a matmul without its sums. Returns false, with nothing written, if its matrices are not
/// tiny.
AMP_LAZY inline bool tiny_matmul(const MatmulArgs& args) {
  if ((std::max)({args.output.sizes[1], args.output.sizes[2], args.a.sizes[2]}) > kTinyWidth)
    return false;
  parallel_ranges(args.output.sizes[0], 256, [&](std::int64_t first, std::int64_t last) {
    if (args.output.dtype == kFloat64) {
      multiply_batches<double>(args, first, last);
    } else {
      multiply_batches<float>(args, first, last);
    }
  });
  return true;
}

}  // namespace amp::inline v0::kernels::host::gemm

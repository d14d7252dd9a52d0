// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls of matrices so small that packing, buffers and threads would cost more than the
// arithmetic. Every element is summed over k as in gemm.hpp, so the results of float32 and float64
// have the same bits.
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
struct MultiplyTiny : simd::UpToAvx2 {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(std::int64_t m, std::int64_t n, std::int64_t k, const C* a,
                                    std::int64_t row_stride, std::int64_t column_stride, const C* b,
                                    C* c) {
    using V = typename simd::Register<C, Isa::kBytes>::type;
    constexpr auto kLanes = static_cast<std::int64_t>(sizeof(V) / sizeof(C));
    static_assert(kTinyLanes % kLanes == 0);
    for (std::int64_t j = 0; j < n; j += kLanes) {
      for (std::int64_t i = 0; i < m; ++i) {
        V sum{};
        for (std::int64_t q = 0; q < k; ++q) {
          V row;
          row = simd::in_memory<C, sizeof(V)>(b + q * kTinyWidth + j).value;
          sum += a[i * row_stride + q * column_stride] * row;
        }
        simd::in_memory<C, sizeof(V)>(c + i * kTinyWidth + j).value = sum;
      }
    }
  }
};

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
    simd::on_widest<MultiplyTiny>(m, n, k, a.data, a.row_stride, a.column_stride,
                                  static_cast<const C*>(lines), static_cast<C*>(c));
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

/// Whether all matrices are tiny.
inline bool is_tiny(const MatmulArgs& args) {
  return (std::max)({args.output.sizes[1], args.output.sizes[2], args.a.sizes[2]}) <= kTinyWidth;
}

/// Computes a matmul of tiny matrices, without its sums.
AMP_LAZY inline void tiny_matmul(const MatmulArgs& args) {
  parallel_ranges(args.output.sizes[0], 256, [&](std::int64_t first, std::int64_t last) {
    if (args.output.dtype == kFloat64) {
      multiply_batches<double>(args, first, last);
    } else {
      multiply_batches<float>(args, first, last);
    }
  });
}

}  // namespace amp::inline v0::kernels::host::gemm

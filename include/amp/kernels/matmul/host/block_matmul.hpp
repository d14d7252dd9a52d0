// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls of blocks on one thread, for kernels that divide their work themselves: in the 16-bit
// format of the operands if the processor has instructions for it, else in float32.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/matmul/host/kernels.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/bfloat16.hpp"

#if AMP_USE_ONEDNN
#include "amp/kernels/matmul/host/onednn.hpp"
#endif

namespace amp::inline v0::kernels::host {

/// Calls visitor(type_tag<T>) with the type in which blocks of the dtype are multiplied.
template <class Visitor>
void visit_block_type(DType dtype, Visitor&& visitor) {
  bool is_bfloat16 = dtype == kBFloat16 && gemm::multiplies(dtype);
#if AMP_USE_ONEDNN
  if (dtype == kFloat16 && onednn::is_native(dtype)) return visitor(type_tag<half>{});
  is_bfloat16 = is_bfloat16 || (dtype == kBFloat16 && onednn::is_native(dtype));
#endif
  if (is_bfloat16) return visitor(type_tag<bfloat16>{});
  visit_float_type(dtype, visitor);
}

/// Returns rows [first, first + count) of the matrix at `offset`, formed by the last two dimensions
/// of an operand: in place, if they have type T and one of the two dimensions is dense, else copied
/// into buffer().
template <class T, class Buffer>
Matrix<T> block_of(const Operand& operand, std::int64_t offset, std::int64_t first,
                   std::int64_t count, const Buffer& buffer) {
  const int d = operand.dims - 2;
  const std::int64_t columns = operand.sizes[d + 1], row_stride = operand.strides[d],
                     column_stride = operand.strides[d + 1];
  offset += first * row_stride;
  const bool dense = (column_stride == 1 && row_stride >= columns) ||
                     (row_stride == 1 && column_stride >= operand.sizes[d]);
  if (operand.dtype == dtype_of<T> && dense)
    return {operand.as<const T>() + offset, row_stride, column_stride};
  T* const copy = buffer();
  for (std::int64_t i = 0; i < count; ++i) {
    T* const to = copy + i * columns;
    const T* const row = fetch(operand, offset + i * row_stride, column_stride, columns, to);
    if (row != to) std::copy_n(row, columns, to);
  }
  return {copy, columns, 1};
}

template <class T>
Matrix<T> transposed(const Matrix<T>& matrix) {
  return {matrix.data, matrix.column_stride, matrix.row_stride};
}
/// Returns the matrix from row `first` on.
template <class T>
Matrix<T> from_row(const Matrix<T>& matrix, std::int64_t first) {
  return {matrix.data + first * matrix.row_stride, matrix.row_stride, matrix.column_stride};
}

/// c = a @ b, or c += a @ b, for a [m, k] and b [k, n] of any strides, and c [m, n] with dense rows
/// `c_stride` apart. Runs on the calling thread.
template <class T, class C>
void multiply_block(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<T>& a,
                    const Matrix<T>& b, C* c, std::int64_t c_stride, bool accumulate) {
#if AMP_USE_ONEDNN
  if constexpr (std::is_same_v<C, float>) {
    const onednn::Matmul p = onednn::matmul_of(m, n, k, a, b, c_stride, accumulate);
    if (onednn::takes(p)) {
      const onednn::Session session;
      if (session && onednn::run(p, a.data, b.data, c)) return;
    }
  }
#endif
  const gemm::MatrixRuns rows(a.data, dtype_of<T>,
                              a.column_stride == 1 ? a.row_stride : a.column_stride,
                              a.column_stride == 1);
  const gemm::MatrixRuns columns(
      b.data, dtype_of<T>, b.row_stride == 1 ? b.column_stride : b.row_stride, b.row_stride == 1);
  gemm::Multiplier<C>(gemm::kernel_for<C>(dtype_of<T>, m), m)
      .run(rows, 0, m, n, k, columns, 0, c, c_stride,
           accumulate ? gemm::Addend<C>{c, c_stride} : gemm::Addend<C>());
}

}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// float32 matmuls by the CBLAS library that a program is linked with, unless it has oneDNN.
#pragma once

#include "amp/core/config.hpp"

#if AMP_USE_CBLAS && !AMP_USE_ONEDNN

#include <cblas.h>

#include <algorithm>
#include <cstdint>

#include "amp/kernels/matmul/host/gemm.hpp"

namespace amp::inline v0::kernels::host::cblas {

/// Gets the leading dimension and transpose flag of a matrix with one dense dimension; false for
/// any other.
inline bool layout_of(const Matrix<float>& matrix, std::int64_t rows, std::int64_t columns,
                      CBLAS_TRANSPOSE& transpose, int& leading) {
  const auto fits = [](std::int64_t stride, std::int64_t length) {
    return stride >= length && stride < (std::int64_t{1} << 31);
  };
  if (matrix.column_stride == 1 && fits(matrix.row_stride, (std::max)(columns, std::int64_t{1}))) {
    transpose = CblasNoTrans;
    leading = static_cast<int>(matrix.row_stride);
    return true;
  }
  if (matrix.row_stride == 1 && fits(matrix.column_stride, (std::max)(rows, std::int64_t{1}))) {
    transpose = CblasTrans;
    leading = static_cast<int>(matrix.column_stride);
    return true;
  }
  return false;
}

/// c = a @ b, dense. Returns false, with nothing written, if CBLAS cannot take the matrices.
inline bool multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<float>& a,
                     const Matrix<float>& b, float* c) {
  CBLAS_TRANSPOSE transpose_a{}, transpose_b{};
  int lda = 0, ldb = 0;
  if (m * n * k < 4096) return false;
  if (m >= (1 << 30) || n >= (1 << 30) || k >= (1 << 30)) return false;
  if (!layout_of(a, m, k, transpose_a, lda) || !layout_of(b, k, n, transpose_b, ldb)) return false;
  cblas_sgemm(CblasRowMajor, transpose_a, transpose_b, static_cast<int>(m), static_cast<int>(n),
              static_cast<int>(k), 1.0F, a.data, lda, b.data, ldb, 0.0F, c, static_cast<int>(n));
  return true;
}

}  // namespace amp::inline v0::kernels::host::cblas

#endif

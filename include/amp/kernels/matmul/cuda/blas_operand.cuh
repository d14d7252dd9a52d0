// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Operands for cuBLAS and cuBLASLt. Both store matrices by columns, so a row-major matrix is the
// transpose of one: C = A B is computed as C^T = B^T A^T, and nothing has to be transposed in
// memory.
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// An array in device memory; dense unless strides are given.
inline Operand array(Device device, DType dtype, void* data,
                     std::initializer_list<std::int64_t> sizes,
                     std::initializer_list<std::int64_t> strides = {}) {
  Operand operand;
  operand.data = data;
  operand.dtype = dtype;
  operand.device = device;
  operand.present = true;
  operand.dims = static_cast<int>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), operand.sizes);
  std::copy(strides.begin(), strides.end(), operand.strides);
  if (strides.size() != 0) return operand;
  std::int64_t stride = 1;
  for (int d = operand.dims - 1; d >= 0; --d) {
    operand.strides[d] = stride;
    stride *= operand.sizes[d];
  }
  return operand;
}
/// Returns the address of an element; null if the array has no memory.
inline void* element(const Operand& operand, std::int64_t i) {
  if (operand.data == nullptr) return nullptr;
  return static_cast<std::byte*>(operand.data) + i * item_size(operand.dtype);
}

/// How cuBLAS can read the matrices of [B, rows, columns]: dense rows, or dense columns, `leading`
/// elements apart. `leading` is 0 if it can read neither.
struct BlasLayout {
  std::int64_t leading = 0;
  bool by_columns = false;
};
inline BlasLayout blas_layout(const Operand& x) {
  const std::int64_t rows = x.sizes[1], columns = x.sizes[2];
  // A single row (column) may have any distance.
  const std::int64_t row_stride = rows == 1 ? columns : x.strides[1];
  if ((x.strides[2] == 1 || columns == 1) && row_stride >= columns)
    return {.leading = row_stride, .by_columns = false};
  const std::int64_t column_stride = columns == 1 ? rows : x.strides[2];
  if ((x.strides[1] == 1 || rows == 1) && column_stride >= rows)
    return {.leading = column_stride, .by_columns = true};
  return {};
}

inline cudaDataType blas_type(DType dtype) {
  return dtype == kFloat64    ? CUDA_R_64F
         : dtype == kFloat16  ? CUDA_R_16F
         : dtype == kBFloat16 ? CUDA_R_16BF
                              : CUDA_R_32F;
}

/// Returns the type of the sums.
inline DType sum_dtype(DType output) { return output == kFloat64 ? kFloat64 : kFloat32; }

/// Returns the type in which cuBLAS gets both factors; the conversion is exact: every float8 is a
/// float16 and a bfloat16.
inline DType factor_dtype(DType a, DType b, DType output) {
  if (output == kFloat64) return kFloat64;
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const auto fits = [dtype](DType x) {
      return x == dtype || x == kFloat8E4M3 || x == kFloat8E5M2;
    };
    if (fits(a) && fits(b)) return dtype;
  }
  return kFloat32;
}

/// A factor for cuBLAS: the operand in place, or a dense copy in `dtype`.
class Factor {
 public:
  Factor(const Operand& x, DType dtype)
      : in_place_(x.dtype == dtype && blas_layout(x).leading != 0),
        batches_(x.strides[0] == 0 ? 1 : x.sizes[0]),  // a broadcast matrix is copied once
        copy_(x.device, in_place_ ? 0 : batches_ * x.sizes[1] * x.sizes[2] * item_size(dtype)),
        operand_(x) {
    if (in_place_) return;
    Operand from = x;
    from.sizes[0] = batches_;
    operand_ = array(x.device, dtype, copy_.data(), {batches_, x.sizes[1], x.sizes[2]});
    copy({from, operand_});
    if (x.strides[0] == 0) operand_.strides[0] = 0;
    operand_.sizes[0] = x.sizes[0];
  }
  const Operand& operand() const { return operand_; }

 private:
  bool in_place_;
  std::int64_t batches_;
  Scratch<std::byte> copy_;
  Operand operand_;
};

/// Whether cuBLAS can write the output in place, from factors of a type, on top of `initial`.
inline bool is_writable(const Operand& output, DType factors, const Operand& initial) {
  const BlasLayout layout = blas_layout(output);
  const bool type = output.dtype == factors || output.dtype == sum_dtype(output.dtype);
  const bool apart = output.sizes[0] == 1 || output.strides[0] >= layout.leading * output.sizes[1];
  // The output holds `initial` before the matmul is added. That must be exact, else it would be
  // rounded twice.
  const bool exact = !initial.present || initial.dtype == output.dtype ||
                     promote_types(initial.dtype, output.dtype) == output.dtype;
  return type && layout.leading != 0 && !layout.by_columns && apart && exact;
}

}  // namespace amp::inline v0::kernels::cuda::detail

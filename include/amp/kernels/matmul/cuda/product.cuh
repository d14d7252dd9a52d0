// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batched matrix products by cuBLAS, at most with a bias. It thinks in columns: a row-major matrix
// is to it the transpose of one, so that C = A B is asked for as C^T = B^T A^T, and nothing has to
// be transposed in memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "amp/device/cuda/handles.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {
namespace detail {

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
/// The address of an element; null in an array that has no memory.
inline void* element(const Operand& operand, std::int64_t i) {
  if (operand.data == nullptr) return nullptr;
  return static_cast<std::byte*>(operand.data) + i * item_size(operand.dtype);
}

/// How cuBLAS can read the matrices of [B, rows, columns]: dense rows, or dense columns, `leading`
/// elements apart; 0 where neither.
struct BlasLayout {
  std::int64_t leading = 0;
  bool by_columns = false;
};
inline BlasLayout blas_layout(const Operand& x) {
  const std::int64_t rows = x.sizes[1], columns = x.sizes[2];
  // A single row (column) is at any distance from the next.
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

/// The type in which sums are kept.
inline DType sum_dtype(DType output) { return output == kFloat64 ? kFloat64 : kFloat32; }

/// The type in which cuBLAS gets both factors, each exactly: every float8 is a float16 and a
/// bfloat16.
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

/// Of a device, as in 75 for 7.5.
inline int compute_capability(int device) {
  int major = 0, minor = 0;
  AMP_CUDA_CALL(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor, device);
  AMP_CUDA_CALL(cudaDeviceGetAttribute, &minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

/// Throws what cuBLAS says of a @ b; of bfloat16 on a device that does not have it, what to do.
inline void require_product(cublasStatus_t status, const char* call, const Operand& a,
                            const Operand& b) {
  if (status != CUBLAS_STATUS_SUCCESS && a.dtype == kBFloat16) {
    const int capability = compute_capability(a.device.index);
    AMP_CHECK(
        capability >= 80, "matmul of bfloat16 [", a.sizes[0], ", ", a.sizes[1], ", ", a.sizes[2],
        "] @ [", b.sizes[0], ", ", b.sizes[1], ", ", b.sizes[2], "] on ", a.device,
        ": bfloat16 needs a device of compute capability 8.0 or higher, and this one "
        "has ",
        capability / 10, ".", capability % 10, "; use kFloat16, also as the dtype of autocast (",
        call, ": ", cublasGetStatusName(status), ")");
  }
  amp::cuda::detail::require(status, call);
}

/// c = a @ b, or c += a @ b: not empty, in types and layouts that cuBLAS takes.
inline void gemm(const Operand& a, const Operand& b, bool accumulate, const Operand& c) {
  // As many as a grid has layers (CUDA C++ Programming Guide, "Technical Specifications"): some
  // versions of cuBLAS fail beyond.
  constexpr std::int64_t kMostBatches = 65535;
  const bool wide = c.dtype == kFloat64;
  const float one = 1, beta = accumulate ? 1 : 0;
  const double wide_one = 1, wide_beta = accumulate ? 1 : 0;
  const void* const alpha_at = wide ? static_cast<const void*>(&wide_one) : &one;
  const void* const beta_at = wide ? static_cast<const void*>(&wide_beta) : &beta;
  const BlasLayout a_layout = blas_layout(a), b_layout = blas_layout(b), c_layout = blas_layout(c);
  const auto operation = [](const BlasLayout& layout) {
    return layout.by_columns ? CUBLAS_OP_T : CUBLAS_OP_N;
  };
  amp::cuda::detail::with_blas(c.device.index, [&](const amp::cuda::detail::BlasCall& blas) {
    for (std::int64_t first = 0; first < c.sizes[0]; first += kMostBatches) {
      const cublasStatus_t status = cublasGemmStridedBatchedEx_64(
          blas.handle, operation(b_layout), operation(a_layout), c.sizes[2], c.sizes[1], a.sizes[2],
          alpha_at, element(b, first * b.strides[0]), blas_type(b.dtype), b_layout.leading,
          b.strides[0], element(a, first * a.strides[0]), blas_type(a.dtype), a_layout.leading,
          a.strides[0], beta_at, element(c, first * c.strides[0]), blas_type(c.dtype),
          c_layout.leading, c.strides[0], (std::min)(kMostBatches, c.sizes[0] - first),
          wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
      require_product(status, "cublasGemmStridedBatchedEx_64", a, b);
    }
  });
}

/// A factor as cuBLAS takes it: as it lies, or a dense copy in `dtype`.
class Factor {
 public:
  Factor(const Operand& x, DType dtype)
      : in_place_(x.dtype == dtype && blas_layout(x).leading != 0),
        batches_(x.strides[0] == 0 ? 1 : x.sizes[0]),  // what broadcasts is copied once
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

/// Whether cuBLAS can write the output as it lies, from factors of a type, on top of what is there.
inline bool is_writable(const Operand& output, DType factors, const Operand& initial) {
  const BlasLayout layout = blas_layout(output);
  const bool type = output.dtype == factors || output.dtype == sum_dtype(output.dtype);
  const bool apart = output.sizes[0] == 1 || output.strides[0] >= layout.leading * output.sizes[1];
  // The output holds `initial` before the product is added: exactly, else it would be rounded
  // twice.
  const bool exact = !initial.present || initial.dtype == output.dtype ||
                     promote_types(initial.dtype, output.dtype) == output.dtype;
  return type && layout.leading != 0 && !layout.by_columns && apart && exact;
}

/// output = initial + a @ b, rounded once, for a [B, M, K], b [B, K, N], output [B, M, N] of any
/// strides. `initial` broadcasts to the output; absent it is 0; it may be the output itself.
inline void product(const Operand& a, const Operand& b, const Operand& initial,
                    const Operand& output) {
  if (output.numel() == 0) return;
  const DType factors = factor_dtype(a.dtype, b.dtype, output.dtype);
  const bool direct = is_writable(output, factors, initial);
  const DType sums = sum_dtype(output.dtype);
  const Scratch<std::byte> memory(output.device, direct ? 0 : output.numel() * item_size(sums));
  const Operand target = direct ? output
                                : array(output.device, sums, memory.data(),
                                        {output.sizes[0], output.sizes[1], output.sizes[2]});
  // cuBLAS adds the product to the target before it rounds, so that the bias goes there first.
  if (initial.present && initial.data != target.data) copy({initial, target});
  if (a.sizes[2] != 0) {
    const Factor left(a, factors), right(b, factors);
    gemm(left.operand(), right.operand(), initial.present, target);
  } else if (!initial.present) {
    fill({target, 0});
  }
  if (!direct) copy({target, output});
}

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda

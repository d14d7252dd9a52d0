// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batched matmuls by cuBLAS, with at most a bias.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/device/cuda/handles.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/cuda/blas_operand.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// Returns the compute capability of a device: 75 for 7.5.
inline int compute_capability(int device) {
  int major = 0, minor = 0;
  AMP_CUDA_CALL(cudaDeviceGetAttribute, &major, cudaDevAttrComputeCapabilityMajor, device);
  AMP_CUDA_CALL(cudaDeviceGetAttribute, &minor, cudaDevAttrComputeCapabilityMinor, device);
  return 10 * major + minor;
}

/// Throws amp::Error with cuBLAS's status for a @ b. If the device has no bfloat16, it says what to
/// do.
inline void require_gemm(cublasStatus_t status, const char* call, const Operand& a,
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

/// c = a @ b, or c += a @ b. Not empty, in types and layouts that cuBLAS takes.
inline void call_gemm(const Operand& a, const Operand& b, bool accumulate, const Operand& c) {
  // The number of layers of a grid (CUDA C++ Programming Guide, "Technical Specifications"): some
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
      require_gemm(status, "cublasGemmStridedBatchedEx_64", a, b);
    }
  });
}

/// output = initial + a @ b, rounded once, for a [B, M, K], b [B, K, N], output [B, M, N] of any
/// strides. `initial` broadcasts to the output and may be the output itself; if absent, it counts
/// as 0.
inline void gemm(const Operand& a, const Operand& b, const Operand& initial,
                 const Operand& output) {
  if (output.numel() == 0) return;
  const DType factors = factor_dtype(a.dtype, b.dtype, output.dtype);
  const bool direct = is_writable(output, factors, initial);
  const DType sums = sum_dtype(output.dtype);
  const Scratch<std::byte> memory(output.device, direct ? 0 : output.numel() * item_size(sums));
  const Operand target = direct ? output
                                : array(output.device, sums, memory.data(),
                                        {output.sizes[0], output.sizes[1], output.sizes[2]});
  // cuBLAS adds the matmul to the target before it rounds, so the bias is stored there first.
  if (initial.present && initial.data != target.data) copy({initial, target});
  if (a.sizes[2] != 0) {
    const Factor left(a, factors), right(b, factors);
    call_gemm(left.operand(), right.operand(), initial.present, target);
  } else if (!initial.present) {
    fill({target, 0});
  }
  if (!direct) copy({target, output});
}

}  // namespace amp::inline v0::kernels::cuda::detail

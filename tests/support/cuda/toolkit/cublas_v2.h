// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for cuBLAS: what amp calls of it, as a plain loop in the column-major order of BLAS,
// with the arguments checked as the cuBLAS documentation says. What is undefined there stops the
// program here.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <type_traits>
#include <vector>

#include "amp/types/bfloat16.hpp"
#include "amp/types/half.hpp"

enum cublasStatus_t : int {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16,
};
inline const char* cublasGetStatusName(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
  }
  return "CUBLAS_STATUS_UNKNOWN";
}
inline const char* cublasGetStatusString(cublasStatus_t) { return "as the stand-in cuBLAS found"; }

enum cublasOperation_t { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 };
enum cublasGemmAlgo_t { CUBLAS_GEMM_DEFAULT = -1 };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16,
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77,
};
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 };
enum cudaDataType { CUDA_R_32F = 0, CUDA_R_64F = 1, CUDA_R_16F = 2, CUDA_R_16BF = 14 };

/// What a handle remembers; `device` is the one that was current when it was made.
struct cublasContext {
  int device = 0;
  cudaStream_t stream = nullptr;
  void* workspace = nullptr;  // null: cuBLAS's own
  std::size_t workspace_bytes = 0;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
};
using cublasHandle_t = cublasContext*;

namespace standin {

inline std::int64_t live_blas_handles = 0;

/// As the runtime's calls begin, but that cudaGetLastError() hears nothing of it.
inline cublasStatus_t begin_blas(const char* name) {
  const int status = toolkit().begin(name);
  if (status != 0) (void)toolkit().take_last_error();
  return static_cast<cublasStatus_t>(status);
}

}  // namespace standin

#define STANDIN_BLAS_CALL(name)                                        \
  const standin::races::Quiet standin_quiet;                           \
  const std::lock_guard standin_lock(standin::toolkit().mutex);        \
  if (const cublasStatus_t standin_status = standin::begin_blas(name); \
      standin_status != CUBLAS_STATUS_SUCCESS)                         \
  return standin_status

inline cublasStatus_t cublasCreate_v2(cublasHandle_t* handle) {
  STANDIN_BLAS_CALL("cublasCreate");
  if (handle == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (standin::toolkit().disturbs_capture()) return CUBLAS_STATUS_NOT_INITIALIZED;
  standin::toolkit().contexts.set(static_cast<std::size_t>(standin_device));
  *handle = new cublasContext{.device = standin_device};
  ++standin::live_blas_handles;
  return CUBLAS_STATUS_SUCCESS;
}
/// Waits for the device.
inline cublasStatus_t cublasDestroy_v2(cublasHandle_t handle) {
  STANDIN_BLAS_CALL("cublasDestroy");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (handle->device != standin_device) standin::stop("a cuBLAS handle of another device");
  const bool breaks = standin::toolkit().breaks_capture(standin_device);
  ++standin::toolkit().counters.synchronisations;
  if (!breaks) standin::toolkit().schedule.finish(standin_device);
  --standin::live_blas_handles;
  delete handle;
  return breaks ? CUBLAS_STATUS_INTERNAL_ERROR : CUBLAS_STATUS_SUCCESS;
}
/// Forgets the workspace.
inline cublasStatus_t cublasSetStream_v2(cublasHandle_t handle, cudaStream_t stream) {
  STANDIN_BLAS_CALL("cublasSetStream");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->stream = stream;
  handle->workspace = nullptr;
  handle->workspace_bytes = 0;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void* workspace,
                                            std::size_t bytes) {
  STANDIN_BLAS_CALL("cublasSetWorkspace");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (reinterpret_cast<std::uintptr_t>(workspace) % 256 != 0) return CUBLAS_STATUS_INVALID_VALUE;
  if (!standin::toolkit().on_device(workspace, bytes)) return CUBLAS_STATUS_INVALID_VALUE;
  handle->workspace = workspace;
  handle->workspace_bytes = bytes;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode) {
  STANDIN_BLAS_CALL("cublasSetMathMode");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->math = mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t* mode) {
  STANDIN_BLAS_CALL("cublasGetMathMode");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->math;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetStream_v2(cublasHandle_t handle, cudaStream_t* stream) {
  STANDIN_BLAS_CALL("cublasGetStream");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *stream = handle->stream;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasSetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t mode) {
  STANDIN_BLAS_CALL("cublasSetPointerMode");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  handle->pointers = mode;
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasGetPointerMode_v2(cublasHandle_t handle, cublasPointerMode_t* mode) {
  STANDIN_BLAS_CALL("cublasGetPointerMode");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  *mode = handle->pointers;
  return CUBLAS_STATUS_SUCCESS;
}
#define cublasCreate cublasCreate_v2
#define cublasDestroy cublasDestroy_v2
#define cublasSetStream cublasSetStream_v2
#define cublasGetStream cublasGetStream_v2
#define cublasSetWorkspace cublasSetWorkspace_v2
#define cublasSetPointerMode cublasSetPointerMode_v2
#define cublasGetPointerMode cublasGetPointerMode_v2

namespace standin {

inline std::int64_t blas_size(cudaDataType type) {
  return type == CUDA_R_64F ? 8 : type == CUDA_R_32F ? 4 : 2;
}
/// Whether the device multiplies numbers of a type.
inline bool blas_has(cudaDataType type) {
  return type != CUDA_R_16BF || toolkit().compute_capability >= 80;
}
/// Whether an address has cuBLAS's least alignment: that of the type.
inline bool blas_is_aligned(const void* address, cudaDataType type) {
  return reinterpret_cast<std::uintptr_t>(address) % static_cast<std::uintptr_t>(blas_size(type)) ==
         0;
}
template <class C>
C blas_load(const void* data, cudaDataType type, std::int64_t i) {
  switch (type) {
    case CUDA_R_64F:
      return static_cast<C>(static_cast<const double*>(data)[i]);
    case CUDA_R_32F:
      return static_cast<C>(static_cast<const float*>(data)[i]);
    case CUDA_R_16F:
      return static_cast<C>(static_cast<float>(static_cast<const amp::half*>(data)[i]));
    case CUDA_R_16BF:
      return static_cast<C>(static_cast<float>(static_cast<const amp::bfloat16*>(data)[i]));
  }
  return C{};
}
template <class C>
void blas_store(void* data, cudaDataType type, std::int64_t i, C value) {
  switch (type) {
    case CUDA_R_64F:
      static_cast<double*>(data)[i] = static_cast<double>(value);
      break;
    case CUDA_R_32F:
      static_cast<float*>(data)[i] = static_cast<float>(value);
      break;
    case CUDA_R_16F:
      static_cast<amp::half*>(data)[i] = static_cast<amp::half>(static_cast<float>(value));
      break;
    case CUDA_R_16BF:
      static_cast<amp::bfloat16*>(data)[i] = static_cast<amp::bfloat16>(static_cast<float>(value));
      break;
  }
}

/// `batches` matrices of `lines` lines of `length` elements, column-major.
struct BlasMatrices {
  const void* data;
  cudaDataType type;
  std::int64_t leading, stride, length, lines, batches;

  /// Whether all of it is inside one allocation of device memory.
  bool on_device() const {
    const std::int64_t last = (lines - 1) * leading + length - 1, all = (batches - 1) * stride;
    const std::int64_t low = all < 0 ? all : 0, high = last + (all > 0 ? all : 0);
    return toolkit().on_device(static_cast<const char*>(data) + low * blas_size(type),
                               static_cast<std::size_t>((high - low + 1) * blas_size(type)));
  }
};

/// The precision that a matmul may lose besides its last rounding.
struct BlasLosses {
  bool tf32 = false;          // of float32 factors
  bool partial_sums = false;  // are rounded to the type of the result: here those of two halves
};

/// The nearest number with 10 bits of mantissa.
inline float round_to_tf32(float x) {
  std::uint32_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  if ((bits & 0x7f80'0000u) != 0x7f80'0000u) bits += 0xfff + (bits >> 13 & 1);
  bits &= ~0x1fffu;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

/// result[j * m + i] = op(a) @ op(b) of one batch entry, for a result of m x n in `type`.
template <class C>
std::vector<C> blas_multiply(std::int64_t batch, bool transpose_a, bool transpose_b, std::int64_t k,
                             const BlasMatrices& a, const BlasMatrices& b, const BlasMatrices& c,
                             const BlasLosses& losses) {
  const std::int64_t m = c.length, n = c.lines;
  const auto factor = [&](const BlasMatrices& x, std::int64_t at) {
    const C value = blas_load<C>(x.data, x.type, batch * x.stride + at);
    if constexpr (std::is_same_v<C, float>) {
      if (losses.tf32 && x.type == CUDA_R_32F) return round_to_tf32(value);
    }
    return value;
  };
  std::vector<C> left(static_cast<std::size_t>(m * k)), right(static_cast<std::size_t>(n * k));
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::int64_t p = 0; p < k; ++p)
      left[static_cast<std::size_t>(i * k + p)] =
          factor(a, transpose_a ? i * a.leading + p : p * a.leading + i);
  }
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t p = 0; p < k; ++p)
      right[static_cast<std::size_t>(j * k + p)] =
          factor(b, transpose_b ? p * b.leading + j : j * b.leading + p);
  }
  std::vector<C> result(static_cast<std::size_t>(m * n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < m; ++i) {
      C sum{};
      for (std::int64_t p = 0; p < k; ++p) {
        sum +=
            left[static_cast<std::size_t>(i * k + p)] * right[static_cast<std::size_t>(j * k + p)];
        if (losses.partial_sums && p == k / 2) {
          float rounded = 0;
          blas_store<C>(&rounded, c.type, 0, sum);
          sum = blas_load<C>(&rounded, c.type, 0);
        }
      }
      result[static_cast<std::size_t>(j * m + i)] = sum;
    }
  }
  return result;
}

/// c = alpha * op(a) @ op(b) + beta * c for every batch entry; c is not read if beta is 0.
template <class C>
void blas_gemm(bool transpose_a, bool transpose_b, std::int64_t k, C alpha, const BlasMatrices& a,
               const BlasMatrices& b, C beta, const BlasMatrices& c, const BlasLosses& losses) {
  for (std::int64_t batch = 0; batch < c.batches; ++batch) {
    const std::vector<C> product =
        blas_multiply<C>(batch, transpose_a, transpose_b, k, a, b, c, losses);
    for (std::int64_t j = 0; j < c.lines; ++j) {
      for (std::int64_t i = 0; i < c.length; ++i) {
        C value = alpha * product[static_cast<std::size_t>(j * c.length + i)];
        const std::int64_t at = batch * c.stride + j * c.leading + i;
        if (beta != C{}) value += beta * blas_load<C>(c.data, c.type, at);
        blas_store<C>(const_cast<void*>(c.data), c.type, at, value);
      }
    }
  }
}

/// Now, or when the graph is launched that the stream captures.
template <class Work>
cublasStatus_t blas_enqueue(cudaStream_t stream, const Work& work) {
  const Capture* const capture = capture_of(stream);
  if (capture != nullptr && capture->invalid) return CUBLAS_STATUS_EXECUTION_FAILED;
  record_or_run(stream, true, work);
  return CUBLAS_STATUS_SUCCESS;
}

/// Writes to the workspace, as cuBLAS may: another user of it then gets wrong results.
inline void blas_use_workspace(void* workspace, std::size_t bytes) {
  if (workspace == nullptr) return;
  if (!toolkit().on_device(workspace, bytes)) stop("the workspace of cuBLAS was freed");
  std::memset(workspace, 0xa5, bytes < 256 ? bytes : std::size_t{256});
}

}  // namespace standin

/// The order of the checks, the statuses and the supported combinations are those of the cuBLAS
/// documentation of cublasGemmStridedBatchedEx(), as far as they concern real numbers.
inline cublasStatus_t cublasGemmStridedBatchedEx_64(
    cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, std::int64_t m,
    std::int64_t n, std::int64_t k, const void* alpha, const void* a, cudaDataType a_type,
    std::int64_t lda, long long stride_a, const void* b, cudaDataType b_type, std::int64_t ldb,
    long long stride_b, const void* beta, void* c, cudaDataType c_type, std::int64_t ldc,
    long long stride_c, std::int64_t batches, cublasComputeType_t compute, cublasGemmAlgo_t algo) {
  STANDIN_BLAS_CALL("cublasGemmStridedBatchedEx_64");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  const bool ta = transa != CUBLAS_OP_N, tb = transb != CUBLAS_OP_N;
  const auto at_least = [](std::int64_t leading, std::int64_t rows) {
    return leading >= 1 && leading >= rows;
  };
  if (m < 0 || n < 0 || k < 0 || batches < 0 || !at_least(lda, ta ? k : m) ||
      !at_least(ldb, tb ? n : k) || !at_least(ldc, m) || alpha == nullptr || beta == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const bool wide = compute == CUBLAS_COMPUTE_64F;
  const bool sixteen = a_type == CUDA_R_16F || a_type == CUDA_R_16BF;
  const bool supported = wide ? a_type == CUDA_R_64F && b_type == CUDA_R_64F && c_type == CUDA_R_64F
                              : a_type == b_type && (sixteen || a_type == CUDA_R_32F) &&
                                    (c_type == CUDA_R_32F || c_type == a_type);
  if (!supported || algo != CUBLAS_GEMM_DEFAULT || !standin::blas_has(a_type))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (handle->device != standin_device) standin::stop("a cuBLAS handle of another device");
  if (m == 0 || n == 0 || batches == 0) return CUBLAS_STATUS_SUCCESS;
  const standin::BlasMatrices as{a, a_type, lda, stride_a, ta ? k : m, ta ? m : k, batches},
      bs{b, b_type, ldb, stride_b, tb ? n : k, tb ? k : n, batches},
      cs{c, c_type, ldc, stride_c, m, n, batches};
  if ((k > 0 && (!as.on_device() || !bs.on_device())) || !cs.on_device())
    standin::stop("cuBLAS was given memory that is not on the device");
  if (!standin::blas_is_aligned(a, a_type) || !standin::blas_is_aligned(b, b_type) ||
      !standin::blas_is_aligned(c, c_type))
    standin::stop("cuBLAS was given an address that no number of the type lies at");
  if (batches > 1 && stride_c < (n - 1) * ldc + m) standin::stop("results of cuBLAS overlap");
  if (handle->pointers != CUBLAS_POINTER_MODE_HOST)
    standin::stop("the host's alpha and beta were given as the device's");
  const standin::BlasLosses losses{
      .tf32 = (handle->math & 3) == CUBLAS_TF32_TENSOR_OP_MATH,
      .partial_sums = (handle->math & CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION) == 0 &&
                      standin::blas_size(c_type) == 2};
  const auto number = [wide](const void* at) {
    return wide ? *static_cast<const double*>(at)
                : static_cast<double>(*static_cast<const float*>(at));
  };
  const double alpha_value = number(alpha), beta_value = number(beta);
  return standin::blas_enqueue(
      handle->stream, [=, workspace = handle->workspace, bytes = handle->workspace_bytes] {
        standin::blas_use_workspace(workspace, bytes);
        if (wide) {
          standin::blas_gemm<double>(ta, tb, k, alpha_value, as, bs, beta_value, cs, {});
        } else {
          standin::blas_gemm<float>(ta, tb, k, static_cast<float>(alpha_value), as, bs,
                                    static_cast<float>(beta_value), cs, losses);
        }
      });
}

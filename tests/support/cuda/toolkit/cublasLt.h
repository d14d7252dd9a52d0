// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for cuBLASLt: matmuls with their epilogues, as the cuBLAS documentation describes
// them. What is undefined there stops the program here.
#pragma once

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <vector>

enum cublasLtEpilogue_t {
  CUBLASLT_EPILOGUE_DEFAULT = 1,
  CUBLASLT_EPILOGUE_RELU = 2,
  CUBLASLT_EPILOGUE_BIAS = 4,
  CUBLASLT_EPILOGUE_RELU_AUX = 2 | 128,
  CUBLASLT_EPILOGUE_RELU_AUX_BIAS = 2 | 128 | 4,
  CUBLASLT_EPILOGUE_DRELU = 8 | 128,
  CUBLASLT_EPILOGUE_DRELU_BGRAD = 8 | 128 | 16,
  CUBLASLT_EPILOGUE_GELU_AUX = 32 | 128,
  CUBLASLT_EPILOGUE_GELU_AUX_BIAS = 32 | 128 | 4,
  CUBLASLT_EPILOGUE_DGELU = 64 | 128,
  CUBLASLT_EPILOGUE_DGELU_BGRAD = 64 | 128 | 16,
  CUBLASLT_EPILOGUE_BGRADB = 512,
};
enum cublasLtReductionScheme_t {
  CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE = 2,
  CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE = 4,
  CUBLASLT_REDUCTION_SCHEME_MASK = 7,
};
enum cublasLtMatmulDescAttributes_t {
  CUBLASLT_MATMUL_DESC_TRANSA = 3,
  CUBLASLT_MATMUL_DESC_TRANSB = 4,
  CUBLASLT_MATMUL_DESC_EPILOGUE = 7,
  CUBLASLT_MATMUL_DESC_BIAS_POINTER = 8,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER = 11,
  CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD = 12,
};
enum cublasLtMatmulPreferenceAttributes_t {
  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES = 1,
  CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK = 3,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES = 5,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES = 6,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES = 7,
  CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES = 8,
};

struct cublasLtMatmulDescOpaque_t {
  cublasComputeType_t compute;
  std::int32_t transpose[2];
  std::uint32_t epilogue;
  void* bias;
  void* aux;
  std::int64_t aux_leading;
};
struct cublasLtMatrixLayoutOpaque_t {
  cudaDataType type;
  std::uint64_t rows, columns;
  std::int64_t leading;
};
struct cublasLtMatmulPreferenceOpaque_t {
  std::uint64_t workspace;
  std::uint32_t reductions;
  std::uint32_t alignments[4];  // of A, B, C, D
};
/// What an algorithm was chosen for.
struct cublasLtMatmulAlgo_t {
  std::uint32_t epilogue, reductions, alignments[4];
  std::uint64_t sizes[3], workspace;
};
struct cublasLtMatmulHeuristicResult_t {
  cublasLtMatmulAlgo_t algo;
  std::size_t workspaceSize;
  cublasStatus_t state;
  float wavesCount;
  int reserved[4];
};
using cublasLtHandle_t = struct cublasLtContext*;
using cublasLtMatmulDesc_t = cublasLtMatmulDescOpaque_t*;
using cublasLtMatrixLayout_t = cublasLtMatrixLayoutOpaque_t*;
using cublasLtMatmulPreference_t = cublasLtMatmulPreferenceOpaque_t*;

inline cublasStatus_t cublasLtMatmulDescInit(cublasLtMatmulDesc_t desc, cublasComputeType_t compute,
                                             cudaDataType) {
  STANDIN_BLAS_CALL("cublasLtMatmulDescInit");
  *desc = {compute, {CUBLAS_OP_N, CUBLAS_OP_N}, CUBLASLT_EPILOGUE_DEFAULT, nullptr, nullptr, 0};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t desc,
                                                     cublasLtMatmulDescAttributes_t attribute,
                                                     const void* value, std::size_t bytes) {
  STANDIN_BLAS_CALL("cublasLtMatmulDescSetAttribute");
  const auto set = [&](auto& member) {
    if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
    case CUBLASLT_MATMUL_DESC_TRANSA:
      return set(desc->transpose[0]);
    case CUBLASLT_MATMUL_DESC_TRANSB:
      return set(desc->transpose[1]);
    case CUBLASLT_MATMUL_DESC_EPILOGUE:
      return set(desc->epilogue);
    case CUBLASLT_MATMUL_DESC_BIAS_POINTER:
      return set(desc->bias);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER:
      return set(desc->aux);
    case CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD:
      return set(desc->aux_leading);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}
inline cublasStatus_t cublasLtMatrixLayoutInit(cublasLtMatrixLayout_t layout, cudaDataType type,
                                               std::uint64_t rows, std::uint64_t columns,
                                               std::int64_t leading) {
  STANDIN_BLAS_CALL("cublasLtMatrixLayoutInit");
  *layout = {type, rows, columns, leading};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceInit(cublasLtMatmulPreference_t preference) {
  STANDIN_BLAS_CALL("cublasLtMatmulPreferenceInit");
  *preference = {0, CUBLASLT_REDUCTION_SCHEME_MASK, {256, 256, 256, 256}};
  return CUBLAS_STATUS_SUCCESS;
}
inline cublasStatus_t cublasLtMatmulPreferenceSetAttribute(
    cublasLtMatmulPreference_t preference, cublasLtMatmulPreferenceAttributes_t attribute,
    const void* value, std::size_t bytes) {
  STANDIN_BLAS_CALL("cublasLtMatmulPreferenceSetAttribute");
  const auto set = [&](auto& member) {
    if (bytes != sizeof member) return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&member, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  switch (attribute) {
    case CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES:
      return set(preference->workspace);
    case CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK:
      return set(preference->reductions);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES:
      return set(preference->alignments[0]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES:
      return set(preference->alignments[1]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES:
      return set(preference->alignments[2]);
    case CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES:
      return set(preference->alignments[3]);
  }
  return CUBLAS_STATUS_INVALID_VALUE;
}

namespace standin {

inline std::uint64_t lt_inner(const cublasLtMatmulDescOpaque_t& desc,
                              const cublasLtMatrixLayoutOpaque_t& a) {
  return desc.transpose[0] != CUBLAS_OP_N ? a.rows : a.columns;
}

/// What cuBLASLt's documentation (cublasLtEpilogue_t, cublasLtMatmulDescAttributes_t) says of the
/// epilogues that are here: whether they take a vector, and by what the leading dimension of their
/// auxiliary matrix must be divisible, in its elements; bits are relu's. 0: they take none.
struct LtRule {
  std::uint32_t epilogue;
  bool has_vector;
  std::int64_t aux_multiple;
};
inline constexpr LtRule kLtRules[] = {
    {CUBLASLT_EPILOGUE_DEFAULT, false, 0},
    {CUBLASLT_EPILOGUE_RELU, false, 0},
    {CUBLASLT_EPILOGUE_BIAS, true, 0},
    {CUBLASLT_EPILOGUE_RELU_AUX, false, 128},
    {CUBLASLT_EPILOGUE_RELU_AUX_BIAS, true, 128},
    {CUBLASLT_EPILOGUE_DRELU, false, 128},
    {CUBLASLT_EPILOGUE_DRELU_BGRAD, true, 128},
    {CUBLASLT_EPILOGUE_GELU_AUX, false, 8},
    {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, true, 8},
    {CUBLASLT_EPILOGUE_DGELU, false, 8},
    {CUBLASLT_EPILOGUE_DGELU_BGRAD, true, 8},
    {CUBLASLT_EPILOGUE_BGRADB, true, 0},
};
/// Types of A and B, and of C, D, the vector and the auxiliary matrix (documentation of
/// cublasLtMatmul, of scales in float32). Nothing but CUBLASLT_EPILOGUE_DEFAULT is for others.
struct LtTypes {
  cudaDataType factors, output;
};
inline constexpr LtTypes kLtTypes[] = {
    {CUDA_R_16F, CUDA_R_16F},  {CUDA_R_16F, CUDA_R_32F}, {CUDA_R_16BF, CUDA_R_16BF},
    {CUDA_R_16BF, CUDA_R_32F}, {CUDA_R_32F, CUDA_R_32F},
};

/// While one exists, the heuristics find nothing for about one problem of eight, by the seed of the
/// scheduler: so they may, for whatever problem.
class LtRefusals {
 public:
  LtRefusals() { ++count(); }
  LtRefusals(const LtRefusals&) = delete;
  LtRefusals& operator=(const LtRefusals&) = delete;
  ~LtRefusals() { --count(); }
  static int& count() {
    static int count = 0;
    return count;
  }
  static bool hit(const cublasLtMatmulDescOpaque_t& desc, const cublasLtMatrixLayoutOpaque_t& a,
                  const cublasLtMatrixLayoutOpaque_t& d) {
    if (count() == 0) return false;
    std::uint64_t x = toolkit().schedule.seed();
    for (const std::uint64_t part : {std::uint64_t{desc.epilogue}, a.rows, a.columns, d.rows,
                                     d.columns, static_cast<std::uint64_t>(d.type)}) {
      x = (x + part + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
      x ^= x >> 31;
    }
    return x % 8 == 0;
  }
};

/// Returns CUBLAS_STATUS_SUCCESS if the sizes of a problem belong together, and it is among the
/// documented ones.
inline cublasStatus_t lt_check(const cublasLtMatmulDescOpaque_t& desc,
                               const cublasLtMatrixLayoutOpaque_t& a,
                               const cublasLtMatrixLayoutOpaque_t& b,
                               const cublasLtMatrixLayoutOpaque_t& d) {
  const bool ta = desc.transpose[0] != CUBLAS_OP_N, tb = desc.transpose[1] != CUBLAS_OP_N;
  const auto fits = [](const cublasLtMatrixLayoutOpaque_t& x) {
    return x.rows > 0 && x.columns > 0 && x.leading >= static_cast<std::int64_t>(x.rows);
  };
  if (!fits(a) || !fits(b) || !fits(d) || (ta ? a.columns : a.rows) != d.rows ||
      (tb ? b.rows : b.columns) != d.columns ||
      (ta ? a.rows : a.columns) != (tb ? b.columns : b.rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const rule =
      std::find_if(std::begin(kLtRules), std::end(kLtRules),
                   [&](const LtRule& r) { return r.epilogue == desc.epilogue; });
  if (rule == std::end(kLtRules) || a.type != b.type || desc.compute == CUBLAS_COMPUTE_64F ||
      !blas_has(a.type) ||
      std::none_of(std::begin(kLtTypes), std::end(kLtTypes), [&](const LtTypes& types) {
        return types.factors == a.type && types.output == d.type;
      }))
    return CUBLAS_STATUS_NOT_SUPPORTED;
  if (rule->has_vector && desc.bias == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  if (rule->aux_multiple == 0) return CUBLAS_STATUS_SUCCESS;
  return desc.aux != nullptr && desc.aux_leading >= static_cast<std::int64_t>(d.rows) &&
                 desc.aux_leading % rule->aux_multiple == 0
             ? CUBLAS_STATUS_SUCCESS
             : CUBLAS_STATUS_INVALID_VALUE;
}

inline bool is_aligned(const void* address, std::uint32_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment == 0;
}

/// Returns the position of relu's bit for an element. The order is documented nowhere; here it is
/// one that code cannot rely on by chance.
inline std::int64_t lt_relu_bit(std::int64_t at) { return at ^ 13; }

inline float lt_gelu(float x, bool derivative) {
  const double c = std::sqrt(2 / 3.14159265358979323846), z = x;
  const double t = std::tanh(c * (z + 0.044715 * z * z * z));
  return static_cast<float>(derivative
                                ? 0.5 * (1 + t + z * (1 - t * t) * c * (1 + 3 * 0.044715 * z * z))
                                : 0.5 * z * (1 + t));
}

}  // namespace standin

/// Here nothing is supported whose matrices do not lie at multiples of 16 bytes.
inline cublasStatus_t cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int requested, cublasLtMatmulHeuristicResult_t* results,
    int* found) {
  STANDIN_BLAS_CALL("cublasLtMatmulAlgoGetHeuristic");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (requested < 1 || results == nullptr || found == nullptr) return CUBLAS_STATUS_INVALID_VALUE;
  *found = 0;
  const cublasStatus_t status = standin::lt_check(*desc, *a, *b, *d);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  if (c->type != d->type || c->rows != d->rows || c->columns != d->columns)
    return CUBLAS_STATUS_INVALID_VALUE;
  for (const std::uint32_t alignment : preference->alignments) {
    if (alignment < 16) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (standin::LtRefusals::hit(*desc, *a, *d)) return CUBLAS_STATUS_SUCCESS;  // none found
  cublasLtMatmulAlgo_t& algo = results->algo;
  algo = {
      desc->epilogue, preference->reductions, {}, {d->rows, d->columns, 0}, preference->workspace};
  std::memcpy(algo.alignments, preference->alignments, sizeof algo.alignments);
  algo.sizes[2] = standin::lt_inner(*desc, *a);
  results->workspaceSize = static_cast<std::size_t>(preference->workspace);
  results->state = CUBLAS_STATUS_SUCCESS;
  *found = 1;
  return CUBLAS_STATUS_SUCCESS;
}

/// relu lets no NaN pass here, as max(x, 0) may not.
inline cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t desc,
                                     const void* alpha, const void* a,
                                     cublasLtMatrixLayout_t a_layout, const void* b,
                                     cublasLtMatrixLayout_t b_layout, const void* beta,
                                     const void* c, cublasLtMatrixLayout_t c_layout, void* d,
                                     cublasLtMatrixLayout_t d_layout,
                                     const cublasLtMatmulAlgo_t* algo, void* workspace,
                                     std::size_t workspace_bytes, cudaStream_t stream) {
  STANDIN_BLAS_CALL("cublasLtMatmul");
  if (handle == nullptr) return CUBLAS_STATUS_NOT_INITIALIZED;
  if (alpha == nullptr || beta == nullptr || algo == nullptr || c_layout == nullptr)
    return CUBLAS_STATUS_INVALID_VALUE;
  const cublasStatus_t status = standin::lt_check(*desc, *a_layout, *b_layout, *d_layout);
  if (status != CUBLAS_STATUS_SUCCESS) return status;
  const auto k = static_cast<std::int64_t>(standin::lt_inner(*desc, *a_layout));
  const void* const matrices[] = {a, b, c, d};
  for (int i = 0; i < 4; ++i) {
    if (!standin::is_aligned(matrices[i], algo->alignments[i])) return CUBLAS_STATUS_NOT_SUPPORTED;
  }
  if (algo->epilogue != desc->epilogue || algo->workspace > workspace_bytes ||
      algo->sizes[0] != d_layout->rows || algo->sizes[1] != d_layout->columns ||
      algo->sizes[2] != static_cast<std::uint64_t>(k))
    return CUBLAS_STATUS_INVALID_VALUE;
  const auto* const context = reinterpret_cast<cublasHandle_t>(handle);
  if (context->device != standin_device) standin::stop("a cuBLAS handle of another device");
  if (context->stream != stream) standin::stop("cuBLASLt on another stream than its handle");
  const auto matrices_of = [](const void* data, cublasLtMatrixLayout_t x) {
    return standin::BlasMatrices{data,
                                 x->type,
                                 x->leading,
                                 0,
                                 static_cast<std::int64_t>(x->rows),
                                 static_cast<std::int64_t>(x->columns),
                                 1};
  };
  const standin::BlasMatrices as = matrices_of(a, a_layout), bs = matrices_of(b, b_layout),
                              ds = matrices_of(d, d_layout);
  if (!as.on_device() || !bs.on_device() || !ds.on_device())
    standin::stop("cuBLASLt was given memory that is not on the device");
  const std::int64_t m = ds.length, n = ds.lines;
  const std::uint32_t epilogue = desc->epilogue;
  const bool adds_bias = (epilogue & 4) != 0, sums_rows = (epilogue & 16) != 0,
             sums_inner = epilogue == CUBLASLT_EPILOGUE_BGRADB;
  const auto vector_bytes =
      static_cast<std::size_t>((sums_inner ? n : m) * standin::blas_size(ds.type));
  if ((adds_bias || sums_rows || sums_inner) &&
      !standin::toolkit().on_device(desc->bias, vector_bytes))
    standin::stop("cuBLASLt was given a bias that is not on the device");
  // The kernels read both in 16 bytes, without checking their alignment.
  if (workspace_bytes != 0 && !standin::is_aligned(workspace, 16))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!standin::is_aligned(desc->bias, 16) || !standin::is_aligned(desc->aux, 16))
    standin::stop("misaligned address: of the bias, the sums or the auxiliary matrix of cuBLASLt");
  return standin::blas_enqueue(stream, [=, problem = *desc, reductions = algo->reductions] {
    standin::blas_use_workspace(workspace, workspace_bytes);
    const bool ta = problem.transpose[0] != CUBLAS_OP_N, tb = problem.transpose[1] != CUBLAS_OP_N;
    std::vector<float> h = standin::blas_multiply<float>(
        0, ta, tb, k, as, bs, ds,
        standin::BlasLosses{
            .tf32 = problem.compute == CUBLAS_COMPUTE_32F_FAST_TF32,
            .partial_sums = (reductions & CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE) != 0 &&
                            standin::blas_size(ds.type) == 2});
    auto* const bits = static_cast<std::uint8_t*>(problem.aux);
    std::vector<float> sums(static_cast<std::size_t>(m));
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < m; ++i) {
        float x = h[static_cast<std::size_t>(j * m + i)];
        if (adds_bias) x += standin::blas_load<float>(problem.bias, ds.type, i);
        const std::int64_t at = j * problem.aux_leading + i;
        const std::int64_t bit_at = standin::lt_relu_bit(at);
        const auto bit = static_cast<std::uint8_t>(1u << bit_at % 8);
        if ((epilogue & 2) != 0) {
          const bool passes = x > 0;
          bits[bit_at / 8] =
              static_cast<std::uint8_t>(passes ? bits[bit_at / 8] | bit : bits[bit_at / 8] & ~bit);
          x = passes ? x : 0;
        } else if ((epilogue & 8) != 0) {
          x = (bits[bit_at / 8] & bit) != 0 ? x : 0;
        } else if ((epilogue & 32) != 0) {
          standin::blas_store<float>(problem.aux, ds.type, at, x);
          x = standin::lt_gelu(x, false);
        } else if ((epilogue & 64) != 0) {
          x *= standin::lt_gelu(standin::blas_load<float>(problem.aux, ds.type, at), true);
        }
        sums[static_cast<std::size_t>(i)] += x;
        standin::blas_store<float>(d, ds.type, j * ds.leading + i, x);
      }
    }
    for (std::int64_t i = 0; sums_rows && i < m; ++i)
      standin::blas_store<float>(problem.bias, ds.type, i, sums[static_cast<std::size_t>(i)]);
    for (std::int64_t j = 0; sums_inner && j < n; ++j) {
      float sum = 0;
      for (std::int64_t p = 0; p < k; ++p)
        sum += standin::blas_load<float>(b, bs.type, tb ? p * bs.leading + j : j * bs.leading + p);
      standin::blas_store<float>(problem.bias, ds.type, j, sum);
    }
  });
}

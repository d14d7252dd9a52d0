// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Problems for cuBLASLt, and the plan of each: the algorithm that its heuristics chose, or that it
// does not support the problem.
#pragma once

#include <cublasLt.h>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "amp/core/error.hpp"
#include "amp/device/cuda/attempt.hpp"
#include "amp/device/cuda/handles.hpp"
#include "amp/device/device.hpp"
#include "amp/kernels/plans.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// One of cuBLASLt's matrices.
struct LtMatrix {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 0, leading = 0;

  /// Returns the largest power of two, up to 256, that divides the address.
  static std::uint32_t alignment_of(const void* address) {
    const auto number = reinterpret_cast<std::uintptr_t>(address) | 256;
    return std::uint32_t{1} << std::countr_zero(number);
  }
};

/// A matmul for cuBLASLt: D = epilogue(op(A) op(B)), with an optional vector (a bias, or sums) and
/// an optional matrix (aux).
struct LtProblem {
  LtMatrix a, b, d;
  bool transpose_a = false, transpose_b = false;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* vector = nullptr;
  const void* aux = nullptr;
  std::int64_t aux_leading = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;

  /// Everything that the choice of an algorithm depends on. The heuristics do not know the
  /// addresses of the vector and aux; see is_aligned().
  struct Key {
    std::int64_t sizes[10];
    int choices[8];
    std::uint32_t alignments[3];
    std::size_t workspace;
    auto operator<=>(const Key&) const = default;
  };
  /// Whether every address is a multiple of 16 bytes. The heuristics do not know how the vector and
  /// aux are aligned, and choose kernels that read either in 16 bytes. An unaligned one gives
  /// cudaErrorMisalignedAddress, which ends all use of the device.
  bool is_aligned() const {
    for (const void* const address : {a.data, b.data, d.data, vector, aux}) {
      if (reinterpret_cast<std::uintptr_t>(address) % 16 != 0) return false;
    }
    return true;
  }
  /// Returns a description for messages, by rows as in amp.
  std::string describe(int device) const {
    const auto name = [](cudaDataType type) {
      return type == CUDA_R_16F ? "float16" : type == CUDA_R_16BF ? "bfloat16" : "float32";
    };
    using amp::detail::to_text;
    return std::string("matmul of ") + name(b.type) + " [" + to_text(d.columns) + ", " +
           to_text(transpose_a ? a.rows : a.columns) + "] @ [" +
           to_text(transpose_a ? a.rows : a.columns) + ", " + to_text(d.rows) + "] in " +
           name(d.type) + " with epilogue " + to_text(static_cast<int>(epilogue)) + " on " +
           to_string(Device{kCUDA, device});
  }
  Key key(std::size_t workspace) const {
    return {{a.rows, a.columns, a.leading, b.rows, b.columns, b.leading, d.rows, d.columns,
             d.leading, aux_leading},
            {transpose_a, transpose_b, a.type, b.type, d.type, compute, epilogue,
             static_cast<int>(reductions)},
            {LtMatrix::alignment_of(a.data), LtMatrix::alignment_of(b.data),
             LtMatrix::alignment_of(d.data)},
            workspace};
  }
};

/// cuBLASLt's descriptors of a problem.
class LtDescriptors {
 public:
  explicit LtDescriptors(const LtProblem& p) {
    AMP_CUDA_CALL(cublasLtMatmulDescInit, &operation, p.compute, CUDA_R_32F);
    set(CUBLASLT_MATMUL_DESC_TRANSA, p.transpose_a ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_TRANSB, p.transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, p.epilogue);
    if (p.vector != nullptr) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.vector);
    if (p.aux != nullptr) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.aux);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.aux_leading);
    }
    lay_out(a, p.a);
    lay_out(b, p.b);
    lay_out(d, p.d);
  }

  cublasLtMatmulDescOpaque_t operation;
  cublasLtMatrixLayoutOpaque_t a, b, d;

 private:
  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    AMP_CUDA_CALL(cublasLtMatmulDescSetAttribute, &operation, attribute, &value, sizeof value);
  }
  static void lay_out(cublasLtMatrixLayoutOpaque_t& layout, const LtMatrix& matrix) {
    AMP_CUDA_CALL(cublasLtMatrixLayoutInit, &layout, matrix.type,
                  static_cast<std::uint64_t>(matrix.rows),
                  static_cast<std::uint64_t>(matrix.columns), matrix.leading);
  }
};

/// Returns the algorithm that cuBLASLt's heuristics choose; throws if there is none.
inline cublasLtMatmulAlgo_t choose_algorithm(const amp::cuda::detail::BlasCall& blas,
                                             const LtProblem& problem, LtDescriptors& descriptors) {
  cublasLtMatmulPreferenceOpaque_t preference;
  AMP_CUDA_CALL(cublasLtMatmulPreferenceInit, &preference);
  const auto prefer = [&](cublasLtMatmulPreferenceAttributes_t attribute, auto value) {
    AMP_CUDA_CALL(cublasLtMatmulPreferenceSetAttribute, &preference, attribute, &value,
                  sizeof value);
  };
  prefer(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES,
         static_cast<std::uint64_t>(blas.workspace_bytes));
  prefer(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, problem.reductions);
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, LtMatrix::alignment_of(problem.a.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, LtMatrix::alignment_of(problem.b.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, LtMatrix::alignment_of(problem.d.data));
  prefer(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, LtMatrix::alignment_of(problem.d.data));
  cublasLtMatmulHeuristicResult_t result = {};
  int results = 0;
  AMP_CUDA_CALL(cublasLtMatmulAlgoGetHeuristic, blas.light(), &descriptors.operation,
                &descriptors.a, &descriptors.b, &descriptors.d, &descriptors.d, &preference, 1,
                &result, &results);
  AMP_CHECK(results > 0, "cublasLtMatmulAlgoGetHeuristic: no algorithm");
  amp::cuda::detail::require(result.state, "cublasLtMatmulAlgoGetHeuristic");
  return result.algo;
}

inline void launch_matmul(const amp::cuda::detail::BlasCall& blas, const LtProblem& problem,
                          LtDescriptors& descriptors, const cublasLtMatmulAlgo_t& algorithm) {
  const float one = 1, zero = 0;
  AMP_CUDA_CALL(cublasLtMatmul, blas.light(), &descriptors.operation, &one, problem.a.data,
                &descriptors.a, problem.b.data, &descriptors.b, &zero, problem.d.data,
                &descriptors.d, const_cast<void*>(problem.d.data), &descriptors.d, &algorithm,
                blas.workspace, blas.workspace_bytes, blas.stream);
}

/// The plan of a problem. It is cached, since the heuristics take the host longer than the launch.
struct LtPlan {
  amp::cuda::detail::Attempt attempt = {};
  cublasLtMatmulAlgo_t algorithm = {};
};

class LtPlans : public Plans<LtProblem::Key, LtPlan> {
 public:
  LtPlan find(const LtProblem::Key& key) {
    const std::lock_guard lock(mutex_);
    const LtPlan* const plan = find_plan(key);
    return plan == nullptr ? LtPlan{} : *plan;
  }
  void keep(const LtProblem::Key& key, const LtPlan& plan) {
    const std::lock_guard lock(mutex_);
    make_plan(key, plan);
  }
};

inline LtPlans& lt_plans(int device) { return plans_of<LtPlans>(device); }

inline amp::cuda::detail::Failure failure_of(const Error& error) {
  using amp::cuda::detail::Failure;
  const auto* const blas = dynamic_cast<const amp::cuda::detail::BlasError*>(&error);
  if (blas == nullptr) return Failure::kLasting;  // there is no algorithm
  if (blas->status == CUBLAS_STATUS_ALLOC_FAILED) return Failure::kPassing;
  return blas->status == CUBLAS_STATUS_EXECUTION_FAILED ||
                 blas->status == CUBLAS_STATUS_INTERNAL_ERROR
             ? Failure::kUnclear
             : Failure::kLasting;
}

/// Tries a problem that never ran. Until it has run, other kernels can compute it, whatever error
/// cuBLASLt reports. After an error that breaks the device, those fail as well, and throw.
inline void try_matmul(int device, const amp::cuda::detail::BlasCall& blas,
                       const LtProblem& problem, LtPlan& plan) {
  try {
    LtDescriptors descriptors(problem);
    plan.algorithm = choose_algorithm(blas, problem, descriptors);
    launch_matmul(blas, problem, descriptors, plan.algorithm);
    plan.attempt.ran = true;
  } catch (const amp::detail::OutOfMemory&) {
    throw;
  } catch (const Error& error) {
    amp::cuda::detail::note_failure(device, plan.attempt, failure_of(error),
                                    {problem.describe(device), error.what()});
  }
}

/// Returns false, with nothing done, if cuBLASLt does not support the problem.
inline bool run_lt(int device, const LtProblem& problem) {
  if (!problem.is_aligned()) return false;
  LtPlan plan;
  amp::cuda::detail::with_blas(device, [&](const amp::cuda::detail::BlasCall& blas) {
    const LtProblem::Key key = problem.key(blas.workspace_bytes);
    plan = lt_plans(device).find(key);
    if (plan.attempt.ran) {
      LtDescriptors descriptors(problem);
      launch_matmul(blas, problem, descriptors, plan.algorithm);
    } else if (!plan.attempt.is_given_up()) {
      try_matmul(device, blas, problem, plan);
      lt_plans(device).keep(key, plan);
    }
  });
  return plan.attempt.ran;
}

}  // namespace amp::inline v0::kernels::cuda::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A product with its epilogue in one kernel, by cuBLASLt. As product.cuh, it asks for the
// transpose: cuBLASLt's D is [N, M] by columns, its A our b and its B our a.
#pragma once

#include <cublasLt.h>

#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

#include "amp/device/cuda/handles.hpp"
#include "amp/kernels/cuda/product.cuh"
#include "amp/kernels/epilogue.hpp"

namespace amp::inline v0::kernels::cuda {
namespace detail {

/// One of cuBLASLt's matrices.
struct LtMatrix {
  const void* data = nullptr;
  cudaDataType type = CUDA_R_32F;
  std::int64_t rows = 0, columns = 0, leading = 0;

  /// The largest power of two, up to 256, of which the address is a multiple.
  static std::uint32_t alignment_of(const void* address) {
    const auto number = reinterpret_cast<std::uintptr_t>(address) | 256;
    return std::uint32_t{1} << std::countr_zero(number);
  }
};

/// A product as cuBLASLt is asked for it: D = epilogue(op(A) op(B)), with one more vector (a bias,
/// or sums) and one more matrix (the slope).
struct LtProblem {
  LtMatrix a, b, d;
  bool transpose_a = false, transpose_b = false;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;
  cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DEFAULT;
  const void* vector = nullptr;
  const void* slope = nullptr;
  std::int64_t slope_leading = 0;
  std::uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;

  /// All that the choice of an algorithm depends on.
  struct Key {
    std::int64_t sizes[10];
    int choices[8];
    std::uint32_t alignments[5];
    std::size_t workspace;
    auto operator<=>(const Key&) const = default;
  };
  Key key(std::size_t workspace) const {
    return {{a.rows, a.columns, a.leading, b.rows, b.columns, b.leading, d.rows, d.columns,
             d.leading, slope_leading},
            {transpose_a, transpose_b, a.type, b.type, d.type, compute, epilogue,
             static_cast<int>(reductions)},
            {LtMatrix::alignment_of(a.data), LtMatrix::alignment_of(b.data),
             LtMatrix::alignment_of(d.data), LtMatrix::alignment_of(vector),
             LtMatrix::alignment_of(slope)},
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
    if (p.slope != nullptr) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, p.slope);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, p.slope_leading);
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

/// What cuBLASLt's heuristics chose for a problem: asked once, since the answer takes the host
/// longer than the launch.
struct LtPlan {
  bool found = false;
  cublasLtMatmulAlgo_t algorithm = {};
};
inline LtPlan make_plan(const amp::cuda::detail::BlasCall& blas, const LtProblem& problem,
                        LtDescriptors& descriptors) {
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
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      blas.light(), &descriptors.operation, &descriptors.a, &descriptors.b, &descriptors.d,
      &descriptors.d, &preference, 1, &result, &results);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return {};
  amp::cuda::detail::require(status, "cublasLtMatmulAlgoGetHeuristic");
  return {results > 0 && result.state == CUBLAS_STATUS_SUCCESS, result.algo};
}

/// The plans of one device.
class LtPlans {
 public:
  /// The plan for a key, made by make() where there is none.
  template <class Make>
  LtPlan find(const LtProblem::Key& key, const Make& make) {
    const std::lock_guard lock(mutex_);
    auto found = plans_.find(key);
    if (found == plans_.end()) found = plans_.emplace(key, make()).first;
    return found->second;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    plans_.clear();
  }

 private:
  std::mutex mutex_;
  std::map<LtProblem::Key, LtPlan> plans_;
};
inline LtPlans& lt_plans(int device) {
  static auto* const all = new LtPlans[kMaxDevices];
  return all[device];
}

/// False where cuBLASLt has no kernel for it.
inline bool run(int device, const LtProblem& problem) {
  bool found = false;
  amp::cuda::detail::with_blas(device, [&](const amp::cuda::detail::BlasCall& blas) {
    LtDescriptors descriptors(problem);
    const LtPlan plan = lt_plans(device).find(
        problem.key(blas.workspace_bytes), [&] { return make_plan(blas, problem, descriptors); });
    found = plan.found;
    if (!found) return;
    const float one = 1, zero = 0;
    AMP_CUDA_CALL(cublasLtMatmul, blas.light(), &descriptors.operation, &one, problem.a.data,
                  &descriptors.a, problem.b.data, &descriptors.b, &zero, problem.d.data,
                  &descriptors.d, const_cast<void*>(problem.d.data), &descriptors.d,
                  &plan.algorithm, blas.workspace, blas.workspace_bytes, blas.stream);
  });
  return found;
}

/// The epilogue of cuBLASLt that is what the product asks for; CUBLASLT_EPILOGUE_DEFAULT where none
/// is. `vector` is then the bias, or the sums.
inline cublasLtEpilogue_t lt_epilogue(const MatmulArgs& args, const Operand*& vector) {
  const bool bias = args.bias.present, columns = args.column_sums.present,
             rows = args.row_sums.present;
  const bool backward =
      args.epilogue == Epilogue::kReluBackward || args.epilogue == Epilogue::kGeluBackward;
  vector = bias ? &args.bias : columns ? &args.column_sums : rows ? &args.row_sums : nullptr;
  if (bias + columns + rows > 1 || (backward ? bias || rows : columns))
    return CUBLASLT_EPILOGUE_DEFAULT;
  switch (args.epilogue) {
    case Epilogue::kNone:
      return bias   ? CUBLASLT_EPILOGUE_BIAS
             : rows ? CUBLASLT_EPILOGUE_BGRADB
                    : CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::kRelu:
      return rows   ? CUBLASLT_EPILOGUE_DEFAULT
             : bias ? CUBLASLT_EPILOGUE_RELU_AUX_BIAS
                    : CUBLASLT_EPILOGUE_RELU_AUX;
    case Epilogue::kGelu:
      return rows   ? CUBLASLT_EPILOGUE_DEFAULT
             : bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                    : CUBLASLT_EPILOGUE_GELU_AUX;
    case Epilogue::kReluBackward:
      return columns ? CUBLASLT_EPILOGUE_DRELU_BGRAD : CUBLASLT_EPILOGUE_DRELU;
    case Epilogue::kGeluBackward:
      return columns ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
  }
  return CUBLASLT_EPILOGUE_DEFAULT;
}

/// The product with all that it asks for, where cuBLASLt can do it so; false, and nothing done,
/// where it cannot.
inline bool fused_product(const MatmulArgs& args) {
  const Operand* vector = nullptr;
  const cublasLtEpilogue_t epilogue = lt_epilogue(args, vector);
  const Operand& output = args.output;
  if (epilogue == CUBLASLT_EPILOGUE_DEFAULT || output.sizes[0] != 1 || output.numel() == 0 ||
      args.a.sizes[2] == 0)
    return false;
  const DType factors = factor_dtype(args.a.dtype, args.b.dtype, output.dtype);
  // "Bias gradient vector elements are the same type as the output elements", and so are biases;
  // the slope of gelu too, in rows of a multiple of 8 (documentation of
  // cublasLtMatmulDescAttributes_t).
  const bool gelu = args.epilogue == Epilogue::kGelu || args.epilogue == Epilogue::kGeluBackward;
  if (factors == kFloat64 || !is_writable(output, factors, Operand{}) ||
      (vector != nullptr &&
       (vector->dtype != output.dtype || (vector->strides[0] != 1 && vector->sizes[0] != 1))) ||
      (gelu && (args.slope.dtype != output.dtype || output.sizes[2] % 8 != 0)))
    return false;
  const Factor left(args.a, factors), right(args.b, factors);
  const auto matrix = [](const Operand& x, const BlasLayout& layout) {
    return LtMatrix{x.data, blas_type(x.dtype), layout.by_columns ? x.sizes[1] : x.sizes[2],
                    layout.by_columns ? x.sizes[2] : x.sizes[1], layout.leading};
  };
  const BlasLayout a_layout = blas_layout(left.operand()), b_layout = blas_layout(right.operand());
  const MathPrecision precision = math_precision();
  LtProblem problem;
  problem.a = matrix(right.operand(), b_layout);
  problem.b = matrix(left.operand(), a_layout);
  problem.d = matrix(output, blas_layout(output));
  problem.transpose_a = b_layout.by_columns;
  problem.transpose_b = a_layout.by_columns;
  if (factors == kFloat32 && precision.allow_tf32) problem.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  if (output.dtype != kFloat32 && !precision.allow_reduced_precision_reduction)
    problem.reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  problem.epilogue = epilogue;
  if (vector != nullptr) problem.vector = vector->data;
  if (args.epilogue != Epilogue::kNone) {
    problem.slope = args.slope.data;
    problem.slope_leading = gelu ? output.sizes[2] : 8 * relu_bytes(output.sizes[2]);
  }
  return run(output.device.index, problem);
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::cuda

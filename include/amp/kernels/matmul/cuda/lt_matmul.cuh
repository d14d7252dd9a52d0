// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A matmul with its epilogue in one kernel, by cuBLASLt. As with cuBLAS (blas_operand.cuh), all
// matrices are transposed: cuBLASLt's D is [N, M] by columns, its A our b and its B our a.
//
// relu is not among the epilogues. cuBLASLt's is max(x, 0), and its documentation says neither what
// that makes of NaN nor in which order its bits lie. If a NaN became 0 there, an overflow would
// stay hidden: the loss stays finite, the gradients behind it are 0, and a GradScaler detects
// nothing.
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "amp/device/cuda/libraries.hpp"
#include "amp/device/math_precision.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/cuda/blas_operand.cuh"
#include "amp/kernels/matmul/cuda/lt_plan.cuh"

namespace amp::inline v0::kernels::cuda::detail {

/// The vector that a cuBLASLt epilogue reads or writes: the bias, or sums.
enum class LtVector : std::uint8_t { kNone, kBias, kColumnSums, kRowSums };

struct LtEpilogue {
  cublasLtEpilogue_t code = CUBLASLT_EPILOGUE_DEFAULT;
  const Operand* vector = nullptr;
};

/// Returns the single epilogue that computes all extras of the matmul; CUBLASLT_EPILOGUE_DEFAULT if
/// none does.
inline LtEpilogue lt_epilogue(const MatmulArgs& args) {
  static constexpr struct {
    Epilogue epilogue;
    LtVector vector;
    cublasLtEpilogue_t code;
  } kKnown[] = {
      {Epilogue::kNone, LtVector::kBias, CUBLASLT_EPILOGUE_BIAS},
      {Epilogue::kNone, LtVector::kRowSums, CUBLASLT_EPILOGUE_BGRADB},
      {Epilogue::kGelu, LtVector::kNone, CUBLASLT_EPILOGUE_GELU_AUX},
      {Epilogue::kGelu, LtVector::kBias, CUBLASLT_EPILOGUE_GELU_AUX_BIAS},
      {Epilogue::kGeluBackward, LtVector::kNone, CUBLASLT_EPILOGUE_DGELU},
      {Epilogue::kGeluBackward, LtVector::kColumnSums, CUBLASLT_EPILOGUE_DGELU_BGRAD},
  };
  LtVector kind = LtVector::kNone;
  const Operand* vector = nullptr;
  int vectors = 0;
  const auto look_at = [&](LtVector of, const Operand& operand) {
    if (!operand.present) return;
    kind = of;
    vector = &operand;
    ++vectors;
  };
  look_at(LtVector::kBias, args.bias);
  look_at(LtVector::kColumnSums, args.column_sums);
  look_at(LtVector::kRowSums, args.row_sums);
  if (vectors > 1) return {};
  if (kind == LtVector::kRowSums && !amp::cuda::detail::libraries().sums_rows_in_matmuls) return {};
  for (const auto& known : kKnown) {
    if (known.epilogue == args.epilogue && known.vector == kind) return {known.code, vector};
  }
  return {};
}

/// Whether cuBLASLt can read and write the epilogue's operands in place. "Bias gradient vector
/// elements are the same type as the output elements", and so are biases; aux too, in rows of a
/// multiple of 8 (documentation of cublasLtMatmulDescAttributes_t). Its gelu is only for 16 bits:
/// in float32 it differs by up to 140 epsilons (measured on an H200), so amp computes that itself.
inline bool has_operands_for_lt(const MatmulArgs& args, const LtEpilogue& epilogue) {
  const Operand& output = args.output;
  const Operand* const vector = epilogue.vector;
  const bool vector_fits =
      vector == nullptr ||
      (vector->dtype == output.dtype && (vector->strides[0] == 1 || vector->sizes[0] == 1));
  const bool aux_fits = args.epilogue == Epilogue::kNone ||
                        (is_low_precision(output.dtype) && args.aux.dtype == output.dtype &&
                         output.sizes[2] % 8 == 0);
  return vector_fits && aux_fits;
}

inline LtMatrix lt_matrix(const Operand& x, const BlasLayout& layout) {
  return {x.data, blas_type(x.dtype), layout.by_columns ? x.sizes[1] : x.sizes[2],
          layout.by_columns ? x.sizes[2] : x.sizes[1], layout.leading};
}

/// Returns the problem for cuBLASLt. a and b are those of the arguments, as cuBLAS takes them.
inline LtProblem lt_problem(const MatmulArgs& args, const Operand& a, const Operand& b,
                            const LtEpilogue& epilogue) {
  const BlasLayout a_layout = blas_layout(a), b_layout = blas_layout(b);
  const Operand& output = args.output;
  const MathPrecision precision = math_precision();
  LtProblem problem;
  problem.a = lt_matrix(b, b_layout);
  problem.b = lt_matrix(a, a_layout);
  problem.d = lt_matrix(output, blas_layout(output));
  problem.transpose_a = b_layout.by_columns;
  problem.transpose_b = a_layout.by_columns;
  if (a.dtype == kFloat32 && precision.allow_tf32) problem.compute = CUBLAS_COMPUTE_32F_FAST_TF32;
  if (output.dtype != kFloat32 && !precision.allow_reduced_precision_reduction)
    problem.reductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;
  problem.epilogue = epilogue.code;
  if (epilogue.vector != nullptr) problem.vector = epilogue.vector->data;
  if (args.epilogue != Epilogue::kNone) {
    problem.aux = args.aux.data;
    problem.aux_leading = output.sizes[2];
  }
  return problem;
}

/// Returns false, with nothing written, if cuBLASLt cannot compute all of it, or if the matmul has
/// no epilogue and is left to cuBLAS.
inline bool lt_matmul(const MatmulArgs& args) {
  const LtEpilogue epilogue = lt_epilogue(args);
  const Operand& output = args.output;
  if (epilogue.code == CUBLASLT_EPILOGUE_DEFAULT || output.sizes[0] != 1 || output.numel() == 0 ||
      args.a.sizes[2] == 0)
    return false;
  const DType factors = factor_dtype(args.a.dtype, args.b.dtype, output.dtype);
  if (factors == kFloat64 || !is_writable(output, factors, Operand{}) ||
      !has_operands_for_lt(args, epilogue))
    return false;
  const Factor a(args.a, factors), b(args.b, factors);
  return run_lt(output.device.index, lt_problem(args, a.operand(), b.operand(), epilogue));
}

}  // namespace amp::inline v0::kernels::cuda::detail

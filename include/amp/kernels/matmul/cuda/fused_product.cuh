// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A product with its epilogue in one kernel, by cuBLASLt. As product.cuh, it asks for the
// transpose: cuBLASLt's D is [N, M] by columns, its A our b and its B our a.
//
// relu is not among the epilogues. cuBLASLt's is max(x, 0), and its documentation says neither what
// that makes of NaN nor in which order its bits lie. A NaN that became 0 there would go unseen: the
// loss stays finite, the gradients behind it are 0, and a GradScaler finds nothing.
#pragma once

#include <cublasLt.h>

#include <cstdint>

#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/matmul/cuda/lt_plan.cuh"
#include "amp/kernels/matmul/cuda/product.cuh"
#include "amp/kernels/matmul/epilogue.hpp"

namespace amp::inline v0::kernels::cuda {
namespace detail {

/// The epilogue of cuBLASLt that is what the product asks for; CUBLASLT_EPILOGUE_DEFAULT where none
/// is. `vector` is then the bias, or the sums.
inline cublasLtEpilogue_t lt_epilogue(const MatmulArgs& args, const Operand*& vector) {
  const bool bias = args.bias.present, columns = args.column_sums.present,
             rows = args.row_sums.present;
  const bool backward = args.epilogue == Epilogue::kGeluBackward;
  vector = bias ? &args.bias : columns ? &args.column_sums : rows ? &args.row_sums : nullptr;
  if (bias + columns + rows > 1 || (backward ? bias || rows : columns))
    return CUBLASLT_EPILOGUE_DEFAULT;
  switch (args.epilogue) {
    case Epilogue::kNone:
      if (rows && !amp::cuda::detail::libraries().sums_rows_in_products)
        return CUBLASLT_EPILOGUE_DEFAULT;
      return bias   ? CUBLASLT_EPILOGUE_BIAS
             : rows ? CUBLASLT_EPILOGUE_BGRADB
                    : CUBLASLT_EPILOGUE_DEFAULT;
    case Epilogue::kGelu:
      return rows   ? CUBLASLT_EPILOGUE_DEFAULT
             : bias ? CUBLASLT_EPILOGUE_GELU_AUX_BIAS
                    : CUBLASLT_EPILOGUE_GELU_AUX;
    case Epilogue::kGeluBackward:
      return columns ? CUBLASLT_EPILOGUE_DGELU_BGRAD : CUBLASLT_EPILOGUE_DGELU;
    case Epilogue::kRelu:
    case Epilogue::kReluBackward:
      break;
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
  const bool gelu = args.epilogue != Epilogue::kNone;
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
  if (gelu) {
    problem.slope = args.slope.data;
    problem.slope_leading = output.sizes[2];
  }
  return run(output.device.index, problem);
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What cuBLASLt accepts by its documentation, as the stand-in has it; and what amp computes if the
// heuristics have no algorithm for a problem, which they may say of any.
#include <cublasLt.h>
#include <amp/cuda.hpp>

#include <cstdint>
#include <string>

#include "cuda/on_both.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_lt_rules {
namespace {

using amp::kCUDA;
using amp::Tensor;

/// A problem of [rows, columns] with inner size 16; tells whether there is an algorithm.
struct Problem {
  std::uint32_t epilogue = CUBLASLT_EPILOGUE_BIAS;
  cudaDataType factors = CUDA_R_16F, output = CUDA_R_16F;
  std::uint64_t rows = 128, columns = 8;
  bool has_bias = true, has_aux = false;
  std::int64_t aux_leading = 0;
  cublasComputeType_t compute = CUBLAS_COMPUTE_32F;

  cublasStatus_t status() const {
    const Tensor memory = amp::empty({4096}, {.device = kCUDA});
    const void* const address = memory.raw_data();
    cublasLtMatmulDescOpaque_t desc;
    cublasLtMatmulDescInit(&desc, compute, CUDA_R_32F);
    const auto set = [&](cublasLtMatmulDescAttributes_t attribute, const auto& value) {
      REQUIRE(cublasLtMatmulDescSetAttribute(&desc, attribute, &value, sizeof value) ==
              CUBLAS_STATUS_SUCCESS);
    };
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    if (has_bias) set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, address);
    if (has_aux) {
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, address);
      set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, aux_leading);
    }
    cublasLtMatrixLayoutOpaque_t a, b, d;
    cublasLtMatrixLayoutInit(&a, factors, rows, 16, static_cast<std::int64_t>(rows));
    cublasLtMatrixLayoutInit(&b, factors, 16, columns, 16);
    cublasLtMatrixLayoutInit(&d, output, rows, columns, static_cast<std::int64_t>(rows));
    cublasLtMatmulPreferenceOpaque_t preference;
    cublasLtMatmulPreferenceInit(&preference);
    cublasHandle_t handle = nullptr;
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    cublasLtMatmulHeuristicResult_t result{};
    int found = 0;
    const cublasStatus_t status =
        cublasLtMatmulAlgoGetHeuristic(reinterpret_cast<cublasLtHandle_t>(handle), &desc, &a, &b,
                                       &d, &d, &preference, 1, &result, &found);
    CHECK((found == 1) == (status == CUBLAS_STATUS_SUCCESS));
    REQUIRE(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
    return status;
  }
};

TEST_CASE("cublasLt rules: epilogues, types, vectors and auxiliary matrices", "[cuda]") {
  constexpr auto good = CUBLAS_STATUS_SUCCESS;
  constexpr auto refused = CUBLAS_STATUS_NOT_SUPPORTED;
  constexpr auto invalid = CUBLAS_STATUS_INVALID_VALUE;
  CHECK(Problem{}.status() == good);
  CHECK(Problem{.output = CUDA_R_32F}.status() == good);
  CHECK(Problem{.factors = CUDA_R_32F, .output = CUDA_R_32F}.status() == good);
  CHECK(Problem{.factors = CUDA_R_32F}.status() == refused);
  CHECK(Problem{.factors = CUDA_R_16BF}.status() == refused);
  CHECK(Problem{.factors = CUDA_R_64F, .output = CUDA_R_64F}.status() == refused);
  CHECK(Problem{.compute = CUBLAS_COMPUTE_64F}.status() == refused);
  CHECK(Problem{.has_bias = false}.status() == invalid);
  CHECK(Problem{.epilogue = 32 | 4, .has_aux = true, .aux_leading = 128}.status() == refused);
  for (const std::uint32_t gelu :
       {CUBLASLT_EPILOGUE_GELU_AUX_BIAS, CUBLASLT_EPILOGUE_DGELU_BGRAD}) {
    const auto with = [&](std::uint64_t rows, std::int64_t leading) {
      return Problem{.epilogue = gelu, .rows = rows, .has_aux = true, .aux_leading = leading}
          .status();
    };
    CHECK(with(128, 128) == good);
    CHECK(with(12, 16) == good);
    CHECK(with(12, 12) == invalid);    // not divisible by 8
    CHECK(with(128, 120) == invalid);  // less than the rows
    CHECK(Problem{.epilogue = gelu}.status() == invalid);
  }
  const auto relu = [&](std::int64_t leading) {
    return Problem{
        .epilogue = CUBLASLT_EPILOGUE_DRELU_BGRAD, .has_aux = true, .aux_leading = leading}
        .status();
  };
  CHECK(relu(128) == good);
  CHECK(relu(136) == invalid);  // bits, divisible by 128
}

TEST_CASE("cublasLt rules: any problem may have no algorithm, and is computed in steps", "[cuda]") {
  const standin::LtRefusals refusals;
  amp::manual_seed(5);
  const std::int64_t before = amp::cuda::library_info().refused;
  for (const amp::DType dtype : {amp::kFloat16, amp::kFloat32}) {
    for (std::int64_t rows = 1; rows <= 32; ++rows) {
      CAPTURE(rows);
      const Tensor x = amp::randn({rows, 72}).to(dtype), w = amp::randn({24, 72}).to(dtype),
                   b = amp::randn({24}).to(dtype);
      CHECK(cuda_test::difference(amp::linear(x, w, b),
                                  amp::linear(x.to(kCUDA), w.to(kCUDA), b.to(kCUDA))) <=
            4 * cuda_test::tolerance(dtype));
    }
  }
  const std::int64_t refused = amp::cuda::library_info().refused - before;
  CHECK(refused > 0);
  CHECK(refused < 32);
}

}  // namespace
}  // namespace cuda_lt_rules

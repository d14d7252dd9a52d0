// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What cuBLAS does not take: bfloat16 on old devices.
#include <amp/cuda.cuh>

#include <string>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cuda_library_limits {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

standin::Toolkit& toolkit() { return standin::toolkit(); }

// --- bfloat16 -----------------------------------------------------------------------------------

TEST_CASE("cuda matmul: bfloat16 on a device without it says what to use", "[cuda]") {
  const Tensor x = amp::ones({3, 8}, {.dtype = amp::kBFloat16, .device = kCUDA}),
               b = amp::ones({3}, {.dtype = amp::kBFloat16, .device = kCUDA});
  toolkit().compute_capability = 75;
  amp::kernels::cuda::detail::lt_plans(0).release();
  const std::string text = amp_test::error_of([&] { (void)amp::matmul(x, x.t()); });
  CHECK_THAT(text, ContainsSubstring("bfloat16 [1, 3, 8] @ [1, 8, 3] on cuda:0") &&
                       ContainsSubstring("compute capability 8.0") &&
                       ContainsSubstring("this one has 7.5") && ContainsSubstring("kFloat16"));
  CHECK_THAT(amp_test::error_of([&] { (void)amp::linear(x, x, b); }),
             ContainsSubstring("compute capability 8.0"));
  CHECK(amp::matmul(x.to(amp::kFloat16), x.t().to(amp::kFloat16)).to_vector<float>()[0] == 8);
  toolkit().compute_capability = 90;
  amp::kernels::cuda::detail::lt_plans(0).release();
  CHECK(amp::matmul(x, x.t()).to_vector<float>()[0] == 8);
  // Other failures are what they are.
  toolkit().reset();
  toolkit().fail("cublasGemmStridedBatchedEx_64", 0, CUBLAS_STATUS_INTERNAL_ERROR);
  CHECK_THROWS_WITH(amp::matmul(x, x.t()),
                    ContainsSubstring("cublasGemmStridedBatchedEx_64: CUBLAS_STATUS_INTERNAL"));
  toolkit().reset();
}

}  // namespace
}  // namespace cuda_library_limits

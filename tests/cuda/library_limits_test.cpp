// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What cuBLASLt and cuBLAS do not take, or would do otherwise than amp says: addresses, problems,
// relu, bfloat16 on old devices.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

#if !defined(AMP_TEST_GPU)
#include <amp/kernels/backend.hpp>
#include <amp/kernels/matmul/args.hpp>
#include <amp/kernels/matmul/cuda/lt_plan.cuh>
#endif

namespace cuda_library_limits {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;
using cuda_test::Tensors;

#if !defined(AMP_TEST_GPU)
standin::Toolkit& toolkit() { return standin::toolkit(); }
#endif

/// The same numbers at an address that is no multiple of 16.
Tensor misaligned(const Tensor& x) {
  const Tensor flat = amp::cat({amp::zeros({1}).to(x.dtype()).to(x.device()), x.flatten()});
  return flat.narrow(0, 1, x.numel()).view(x.shape());
}

TEST_CASE("cuda linear: cuBLASLt gets no address that it might read in 16 bytes", "[cuda]") {
  amp::manual_seed(1);
  const Tensor x = amp::randn({6, 8}).to(amp::kFloat16), w = amp::randn({16, 8}).to(amp::kFloat16),
               b = amp::randn({16}).to(amp::kFloat16);
  const Tensors there = {x.to(kCUDA), w.to(kCUDA), b.to(kCUDA)};
  const double limit = cuda_test::tolerance(amp::kFloat16);
  for (std::size_t i = 0; i < 3; ++i) {
    Tensors inputs = there;
    inputs[i] = misaligned(inputs[i]);
    CHECK(cuda_test::difference(amp::linear(x, w, b),
                                amp::linear(inputs[0], inputs[1], inputs[2])) <= limit);
#if !defined(AMP_TEST_GPU)
    toolkit().reset();
    (void)amp::linear(inputs[0], inputs[1], inputs[2]);
    CHECK(toolkit().calls_of("cublasLtMatmul") == 0);
#endif
  }
#if !defined(AMP_TEST_GPU)
  toolkit().reset();
  (void)amp::linear(there[0], there[1], there[2]);
  CHECK(toolkit().calls_of("cublasLtMatmul") == 1);
#endif
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda matmul: a result, sums and aux that lie so are computed in steps", "[cuda]") {
  using amp::kernels::Operand;
  amp::manual_seed(2);
  const amp::TensorOptions half{.dtype = amp::kFloat16, .device = kCUDA};
  const Tensor a = amp::randn({8, 8}, half), b = amp::randn({8, 16}, half);
  const auto run = [&](const Tensor& output, const Tensor& aux, const Tensor& sums) {
    amp::kernels::backend(kCUDA)->matmul({.a = amp::detail::batch_operand(a),
                                          .b = amp::detail::batch_operand(b),
                                          .bias = {},
                                          .output = amp::detail::batch_operand(output),
                                          .epilogue = amp::kernels::Epilogue::kGeluBackward,
                                          .aux = amp::detail::batch_operand(aux),
                                          .column_sums = sums.operand()});
  };
  const Tensor aux = amp::randn({8, 16}, half);
  const Tensor expected = amp::empty({8, 16}, half), expected_sums = amp::empty({16}, half);
  toolkit().reset();
  run(expected, aux, expected_sums);
  CHECK(toolkit().calls_of("cublasLtMatmul") == 1);
  for (int i = 0; i < 3; ++i) {
    const auto place = [i](int which, const Tensor& x) { return i == which ? misaligned(x) : x; };
    const Tensor output = place(0, amp::empty({8, 16}, half)),
                 sums = place(2, amp::empty({16}, half));
    run(output, place(1, aux), sums);
    CHECK(cuda_test::difference(expected.to(amp::kCPU), output) <=
          4 * cuda_test::tolerance(amp::kFloat16));
    CHECK(cuda_test::difference(expected_sums.to(amp::kCPU), sums) <=
          4 * cuda_test::tolerance(amp::kFloat16));
  }
  CHECK(toolkit().calls_of("cublasLtMatmul") == 1);
}

// --- what cuBLASLt refuses ----------------------------------------------------------------------

TEST_CASE("cuda linear: what fails the first time is done in steps, is not tried again, is told",
          "[cuda]") {
  const Tensor x = amp::ones({3, 40}, {.device = kCUDA}), w = amp::ones({8, 40}, {.device = kCUDA}),
               b = amp::ones({8}, {.device = kCUDA});
  const std::vector<float> expected(24, 41);
  for (const std::string call :
       {"cublasLtMatmulDescInit", "cublasLtMatmulDescSetAttribute", "cublasLtMatrixLayoutInit",
        "cublasLtMatmulPreferenceInit", "cublasLtMatmulPreferenceSetAttribute",
        "cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    for (const cublasStatus_t status :
         {CUBLAS_STATUS_NOT_SUPPORTED, CUBLAS_STATUS_INVALID_VALUE, CUBLAS_STATUS_ARCH_MISMATCH}) {
      CAPTURE(call, status);
      amp::kernels::cuda::detail::lt_plans(0).release();  // as if new
      amp::cuda::detail::libraries().refusals.clear();
      const std::int64_t before = amp::cuda::library_info().refused;
      toolkit().reset();
      toolkit().fail(call, 0, status);
      CHECK(amp::linear(x, w, b).to_vector<float>() == expected);
      const amp::cuda::LibraryInfo info = amp::cuda::library_info();
      CHECK(info.refused == before + 1);
      REQUIRE(info.refusals.size() == 1);
      CHECK_THAT(info.refusals[0].problem, ContainsSubstring("float32 [3, 40] @ [40, 8]"));
      CHECK_THAT(info.refusals[0].reason,
                 ContainsSubstring(call + ": " + cublasGetStatusName(status)));
      toolkit().reset();
      CHECK(amp::linear(x, w, b).to_vector<float>() == expected);
      CHECK(toolkit().calls_of(call) == 0);
      CHECK(amp::cuda::library_info().refused == before + 1);
    }
  }
  amp::kernels::cuda::detail::lt_plans(0).release();
  toolkit().reset();
}

TEST_CASE("cuda linear: what fails for want of memory or without a clear reason is tried again",
          "[cuda]") {
  const Tensor x = amp::ones({3, 40}, {.device = kCUDA}), w = amp::ones({8, 40}, {.device = kCUDA}),
               b = amp::ones({8}, {.device = kCUDA});
  for (const std::string call : {"cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    for (const cublasStatus_t status : {CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INTERNAL_ERROR,
                                        CUBLAS_STATUS_EXECUTION_FAILED}) {
      CAPTURE(call, status);
      amp::kernels::cuda::detail::lt_plans(0).release();
      const std::int64_t before = amp::cuda::library_info().refused;
      const auto tries = [&](cublasStatus_t then) {
        toolkit().reset();
        if (then != CUBLAS_STATUS_SUCCESS) toolkit().fail(call, 0, then);
        CHECK(amp::linear(x, w, b).to_vector<float>() == std::vector<float>(24, 41));
        CHECK(amp::cuda::library_info().refused == before + 1);
        return toolkit().calls_of(call);
      };
      for (int i = 0; i < 3; ++i) CHECK(tries(status) == 1);
      const bool passes = status == CUBLAS_STATUS_ALLOC_FAILED;
      CHECK(tries(CUBLAS_STATUS_SUCCESS) == passes);
      toolkit().reset();
      (void)amp::linear(x, w, b);
      CHECK(toolkit().calls_of("cublasLtMatmul") == passes);
    }
  }
  amp::kernels::cuda::detail::lt_plans(0).release();
  toolkit().reset();
}

TEST_CASE("cuda linear: nothing is kept of a failure while a graph is recorded", "[cuda]") {
  const Tensor x = amp::ones({3, 40}, {.device = kCUDA}), w = amp::ones({8, 40}, {.device = kCUDA}),
               b = amp::ones({8}, {.device = kCUDA});
  const std::vector<float> expected(24, 41);
  for (const cublasStatus_t status :
       {CUBLAS_STATUS_ALLOC_FAILED, CUBLAS_STATUS_INTERNAL_ERROR, CUBLAS_STATUS_EXECUTION_FAILED,
        CUBLAS_STATUS_NOT_SUPPORTED}) {
    CAPTURE(status);
    Tensor y;
    const auto step = [&] {
      if (amp::detail::in_recording()) {
        amp::kernels::cuda::detail::lt_plans(0).release();
        toolkit().fail("cublasLtMatmul", 0, status);
      }
      y = amp::linear(x, w, b);
    };
    (void)amp::matmul(x, w.t());  // what the steps need is there
    for (int i = 0; i < 4; ++i) {
      const std::string text = amp_test::error_of([&] {
        amp::cuda::Graph graph(step, {.warmup = 2});
        graph.replay();
        CHECK(y.to_vector<float>() == expected);
      });
      if (status == CUBLAS_STATUS_NOT_SUPPORTED) {
        CHECK(text == "");
      } else {
        CHECK_THAT(text, ContainsSubstring(std::string("cublasLtMatmul: ") +
                                           cublasGetStatusName(status)) &&
                             ContainsSubstring("run it once before the capture"));
      }
      toolkit().reset();
      CHECK(amp::linear(x, w, b).to_vector<float>() == expected);
      CHECK(toolkit().calls_of("cublasLtMatmul") == 1);
    }
  }
  toolkit().reset();
}

TEST_CASE("cuda linear: how a bias lies beyond 16 bytes asks for no other plan", "[cuda]") {
  const Tensor x = amp::ones({3, 40}, {.device = kCUDA}), w = amp::ones({8, 40}, {.device = kCUDA}),
               biases = amp::ones({64}, {.device = kCUDA});
  amp::kernels::cuda::detail::lt_plans(0).release();
  toolkit().reset();
  for (const std::int64_t start : {0, 4, 8, 16, 32})
    (void)amp::linear(x, w, biases.narrow(0, start, 8));
  CHECK(toolkit().calls_of("cublasLtMatmul") == 5);
  CHECK(toolkit().calls_of("cublasLtMatmulAlgoGetHeuristic") == 1);
}

TEST_CASE("cuda matmul: ever new sizes do not take ever more memory", "[cuda]") {
  using amp::kernels::cuda::detail::LtPlans;
  LtPlans plans;
  std::size_t largest = 0;
  amp::kernels::cuda::detail::LtProblem problem;
  for (problem.a.rows = 0; problem.a.rows < 2500; ++problem.a.rows) {
    plans.keep(problem.key(0), {});
    plans.keep(problem.key(0), {});
    largest = (std::max)(largest, plans.size());
  }
  CHECK(largest == LtPlans::kMost);
  CHECK(plans.size() == 2500 % LtPlans::kMost);
}

TEST_CASE("cuda linear: a matmul that ran once and then fails is an exception", "[cuda]") {
  const Tensor x = amp::ones({3, 56}, {.device = kCUDA}), w = amp::ones({8, 56}, {.device = kCUDA}),
               b = amp::ones({8}, {.device = kCUDA});
  (void)amp::linear(x, w, b);
  toolkit().reset();
  toolkit().fail("cublasLtMatmul", 0, CUBLAS_STATUS_EXECUTION_FAILED);
  CHECK_THROWS_WITH(amp::linear(x, w, b),
                    ContainsSubstring("cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED (13): "));
  CHECK(amp::linear(x, w, b).to_vector<float>() == std::vector<float>(24, 57));
  CHECK(toolkit().calls_of("cublasLtMatmul") == 2);
  toolkit().reset();
}

TEST_CASE("cuda linear: an error that the device does not survive is an exception", "[cuda]") {
  const Tensor x = amp::ones({3, 72}, {.device = kCUDA}), w = amp::ones({8, 72}, {.device = kCUDA}),
               b = amp::ones({8}, {.device = kCUDA});
  (void)amp::linear(x, w);  // what the steps need is there
  for (const std::string call : {"cublasLtMatmulAlgoGetHeuristic", "cublasLtMatmul"}) {
    amp::kernels::cuda::detail::lt_plans(0).release();
    toolkit().reset();
    toolkit().fail_for_good(call, 0, cudaErrorMisalignedAddress);
    const std::string text = amp_test::error_of([&] { (void)amp::linear(x, w, b); });
    toolkit().reset();
    CHECK_THAT(text, ContainsSubstring("cudaErrorMisalignedAddress (716)") &&
                         ContainsSubstring("cannot be used by this process any more"));
  }
  amp::kernels::cuda::detail::lt_plans(0).release();
}

#endif

// --- relu ---------------------------------------------------------------------------------------

TEST_CASE("cuda feed_forward: relu's gradient does not depend on who computes it", "[cuda]") {
  amp::manual_seed(4);
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat64}) {
    const Tensors leaves = {amp::randn({6, 8}).to(dtype), amp::randn({24, 8}).to(dtype),
                            amp::randn({24}).to(dtype), amp::randn({16, 24}).to(dtype)};
    for (const bool far : {false, true}) {
      INFO(amp::name(dtype) << (far ? ", second weight misaligned" : ""));
      cuda_test::compare(leaves, 4 * cuda_test::tolerance(dtype), [&](const Tensors& x) {
        const Tensor second = far ? misaligned(x[3]) : x[3];
        return amp::feed_forward(x[0], x[1], x[2], second, Tensor(), amp::Activation::kRelu);
      });
    }
  }
}

TEST_CASE("cuda feed_forward: relu hides no NaN", "[cuda]") {
  const Tensor x = amp::ones({4, 8}, {.device = kCUDA}), w2 = amp::ones({8, 16}, {.device = kCUDA}),
               b1 = amp::full({16}, NAN, {.device = kCUDA, .requires_grad = true});
  const Tensor w1 = amp::ones({16, 8}, {.device = kCUDA, .requires_grad = true});
  const Tensor y = amp::feed_forward(x, w1, b1, w2, Tensor(), amp::Activation::kRelu);
  CHECK(std::isnan(y.to_vector<float>()[0]));
  y.backward(y.detach());
  CHECK(std::isnan(w1.grad().to_vector<float>()[0]));  // the value that a GradScaler tests
}

TEST_CASE("cuda feed_forward: what rounds to 0 has no gradient, as with relu and linear apart",
          "[cuda]") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16}) {
    // Half of the smallest number of the dtype, and twice that.
    const double least = dtype == amp::kFloat16 ? 0x1p-24 : 0x1p-133;
    for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(kCUDA)}) {
      const Tensor x = amp::full({1, 8}, std::sqrt(least) / 4).to(dtype).to(device),
                   w2 = amp::ones({8, 8}, {.dtype = dtype, .device = device});
      Tensor w1 = amp::zeros({8, 8}).to(dtype);
      w1.select(0, 0).select(0, 0).fill_(2 * std::sqrt(least));  // h: half of the smallest
      w1.select(0, 1).select(0, 0).fill_(4 * std::sqrt(least));  // the smallest
      w1 = w1.to(device);
      const Tensor b1 = amp::zeros({8}, {.dtype = dtype, .device = device, .requires_grad = true});
      const Tensor y = amp::feed_forward(x, w1, b1, w2, Tensor(), amp::Activation::kRelu);
      y.backward(amp::ones({1, 8}, {.dtype = dtype, .device = device}));
      INFO(amp::name(dtype) << " on " << to_string(device));
      CHECK(b1.grad().to_vector<float>() == std::vector<float>{0, 8, 0, 0, 0, 0, 0, 0});
    }
  }
}

#if !defined(AMP_TEST_GPU)
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

#endif

}  // namespace
}  // namespace cuda_library_limits

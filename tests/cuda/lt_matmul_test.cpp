// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls with their epilogue in one kernel; what scopes allow matmuls to lose; and handles of
// cuBLAS that are the user's.

#include <amp/device/cuda/handles.hpp>

#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"

namespace cuda_lt_matmul {
namespace {

using amp::kCUDA;
using amp::MathPrecision;
using amp::MathPrecisionGuard;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;
using cuda_test::Tensors;

#if !defined(AMP_TEST_GPU)
standin::Toolkit& toolkit() { return standin::toolkit(); }

std::int64_t launches(const auto& work) {
  work();
  toolkit().reset();
  work();
  CHECK(toolkit().counters.allocations == 0);
  CHECK(toolkit().counters.synchronisations == 0);
  return toolkit().counters.launches;
}
#endif

/// Input, weights and biases of a feed_forward in a dtype.
Tensors leaves(amp::DType dtype, std::int64_t rows, std::int64_t hidden) {
  amp::manual_seed(3);
  Tensors result;
  for (const amp::Shape& shape :
       {amp::Shape{rows, 8}, {hidden, 8}, {hidden}, {16, hidden}, amp::Shape{16}})
    result.push_back(amp::randn(shape).to(dtype));
  return result;
}

TEST_CASE("cuda feed_forward: as on the host, in every dtype and width", "[cuda]") {
  for (const amp::Activation activation : {amp::Activation::kRelu, amp::Activation::kGelu}) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
      for (const std::int64_t hidden : {1, 11, 16, 136}) {
        for (const std::int64_t rows : {0, 1, 6}) {
          INFO(amp::name(dtype) << ", hidden " << hidden << ", rows " << rows);
          // Sums in another order, rounded once more on the way.
          const double limit = 4 * cuda_test::tolerance(dtype);
          // The terms of gelu's derivative, near 1, cancel where it crosses 0.
          cuda_test::compare(
              leaves(dtype, rows, hidden), limit,
              [&](const Tensors& x) {
                return amp::feed_forward(x[0], x[1], x[2], x[3], x[4], activation);
              },
              1);
          cuda_test::compare(
              leaves(dtype, rows, hidden), limit,
              [&](const Tensors& x) {
                return amp::feed_forward(x[0], x[1], Tensor(), x[3], Tensor(), activation);
              },
              1);
        }
      }
    }
  }
}

/// While one exists, the gradient of a bias comes out of the matmul of the weight's.
class SumsInMatmuls {
 public:
  explicit SumsInMatmuls(bool fused) {
    amp::cuda::detail::libraries().sums_rows_in_matmuls = fused;
  }
  SumsInMatmuls(const SumsInMatmuls&) = delete;
  SumsInMatmuls& operator=(const SumsInMatmuls&) = delete;
  ~SumsInMatmuls() { amp::cuda::detail::libraries().sums_rows_in_matmuls = false; }
};

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda feed_forward: a step is six matmuls, and what these cannot do", "[cuda][cached]") {
  for (const amp::Activation activation : {amp::Activation::kRelu, amp::Activation::kGelu}) {
    const bool relu = activation == amp::Activation::kRelu;
    Tensors x;
    for (const Tensor& leaf : leaves(amp::kFloat16, 6, 16))
      x.push_back(leaf.to(kCUDA).requires_grad_());
    const Tensor incoming = amp::ones({6, 16}, {.dtype = amp::kFloat16, .device = kCUDA});
    const auto forward = [&] {
      return amp::feed_forward(x[0], x[1], x[2], x[3], x[4], activation);
    };
    const auto step = [&] {
      for (Tensor& leaf : x) leaf = leaf.detach().requires_grad_();
      forward().backward(incoming);
    };
    CHECK(launches([&] { (void)forward(); }) <= (relu ? 3 : 2));
    CHECK(launches(step) <= 6 + 1 + (relu ? 3 : 0));  // a sum; relu twice, and its bias's sum
    const SumsInMatmuls fused(true);
    CHECK(launches(step) <= 6 + (relu ? 3 : 0));
  }
}
#endif

TEST_CASE("cuda linear: the gradient of the bias, with that of the weight or apart",
          "[cuda][cached]") {
  amp::manual_seed(6);
  for (const bool fused : {false, true}) {
    const SumsInMatmuls choice(fused);
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
      const Tensors inputs = {amp::randn({40, 8}).to(dtype), amp::randn({16, 8}).to(dtype),
                              amp::randn({16}).to(dtype)};
      cuda_test::compare(inputs, 4 * cuda_test::tolerance(dtype),
                         [](const Tensors& x) { return amp::linear(x[0], x[1], x[2]); });
    }
#if !defined(AMP_TEST_GPU)
    const Tensor x = amp::randn({4, 8}).to(kCUDA), incoming = amp::randn({4, 16}).to(kCUDA);
    CHECK(launches([&] {
            const Tensor w = amp::ones({16, 8}, {.device = kCUDA, .requires_grad = true});
            const Tensor b = amp::zeros({16}, {.device = kCUDA, .requires_grad = true});
            amp::linear(x, w, b).backward(incoming);
          }) == 2 + 2 + (fused ? 0 : 1));  // two fills, two matmuls
#endif
  }
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda linear: cuBLASLt is asked once for each problem", "[cuda]") {
  const Tensor x = amp::randn({4, 24}).to(kCUDA), w = amp::randn({16, 24}).to(kCUDA),
               b = amp::randn({16}).to(kCUDA);
  (void)amp::linear(x, w, b);
  toolkit().reset();
  for (int i = 0; i < 3; ++i) (void)amp::linear(x, w, b);
  CHECK(toolkit().calls_of("cublasLtMatmulAlgoGetHeuristic") == 0);
  CHECK(toolkit().calls_of("cublasLtMatmul") == 3);
  (void)amp::linear(amp::randn({5, 24}).to(kCUDA), w, b);
  CHECK(toolkit().calls_of("cublasLtMatmulAlgoGetHeuristic") == 1);
}
#endif

// --- what a scope allows ------------------------------------------------------------------------

/// By cuBLAS, and by cuBLASLt: [1, 8] in the first column.
float by_blas(const Tensor& row, const Tensor& columns) {
  return amp::matmul(row, columns.t()).to_vector<float>()[0];
}
float by_lt(const Tensor& row, const Tensor& columns) {
  const Tensor none = amp::zeros({columns.size(0)}, {.dtype = row.dtype(), .device = kCUDA});
  return amp::linear(row, columns, none).to_vector<float>()[0];
}

TEST_CASE("cuda matmul: TF32 only where a scope allows it", "[cuda]") {
  const Tensor row = amp::full({1, 8}, 1 + 0x1p-12, {.device = kCUDA}),
               columns = amp::ones({8, 8}, {.device = kCUDA});
  for (const auto multiply : {by_blas, by_lt}) {
    CHECK(multiply(row, columns) == 8 + 0x1p-9);
    if (cuda_test::kOwnMath) continue;  // what is allowed need not be done
    {
      const MathPrecisionGuard outer({.allow_tf32 = true});
      CHECK(amp::math_precision().allow_tf32);
      CHECK(multiply(row, columns) == 8);
      {
        const MathPrecisionGuard inner(MathPrecision{});
        CHECK(multiply(row, columns) == 8 + 0x1p-9);
      }
      CHECK(multiply(row, columns) == 8);
      // Backward passes are matmuls too.
      const Tensor w = columns.detach().requires_grad_();
      amp::linear(row, w).backward(amp::ones({1, 8}, {.device = kCUDA}));
      CHECK(w.grad().to_vector<float>()[0] == 1);
    }
    CHECK(multiply(row, columns) == 8 + 0x1p-9);
  }
  CHECK_FALSE(amp::math_precision().allow_tf32);
}

TEST_CASE("cuda matmul: 16-bit partial sums only where a scope allows them", "[cuda]") {
  // 2049 - 2048, where float16 has no 2049.
  std::vector<float> values(16, 0);
  values[0] = 2048;
  values[1] = 1;
  values[15] = -2048;
  const Tensor row = amp::tensor(values, {1, 16}).to(amp::kFloat16).to(kCUDA),
               columns = amp::ones({8, 16}, {.dtype = amp::kFloat16, .device = kCUDA});
  for (const auto multiply : {by_blas, by_lt}) {
    CHECK(multiply(row, columns) == 1);
    if (cuda_test::kOwnMath) continue;
    const MathPrecisionGuard guard({.allow_reduced_precision_reduction = true});
    CHECK(multiply(row, columns) == 0);
  }
}

TEST_CASE("cuda matmul: another thread's scope is its own", "[cuda]") {
  const MathPrecisionGuard guard({.allow_tf32 = true});
  bool seen = true;
  std::thread([&] { seen = amp::math_precision().allow_tf32; }).join();
  CHECK_FALSE(seen);
}

// --- the user's handle --------------------------------------------------------------------------

#if !defined(AMP_TEST_GPU)
/// A handle on a stream, with modes that amp does not use.
struct UserHandle {
  cudaStream_t stream = nullptr;
  cublasHandle_t handle = nullptr;
  UserHandle() {
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetStream(handle, stream) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH) == CUBLAS_STATUS_SUCCESS);
    REQUIRE(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE) == CUBLAS_STATUS_SUCCESS);
  }
  ~UserHandle() {
    cublasDestroy(handle);
    cudaStreamDestroy(stream);
  }
  bool is_as_it_was() const {
    return handle->math == CUBLAS_TF32_TENSOR_OP_MATH &&
           handle->pointers == CUBLAS_POINTER_MODE_DEVICE && handle->stream == stream;
  }
};

TEST_CASE("cuda matmul: through the user's handle, whose modes are as before", "[cuda]") {
  const UserHandle user;
  amp::cuda::shutdown();
  const auto before = standin::live_blas_handles;
  const Tensor row = amp::full({1, 8}, 1 + 0x1p-12, {.device = kCUDA}),
               columns = amp::ones({8, 8}, {.device = kCUDA});
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);  // they are read on other streams
  {
    const amp::cuda::BlasHandleGuard guard(user.handle);
    CHECK(amp::cuda::current_stream() == user.stream);
    CHECK(by_blas(row, columns) == 8 + 0x1p-9);  // not TF32, though the handle was set to it
    CHECK(user.is_as_it_was());
    CHECK(by_lt(row, columns) == 8 + 0x1p-9);
    CHECK(user.is_as_it_was());
    CHECK(standin::live_blas_handles == before);  // none of amp's
    {
      const amp::StreamGuard elsewhere(kCUDA, nullptr);  // where the handle is not
      CHECK(by_blas(row, columns) == 8 + 0x1p-9);
      CHECK(standin::live_blas_handles == before + 1);
    }
    for (const std::string call : {"cublasSetMathMode", "cublasSetPointerMode",
                                   "cublasGemmStridedBatchedEx_64", "cublasGetMathMode"}) {
      toolkit().reset();
      toolkit().fail(call, 0, CUBLAS_STATUS_INTERNAL_ERROR);
      CHECK_THROWS_WITH(by_blas(row, columns), ContainsSubstring(call));
      CHECK(user.is_as_it_was());
    }
    toolkit().reset();
  }
  CHECK(amp::cuda::current_stream() != user.stream);
  CHECK(by_blas(row, columns) == 8 + 0x1p-9);
  CHECK(standin::live_blas_handles == before + 2);
  CHECK_THROWS_WITH(amp::cuda::BlasHandleGuard(nullptr), ContainsSubstring("`handle`"));
}
#endif

}  // namespace
}  // namespace cuda_lt_matmul

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls on the CUDA device against the host, in every layout and mix of dtypes; what they
// cost in calls; and cuBLAS handles: one per stream, and what happens when cuBLAS fails.

#include <amp/kernels/backend.hpp>
#include <amp/kernels/matmul/host.hpp>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"

#if !defined(AMP_TEST_GPU)
#include <amp/device/cuda/handles.hpp>
#endif

namespace cuda_matmul {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::kernels::MatmulArgs;
using amp::kernels::Operand;
using Catch::Matchers::ContainsSubstring;
using cuda_test::kFloats;

#if !defined(AMP_TEST_GPU)
standin::Toolkit& toolkit() { return standin::toolkit(); }
amp::cuda::detail::BlasHandles& handles() { return amp::cuda::detail::blas_handles(0); }
#endif

void multiply_there(const MatmulArgs& args) { amp::kernels::backend(kCUDA)->matmul(args); }

/// Sums of up to 70 products in another order, or one rounding.
double limit_of(amp::DType dtype) {
  return dtype == amp::kFloat32 ? 4e-6 : cuda_test::tolerance(dtype);
}

// How the matrices of [B, R, C] lie in memory.
enum class Lies {
  kRows,
  kColumns,
  kFarRows,
  kFarColumns,
  kApart,
  kInterleaved,
  kOneBatch,
  kOneRow,
  kOneNumber
};
constexpr int kOutputLayouts = 6;  // the first: no element twice
constexpr int kLayouts = 9;

/// The same memory, with the same gaps, on the host and on the device.
struct Both {
  Tensor host, device;
  std::int64_t sizes[3], strides[3];

  Both(Lies lies, std::int64_t batches, std::int64_t rows, std::int64_t columns, amp::DType dtype)
      : sizes{batches, rows, columns} {
    const auto set = [this](std::int64_t b, std::int64_t r, std::int64_t c) {
      strides[0] = b;
      strides[1] = r;
      strides[2] = c;
    };
    switch (lies) {
      case Lies::kRows:
        set(rows * columns, columns, 1);
        break;
      case Lies::kColumns:
        set(rows * columns, 1, rows);
        break;
      case Lies::kFarRows:
        set(rows * (columns + 3) + 1, columns + 3, 1);
        break;
      case Lies::kFarColumns:
        set(columns * (rows + 2), 1, rows + 2);
        break;
      case Lies::kApart:
        set(rows * columns * 2, columns * 2, 2);
        break;
      case Lies::kInterleaved:
        set(columns, batches * columns, 1);
        break;
      case Lies::kOneBatch:
        set(0, columns, 1);
        break;
      case Lies::kOneRow:
        set(columns, 0, 1);
        break;
      case Lies::kOneNumber:
        set(0, 0, 0);
        break;
    }
    std::int64_t elements = 1;
    for (int d = 0; d < 3; ++d) {
      elements += sizes[d] > 0 ? (sizes[d] - 1) * strides[d] : 0;
    }
    host = amp::randn({elements}).to(dtype);
    device = host.to(kCUDA);
  }
  Operand on(amp::DeviceType type) const {
    Operand operand = (type == kCUDA ? device : host).operand();
    operand.dims = 3;
    for (int d = 0; d < 3; ++d) {
      operand.sizes[d] = sizes[d];
      operand.strides[d] = strides[d];
    }
    return operand;
  }
};

TEST_CASE("cuda matmul: any layouts and dtypes", "[cuda]") {
  amp::manual_seed(1);
  std::mt19937 random(2);
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(n));
  };
  constexpr std::int64_t kExtents[] = {1, 2, 3, 7, 17, 33, 70};
  const auto dtype = [&] { return kFloats[below(6)]; };
  for (int round = 0; round < 1500; ++round) {
    const std::int64_t batches = 1 + below(3), m = kExtents[below(7)], n = kExtents[below(7)],
                       k = below(20) == 0 ? 0 : kExtents[below(7)];
    const amp::DType type = dtype();
    const bool mixed = below(3) == 0;
    const auto pick = [&] { return mixed ? dtype() : type; };
    const Both a(static_cast<Lies>(below(kLayouts)), batches, m, k, pick()),
        b(static_cast<Lies>(below(kLayouts)), batches, k, n, pick()),
        output(static_cast<Lies>(below(3) == 0 ? below(kOutputLayouts) : 0), batches, m, n, pick());
    const Tensor bias = amp::randn({2 * n}).to(pick());
    const std::int64_t bias_kind = below(3);
    const auto bias_on = [&](const Tensor& tensor) {
      Operand operand = bias_kind == 0 ? Operand{} : tensor.operand();
      operand.sizes[0] = n;
      operand.strides[0] = bias_kind;
      return operand;
    };
    const Tensor device_bias = bias.to(kCUDA);
    amp::kernels::host::matmul(
        {a.on(amp::kCPU), b.on(amp::kCPU), bias_on(bias), output.on(amp::kCPU)});
    multiply_there({a.on(kCUDA), b.on(kCUDA), bias_on(device_bias), output.on(kCUDA)});
    INFO("round " << round << ": " << batches << " x " << m << " x " << k << " x " << n << ", "
                  << amp::name(a.host.dtype()) << " " << amp::name(b.host.dtype()) << " -> "
                  << amp::name(output.host.dtype()));
    CHECK(cuda_test::difference(output.host, output.device) <= limit_of(output.host.dtype()));
  }
}

TEST_CASE("cuda matmul: results and gradients of the ops", "[cuda]") {
  amp::manual_seed(3);
  for (const amp::DType dtype : kFloats) {
    const auto normal = [dtype](const amp::Shape& shape) { return amp::randn(shape).to(dtype); };
    const auto matmul = [](const cuda_test::Tensors& x) {
      return cuda_test::Tensors{amp::matmul(x[0], x[1])};
    };
    cuda_test::compare({normal({5, 33}), normal({33, 17})}, limit_of(dtype), matmul);
    cuda_test::compare({normal({33}), normal({33})}, limit_of(dtype), matmul);
    cuda_test::compare({normal({2, 3, 5, 7}), normal({3, 7, 4})}, limit_of(dtype), matmul);
    cuda_test::compare({normal({4, 5, 7}), normal({7, 1})}, limit_of(dtype), matmul);
    cuda_test::compare({normal({4, 0}), normal({0, 3})}, limit_of(dtype), matmul);
    cuda_test::compare(
        {normal({7, 5}), normal({4, 7})}, limit_of(dtype), [](const cuda_test::Tensors& x) {
          return cuda_test::Tensors{amp::matmul(x[0].transpose(0, 1), x[1].transpose(0, 1))};
        });
    cuda_test::compare({normal({3, 4, 20}), normal({9, 20}), normal({9})}, limit_of(dtype),
                       [](const cuda_test::Tensors& x) {
                         return cuda_test::Tensors{amp::linear(x[0], x[1], x[2])};
                       });
  }
}

TEST_CASE("cuda matmul: a bias is added before the one rounding", "[cuda]") {
  // 257 = 256 + 1 lies between two bfloat16; with a bias of -256 it is 1.
  const Tensor x = amp::tensor({16.0F, 1.0F}, {1, 2}, {.dtype = amp::kBFloat16, .device = kCUDA});
  const Tensor bias = amp::tensor({-256.0F}, {1}, {.dtype = amp::kBFloat16, .device = kCUDA});
  CHECK(amp::linear(x, x, bias).to_vector<float>() == std::vector<float>{1});
}

TEST_CASE("cuda matmul: what was in fresh memory does not matter", "[cuda]") {
  const Tensor nan = amp::full({3, 3}, std::numeric_limits<double>::quiet_NaN(), {.device = kCUDA});
  Operand output = nan.operand();
  const Tensor x = amp::ones({3, 3}, {.device = kCUDA});
  Operand a = x.operand();
  for (Operand* const operand : {&output, &a}) {
    operand->dims = 3;
    operand->sizes[0] = 1;
    operand->sizes[1] = operand->sizes[2] = 3;
    operand->strides[0] = 9;
    operand->strides[1] = 3;
    operand->strides[2] = 1;
  }
  multiply_there({a, a, {}, output});
  CHECK(nan.to_vector<float>() == std::vector<float>(9, 3));
}

TEST_CASE("cuda matmul: more batches than a grid has layers", "[cuda]") {
  constexpr std::int64_t kBatches = 70001;
  const Tensor a = amp::randn({kBatches, 1, 2}), b = amp::randn({kBatches, 2, 1});
  CHECK(cuda_test::difference(amp::bmm(a, b), amp::bmm(a.to(kCUDA), b.to(kCUDA))) <= 1e-6);
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda matmul: transposes and broadcasts are not copied", "[cuda][cached]") {
  const auto there = [](const amp::Shape& shape) { return amp::randn(shape).to(kCUDA); };
  const Tensor x = there({4, 8, 6}), y = there({4, 8, 6}), w = there({5, 6}), bias = there({5}),
               square = there({6, 6});
  const auto launches = [](const auto& work) {
    work();
    toolkit().reset();
    work();
    CHECK(toolkit().counters.allocations == 0);
    CHECK(toolkit().counters.synchronisations == 0);
    return toolkit().counters.launches;
  };
  CHECK(launches([&] { (void)amp::bmm(x, y.transpose(1, 2)); }) <= 1);
  CHECK(launches([&] { (void)amp::bmm(x.transpose(1, 2), y); }) <= 1);
  CHECK(launches([&] { (void)amp::matmul(x.transpose(1, 2), x); }) <= 1);
  CHECK(launches([&] { (void)amp::matmul(square, x.transpose(1, 2)); }) <= 1);
  CHECK(launches([&] { (void)amp::linear(x, w); }) <= 1);
  CHECK(launches([&] { (void)amp::linear(x, w, bias); }) <= 1);
  const Tensor half = x.to(amp::kFloat16), half_w = w.to(amp::kFloat16),
               half_bias = bias.to(amp::kFloat16);
  CHECK(launches([&] { (void)amp::linear(half, half_w, half_bias); }) <= 1);
}

TEST_CASE("cuda matmul: a handle and a workspace for each stream", "[cuda]") {
  const Tensor x = amp::ones({4, 4}, {.device = kCUDA});
  handles().release(0);
  CHECK(standin::live_blas_handles == 0);
  const auto handle = [] {
    cublasHandle_t current = nullptr;
    amp::cuda::detail::with_blas(
        0, [&](const amp::cuda::detail::BlasCall& it) { current = it.handle; });
    return current;
  };
  cublasContext* const own = handle();
  CHECK(own == handle());
  CHECK(own->stream == amp::cuda::current_stream(0));
  CHECK(own->workspace_bytes == std::size_t{32} << 20);
  CHECK(own->math == CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION);
  cudaStream_t stream = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  {
    const amp::StreamGuard guard(kCUDA, stream);
    cublasContext* const other = handle();
    CHECK(other != own);
    CHECK(other->stream == stream);
    CHECK(other->workspace != own->workspace);
  }
  {
    const amp::StreamGuard guard(kCUDA, nullptr);  // the default stream is one too
    CHECK(handle()->stream == nullptr);
  }
  CHECK(standin::live_blas_handles == 3);
  const Tensor second = amp::ones({2, 2}, {.device = {kCUDA, 1}});
  CHECK(amp::matmul(second, second).to_vector<float>() == std::vector<float>(4, 2));
  CHECK(standin::live_blas_handles == 4);
  amp::cuda::detail::blas_handles(1).release(1);
  handles().release(0);
  handles().release(0);
  CHECK(standin::live_blas_handles == 0);
  CHECK(amp::matmul(x, x).to_vector<float>() == std::vector<float>(16, 4));
  REQUIRE(cudaStreamDestroy(stream) == cudaSuccess);
}

TEST_CASE("cuda matmul: calls of cuBLAS that fail are exceptions, and can be repeated", "[cuda]") {
  const Tensor x = amp::ones({3, 3}, {.device = kCUDA});
  for (const std::string call : {"cublasCreate", "cublasSetStream", "cublasSetWorkspace",
                                 "cublasSetMathMode", "cublasGemmStridedBatchedEx_64"}) {
    handles().release(0);
    toolkit().reset();
    toolkit().fail(call, 0, CUBLAS_STATUS_ALLOC_FAILED);
    CHECK_THROWS_WITH(amp::matmul(x, x),
                      ContainsSubstring(call + ": CUBLAS_STATUS_ALLOC_FAILED (3): "));
    const bool is_made = call == "cublasSetMathMode" || call == "cublasGemmStridedBatchedEx_64";
    CHECK(standin::live_blas_handles == (is_made ? 1 : 0));
    CHECK(amp::matmul(x, x).to_vector<float>() == std::vector<float>(9, 3));
  }
  toolkit().reset();
}
#endif

}  // namespace
}  // namespace cuda_matmul

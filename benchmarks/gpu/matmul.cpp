// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matrix products under autocast, beside the plain call of cuBLAS that does the same product.
#include "measure.hpp"

#include <cublas_v2.h>

#include <algorithm>

#include <amp/device/cuda/handles.hpp>

namespace gpu_benchmark {
namespace {

using amp::kCUDA;
using amp::Tensor;

/// A handle as a program has one that knows nothing of amp.
class Blas {
 public:
  Blas() {
    AMP_CUDA_CALL(cublasCreate, &handle_);
    AMP_CUDA_CALL(cublasSetStream, handle_, amp::cuda::current_stream());
  }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() { (void)cublasDestroy(handle_); }

  /// c = a b for square row-major matrices: to cuBLAS, c^T = b^T a^T.
  void multiply(const Tensor& a, const Tensor& b, Tensor& c) const {
    const float one = 1, zero = 0;
    const std::int64_t n = a.size(0);
    const cudaDataType type = a.dtype() == amp::kFloat16    ? CUDA_R_16F
                              : a.dtype() == amp::kBFloat16 ? CUDA_R_16BF
                                                            : CUDA_R_32F;
    AMP_CUDA_CALL(cublasGemmStridedBatchedEx_64, handle_, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one,
                  b.operand().data, type, n, n * n, a.operand().data, type, n, n * n, &zero,
                  c.operand().data, type, n, n * n, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
  }

 private:
  cublasHandle_t handle_ = nullptr;
};

/// Some rows and columns of a b, computed in float64 on the host.
double check_corner(const std::string& name, const Tensor& a, const Tensor& b, const Tensor& c,
                    double limit) {
  const auto rows = std::min<std::int64_t>(4, a.size(0));
  const auto columns = std::min<std::int64_t>(32, b.size(1));
  const std::int64_t row = a.size(0) - rows, column = b.size(1) - columns;
  const auto exact = [](const Tensor& x) { return x.detach().to(amp::kCPU).to(amp::kFloat64); };
  const Tensor expected =
      amp::matmul(exact(a.narrow(0, row, rows)), exact(b.narrow(1, column, columns).contiguous()));
  return check_close(name, expected, c.narrow(0, row, rows).narrow(1, column, columns).contiguous(),
                     limit);
}

void measure_square(const Settings& settings, Report& report, amp::DType dtype) {
  const Timer timer(settings);
  const std::int64_t n = settings.size(8192, 24);
  const std::string end = "_" + short_name(dtype);
  const double operations = 2.0 * static_cast<double>(n * n * n);
  const amp::TensorOptions options{.dtype = dtype, .device = kCUDA};
  const Tensor a = amp::randn({n, n}, options), b = amp::randn({n, n}, options);
  const Blas blas;
  Tensor c = amp::empty({n, n}, options);
  const auto plain = [&] { blas.multiply(a, b, c); };
  plain();
  const double plain_error = check_corner("cublas", a, b, c, limit_of(dtype));
  report.add("cublas_gemm" + end, timer(plain), {.operations = operations, .error = plain_error});

  const bool low = dtype != amp::kFloat32;
  const amp::AutocastGuard guard(kCUDA, {.dtype = low ? dtype : amp::kFloat16, .enabled = low});
  const double error = check_corner("matmul", a, b, amp::matmul(a, b), limit_of(dtype));
  report.add("matmul" + end, timer([&] { (void)amp::matmul(a, b); }),
             {.operations = operations, .error = error});
  if (!low) return;
  // The weights stay in float32: autocast keeps a copy in the low precision.
  const Tensor weight = amp::randn({n, n}, {.device = kCUDA}).requires_grad_();
  const Tensor rounded = weight.detach().to(dtype);
  const double weight_error =
      check_corner("matmul_weight", a, rounded, amp::matmul(a, weight).detach(), limit_of(dtype));
  report.add("matmul_weight" + end, timer([&] { (void)amp::matmul(a, weight); }),
             {.operations = operations, .error = weight_error});
}

void measure_linear(const Settings& settings, Report& report, amp::DType dtype) {
  const Timer timer(settings);
  const std::int64_t rows = settings.size(16384, 20), n = settings.size(4096, 24);
  const amp::NoGradGuard no_grad;
  const Tensor x = amp::randn({rows, n}, {.dtype = dtype, .device = kCUDA});
  const Tensor weight = amp::randn({n, n}, {.device = kCUDA}).requires_grad_();
  const Tensor bias = amp::randn({n}, {.device = kCUDA}).requires_grad_();
  const amp::AutocastGuard guard(kCUDA, {.dtype = dtype});
  const Tensor y = amp::linear(x, weight, bias);
  const Tensor rounded = weight.detach().to(dtype).t().contiguous();
  // The bias as one more row of the weight.
  const Tensor ones = amp::ones({rows, 1}, {.dtype = dtype, .device = kCUDA});
  const Tensor bias_row = bias.detach().to(dtype).reshape({1, n});
  const double error = check_corner("linear", amp::cat({x, ones}, 1),
                                    amp::cat({rounded, bias_row}, 0), y, limit_of(dtype));
  report.add("linear_" + short_name(dtype), timer([&] { (void)amp::linear(x, weight, bias); }),
             {.operations = 2.0 * static_cast<double>(rows * n * n), .error = error});
}

}  // namespace

void measure_matmul(const Settings& settings, Report& report) {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32})
    measure_square(settings, report, dtype);
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16})
    measure_linear(settings, report, dtype);
}

}  // namespace gpu_benchmark

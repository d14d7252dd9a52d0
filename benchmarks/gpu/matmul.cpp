// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls under autocast, compared with a plain call of cuBLASLt that does the same matmul with the
// first algorithm of its heuristic.
#include "measure.hpp"

#include <cublasLt.h>
#include <cublas_v2.h>

#include <algorithm>
#include <atomic>

#include <amp/device/cuda/handles.hpp>
#include <amp/device/cuda/libraries.hpp>

namespace gpu_benchmark {
namespace {

using amp::kCUDA;
using amp::Tensor;

/// c = a b for square row-major matrices, with a handle that amp does not know. For cuBLAS, this is
/// c^T = b^T a^T.
class PlainMatmul {
 public:
  PlainMatmul(const Tensor& a, const Tensor& b, const Tensor& c)
      : a_(a.operand().data),
        b_(b.operand().data),
        c_(const_cast<void*>(c.operand().data)),
        workspace_(amp::empty({kWorkspace}, {.dtype = amp::kUInt8, .device = kCUDA})) {
    AMP_CUDA_CALL(cublasCreate, &handle_);
    AMP_CUDA_CALL(cublasSetStream, handle_, amp::cuda::current_stream());
    AMP_CUDA_CALL(cublasLtMatmulDescInit, &operation_, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    const auto n = static_cast<std::uint64_t>(a.size(0));
    AMP_CUDA_CALL(cublasLtMatrixLayoutInit, &layout_, type_of(a.dtype()), n, n, a.size(0));
    choose();
  }
  PlainMatmul(const PlainMatmul&) = delete;
  PlainMatmul& operator=(const PlainMatmul&) = delete;
  ~PlainMatmul() { (void)cublasDestroy(handle_); }

  void operator()() {
    const float one = 1, zero = 0;
    AMP_CUDA_CALL(cublasLtMatmul, light(), &operation_, &one, b_, &layout_, a_, &layout_, &zero, c_,
                  &layout_, c_, &layout_, &algorithm_, workspace_.data<std::uint8_t>(),
                  static_cast<std::size_t>(kWorkspace), amp::cuda::current_stream());
  }

 private:
  static constexpr std::int64_t kWorkspace = 32 << 20;

  static cudaDataType type_of(amp::DType dtype) {
    if (dtype == amp::kFloat16) return CUDA_R_16F;
    return dtype == amp::kBFloat16 ? CUDA_R_16BF : CUDA_R_32F;
  }
  [[nodiscard]] cublasLtHandle_t light() const {
    return reinterpret_cast<cublasLtHandle_t>(handle_);
  }
  void choose() {
    cublasLtMatmulPreferenceOpaque_t preference;
    AMP_CUDA_CALL(cublasLtMatmulPreferenceInit, &preference);
    const auto bytes = static_cast<std::uint64_t>(kWorkspace);
    AMP_CUDA_CALL(cublasLtMatmulPreferenceSetAttribute, &preference,
                  CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes, sizeof bytes);
    cublasLtMatmulHeuristicResult_t result = {};
    int results = 0;
    AMP_CUDA_CALL(cublasLtMatmulAlgoGetHeuristic, light(), &operation_, &layout_, &layout_,
                  &layout_, &layout_, &preference, 1, &result, &results);
    if (results == 0) throw amp::Error("cuBLASLt names no algorithm for a plain matmul");
    algorithm_ = result.algo;
  }

  const void* a_;
  const void* b_;
  void* c_;
  Tensor workspace_;
  cublasHandle_t handle_ = nullptr;
  cublasLtMatmulDescOpaque_t operation_ = {};
  cublasLtMatrixLayoutOpaque_t layout_ = {};
  cublasLtMatmulAlgo_t algorithm_ = {};
};

/// Checks some rows and columns of a b, computed in float64 on the host.
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
  Tensor c = amp::empty({n, n}, options);
  PlainMatmul multiply(a, b, c);
  const auto plain = [&] { multiply(); };
  plain();
  const double plain_error = check_corner("cublasLt", a, b, c, limit_of(dtype));
  report.add("cublaslt_gemm" + end, timer(plain), {.operations = operations, .error = plain_error});

  const bool low = dtype != amp::kFloat32;
  const amp::AutocastGuard guard(kCUDA, {.dtype = low ? dtype : amp::kFloat16, .enabled = low});
  const double error = check_corner("matmul", a, b, amp::matmul(a, b), limit_of(dtype));
  report.add("matmul" + end, timer([&] { (void)amp::matmul(a, b); }),
             {.operations = operations, .error = error});
  if (!low) return;
  // The weights stay in float32: autocast caches a low-precision copy.
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

/// As long as it exists, sets whether the matmul of a weight's gradient also computes the gradient
/// of the bias; then restores the previous setting.
class SumsInMatmuls {
 public:
  explicit SumsInMatmuls(bool fused) : before_(all().exchange(fused)) {}
  SumsInMatmuls(const SumsInMatmuls&) = delete;
  SumsInMatmuls& operator=(const SumsInMatmuls&) = delete;
  ~SumsInMatmuls() { all() = before_; }

 private:
  static std::atomic<bool>& all() { return amp::cuda::detail::libraries().sums_rows_in_matmuls; }

  bool before_;
};

/// Forward and backward: gradients of input and weight, and of a bias, if there is one. `fused`:
/// the matmul of the weight's gradient computes that of the bias.
void measure_linear_training(const Settings& settings, Report& report, bool with_bias,
                             bool fused = false) {
  const std::int64_t rows = settings.size(16384, 20), n = settings.size(4096, 24);
  const std::string name = std::string("linear_train") + (with_bias ? "_bias" : "") +
                           (fused ? "_fused" : "") + "_amp-fp16";
  const SumsInMatmuls sums_in_matmuls(fused);
  const auto half = [](const Tensor& x) { return x.detach().to(amp::kFloat16); };
  const Tensor x = amp::randn({rows, n}, {.dtype = amp::kFloat16, .device = kCUDA});
  const Tensor gradient = amp::randn({rows, n}, {.dtype = amp::kFloat16, .device = kCUDA});
  const Tensor weight = amp::randn({n, n}, {.device = kCUDA}).requires_grad_();
  const Tensor bias = with_bias ? amp::randn({n}, {.device = kCUDA}).requires_grad_() : Tensor();
  const Tensor input = x.detach().requires_grad_();
  const amp::AutocastGuard guard(kCUDA, {.dtype = amp::kFloat16});
  const auto train = [&] {
    for (const Tensor& leaf : {input, weight}) leaf.set_grad({});
    if (with_bias) bias.set_grad({});
    amp::linear(input, weight, bias).backward(gradient);
  };
  train();
  const double limit = limit_of(amp::kFloat16);
  double error = check_corner(name, gradient, half(weight), input.grad(), limit);
  error = std::max(
      error, check_corner(name + ", weight", gradient.t().contiguous(), x, weight.grad(), limit));
  if (with_bias) {
    const Tensor sums = amp::sum(gradient.to(amp::kFloat64), 0);
    error = std::max(error, check_close(name + ", bias", sums, bias.grad(), limit));
  }
  report.add(name, Timer(settings)(train),
             {.operations = 6.0 * static_cast<double>(rows * n * n), .error = error});
}

}  // namespace

void measure_matmul(const Settings& settings, Report& report) {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32})
    measure_square(settings, report, dtype);
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16})
    measure_linear(settings, report, dtype);
  for (const bool with_bias : {false, true}) measure_linear_training(settings, report, with_bias);
  measure_linear_training(settings, report, true, true);
}

}  // namespace gpu_benchmark

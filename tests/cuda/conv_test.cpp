// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution on the CUDA device against the host, results and gradients, whole batches at once and
// in parts.

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cuda/conv_cases.hpp"
#include "cuda/device.hpp"
#include "cuda/on_both.hpp"
#include "support/catch.hpp"

#if !defined(AMP_TEST_GPU)
#include <amp/kernels/conv/cuda.cuh>
#endif

namespace cuda_conv {
namespace {

using amp::kCUDA;
using amp::Tensor;
using conv_cases::Case;
using conv_cases::cases;
using conv_cases::inputs_of;
using conv_cases::limit_of;
using cuda_test::kFloats;

TEST_CASE("cuda conv2d: results and gradients", "[cuda]") {
  amp::manual_seed(1);
  for (const Case& c : cases()) {
    for (const amp::DType dtype : kFloats) {
      for (const bool bias : {false, true}) {
        INFO("kernel " << c.kernel.height << " x " << c.kernel.width << ", groups "
                       << c.options.groups << (bias ? ", bias" : ""));
        cuda_test::compare(
            inputs_of(c, dtype, bias), limit_of(dtype), [&](const cuda_test::Tensors& x) {
              return cuda_test::Tensors{
                  amp::conv2d(x[0], x[1], x.size() > 2 ? x[2] : Tensor(), c.options)};
            });
      }
    }
  }
}

TEST_CASE("cuda conv2d: relu leaves NaN, and masks the gradient", "[cuda]") {
  conv_cases::check_relu();
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda conv2d: a program without cuDNN can ask, and is told so once", "[cuda]") {
  CHECK_FALSE(amp::cuda::has_cudnn());
  CHECK(amp::cuda::cudnn_version() == 0);
  amp::cuda::detail::libraries().told_of_convolutions = false;
  std::vector<std::string> warnings;
  const auto before =
      amp::set_warning_handler([&](std::string_view text) { warnings.emplace_back(text); });
  const Tensor x = amp::ones({1, 2, 3, 3}, {.device = kCUDA});
  for (int i = 0; i < 2; ++i) (void)amp::conv2d(x, x);
  amp::set_warning_handler(before);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings[0].find("without cuDNN") != std::string::npos);
}

/// Output and gradients by the kernels, with a bound on the memory for columns.
cuda_test::Tensors convolve(const cuda_test::Tensors& inputs, const Case& c, const Tensor& grad,
                            std::int64_t bytes) {
  namespace kernels = amp::kernels;
  const kernels::Window window = conv_cases::window_of(c);
  const std::int64_t groups = c.options.groups;
  const Tensor &x = inputs[0], &w = inputs[1], &b = inputs[2];
  const Tensor output = amp::empty_like(grad), grad_x = amp::empty_like(x),
               grad_w = amp::empty_like(w), grad_b = amp::empty_like(b);
  kernels::cuda::detail::conv2d_by_matmul(
      {x.operand(), w.operand(), b.operand(), output.operand(), window, groups}, bytes);
  kernels::cuda::detail::conv2d_backward_input_by_matmul(
      {grad.operand(), w.operand(), grad_x.operand(), window, groups}, bytes);
  kernels::cuda::detail::conv2d_backward_weight_by_matmul(
      {grad.operand(), x.operand(), grad_w.operand(), grad_b.operand(), window, groups}, bytes);
  return {output, grad_x, grad_w, grad_b};
}

TEST_CASE("cuda conv2d: parts of a batch give what the whole does, every time", "[cuda]") {
  amp::manual_seed(2);
  for (const Case& c : cases()) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16}) {
      cuda_test::Tensors inputs = inputs_of(c, dtype, true);
      for (Tensor& x : inputs) x = x.to(kCUDA);
      const amp::Shape shape =
          amp::conv2d(inputs[0].detach(), inputs[1].detach(), {}, c.options).shape();
      const Tensor grad = amp::randn(shape).to(dtype).to(kCUDA);
      const cuda_test::Tensors whole = convolve(inputs, c, grad, std::int64_t{1} << 28);
      for (const std::int64_t bytes : {1, 5000}) {
        const cuda_test::Tensors parts = convolve(inputs, c, grad, bytes);
        const cuda_test::Tensors again = convolve(inputs, c, grad, bytes);
        for (std::size_t i = 0; i < whole.size(); ++i) {
          INFO("result " << i << " of " << to_string(c.input) << " " << amp::name(dtype));
          CHECK(cuda_test::same_bits(parts[i].to(amp::kCPU), again[i]));
          CHECK(cuda_test::difference(whole[i].to(amp::kCPU), parts[i]) <= limit_of(dtype));
        }
      }
    }
  }
}

TEST_CASE("cuda conv2d: a kernel of one pixel is a matmul, and rows unfold in vectors", "[cuda]") {
  namespace detail = amp::kernels::cuda::detail;
  standin::Toolkit& toolkit = standin::toolkit();
  const auto there = [](const amp::Shape& shape) {
    return amp::randn(shape).to(amp::kFloat16).to(kCUDA);
  };
  const Tensor x = there({4, 8, 3, 5}), w = there({6, 8, 1, 1}), grad = there({4, 6, 3, 5});
  const amp::kernels::Window window{{1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}};
  const Tensor y = amp::empty_like(grad), dx = amp::empty_like(x);
  toolkit.reset();
  amp::kernels::cuda::conv2d({x.operand(), w.operand(), {}, y.operand(), window, 1});
  CHECK(toolkit.counters.launches == 1);
  amp::kernels::cuda::conv2d_backward_input({grad.operand(), w.operand(), dx.operand(), window, 1});
  CHECK(toolkit.counters.launches == 2);

  toolkit.reset();
  (void)amp::conv2d(there({1, 8, 4, 16}), there({6, 8, 3, 3}), {}, {.padding = 1});
  CHECK(toolkit.launches_of(reinterpret_cast<const void*>(
            &detail::unfold_columns_kernel<float, amp::kernels::cuda::kVector>)) == 1);
}

TEST_CASE("cuda conv2d: nothing is allocated or waited for in the steady state", "[cuda][cached]") {
  const Tensor x = amp::randn({4, 3, 8, 8}).to(kCUDA).to(amp::kBFloat16);
  const Tensor w = amp::randn({5, 3, 3, 3}).to(kCUDA).to(amp::kBFloat16).requires_grad_();
  const Tensor b = amp::randn({5}).to(kCUDA).to(amp::kBFloat16).requires_grad_();
  const auto step = [&] {
    const Tensor y = amp::conv2d(x, w, b, {.padding = 1});
    y.backward(y.detach());
  };
  for (int i = 0; i < 3; ++i) step();
  standin::toolkit().reset();
  step();
  CHECK(standin::toolkit().counters.allocations == 0);
  CHECK(standin::toolkit().counters.synchronisations == 0);
  CHECK(standin::toolkit().counters.to_device + standin::toolkit().counters.to_host == 0);
}
#endif

}  // namespace
}  // namespace cuda_conv

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// conv2d with relu in it: what it keeps for backward, and whose memory backward writes to.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace relu_mask {

using amp::Tensor;

namespace {

/// relu(x) of an odd number of elements, as a convolution by 1.
Tensor conv_relu(const Tensor& x) {
  return amp::conv2d(x, amp::ones({1, 1, 1, 1}, {.dtype = x.dtype()}), {}, {.relu = true});
}
std::int64_t held() { return amp::memory_stats().current_bytes; }

}  // namespace

TEST_CASE("conv2d with relu: the gradient passes where the result is not 0", "[ops]") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    CAPTURE(amp::to_string(dtype));
    std::vector<double> values{1, -1, 0, -0.0, kNaN, 1e-30, -5, 2, 3, -3, 7}, expected, gradient;
    while (values.size() < 3 * 457) values.push_back(values[values.size() - 11]);
    const std::int64_t height = 3, width = 457;
    const Tensor x = amp::tensor(values, {1, 1, height, width}, {.dtype = dtype});
    x.requires_grad_();
    const Tensor y = conv_relu(x);
    std::vector<double> results = y.to_vector<double>();
    for (std::size_t i = 0; i < results.size(); ++i) {
      gradient.push_back(static_cast<double>(i % 64) - 20);
      expected.push_back(results[i] > 0 || std::isnan(results[i]) ? gradient[i] : 0);
    }
    const Tensor mine = amp::tensor(gradient, y.shape(), {.dtype = dtype});
    y.backward(mine);
    CHECK(x.grad().to_vector<double>() == expected);
    CHECK(mine.to_vector<double>() == gradient);  // the caller's own is not written to
  }
}

TEST_CASE("conv2d with relu: two uses of the result, and a write to it after forward", "[ops]") {
  const Tensor x = amp::tensor({1.0F, -2.0F, 3.0F}, {1, 1, 1, 3}, {.requires_grad = true});
  const Tensor y = conv_relu(x);
  (2 * y + y * 3).backward(amp::ones(y.shape()));
  CHECK(x.grad().to_vector<float>() == std::vector<float>{5, 0, 5});
  const Tensor z = conv_relu(x);
  const Tensor loss = amp::sum(z);
  {
    const amp::NoGradGuard no_grad;
    z.zero_();
  }
  loss.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{6, 0, 6});
}

TEST_CASE("conv2d with relu: a pooled result is kept as a bit per element", "[ops]") {
  const Tensor x = amp::randn({4, 2, 16, 16}),
               w = amp::randn({8, 2, 3, 3}, {.requires_grad = true});
  const std::int64_t result = 4 * 8 * 16 * 16 * 4, pooled = result / 4, start = held();
  const Tensor y = amp::max_pool2d(amp::conv2d(x, w, {}, {.padding = 1, .relu = true}), 2);
  // Of pooling, the result and the indices; of the convolution perhaps its input, channels-last.
  CHECK(held() - start <= 2 * pooled + result / 32 + x.numel() * 4);
  const Tensor loss = amp::sum(y);
  amp::reset_peak_memory();
  const std::int64_t before = held();
  loss.backward();
  // The gradients of both results, and of the weight: none of them twice.
  CHECK(amp::memory_stats().peak_bytes - before <= result + pooled + 2 * w.numel() * 4);
}

}  // namespace relu_mask

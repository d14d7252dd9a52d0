// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of one channel per group, beside the same with one group and a kernel that is 0
// between the groups.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace depthwise_conv_test {
namespace {

struct Case {
  std::int64_t channels, filters, height, width;  // filters of a group
  amp::Size2d kernel, padding, dilation;
};

/// The kernel [groups * filters, groups, KH, KW] that is `weight` within a group, and 0 elsewhere.
amp::Tensor with_zeros_between(const amp::Tensor& weight, std::int64_t groups) {
  const std::int64_t filters = weight.size(0) / groups, taps = weight.size(2) * weight.size(3);
  const std::vector<double> from = weight.to(amp::kFloat64).to_vector<double>();
  std::vector<double> to(static_cast<std::size_t>(weight.size(0) * groups * taps));
  for (std::int64_t o = 0; o < weight.size(0); ++o) {
    for (std::int64_t t = 0; t < taps; ++t)
      to[static_cast<std::size_t>((o * groups + o / filters) * taps + t)] =
          from[static_cast<std::size_t>(o * taps + t)];
  }
  return amp::tensor(to, {weight.size(0), groups, weight.size(2), weight.size(3)})
      .to(weight.dtype());
}

void check_near(const amp::Tensor& a, const amp::Tensor& b, double tolerance) {
  const std::vector<double> x = a.to(amp::kFloat64).to_vector<double>(),
                            y = b.to(amp::kFloat64).to_vector<double>();
  REQUIRE(x.size() == y.size());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(x[i] - y[i]) / (1 + std::abs(y[i])));
  CHECK(worst < tolerance);
}

}  // namespace

TEST_CASE("depthwise conv2d: as with one group, forward and backward", "[ops]") {
  amp::manual_seed(3);
  const Case cases[] = {{3, 1, 7, 9, 3, 1, 1},
                        {2, 2, 5, 33, {3, 5}, {1, 2}, 1},
                        {4, 1, 12, 16, 3, 0, 1},
                        {2, 1, 11, 20, 3, 2, {2, 1}},
                        {1, 3, 4, 4, 1, 0, 1},
                        {5, 1, 1, 1, 3, 1, 1},
                        {2, 1, 6, 17, {5, 1}, {2, 0}, 1},
                        {2, 1, 9, 40, 7, 3, 1},
                        {2, 1, 8, 8, 1, 1, 1}};  // padding beyond the kernel's reach
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16}) {
    for (const Case& c : cases) {
      CAPTURE(amp::name(dtype), c.channels, c.filters, c.height, c.width);
      const amp::Tensor x = amp::randn({2, c.channels, c.height, c.width}).to(dtype),
                        w = amp::randn({c.channels * c.filters, 1, c.kernel.height, c.kernel.width})
                                .to(dtype),
                        b = amp::randn({c.channels * c.filters}).to(dtype);
      amp::Conv2dOptions options{.padding = c.padding, .dilation = c.dilation};
      const amp::Tensor wide = with_zeros_between(w, c.channels);
      const amp::Tensor mask = with_zeros_between(w * 0 + 1, c.channels);
      std::vector<amp::Tensor> inputs, outputs, weights, biases;
      for (const bool depthwise : {true, false}) {
        amp::Tensor input = x.clone(), weight = (depthwise ? w : wide).clone(), bias = b.clone();
        for (amp::Tensor* tensor : {&input, &weight, &bias}) tensor->requires_grad_();
        options.groups = depthwise ? c.channels : 1;
        const amp::Tensor y = amp::conv2d(input, weight, bias, options);
        amp::sum(y * y).backward();
        outputs.push_back(y.detach());
        inputs.push_back(input.grad());
        weights.push_back(depthwise ? with_zeros_between(weight.grad(), c.channels)
                                    : weight.grad() * mask);
        biases.push_back(bias.grad());
      }
      const double tolerance = dtype == amp::kFloat64   ? 1e-12
                               : dtype == amp::kFloat32 ? 1e-4
                                                        : 0.05;
      check_near(outputs[0], outputs[1], tolerance);
      check_near(inputs[0], inputs[1], tolerance);
      check_near(weights[0], weights[1], tolerance);
      check_near(biases[0], biases[1], tolerance);
    }
  }
}

TEST_CASE("depthwise conv2d: what is infinite stays in its columns", "[ops]") {
  amp::Tensor x = amp::ones({1, 1, 3, 20}, {.requires_grad = true});
  amp::Tensor w = amp::ones({1, 1, 1, 3}, {.requires_grad = true});
  x.detach().data<float>()[19] = INFINITY;
  const amp::Tensor y = amp::conv2d(x, w, {}, {.padding = {0, 0}});
  const std::vector<float> values = y.to_vector<float>();
  CHECK((values[16] == 3 && std::isinf(values[17]) && values[18] == 3));
  amp::sum(y).backward();
  const std::vector<float> gradient = w.grad().to_vector<float>();
  CHECK((gradient[0] == 54 && gradient[1] == 54 && std::isinf(gradient[2])));
}

}  // namespace depthwise_conv_test

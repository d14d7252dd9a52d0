// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The norm of float64 gradients is float64, on every device: values beyond the squares of float32
// are clipped as torch 2.15 clips them.
#include <amp/amp.hpp>

#include <cmath>
#include <vector>

#include "support/catch.hpp"

namespace cuda_float64_norm {
namespace {

using amp::kFloat32;
using amp::kFloat64;
using amp::Tensor;
using Values = std::vector<double>;

constexpr amp::Device kDevices[] = {amp::kCPU, amp::kCUDA};
// torch.linalg.vector_norm(0.1 * torch.arange(1000, dtype=torch.float64))
constexpr double kNormOfRange = 1824.3724948595338;

Tensor parameter(const Values& gradient, amp::DType dtype, amp::Device device) {
  const amp::Shape shape(gradient.size());
  const Tensor p = amp::zeros(shape, {.dtype = dtype, .device = device, .requires_grad = true});
  p.set_grad(amp::tensor(gradient, shape, {.dtype = dtype}).to(device));
  return p;
}

void check_norm(const Tensor& norm, double expected) {
  CHECK(norm.dtype() == kFloat64);
  CHECK(norm.dim() == 0);
  CHECK(norm.item<double>() == Approx(expected).epsilon(1e-15));
}
void check_values(const Tensor& actual, const Values& expected, double tolerance = 1e-12) {
  const Values values = actual.to_vector<double>();
  REQUIRE(values.size() == expected.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    CHECK(values[i] == Approx(expected[i]).epsilon(tolerance));
}

struct Case {
  double size, norm;
  Values clipped;  // to a norm of 2
};
// torch.nn.utils.clip_grad_norm_ of two gradients [size, size] in float64 and [3, 4] in float32.
const std::vector<Case> kCases = {
    {1e20, 1.4142135623730951e+20, {1.414213562373095, 1.414213562373095}},
    {1e150, 1.414213562373095e+150, {1.4142135623730951, 1.4142135623730951}}};

}  // namespace

TEST_CASE("float64 norm: clip_grad_norm_ clips what float32 cannot square", "[cuda]") {
  for (const amp::Device device : kDevices) {
    for (const Case& c : kCases) {
      INFO(to_string(device) << ", " << c.size);
      const Tensor large = parameter({c.size, c.size}, kFloat64, device),
                   small = parameter({3, 4}, kFloat32, device);
      check_norm(amp::clip_grad_norm_({large, small}, 2), c.norm);
      check_values(large.grad(), c.clipped);
      if (c.size == 1e20)
        check_values(small.grad() * 1e20F, {4.2426407041748765, 5.656854272233169}, 2e-7);
    }
    CHECK(amp::clip_grad_norm_({parameter({3, 4}, kFloat32, device)}, 2).dtype() == kFloat32);
  }
}

TEST_CASE("float64 norm: no digits are lost beside torch's", "[cuda]") {
  for (const amp::Device device : kDevices) {
    Values gradient(1000);
    for (std::size_t i = 0; i < gradient.size(); ++i) gradient[i] = 0.1 * static_cast<double>(i);
    const Tensor p = parameter(gradient, kFloat64, device);
    check_norm(amp::clip_grad_norm_({p}, 1e6), kNormOfRange);
  }
}

TEST_CASE("float64 norm: a scaled step clips by it, in one pass, in two, and without a scaler",
          "[cuda]") {
  for (const amp::Device device : kDevices) {
    for (const Case& c : kCases) {
      for (const bool enabled : {true, false}) {
        const double scale = enabled ? 1024 : 1;
        INFO(to_string(device) << ", " << c.size << ", scale " << scale);
        amp::GradScaler scaler({.init_scale = scale, .enabled = enabled, .device = device});
        (void)scaler.scale(amp::ones({}, {.device = device}));
        Tensor p = parameter({c.size * scale, c.size * scale}, kFloat64, device);
        amp::SGD one({p}, {.lr = 1});
        check_norm(scaler.unscale_and_clip(one, 2), c.norm);
        CHECK_FALSE(scaler.step(one).skipped());
        check_values(-p, c.clipped);
        if (enabled) scaler.update();

        p = parameter({c.size * scale, c.size * scale}, kFloat64, device);
        amp::SGD two({p}, {.lr = 1});
        for (int round = 0; round < 2; ++round) {  // the second uses the norm that unscale_ left
          p.detach().zero_();
          p.set_grad(amp::full({2}, c.size * scale, {.dtype = kFloat64, .device = device}));
          scaler.unscale_(two);
          check_norm(amp::clip_grad_norm_({p}, 2), c.norm);
          scaler.step(two);
          if (enabled) scaler.update();
          check_values(-p, c.clipped);
        }
      }
    }
  }
}

TEST_CASE("float64 norm: statistics of float64 gradients are float64", "[cuda]") {
  for (const amp::Device device : kDevices) {
    INFO(to_string(device));
    amp::GradScaler scaler({.init_scale = 2, .statistics = true});
    (void)scaler.inverse_scale_data(device);
    amp::SGD sgd(
        {parameter({6e100, 0, -8e100}, kFloat64, device), parameter({1e15}, kFloat32, device)},
        {.lr = 0});
    scaler.step(sgd);
    const amp::GradientStatistics told = scaler.statistics(sgd).get();
    CHECK(told.norm == Approx(5e100).epsilon(1e-15));
    CHECK(told.max_abs == 4e100);
    CHECK(told.zeros == 1);
    CHECK_FALSE(told.found_inf);
    scaler.update();
  }
}

}  // namespace cuda_float64_norm

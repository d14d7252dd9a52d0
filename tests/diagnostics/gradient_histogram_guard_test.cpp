// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// GradientHistogramGuard collects the gradients of activations in backward.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace gradient_histogram_guard_test {
namespace {

std::vector<std::string> names(const amp::GradientHistogram& histogram) {
  std::vector<std::string> all;
  for (const auto& [name, counts] : histogram.by_name()) all.push_back(name);
  return all;
}

struct Net : amp::nn::Layer<Net> {
  amp::nn::Linear first{register_module("first", amp::nn::Linear(4, 8))};
  amp::nn::Linear second{register_module("second", amp::nn::Linear(8, 2))};
  amp::Tensor forward(const amp::Tensor& x) const { return second(amp::relu(first(x)).flatten(1)); }
};

TEST_CASE("Gradients of activations are counted by module and op, without views and scalars") {
  const Net net;
  amp::GradientHistogram histogram;
  {
    const amp::GradientHistogramGuard collecting(histogram);
    amp::mean(net(amp::randn({16, 4}))).backward();
  }
  CHECK(names(histogram) == std::vector<std::string>{"second: linear", "relu", "first: linear"});
  CHECK(histogram.by_name()[0].second.total() == 16 * 2);
  // All elements of the mean's gradient are 1 / 32.
  CHECK(histogram.by_name()[0].second.count(-5) == 16 * 2);
  CHECK(histogram.by_name()[1].second.total() == 16 * 8);
  CHECK(histogram.by_name()[2].second.total() == 16 * 8);
  const std::int64_t before = histogram.all().total();
  amp::mean(net(amp::randn({16, 4}))).backward();  // outside of the guard
  CHECK(histogram.all().total() == before);
}

TEST_CASE("Under autocast, gradients of one dtype can be counted alone") {
  const Net net;
  amp::GradientHistogram half, all;
  amp::GradScaler scaler({.init_scale = 1024});
  {
    const amp::GradientHistogramGuard collect_half(half, {.only = amp::kFloat16});
    const amp::GradientHistogramGuard collect_all(all);
    amp::Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      loss = amp::cross_entropy(net(amp::randn({16, 4})), amp::zeros({16}, {.dtype = amp::kInt64}));
    }
    half.set_scale(1024);
    all.set_scale(1024);
    scaler.scale(loss).backward();
  }
  CHECK(names(half) == std::vector<std::string>{"second: linear", "relu", "first: linear"});
  CHECK(half.all() == all.all());
  // The scale is divided out: no gradient of a mean of 16 losses is above 1 / 16.
  CHECK(half.all().max_exponent().value() < -3);
}

TEST_CASE("What float16 flushes without a scale is seen with one") {
  const amp::Tensor w = amp::full({8, 8}, 0.1F).requires_grad_();
  const auto flushed = [&](double scale) {
    amp::GradientHistogram histogram(scale);
    const amp::GradientHistogramGuard collecting(histogram, {.only = amp::kFloat16});
    const amp::Tensor x = amp::ones({8, 8});
    amp::Tensor y;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      y = amp::relu(amp::matmul(x, w));
    }
    const amp::Tensor loss = amp::sum(y.to(amp::kFloat32) * (0x1p-30 * scale));
    loss.backward();
    return std::pair(histogram.all().zeros(), histogram.all().flushed_share(1));
  };
  CHECK(flushed(1) == std::pair<std::int64_t, double>(128, 0));   // lost: zeros now
  CHECK(flushed(1024) == std::pair<std::int64_t, double>(0, 1));  // kept, and known to be lost at 1
}

TEST_CASE("An infinity is counted, and an error in backward leaves the histogram usable") {
  amp::GradientHistogram histogram;
  const amp::GradientHistogramGuard collecting(histogram);
  const amp::Tensor x = amp::zeros({3}, {.requires_grad = true});
  amp::sum(amp::relu(amp::sqrt(x))).backward();
  CHECK(histogram.all().total() == 6);
  const amp::Tensor z = amp::relu(amp::add(x, 1.0));
  z.register_hook([](const amp::Tensor&) -> amp::Tensor { throw amp::Error("stop"); });
  CHECK_THROWS_AS(amp::sum(z).backward(), amp::Error);
  amp::sum(amp::relu(x)).backward();
  CHECK(histogram.all().total() == 9);
}

}  // namespace
}  // namespace gradient_histogram_guard_test

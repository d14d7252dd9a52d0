// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Why there is a scaler: a problem whose gradients lie below 2^-25, which float16 rounds to 0. It
// stalls without scaling, and trains with it as float32 does.
#include <amp/amp.hpp>

#include <cmath>
#include <optional>
#include <vector>

#include "support/catch.hpp"

namespace tiny_gradients {
namespace {

constexpr int kSteps = 200;
constexpr double kLossFactor = 0x1p-22;
constexpr double kLearningRate = 0.2 / kLossFactor;  // of the same steps without that factor

using Bits = std::vector<std::vector<float>>;

/// A network of two layers learns to imitate a linear map of 8 numbers to 4. The loss is the mean
/// squared error times kLossFactor.
struct Problem {
  amp::Tensor x, target;
  std::vector<amp::Tensor> parameters;

  Problem() {
    amp::manual_seed(1);
    x = amp::randn({64, 8});
    target = amp::matmul(x, amp::randn({8, 4}) * 0.4);
    for (const amp::Shape& shape :
         {amp::Shape(16, 8), amp::Shape(16), amp::Shape(4, 16), amp::Shape(4)}) {
      parameters.push_back((amp::randn(shape) * 0.3).requires_grad_());
    }
  }
  amp::Tensor output() const {
    const auto& p = parameters;
    return amp::linear(amp::relu(amp::linear(x, p[0], p[1])), p[2], p[3]);
  }
  amp::Tensor loss_of(const amp::Tensor& output) const {
    const amp::Tensor error = output - target;
    return amp::mean(error * error) * kLossFactor;
  }
  Bits bits() const {
    Bits result;
    for (const amp::Tensor& p : parameters) result.push_back(p.to_vector<float>());
    return result;
  }
};

struct Precision {
  std::optional<amp::DType> autocast = {};
  bool scaling = false;
};

/// Trains; the last loss over the first.
double train(const Problem& problem, const Precision& precision) {
  amp::SGD sgd(problem.parameters, amp::SGDOptions{.lr = kLearningRate});
  amp::GradScaler scaler({.enabled = precision.scaling});
  double first = 0, last = 0;
  for (int step = 0; step < kSteps; ++step) {
    const amp::Tensor loss = [&] {
      const amp::AutocastGuard autocast(
          amp::kCPU, {.dtype = precision.autocast, .enabled = precision.autocast.has_value()});
      return problem.loss_of(problem.output());
    }();
    REQUIRE(loss.dtype() == amp::kFloat32);
    sgd.zero_grad();
    scaler.scale(loss).backward();
    scaler.step(sgd);
    scaler.update();
    last = loss.item<double>();
    if (step == 0) first = last;
  }
  return last / first;
}

constexpr Precision kFloat32Training = {};
const Precision kWithoutScaling = {.autocast = amp::kFloat16};
const Precision kWithScaling = {.autocast = amp::kFloat16, .scaling = true};

}  // namespace

TEST_CASE("tiny gradients: those of the output lie below what float16 can hold") {
  const Problem problem;
  const amp::Tensor output = problem.output().detach().requires_grad_();
  problem.loss_of(output).backward();
  float largest = 0;
  for (const float g : output.grad().to_vector<float>()) largest = std::fmax(largest, std::abs(g));
  CHECK(largest > 0);
  CHECK(largest < 0x1p-25F);
}

TEST_CASE("tiny gradients: without scaling float16 stalls, its parameters bit for bit the same") {
  const Problem problem;
  const Bits before = problem.bits();
  CHECK(train(problem, kWithoutScaling) == 1);
  CHECK((problem.bits() == before));
  for (const amp::Tensor& p : problem.parameters) {
    for (const float g : p.grad().to_vector<float>()) CHECK(g == 0);
  }
}

TEST_CASE("tiny gradients: with the scaler float16 learns what float32 learns") {
  const Problem plain, scaled;
  const double float32 = train(plain, kFloat32Training), float16 = train(scaled, kWithScaling);
  CHECK(float32 < 0.05);
  CHECK(float16 == Approx(float32).epsilon(0.1));
}

}  // namespace tiny_gradients

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Clipping gradients by their norm while losses are scaled. unscale_and_clip does it in one call,
// unscale_ and clip_grad_norm_ in two; the steps give the same parameters. If a gradient is not
// finite, the step is skipped and changes nothing.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <vector>

namespace {

using amp::Tensor;

constexpr double kMaxNorm = 0.5;

void expect(bool holds, const char* claim) {
  if (holds) return;
  std::fprintf(stderr, "04_clipping: it does not hold that %s\n", claim);
  std::exit(EXIT_FAILURE);
}

/// A regression whose gradients are large enough to be clipped.
struct Training {
  Tensor x = amp::randn({64, 8}), y = amp::randn({64, 1}) * 10;
  amp::nn::Sequential net{amp::nn::Linear(8, 32), amp::nn::ReLU(), amp::nn::Linear(32, 1)};
  amp::SGD optimizer{net.parameters(), {.lr = 0.05, .momentum = 0.9}};
  amp::GradScaler scaler{{.init_scale = 1024}};

  void backward(const Tensor& input) {
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      loss = amp::mse_loss(net(input), y);
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
  }
};

/// Everything that a step changes: the parameters, the momentum, the number of steps.
std::vector<float> snapshot(const Training& training) {
  std::vector<float> all;
  for (const auto& state : {training.net.state_dict(), training.optimizer.state_dict()}) {
    for (const auto& [name, tensor] : state) {
      const std::vector<float> values = tensor.to_vector<float>();
      all.insert(all.end(), values.begin(), values.end());
    }
  }
  return all;
}

/// The state after ten steps, each clipped by `clip`, which returns the norm.
template <class Clip>
std::vector<float> train(const char* name, Clip&& clip) {
  amp::manual_seed(4);
  Training training;
  std::printf("%s: norm", name);
  for (int step = 0; step < 10; ++step) {
    training.backward(training.x);
    const Tensor norm = clip(training);
    training.scaler.step(training.optimizer);
    training.scaler.update();
    if (step % 3 == 0) std::printf(" %.4f", norm.item<double>());
    expect(norm.item<double>() > kMaxNorm, "there is something to clip");
  }
  std::printf("\n");
  return snapshot(training);
}

void show_two_ways() {
  const std::vector<float> in_one_call = train(
      "one call ", [](Training& t) { return t.scaler.unscale_and_clip(t.optimizer, kMaxNorm); });
  const std::vector<float> in_two_calls = train("two calls", [](Training& t) {
    t.scaler.unscale_(t.optimizer);  // first, since the norm of scaled gradients is meaningless
    return amp::clip_grad_norm_(t.net.parameters(), kMaxNorm);
  });
  double difference = 0;
  for (std::size_t i = 0; i < in_one_call.size(); ++i)
    difference = std::max(difference, std::abs(double{in_one_call[i]} - double{in_two_calls[i]}));
  std::printf("largest difference between parameters: %g\n", difference);
  expect(difference < 1e-6, "both ways end at the same parameters");
}

void show_wrong_order() {
  Training training;
  training.backward(training.x);
  try {
    amp::clip_grad_norm_(training.net.parameters(), kMaxNorm);
  } catch (const amp::Error& error) {
    std::printf("clipped too early: %s\n", error.what());
    return;
  }
  expect(false, "clipping scaled gradients throws");
}

void show_skipped_step() {
  Training training;
  const auto step_on = [&](const Tensor& input) {
    training.backward(input);
    const Tensor norm = training.scaler.unscale_and_clip(training.optimizer, kMaxNorm);
    const amp::StepResult result = training.scaler.step(training.optimizer);
    training.scaler.update();
    std::printf("norm %s, step %s, scale now %g\n",
                std::isfinite(norm.item<double>()) ? "finite" : "not finite",
                result.skipped() ? "skipped" : "taken", training.scaler.get_scale());
    return result;
  };
  expect(!step_on(training.x).skipped(), "a good step is taken");

  const std::vector<float> before = snapshot(training);
  Tensor poisoned = training.x.clone();
  poisoned.select(0, 0).fill_(std::numeric_limits<double>::infinity());
  expect(step_on(poisoned).skipped(), "a bad step is skipped");
  expect(snapshot(training) == before, "a skipped step changes nothing");
  expect(training.scaler.get_scale() == 512, "the scale backs off");

  expect(!step_on(training.x).skipped(), "training goes on");
  expect(snapshot(training) != before, "the next step moves the parameters");
}

}  // namespace

int main() try {
  show_two_ways();
  show_wrong_order();
  show_skipped_step();
} catch (const amp::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

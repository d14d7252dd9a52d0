// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One training step of the network of examples/train_cnn.cpp, in three precisions, and as replays
// of a recorded step.
#include "measure.hpp"

#include <amp/cuda.hpp>

#include <cmath>
#include <optional>

namespace gpu_benchmark {
namespace {

namespace nn = amp::nn;
using amp::kCUDA;
using amp::Tensor;

struct Cnn : nn::Module {
  nn::Conv2d conv1, conv2;
  nn::Linear linear1, linear2;

  Cnn()
      : conv1(register_module("conv1", nn::Conv2d(3, 32, 3, {.padding = 1, .relu = true}))),
        conv2(register_module("conv2", nn::Conv2d(32, 64, 3, {.padding = 1, .relu = true}))),
        linear1(register_module("linear1", nn::Linear(4096, 256))),
        linear2(register_module("linear2", nn::Linear(256, 10))) {}

  [[nodiscard]] Tensor forward(const Tensor& images) const {
    Tensor x = amp::max_pool2d(conv1(images), 2);
    x = amp::max_pool2d(conv2(x), 2);
    return linear2(amp::relu(linear1(x.flatten(1))));
  }
};

void measure(const Settings& settings, Report& report, const std::string& name,
             std::optional<amp::DType> low, bool scaling) {
  amp::manual_seed(1);
  const std::int64_t batch = settings.size(256, 4);
  const Tensor images = amp::randn({batch, 3, 32, 32});
  const Tensor targets = (amp::rand({batch}) * 10.0).to(amp::kInt64);
  Cnn model;
  const auto expected = amp::cross_entropy(model.forward(images), targets).item<double>();
  model.to(kCUDA);
  amp::Adam optimizer(model.parameters(), {.lr = 1e-3});
  amp::GradScaler scaler({.enabled = scaling});
  const Tensor x = images.to(kCUDA), y = targets.to(kCUDA);
  Tensor loss;
  const auto step = [&] {
    optimizer.zero_grad();
    {
      const amp::AutocastGuard guard(kCUDA, {.dtype = low, .enabled = low.has_value()});
      loss = amp::cross_entropy(model.forward(x), y);
    }
    scaler.scale(loss).backward();
    scaler.step(optimizer);
    scaler.update();
  };
  step();
  const double first = loss.item<double>(), error = std::fabs(first - expected) / expected;
  if (!(error < (low ? 5e-3 : 1e-5))) {
    throw amp::Error(name + ": the first loss is " + std::to_string(first) + ", but " +
                     std::to_string(expected) + " on the host");
  }
  for (int i = 0; i < 10; ++i) step();
  if (!(loss.item<double>() < first)) throw amp::Error(name + ": the loss does not fall");
  report.add("train_step_" + name, Timer(settings)(step), {.error = error});
}

/// Times replays, after checking that they give the result of eager steps.
void measure_replay(const Settings& settings, Report& report) {
  const std::int64_t batch = settings.size(256, 4);
  amp::manual_seed(1);
  const Tensor x = amp::randn({batch, 3, 32, 32}).to(kCUDA);
  const Tensor y = (amp::rand({batch}) * 10.0).to(amp::kInt64).to(kCUDA);
  struct Run {
    Cnn model;
    std::optional<amp::Adam> optimizer;
    Tensor loss;
  };
  const auto start = [](Run& run) {
    amp::manual_seed(2);
    run.model = Cnn();
    run.model.to(kCUDA);
    run.optimizer.emplace(run.model.parameters(), amp::AdamOptions{.lr = 1e-3});
  };
  const auto step = [&](Run& run) {
    run.optimizer->zero_grad();
    {
      const amp::AutocastGuard guard(kCUDA, {.dtype = amp::kBFloat16});
      run.loss = amp::cross_entropy(run.model.forward(x), y);
    }
    run.loss.backward();
    run.optimizer->step();
  };
  constexpr int kWarmup = 3, kReplays = 8;
  Run eager, recorded;
  start(eager);
  for (int i = 0; i < kWarmup + kReplays; ++i) step(eager);
  start(recorded);
  amp::cuda::Graph graph([&] { step(recorded); }, {.warmup = kWarmup});
  for (int i = 0; i < kReplays; ++i) graph.replay();
  const double error = check_close("train_step_graph", eager.loss.to(amp::kFloat32),
                                   recorded.loss.to(amp::kFloat32), 1e-3);
  report.add("train_step_graph_amp-bf16", Timer(settings)([&] { graph.replay(); }),
             {.error = error});
}

}  // namespace

void measure_training(const Settings& settings, Report& report) {
  measure(settings, report, "fp32", std::nullopt, false);
  measure(settings, report, "amp-fp16", amp::kFloat16, true);
  measure(settings, report, "amp-bf16", amp::kBFloat16, false);
  measure_replay(settings, report);
}

}  // namespace gpu_benchmark

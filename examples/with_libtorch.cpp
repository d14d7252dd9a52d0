// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Mixed precision for a program that uses libtorch: torch's modules and Adam, with amp's scope and
// scaler around them. A small convolutional network learns to recognise four shapes, once in
// float32 and once in mixed precision; one step is skipped because a gradient is infinite.
#include <torch/torch.h>

#include <amp/libtorch.hpp>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>

namespace {

struct Images {
  torch::Tensor x, y;
};

/// Disks, squares, rings and crosses on a noisy ground, 16 by 16.
Images draw(std::int64_t count) {
  const auto at = torch::arange(16, torch::kFloat) - 7.5;
  const auto dx = at.reshape({1, 1, 16}), dy = at.reshape({1, 16, 1});
  const auto size = 4 + 3 * torch::rand({count, 1, 1});
  const auto radius = (dx * dx + dy * dy).sqrt();
  const auto square = torch::maximum(dx.abs(), dy.abs()),
             cross = torch::minimum(dx.abs(), dy.abs());
  const auto shapes = torch::stack(
      {radius.expand({count, 16, 16}) < size, square.expand({count, 16, 16}) < size,
       (radius - size + 1).abs() < 1, (cross.expand({count, 16, 16}) < 1) & (radius < size)});
  const auto y = torch::randint(4, {count});
  const auto picked =
      shapes.to(torch::kFloat).permute({1, 0, 2, 3}).index({torch::arange(count), y});
  return {(picked + 0.5 * torch::randn({count, 16, 16})).unsqueeze(1), y};
}

torch::nn::Sequential network() {
  using namespace torch::nn;
  return Sequential(Conv2d(Conv2dOptions(1, 16, 3).padding(1)), ReLU(), MaxPool2d(2),
                    Conv2d(Conv2dOptions(16, 32, 3).padding(1)), ReLU(), MaxPool2d(2), Flatten(),
                    Linear(32 * 16, 4));
}

/// Trains, and returns the accuracy on `test`.
double train(bool mixed, const Images& images, const Images& test, std::int64_t* skipped) {
  torch::manual_seed(1);
  torch::nn::Sequential net = network();
  torch::optim::Adam optimizer(net->parameters(), torch::optim::AdamOptions(2e-3));
  amp::GradScaler scaler({.init_scale = 1024, .enabled = mixed});
  for (int step = 0; step < 60; ++step) {
    const auto batch = torch::randint(images.x.size(0), {64});
    torch::Tensor loss;
    {
      // On a GPU: amp::kCUDA. torch's op list chooses the precision of each op.
      const amp::libtorch::AutocastGuard autocast(amp::kCPU, {.enabled = mixed});
      loss = torch::nn::functional::cross_entropy(net->forward(images.x.index_select(0, batch)),
                                                  images.y.index_select(0, batch));
    }
    optimizer.zero_grad();
    scaler.scale(loss).backward();
    if (mixed && step == 20)  // simulates an overflow
      net->parameters()[0].mutable_grad().fill_(std::numeric_limits<float>::infinity());
    scaler.unscale_and_clip(optimizer, 1.0);
    scaler.step(optimizer);
    scaler.update();
    if (step % 20 == 19)
      std::printf("  step %2d  loss %.3f  scale %g\n", step, loss.item<double>(),
                  scaler.get_scale());
  }
  if (mixed) *skipped = scaler.counters().skipped;
  const torch::NoGradGuard no_grad;
  return net->forward(test.x).argmax(1).eq(test.y).to(torch::kFloat).mean().item<double>();
}

}  // namespace

int main() try {
  torch::manual_seed(0);
  const Images images = draw(2000), test = draw(500);
  std::int64_t skipped = 0;
  std::puts("float32");
  const double float32 = train(false, images, test, &skipped);
  std::puts("bfloat16 and a gradient scaler");
  const double mixed = train(true, images, test, &skipped);
  std::printf("test accuracy %.1f %% in float32, %.1f %% in mixed precision; %d step skipped\n",
              100 * float32, 100 * mixed, static_cast<int>(skipped));
  if (mixed < 0.85 || mixed < float32 - 0.05 || skipped != 1)
    throw std::runtime_error("mixed precision should have trained as well, with one skipped step");
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a U-Net to find discs and rectangles in images that it draws itself.
#include "models/unet.hpp"

#include "models/run.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <cstdio>

namespace {

using amp::Tensor;

constexpr std::int64_t kSize = 64;  // pixels, as high as wide

/// Images with noise, and the classes of their pixels: 1 in discs, 2 in rectangles, else 0. Both
/// have bright colours on a dark one, so that only the outline tells which of them it is.
amp::data::Example<> draw(std::int64_t count) {
  const auto uniform = [&](double low, double high, std::int64_t channels = 1) {
    return amp::rand({count, channels, 1, 1}) * (high - low) + low;
  };
  const Tensor x = amp::linspace(0, 1, kSize), y = x.unsqueeze(1);
  Tensor images = uniform(0, 0.5, 3).expand({count, 3, kSize, kSize});
  Tensor classes = amp::zeros({count, 1, kSize, kSize}, {.dtype = amp::kInt64});
  for (int i = 0; i < 2; ++i) {
    const Tensor x1 = x - uniform(0.2, 0.8), y1 = y - uniform(0.2, 0.8);
    const Tensor disc = x1.square() + y1.square() < uniform(0.1, 0.25).square();
    images = amp::where(disc, uniform(0.5, 1, 3), images);
    classes = classes.masked_fill(disc, 1);

    const Tensor x2 = x - uniform(0.2, 0.8), y2 = y - uniform(0.2, 0.8);
    const Tensor box = (x2.abs() < uniform(0.1, 0.25)) & (y2.abs() < uniform(0.1, 0.25));
    images = amp::where(box, uniform(0.5, 1, 3), images);
    classes = classes.masked_fill(box, 2);
  }
  return {images + 0.1 * amp::randn_like(images), classes.squeeze(1)};
}

void train(const examples::Run& run) {
  examples::unet::Training training{examples::unet::UNet(), run.precision};
  for (std::int64_t step = 0; step < run.steps; ++step) {
    const auto [images, classes] = draw(16);
    const Tensor loss = training.step(images, classes);
    if (step % 10 == 0)
      std::printf("step %4lld  loss %.4f\n", static_cast<long long>(step), loss.item());
  }

  training.model.eval();
  const amp::NoGradGuard no_grad;
  const auto [images, classes] = draw(100);
  const Tensor found = training.model.forward(images).argmax(1);
  const Tensor pairs = amp::bincount((3 * classes + found).flatten(), {}, 9).reshape({3, 3});
  const Tensor both = pairs.diagonal();
  const Tensor iou = both / (pairs.sum(0) + pairs.sum(1) - both);
  std::printf("mean IoU %.3f\n", iou.mean().item());
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 300}, train); }

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a diffusion model on CIFAR-10 (--data, the folder of the binary version), or on images that
// it draws itself, at 16 by 16 pixels. Writes samples to diffusion.ppm.
#include "models/diffusion.hpp"

#include "data/drawn.hpp"
#include "data/images.hpp"
#include "models/run.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <cstdio>

namespace {

namespace data = amp::data;
namespace transforms = amp::data::transforms;

void train(const examples::Run& run) {
  const auto [train, test] = examples::load_or_draw(run.data);
  const transforms::Compose prepare(transforms::Resize(16), transforms::ToTensor(),
                                    transforms::Normalize({0.5, 0.5, 0.5}, {0.5, 0.5, 0.5}));
  data::DataLoader batches(train.map(prepare), {.batch_size = 64, .shuffle = true, .workers = 2});
  data::DataLoader tests(test.map(prepare), {.batch_size = 256});

  examples::diffusion::Training training{examples::diffusion::UNet(), run.precision};
  const auto random_times = [&](const amp::Tensor& images) {
    return amp::randint(1, training.diffusion.times + 1, {images.size(0)});
  };
  for (std::int64_t step = 0; step < run.steps;) {
    for (const auto& [images, classes] : batches) {
      const amp::Tensor loss = training.step(images, random_times(images), amp::randn_like(images));
      if (step % 50 == 0)
        std::printf("step %4lld  loss %.4f\n", static_cast<long long>(step), loss.item());
      if (++step == run.steps) break;
    }
  }

  const amp::Tensor images = tests.begin()->data;
  const amp::Tensor loss = training.test(images, random_times(images), amp::randn_like(images));
  std::printf("averaged weights, other images: loss %.4f\n", loss.item());
  data::save_image(training.sample(amp::randn({32, 3, 16, 16}), 50), "diffusion.ppm",
                   {.normalize = true, .value_range = {{-1, 1}}});
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 5000}, train); }

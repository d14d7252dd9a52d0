// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains a variational autoencoder on MNIST (--data, the folder), or on images that it draws itself,
// and writes images of random codes to vae.ppm.
#include "models/vae.hpp"

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
using examples::vae::kLatents;

void train(const examples::Run& run) {
  const auto [train, test] = examples::load_or_draw<amp::data::MNIST>(run.data);
  const transforms::Compose grey(transforms::Grayscale(), transforms::Resize(28),
                                 transforms::ToTensor());
  data::DataLoader batches(train.map(grey), {.batch_size = 128, .shuffle = true, .workers = 2});
  data::DataLoader tests(test.map(grey), {.batch_size = 256});

  examples::vae::Training training{examples::vae::VAE(), run.precision};
  for (std::int64_t step = 0; step < run.steps;) {
    for (const auto& [images, classes] : batches) {
      const amp::Tensor loss = training.step(images, amp::randn({images.size(0), kLatents}));
      if (step % 100 == 0)
        std::printf("step %4lld  loss %.2f\n", static_cast<long long>(step), loss.item());
      if (++step == run.steps) break;
    }
  }

  const amp::NoGradGuard no_grad;
  double total = 0;
  for (const auto& [images, classes] : tests) {
    const amp::Tensor noise = amp::randn({images.size(0), kLatents});
    total += training.model.loss(images, noise).item() * static_cast<double>(images.size(0));
  }
  std::printf("test loss %.2f\n", total / static_cast<double>(test.size()));
  data::save_image(training.model.decoder(amp::randn({64, kLatents})).sigmoid(), "vae.ppm");
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 2000}, train); }

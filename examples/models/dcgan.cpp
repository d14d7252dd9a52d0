// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains DCGAN on CIFAR-10 (--data, the folder of the binary version), or on images that the program
// draws itself, and writes some of what the generator draws to dcgan.ppm.
#include "models/dcgan.hpp"

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
namespace dcgan = examples::dcgan;
using amp::Tensor;

constexpr std::int64_t kNoise = 100, kBatch = 64;

void train(const examples::Run& run) {
  const data::ImageDataset images = examples::load_or_draw(run.data).train;
  const transforms::Compose scale(transforms::ToTensor(), transforms::Normalize({0.5}, {0.5}));
  data::DataLoader batches(
      images.map(scale), {.batch_size = kBatch, .shuffle = true, .workers = 2, .drop_last = true});

  const auto generator = dcgan::make_generator(kNoise, 64);
  const auto discriminator = dcgan::make_discriminator(64);
  dcgan::init_weights(generator);
  dcgan::init_weights(discriminator);
  dcgan::Training training{generator, discriminator, run.precision};
  const Tensor shown = amp::randn({64, kNoise, 1, 1});
  for (std::int64_t step = 0; step < run.steps;) {
    for (const auto& [real, classes] : batches) {
      const auto losses = training.step(real, amp::randn({kBatch, kNoise, 1, 1}));
      if (step % 10 == 0)
        std::printf("step %4lld  loss of the generator %.4f, of the discriminator %.4f\n",
                    static_cast<long long>(step), losses.generator.item(),
                    losses.discriminator.item());
      if (++step == run.steps) break;
    }
  }

  generator.eval();
  const amp::NoGradGuard no_grad;
  data::save_image(generator(shown), "dcgan.ppm", {.normalize = true, .value_range = {{-1, 1}}});
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 1000}, train); }

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains ResNet-18 on CIFAR-10 (--data, the folder of the binary version), or on images that it
// draws itself.
#include "models/resnet18.hpp"

#include "data/drawn.hpp"
#include "data/images.hpp"
#include "models/run.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace {

namespace data = amp::data;
namespace transforms = amp::data::transforms;

void train(const examples::Run& run) {
  const auto [train, test] = examples::load_or_draw(run.data);
  const transforms::Normalize normalize({0.491, 0.482, 0.447}, {0.247, 0.243, 0.262});
  const transforms::Compose augment(transforms::RandomCrop(32, {.padding = 4}),
                                    transforms::RandomHorizontalFlip(), transforms::ToTensor(),
                                    normalize);
  data::DataLoader batches(train.map(augment), {.batch_size = 128, .shuffle = true, .workers = 2});
  data::DataLoader tests(test.map(transforms::Compose(transforms::ToTensor(), normalize)),
                         {.batch_size = 256});

  examples::resnet18::Training training{examples::resnet18::ResNet18(), run.precision, run.steps};
  for (std::int64_t step = 0; step < run.steps;) {
    for (const auto& [images, classes] : batches) {
      const amp::Tensor loss = training.step(images, classes);
      if (step % 10 == 0)
        std::printf("step %4lld  loss %.4f\n", static_cast<long long>(step), loss.item());
      if (++step == run.steps) break;
    }
  }

  training.model.eval();
  const amp::NoGradGuard no_grad;
  double correct = 0;
  for (const auto& [images, classes] : tests)
    correct += (training.model.forward(images).argmax(1) == classes).sum().item();
  std::printf("accuracy %.1f %%\n", 100 * correct / static_cast<double>(test.size()));
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 2000}, train); }

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Trains CLIP on CIFAR-10 (--data, the folder of the binary version), or on images that it draws
// itself. Classifies test images by the captions of the classes.
#include "models/clip.hpp"

#include "data/drawn.hpp"
#include "data/images.hpp"
#include "models/run.hpp"

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

namespace data = amp::data;

const std::vector<std::string> kDrawn = {
    "a disc",    "a ring", "a square",  "a frame",        "a triangle",
    "a diamond", "a plus", "a saltire", "a pile of bars", "a row of columns"};
const std::vector<std::string> kPhotographs = {"a plane", "a car",  "a bird",  "a cat",  "a deer",
                                               "a dog",   "a frog", "a horse", "a ship", "a truck"};

void train(const examples::Run& run) {
  const amp::Tensor captions = examples::clip::tokenize(run.data.empty() ? kDrawn : kPhotographs);
  const auto [train, test] = examples::load_or_draw(run.data);
  const examples::ChannelStats stats = examples::channel_stats(train);
  examples::Loader batches =
      examples::make_loader(train, stats, {.batch_size = 64, .augment = true, .workers = 2});
  examples::Loader tests =
      examples::make_loader(test, stats, {.batch_size = 256, .shuffle = false});

  examples::clip::Training training{examples::clip::CLIP(), run.precision, run.steps};
  for (std::int64_t step = 0; step < run.steps;) {
    for (const auto& [images, classes] : batches) {
      const amp::Tensor loss = training.step(images, captions[classes]);
      if (step % 50 == 0)
        std::printf("step %4lld  loss %.4f\n", static_cast<long long>(step), loss.item());
      if (++step == run.steps) break;
    }
  }

  const examples::clip::CLIP& model = training.model;
  model.eval();
  const amp::NoGradGuard no_grad;
  const amp::Tensor texts = model.encode_text(captions);
  double correct = 0;
  for (const auto& [images, classes] : tests) {
    const amp::Tensor scores = model.encode_images(images).matmul(texts.T());
    correct += (scores.argmax(1) == classes).sum().item();
  }
  std::printf("accuracy by captions %.1f %%\n", 100 * correct / static_cast<double>(test.size()));
}

}  // namespace

int main(int argc, char** argv) { return examples::main(argc, argv, {.steps = 1000}, train); }

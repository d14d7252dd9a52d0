// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The images that are trained and tested with, and their batches.
#pragma once

#include <amp/amp.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace examples {

/// Labelled images [N, C, 32, 32] of uint8, as amp::data::CIFAR10 has them.
struct TrainAndTest {
  amp::data::ImageDataset train, test;
};

inline constexpr std::int64_t kClasses = 10;

/// The first `count` images.
amp::data::ImageDataset first(const amp::data::ImageDataset& set, std::int64_t count);

/// The images with a black border, as high and wide as `size`.
amp::data::ImageDataset pad(const amp::data::ImageDataset& set, std::int64_t size);

/// Mean and standard deviation (divisor N) of each channel, for pixel values divided by 255.
struct ChannelStats {
  std::vector<double> mean, deviation;
};

ChannelStats channel_stats(const amp::data::ImageDataset& set);

/// What a loader of images differs in.
struct LoaderOptions {
  std::int64_t batch_size = 32;
  std::uint64_t seed = 1;
  bool shuffle = true;
  bool augment = false;  // crop by up to 4 pixels, mirror half of the images
  std::int64_t workers = 1;
  std::int64_t rank = 0, ranks = 1;
  amp::Device device = {};
};

/// Batches of normalised float32 images and their classes, of which each rank has a part.
inline auto make_loader(const amp::data::ImageDataset& set, const ChannelStats& stats,
                        const LoaderOptions& options) {
  namespace data = amp::data;
  namespace transforms = amp::data::transforms;
  const double p = options.augment ? 0.5 : 0;
  const transforms::Compose transform(
      transforms::RandomCrop(32, {.padding = options.augment ? 4 : 0}),
      transforms::RandomHorizontalFlip(p), transforms::ToTensor(),
      transforms::Normalize(stats.mean, stats.deviation));
  // There may be more ranks than images in the last batch.
  const auto collate = [none = amp::Shape{0, set.images().size(1), 32, 32}](
                           std::vector<data::Example<amp::Tensor, std::int64_t>> examples) {
    if (!examples.empty()) return data::collate(std::move(examples));
    return data::Example<>{amp::empty(none), amp::empty({0}, {.dtype = amp::kInt64})};
  };
  const data::Sampler sampler = options.shuffle ? data::RandomSampler() : data::SequentialSampler();
  return data::DataLoader(set.map(transform),
                          {.batch_sampler = data::BatchSampler(sampler, options.batch_size),
                           .workers = options.workers,
                           .seed = options.seed,
                           .rank = options.rank,
                           .ranks = options.ranks,
                           .device = options.device},
                          collate);
}

using Loader =
    decltype(make_loader(std::declval<amp::data::ImageDataset>(), ChannelStats(), LoaderOptions()));

}  // namespace examples

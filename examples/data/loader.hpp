// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batches of images, shuffled, augmented, and made ahead of time by threads in the background.
#pragma once

#include "data/dataset.hpp"

#include <amp/tensor/tensor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace examples {

/// Normalised float32 images [N, C, H, W] and their int64 classes [N].
struct Batch {
  amp::Tensor images = {}, targets = {};
  std::int64_t total = 0;  // images of the batch on all ranks
  [[nodiscard]] std::int64_t count() const { return targets.size(0); }
};

inline constexpr std::int64_t kCropMargin = 4;

struct LoaderOptions {
  std::int64_t batch_size = 32;
  std::uint64_t seed = 1;
  bool shuffle = true;
  bool augment = false;  // crop by up to kCropMargin pixels, mirror half of the images
  int workers = 1;       // threads; 0: next() makes the batches
  /// The index of this process and the number of processes. Each gets a part of the images of each
  /// batch. The parts do not overlap, have nearly equal sizes, and together are the batch of one
  /// process.
  int rank = 0, ranks = 1;
  /// Applied to each batch in the thread that makes it, without autocast and gradients.
  std::function<void(Batch&)> transform = {};
};

/// Iterates over a data set, epoch after epoch. The data set must outlive it. An epoch depends only
/// on the seed and its number, not on the workers or on earlier epochs.
class Loader {
 public:
  Loader(const Dataset& set, const std::vector<ChannelStats>& stats, LoaderOptions options = {});
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  ~Loader();

  /// The number of batches of an epoch; the last batch may be smaller.
  [[nodiscard]] std::int64_t batches() const;

  /// Ends the current epoch and begins another one, at its batch number `batch`.
  void begin_epoch(std::int64_t epoch, std::int64_t batch = 0);

  /// Returns the next batch, or nothing at the end of the epoch. Rethrows an error of a worker.
  std::optional<Batch> next();

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace examples

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
  bool augment = false;  // crop by up to kCropMargin pixels, mirror every other image
  int workers = 1;       // threads; 0: the caller's makes the batches
  /// This one of so many processes that share out each batch: it gets a part of the images. The
  /// parts do not overlap, are as equal as can be, and together are the batch of one process.
  int rank = 0, ranks = 1;
  /// Applied to each batch where it is made: outside every autocast scope, without gradients.
  std::function<void(Batch&)> transform = {};
};

/// Iterates over a data set, which outlives it, epoch after epoch. Every epoch is a function of
/// seed and number: neither the workers nor what was loaded before have a say.
class Loader {
 public:
  Loader(const Dataset& set, const std::vector<ChannelStats>& stats, LoaderOptions options = {});
  Loader(const Loader&) = delete;
  Loader& operator=(const Loader&) = delete;
  ~Loader();

  /// Batches of an epoch; the last may be smaller.
  [[nodiscard]] std::int64_t batches() const;

  /// Leaves the epoch under way and begins this one, at a batch of it.
  void begin_epoch(std::int64_t epoch, std::int64_t batch = 0);

  /// The next batch; none at the end of the epoch. Throws what making it threw.
  std::optional<Batch> next();

 private:
  class Maker;
  std::unique_ptr<Maker> maker_;
};

}  // namespace examples

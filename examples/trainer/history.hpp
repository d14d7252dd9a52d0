// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The course of a training, step by step, in a few hundred samples.
#pragma once

#include "trainer/summary.hpp"

#include <amp/amp.hpp>
#include <amp/safetensors.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

/// Samples, each over the same number of steps. If there are too many, pairs of samples are merged:
/// a curve has 200 to 400 points from the first epoch on, for any number of epochs.
class History {
 public:
  static constexpr std::int64_t kMost = 400;

  explicit History(std::int64_t steps_per_epoch)
      : every_((std::max)(std::int64_t{1}, 2 * steps_per_epoch / kMost)) {}

  /// Returns whether a sample ends with this step. The first step is 1.
  [[nodiscard]] bool due(std::int64_t step) const { return step % every_ == 0; }

  void add(const Sample& sample) {
    const std::array<double, kColumns> row = row_of(sample);
    rows_ = amp::cat({rows_, amp::tensor(row, {1, kColumns})}, 0);
    if (rows_.size(0) == kMost) join();
  }

  [[nodiscard]] std::vector<Sample> samples() const {
    const std::vector<double> numbers = rows_.to_vector<double>();
    std::vector<Sample> samples;
    for (std::size_t i = 0; i < numbers.size(); i += kColumns) {
      samples.push_back({.step = static_cast<std::int64_t>(numbers[i]),
                         .loss = numbers[i + 1],
                         .scale = numbers[i + 2],
                         .skipped = static_cast<std::int64_t>(numbers[i + 3])});
    }
    return samples;
  }

  /// Adds the samples to the checkpoint, which this object must outlive.
  void add_to(amp::Checkpoint& checkpoint) {
    checkpoint.add("history", rows_).add("history_every", every_);
  }

 private:
  static constexpr std::int64_t kColumns = 4;

  static std::array<double, kColumns> row_of(const Sample& sample) {
    return {static_cast<double>(sample.step), sample.loss, sample.scale,
            static_cast<double>(sample.skipped)};
  }

  void join() {
    const std::vector<Sample> all = samples();
    std::vector<double> numbers;
    for (std::size_t i = 0; i + 1 < all.size(); i += 2) {
      Sample both = all[i + 1];
      both.loss = (all[i].loss + all[i + 1].loss) / 2;
      const auto row = row_of(both);
      numbers.insert(numbers.end(), row.begin(), row.end());
    }
    rows_ = amp::tensor(numbers, {static_cast<std::int64_t>(all.size() / 2), kColumns});
    every_ *= 2;
  }

  std::int64_t every_;  // steps per sample
  amp::Tensor rows_ = amp::empty({0, kColumns}, {.dtype = amp::kFloat64});
};

}  // namespace examples

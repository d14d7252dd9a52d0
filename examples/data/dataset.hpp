// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Labelled images as the files hold them, and their preparation for a network.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

/// `count()` images of one size. Image i begins at pixels[i * image_size()]; in it the planes of
/// the channels follow each other, and in a plane the rows.
struct Dataset {
  std::int64_t channels = 0;
  std::int64_t height = 0;
  std::int64_t width = 0;
  std::int64_t classes = 10;
  std::vector<std::uint8_t> pixels = {};
  std::vector<std::int64_t> labels = {};  // each in 0, ..., classes - 1

  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(labels.size()); }
  [[nodiscard]] std::int64_t plane_size() const { return height * width; }
  [[nodiscard]] std::int64_t image_size() const { return channels * plane_size(); }
};

struct TrainAndTest {
  Dataset train = {};
  Dataset test = {};
};

/// Removes all images but the first `count`.
void truncate(Dataset& set, std::int64_t count);

/// Returns larger images with these in the middle. The border is 0 (the background of the idx
/// sets). `height` and `width` are at least those of the images.
Dataset pad(const Dataset& set, std::int64_t height, std::int64_t width);

/// Mean and standard deviation (divisor N) of one channel, for pixel values divided by 255.
struct ChannelStats {
  double mean = 0;
  double deviation = 0;
};

std::vector<ChannelStats> channel_stats(const Dataset& set);

/// (pixel / 255 - mean) / deviation, channel by channel. A channel that never varies becomes 0.
class Normaliser {
 public:
  explicit Normaliser(const std::vector<ChannelStats>& stats);

  /// The values of a channel's pixels.
  [[nodiscard]] const std::array<float, 256>& channel(std::int64_t c) const {
    return tables_[static_cast<std::size_t>(c)];
  }

 private:
  std::vector<std::array<float, 256>> tables_;
};

}  // namespace examples

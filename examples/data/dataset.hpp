// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Labelled images as the files hold them, and what is done to them before a network sees them.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
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

/// Keeps the first `count` images, or all of them when there are fewer.
inline void truncate(Dataset& set, std::int64_t count) {
  const auto kept = static_cast<std::size_t>(std::min(count, set.count()));
  set.labels.resize(kept);
  set.pixels.resize(kept * static_cast<std::size_t>(set.image_size()));
}

/// The images in the middle of larger ones whose border is 0 (the background of the idx sets).
/// `height` and `width` are at least those of the images.
inline Dataset pad(const Dataset& set, std::int64_t height, std::int64_t width) {
  Dataset padded{set.channels, height, width, set.classes, {}, set.labels};
  padded.pixels.resize(static_cast<std::size_t>(set.count() * padded.image_size()));
  const std::int64_t top = (height - set.height) / 2;
  const std::int64_t left = (width - set.width) / 2;
  for (std::int64_t plane = 0; plane < set.count() * set.channels; ++plane) {
    for (std::int64_t row = 0; row < set.height; ++row) {
      const auto from = set.pixels.begin() + plane * set.plane_size() + row * set.width;
      const auto to = padded.pixels.begin() + plane * padded.plane_size() + (top + row) * width;
      std::copy(from, from + set.width, to + left);
    }
  }
  return padded;
}

/// Mean and standard deviation (divisor N) of one channel, for pixel values divided by 255.
struct ChannelStats {
  double mean = 0;
  double deviation = 0;
};

inline std::vector<ChannelStats> channel_stats(const Dataset& set) {
  std::vector<ChannelStats> stats;
  for (std::int64_t channel = 0; channel < set.channels; ++channel) {
    std::uint64_t sum = 0;  // both sums are exact: 2^48 pixels would fit
    std::uint64_t sum_of_squares = 0;
    for (std::int64_t image = 0; image < set.count(); ++image) {
      const auto plane = set.pixels.begin() + image * set.image_size() + channel * set.plane_size();
      for (auto pixel = plane; pixel != plane + set.plane_size(); ++pixel) {
        sum += *pixel;
        sum_of_squares += std::uint64_t{*pixel} * *pixel;
      }
    }
    const auto count = static_cast<double>(set.count() * set.plane_size());
    const double mean = static_cast<double>(sum) / count;
    const double variance = static_cast<double>(sum_of_squares) / count - mean * mean;
    stats.push_back({mean / 255, std::sqrt(std::max(variance, 0.0)) / 255});
  }
  return stats;
}

/// (pixel / 255 - mean) / deviation, channel by channel. A channel that never varies becomes 0.
class Normaliser {
 public:
  explicit Normaliser(const std::vector<ChannelStats>& stats) {
    for (const ChannelStats& channel : stats) {
      const double factor = channel.deviation > 0 ? 1 / channel.deviation : 0;
      std::array<float, 256>& values = tables_.emplace_back();
      for (std::size_t pixel = 0; pixel < values.size(); ++pixel) {
        values[pixel] =
            static_cast<float>((static_cast<double>(pixel) / 255.0 - channel.mean) * factor);
      }
    }
  }

  /// The values of a channel's pixels.
  [[nodiscard]] const std::array<float, 256>& channel(std::int64_t c) const {
    return tables_[static_cast<std::size_t>(c)];
  }

 private:
  std::vector<std::array<float, 256>> tables_;
};

}  // namespace examples

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What is done to all images before the training, and images that the program draws.
#include "data/images.hpp"
#include "data/drawn.hpp"
#include "data/random.hpp"

#include <amp/amp.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

namespace examples {

amp::data::ImageDataset first(const amp::data::ImageDataset& set, std::int64_t count) {
  const std::int64_t kept = std::min(count, set.size());
  return {set.images().narrow(0, 0, kept), set.targets().narrow(0, 0, kept)};
}

amp::data::ImageDataset pad(const amp::data::ImageDataset& set, std::int64_t size) {
  return {amp::data::transforms::center_crop(set.images(), size), set.targets()};
}

ChannelStats channel_stats(const amp::data::ImageDataset& set) {
  ChannelStats stats;
  for (std::int64_t channel = 0; channel < set.images().size(1); ++channel) {
    std::uint64_t sum = 0;  // both sums are exact: 2^48 pixels would fit
    std::uint64_t sum_of_squares = 0;
    const amp::Tensor pixels = set.images().select(1, channel).contiguous();
    for (const std::uint8_t pixel :
         std::span(pixels.const_data<std::uint8_t>(), static_cast<std::size_t>(pixels.numel()))) {
      sum += pixel;
      sum_of_squares += std::uint64_t{pixel} * pixel;
    }
    const auto count = static_cast<double>(pixels.numel());
    const double mean = static_cast<double>(sum) / count;
    const double variance = static_cast<double>(sum_of_squares) / count - mean * mean;
    stats.mean.push_back(mean / 255);
    // A channel that never varies becomes 0 with any.
    stats.deviation.push_back(variance > 0 ? std::sqrt(variance) / 255 : 1);
  }
  return stats;
}

// --- drawing ------------------------------------------------------------------------------------

namespace {

/// Returns whether the shape of a class covers the point (u, v), u to the right and v down. Every
/// shape fits into the square from -1 to 1.
bool covers(std::int64_t shape, double u, double v) {
  const double across = std::abs(u);
  const double along = std::abs(v);
  const double square = std::max(across, along);
  const double radius = std::sqrt(u * u + v * v);
  const auto striped = [](double x) {
    return static_cast<int>(std::floor((x + 1) * 2.5)) % 2 == 0;
  };
  if (shape == 0) return radius <= 1;                                        // disc
  if (shape == 1) return radius <= 1 && radius >= 0.6;                       // ring
  if (shape == 2) return square <= 0.85;                                     // square
  if (shape == 3) return square <= 0.85 && square >= 0.5;                    // frame
  if (shape == 4) return 2 * across <= v + 1 && v <= 0.9;                    // triangle
  if (shape == 5) return across + along <= 1;                                // diamond
  if (shape == 6) return std::min(across, along) <= 0.28 && square <= 1;     // plus
  if (shape == 7) return std::abs(across - along) <= 0.35 && square <= 0.9;  // saltire
  if (shape == 8) return square < 1 && striped(v);                           // three bars
  return square < 1 && striped(u);                                           // three columns
}

/// The shape in one image.
struct Drawing {
  std::int64_t shape = 0;
  double x = 0, y = 0;  // centre, in pixels
  double radius = 0;    // in pixels
  double tilt = 0;      // tangent of the angle the shape is turned by
  double noise = 0;     // standard deviation, in steps of a pixel's 255
  std::array<double, 3> background = {}, foreground = {}, shading = {};

  Drawing(std::int64_t shape_, Random& random) : shape(shape_) {
    radius = random.uniform(8, 13);
    x = random.uniform(radius, kDrawnSize - radius);
    y = random.uniform(radius, kDrawnSize - radius);
    tilt = random.uniform(-0.27, 0.27);  // 15 degrees: a square stays unlike a diamond
    noise = random.uniform(5, 40);
    for (std::size_t channel = 0; channel < 3; ++channel) {
      background[channel] = random.uniform(0, 120);
      foreground[channel] = background[channel] + random.uniform(30, 130);
      shading[channel] = random.uniform(-1.5, 1.5);
    }
  }

  /// The share of a pixel that the shape covers, from four points in it.
  [[nodiscard]] double coverage(std::int64_t row, std::int64_t column) const {
    int covered = 0;
    for (const double down : {0.25, 0.75}) {
      for (const double right : {0.25, 0.75}) {
        const double u = (static_cast<double>(column) + right - x) / radius;
        const double v = (static_cast<double>(row) + down - y) / radius;
        if (covers(shape, u + tilt * v, v - tilt * u)) ++covered;
      }
    }
    return covered / 4.0;
  }

  [[nodiscard]] std::uint8_t level(std::size_t channel, double covered, std::int64_t column,
                                   Random& random) const {
    const double behind =
        background[channel] + shading[channel] * static_cast<double>(column - kDrawnSize / 2);
    const double clean = behind + covered * (foreground[channel] - behind);
    return static_cast<std::uint8_t>(std::clamp(clean + noise * random.normal(), 0.0, 255.0));
  }
};

}  // namespace

amp::data::ImageDataset draw(std::int64_t count, std::uint64_t seed) {
  constexpr std::int64_t kPlane = kDrawnSize * kDrawnSize;
  const amp::Tensor images = amp::empty({count, 3, kDrawnSize, kDrawnSize}, {.dtype = amp::kUInt8});
  Random random(seed);
  auto* image = images.data<std::uint8_t>();
  for (std::int64_t i = 0; i < count; ++i, image += 3 * kPlane) {
    const Drawing drawing(i % kClasses, random);
    for (std::int64_t at = 0; at < kPlane; ++at) {
      const double covered = drawing.coverage(at / kDrawnSize, at % kDrawnSize);
      for (std::int64_t channel = 0; channel < 3; ++channel) {
        image[channel * kPlane + at] =
            drawing.level(static_cast<std::size_t>(channel), covered, at % kDrawnSize, random);
      }
    }
  }
  return {images, amp::remainder(amp::arange(count), kClasses)};
}

TrainAndTest load_drawn(std::uint64_t seed) {
  return {.train = draw(4000, 2 * seed), .test = draw(1000, 2 * seed + 1)};
}

}  // namespace examples

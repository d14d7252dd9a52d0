// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ten classes of shapes, drawn by the program: what to train on when there are no files at hand.
// Place, size, tilt, colours, shading and noise are random, so that no single pixel tells the
// class.
#pragma once

#include "data/dataset.hpp"
#include "data/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace examples {

inline constexpr std::int64_t kDrawnSize = 32;  // pixels, as high as wide

/// Whether the shape of a class covers the point (u, v), u to the right and v down. Every shape
/// fits into the square from -1 to 1.
inline bool covers(std::int64_t shape, double u, double v) {
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

/// What one image shows.
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

/// `count` images, the classes in turn. The same seed gives the same images, and fewer of them are
/// the first of more.
inline Dataset draw(std::int64_t count, std::uint64_t seed) {
  Dataset set{3, kDrawnSize, kDrawnSize};
  set.pixels.resize(static_cast<std::size_t>(count * set.image_size()));
  Random random(seed);
  auto* image = set.pixels.data();
  for (std::int64_t i = 0; i < count; ++i, image += set.image_size()) {
    set.labels.push_back(i % set.classes);
    const Drawing drawing(i % set.classes, random);
    for (std::int64_t at = 0; at < set.plane_size(); ++at) {
      const double covered = drawing.coverage(at / kDrawnSize, at % kDrawnSize);
      for (std::int64_t channel = 0; channel < set.channels; ++channel) {
        image[channel * set.plane_size() + at] =
            drawing.level(static_cast<std::size_t>(channel), covered, at % kDrawnSize, random);
      }
    }
  }
  return set;
}

/// Images to train with and others to test with.
inline TrainAndTest load_drawn(std::uint64_t seed) {
  return {.train = draw(4000, 2 * seed), .test = draw(1000, 2 * seed + 1)};
}

}  // namespace examples

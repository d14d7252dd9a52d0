// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ten classes of shapes, drawn by the program, to train without files. Place, size, tilt, colours,
// shading and noise are random, so that no single pixel determines the class.
#pragma once

#include "data/images.hpp"

#include <cstdint>

namespace examples {

inline constexpr std::int64_t kDrawnSize = 32;  // pixels, as high as wide

/// Returns `count` images, with the classes in turn. The same seed gives the same images; a smaller
/// `count` gives the first of them.
amp::data::ImageDataset draw(std::int64_t count, std::uint64_t seed);

/// Images to train with and others to test with.
TrainAndTest load_drawn(std::uint64_t seed);

}  // namespace examples

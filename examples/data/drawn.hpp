// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ten classes of shapes, drawn by the program: what to train on when there are no files at hand.
// Place, size, tilt, colours, shading and noise are random, so that no single pixel tells the
// class.
#pragma once

#include "data/dataset.hpp"

#include <cstdint>

namespace examples {

inline constexpr std::int64_t kDrawnSize = 32;  // pixels, as high as wide

/// `count` images, the classes in turn. The same seed gives the same images, and fewer of them are
/// the first of more.
Dataset draw(std::int64_t count, std::uint64_t seed);

/// Images to train with and others to test with.
TrainAndTest load_drawn(std::uint64_t seed);

}  // namespace examples

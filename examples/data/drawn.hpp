// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ten classes of shapes, drawn by the program, to train without files. Place, size, tilt, colours,
// shading and noise are random, so that no single pixel determines the class.
#pragma once

#include "data/images.hpp"

#include <amp/data.hpp>

#include <cstdint>
#include <string>

namespace examples {

inline constexpr std::int64_t kDrawnSize = 32;  // pixels, as high as wide

/// Returns `count` images, with the classes in turn. The same seed gives the same images; a smaller
/// `count` gives the first of them.
amp::data::ImageDataset draw(std::int64_t count, std::uint64_t seed);

/// Images to train with and others to test with.
TrainAndTest load_drawn(std::uint64_t seed);

/// The images of a data set's files in a folder, or drawn ones if the folder has no name.
template <class Files = amp::data::CIFAR10>
TrainAndTest load_or_draw(const std::string& folder) {
  if (folder.empty()) return load_drawn(1);
  return {Files(folder), Files(folder, {.train = false})};
}

}  // namespace examples

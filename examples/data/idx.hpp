// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The idx format of MNIST (Y. LeCun, C. Cortes, C. Burges) and of Fashion-MNIST.
// Header numbers are unsigned, 32 bits, the most significant byte first.
//   images: 0x00000803, count, rows, columns, then count * rows * columns bytes, 0 = background
//   labels: 0x00000801, count, then count bytes
#pragma once

#include "data/dataset.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace examples {

class InputFile;

/// A limit far above the size of the known sets. A header may claim, and a compressed file may
/// hold, more than fits into memory.
inline constexpr std::uint64_t kMostIdxImages = 500'000;

/// Reads the pixels of all images. There must be 1 to kMostIdxImages.
std::vector<std::uint8_t> read_idx_images(InputFile& file, std::uint32_t rows,
                                          std::uint32_t columns);

/// Reads one label for each image, each in 0, ..., classes - 1.
std::vector<std::int64_t> read_idx_labels(InputFile& file, std::uint32_t count,
                                          std::int64_t classes);

/// Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte, each plain or with ".gz" appended.
Dataset read_idx(const std::string& directory, const std::string& prefix);

/// The grey 28x28 images of MNIST or Fashion-MNIST: 60,000 to train with, 10,000 to test with.
TrainAndTest load_idx(const std::string& directory);

}  // namespace examples

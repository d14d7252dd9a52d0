// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The idx format of MNIST (Y. LeCun, C. Cortes, C. Burges) and of Fashion-MNIST, which kept it.
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

/// Several times what any set of this kind has. A file can claim, and if compressed hold, far more
/// than fits into memory.
inline constexpr std::uint64_t kMostIdxImages = 500'000;

/// The pixels of all images, of which there are from 1 to kMostIdxImages.
std::vector<std::uint8_t> read_idx_images(InputFile& file, std::uint32_t rows,
                                          std::uint32_t columns);

/// As many labels as there are images, each in 0, ..., classes - 1.
std::vector<std::int64_t> read_idx_labels(InputFile& file, std::uint32_t count,
                                          std::int64_t classes);

/// Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte, each plain or with ".gz" appended.
Dataset read_idx(const std::string& directory, const std::string& prefix);

/// The grey 28x28 images of MNIST or Fashion-MNIST: 60,000 to train with, 10,000 to test with.
TrainAndTest load_idx(const std::string& directory);

}  // namespace examples

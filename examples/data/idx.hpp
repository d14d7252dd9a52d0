// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The idx format of MNIST (Y. LeCun, C. Cortes, C. Burges) and of Fashion-MNIST, which kept it.
// Header numbers are unsigned, 32 bits, the most significant byte first.
//   images: 0x00000803, count, rows, columns, then count * rows * columns bytes, 0 = background
//   labels: 0x00000801, count, then count bytes
#pragma once

#include "data/dataset.hpp"
#include "data/file.hpp"

#include <cstdio>
#include <filesystem>
#include <string>

namespace examples {

inline constexpr std::uint32_t kIdxImagesMagic = 0x00000803;  // unsigned bytes, three dimensions
inline constexpr std::uint32_t kIdxLabelsMagic = 0x00000801;  // unsigned bytes, one dimension

/// Several times what any set of this kind has. A file can claim, and if compressed hold, far more
/// than fits into memory.
inline constexpr std::uint64_t kMostIdxImages = 500'000;

/// Reads one header number and throws amp::Error unless it is `wanted`.
inline void expect_number(InputFile& file, const std::string& what, std::uint32_t wanted,
                          const char* format = "%u") {
  const auto text = [format](std::uint32_t number) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, format, number);
    return std::string(buffer);
  };
  const std::uint64_t offset = file.offset();
  const std::uint32_t found = file.read_big_endian(what + " " + text(wanted));
  if (found != wanted) file.fail(offset, what + " " + text(wanted), text(found));
}

/// The pixels of all images, of which there are from 1 to kMostIdxImages.
inline std::vector<std::uint8_t> read_idx_images(InputFile& file, std::uint32_t rows,
                                                 std::uint32_t columns) {
  expect_number(file, "the magic number of idx images", kIdxImagesMagic, "0x%08x");
  const std::uint64_t count = file.read_big_endian("the number of images");
  if (count == 0) file.fail(file.offset() - 4, "at least one image", "0 images");
  if (count > kMostIdxImages) {
    file.fail(file.offset() - 4, "at most " + std::to_string(kMostIdxImages) + " images",
              std::to_string(count) + " images");
  }
  expect_number(file, "the number of rows", rows);
  expect_number(file, "the number of columns", columns);
  const std::uint64_t size = count * rows * columns;
  auto pixels = file.read(
      size, std::to_string(size) + " bytes of pixels for " + std::to_string(count) + " images");
  file.expect_end();
  return pixels;
}

/// As many labels as there are images, each in 0, ..., classes - 1.
inline std::vector<std::int64_t> read_idx_labels(InputFile& file, std::uint32_t count,
                                                 std::int64_t classes) {
  expect_number(file, "the magic number of idx labels", kIdxLabelsMagic, "0x%08x");
  expect_number(file, "as many labels as there are images,", count);
  const std::uint64_t begin = file.offset();
  const auto bytes = file.read(count, std::to_string(count) + " labels");
  file.expect_end();
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] < classes) continue;
    file.fail(begin + i, "a label from 0 to " + std::to_string(classes - 1),
              std::to_string(bytes[i]));
  }
  return {bytes.begin(), bytes.end()};
}

/// Reads PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte, each plain or with ".gz" appended.
inline Dataset read_idx(const std::filesystem::path& directory, const std::string& prefix) {
  Dataset set{1, 28, 28};
  InputFile images(find_file(directory, prefix + "-images-idx3-ubyte"));
  InputFile labels(find_file(directory, prefix + "-labels-idx1-ubyte"));
  set.pixels = read_idx_images(images, 28, 28);
  const auto count = set.pixels.size() / static_cast<std::size_t>(set.image_size());
  set.labels = read_idx_labels(labels, static_cast<std::uint32_t>(count), set.classes);
  return set;
}

/// The grey 28x28 images of MNIST or Fashion-MNIST: 60,000 to train with, 10,000 to test with.
inline TrainAndTest load_idx(const std::filesystem::path& directory) {
  return {.train = read_idx(directory, "train"), .test = read_idx(directory, "t10k")};
}

}  // namespace examples

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The idx format of MNIST (Y. LeCun, C. Cortes, C. Burges), and the sets that have its files.
// Header numbers are unsigned, 32 bits, the most significant byte first: 0x00000800 plus the number
// of dimensions, the extents, then the bytes.
#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>

#include "amp/core/config.hpp"
#include "amp/core/file_path.hpp"
#include "amp/data/files/byte_reader.hpp"
#include "amp/data/files/folders.hpp"
#include "amp/data/image_dataset.hpp"
#include "amp/ops/tensor_members.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

namespace detail {

/// Reads a header number of an idx file, and throws unless it is `wanted`.
[[gnu::cold]] inline void expect_number(ByteReader& file, const std::string& what,
                                        std::uint32_t wanted, const char* format) {
  const auto text = [format](std::uint32_t number) {
    char buffer[16];
    std::snprintf(buffer, sizeof buffer, format, number);
    return std::string(buffer);
  };
  const std::uint64_t offset = file.offset();
  const std::uint32_t found = file.read_big_endian(what + " " + text(wanted));
  if (found != wanted) file.fail(offset, what + " " + text(wanted), text(found));
}

/// The bytes of an idx file with so many dimensions. `what` are its elements, "labels".
[[gnu::cold]] inline Tensor read_idx(const std::string& path, int dims, const std::string& what) {
  ByteReader file(path);
  expect_number(file, "the magic number of idx " + what, 0x800 + static_cast<std::uint32_t>(dims),
                "0x%08x");
  Shape shape;
  std::uint64_t bytes = 1;
  for (int d = 0; d < dims; ++d) {
    const std::uint32_t extent =
        file.read_big_endian("the number of " + (d == 0 ? what : std::string("rows or columns")));
    const bool overflows = __builtin_mul_overflow(bytes, std::uint64_t{extent}, &bytes) ||
                           bytes > static_cast<std::uint64_t>(INT64_MAX);
    if (extent == 0 || overflows)
      file.fail(file.offset() - 4, "an extent of a data set", std::to_string(extent));
    shape.push_back(extent);
  }
  const Tensor content = file.read(
      bytes, std::to_string(bytes) + " bytes for " + std::to_string(shape[0]) + " " + what);
  file.expect_end();
  return content.reshape(shape);
}

/// Images and labels of the files PREFIX-images-idx3-ubyte and PREFIX-labels-idx1-ubyte.
[[gnu::cold]] inline ImageDataset read_mnist(const std::filesystem::path& root, const char* name,
                                             bool train) {
  constexpr std::uint8_t kClasses = 10;
  const std::string prefix = train ? "train" : "t10k";
  const std::string image_file = prefix + "-images-idx3-ubyte";
  const std::string raw = std::string(name) + "/raw";
  const std::filesystem::path folder = folder_with(root, {"", raw.c_str(), "raw"}, image_file);
  const Tensor images = read_idx(required_file(folder, image_file), 3, "images");
  const std::string label_path = required_file(folder, prefix + "-labels-idx1-ubyte");
  const Tensor labels = read_idx(label_path, 1, "labels");
  if (labels.size(0) != images.size(0))
    ByteReader(label_path)
        .fail(4, "as many labels as there are images, " + std::to_string(images.size(0)),
              std::to_string(labels.size(0)));
  const auto* label = static_cast<const std::uint8_t*>(labels.raw_data());
  for (std::int64_t i = 0; i < labels.numel(); ++i) {
    if (label[i] >= kClasses)
      ByteReader(label_path)
          .fail(static_cast<std::uint64_t>(8 + i), "a label from 0 to 9", std::to_string(label[i]));
  }
  return {images.unsqueeze(1), labels.to(kInt64)};
}

}  // namespace detail

/// Options of the data sets that come in files.
struct FilesOptions {
  bool train = true;  ///< the examples to train with, or those to test with
};

/// The handwritten digits: 60,000 to train with, 10,000 to test with; grey images [1, 28, 28] of
/// uint8. Reads train-images-idx3-ubyte, train-labels-idx1-ubyte, or t10k-..., each plain or with
/// ".gz" appended, in the folder, or in MNIST/raw within. Throws amp::Error, naming the file and the
/// place in it, if it is missing or damaged.
class MNIST : public ImageDataset {
 public:
  /// Reads the files.
  explicit MNIST(FilePath root, const FilesOptions& options = {})
      : ImageDataset(detail::read_mnist(root.string(), "MNIST", options.train)) {}
};

/// The pieces of clothing of Fashion-MNIST, in the same form; also in FashionMNIST/raw.
class FashionMNIST : public ImageDataset {
 public:
  /// Reads the files.
  explicit FashionMNIST(FilePath root, const FilesOptions& options = {})
      : ImageDataset(detail::read_mnist(root.string(), "FashionMNIST", options.train)) {}
};

}  // namespace amp::inline v0::data

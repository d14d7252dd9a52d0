// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CIFAR-10 and CIFAR-100, binary versions (A. Krizhevsky, "Learning Multiple Layers of Features from
// Tiny Images", 2009). A file is records without header or delimiter: one label byte (of CIFAR-100
// two: the coarse class and the fine one), then the red, green and blue plane, 32 rows of 32 bytes
// each.
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "amp/core/config.hpp"
#include "amp/core/file_path.hpp"
#include "amp/data/files/byte_reader.hpp"
#include "amp/data/files/folders.hpp"
#include "amp/data/files/mnist.hpp"
#include "amp/data/image_dataset.hpp"
#include "amp/ops/join.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::data {

namespace detail {

/// The records of files. There is no header, so that only the size shows whether one is complete.
struct CifarFormat {
  std::int64_t labels = 1;  // bytes before the pixels
  std::int64_t label = 0;   // which of them is the class
  std::int64_t classes = 10;
  std::int64_t records = 10000;  // of a file
};

/// Reads one file into images and targets from `begin` on.
[[gnu::cold]] inline void read_cifar(const std::string& path, const CifarFormat& format,
                                     const Tensor& images, const Tensor& targets,
                                     std::int64_t begin) {
  constexpr std::int64_t kPixels = 3 * 32 * 32;
  const std::int64_t record = format.labels + kPixels;
  const auto size = static_cast<std::uint64_t>(format.records * record);
  ByteReader file(path);
  const Tensor bytes =
      file.read(size, std::to_string(size) + " bytes (" + std::to_string(format.records) +
                          " records of " + std::to_string(record) + ")");
  file.expect_end();
  const auto* from = static_cast<const std::uint8_t*>(bytes.raw_data());
  auto* to = static_cast<std::uint8_t*>(images.raw_data()) + begin * kPixels;
  auto* target = static_cast<std::int64_t*>(targets.raw_data()) + begin;
  for (std::int64_t i = 0; i < format.records; ++i, from += record, to += kPixels) {
    if (from[format.label] >= format.classes)
      file.fail(static_cast<std::uint64_t>(i * record + format.label),
                "a label from 0 to " + std::to_string(format.classes - 1),
                std::to_string(from[format.label]));
    *target++ = from[format.label];
    std::memcpy(to, from + format.labels, static_cast<std::size_t>(kPixels));
  }
}

[[gnu::cold]] inline ImageDataset read_cifar_files(const std::vector<std::string>& paths,
                                                   const CifarFormat& format) {
  const std::int64_t count = format.records * static_cast<std::int64_t>(paths.size());
  const Tensor images = empty({count, 3, 32, 32}, {.dtype = kUInt8});
  const Tensor targets = empty({count}, {.dtype = kInt64});
  for (std::size_t i = 0; i < paths.size(); ++i)
    read_cifar(paths[i], format, images, targets, static_cast<std::int64_t>(i) * format.records);
  return {images, targets};
}

[[gnu::cold]] inline ImageDataset read_cifar10(const std::filesystem::path& root, bool train,
                                               const CifarFormat& format = {}) {
  std::vector<std::string> paths;
  const char* const kWithin = "cifar-10-batches-bin";
  if (!train) {
    const char* const kName = "test_batch.bin";
    paths.push_back(required_file(folder_with(root, {"", kWithin}, kName), kName));
  }
  for (int i = 1; train && i <= 5; ++i) {
    const std::string name = "data_batch_" + std::to_string(i) + ".bin";
    const std::string path = found_file(folder_with(root, {"", kWithin}, name), name);
    if (!path.empty()) paths.push_back(path);
  }
  if (paths.empty())
    fail_missing(root, "data_batch_1.bin", "at least one of data_batch_{1..5}.bin[.gz]");
  return read_cifar_files(paths, format);
}

[[gnu::cold]] inline ImageDataset read_cifar100(const std::filesystem::path& root, bool train,
                                                bool coarse) {
  const std::string name = train ? "train.bin" : "test.bin";
  return read_cifar_files({required_file(folder_with(root, {"", "cifar-100-binary"}, name), name)},
                          {.labels = 2,
                           .label = coarse ? 0 : 1,
                           .classes = coarse ? 20 : 100,
                           .records = train ? 50000 : 10000});
}

}  // namespace detail

/// Small photographs of ten classes, images [3, 32, 32] of uint8: 50,000 to train with, 10,000 to
/// test with. Reads those of data_batch_{1..5}.bin that are there, at least one, or test_batch.bin,
/// each plain or with ".gz" appended, in the folder or in cifar-10-batches-bin within. Throws
/// amp::Error, naming the file and the place in it, if it is missing or damaged.
class CIFAR10 : public ImageDataset {
 public:
  /// Reads the files.
  explicit CIFAR10(FilePath root, const FilesOptions& options = {})
      : ImageDataset(detail::read_cifar10(root.string(), options.train)) {}
};

/// Options of CIFAR100.
struct CIFAR100Options {
  bool train = true;
  bool coarse = false;  ///< the 20 coarse classes instead of the 100 fine ones
};

/// The same with 100 classes: train.bin or test.bin, in the folder or in cifar-100-binary within.
class CIFAR100 : public ImageDataset {
 public:
  /// Reads the file.
  explicit CIFAR100(FilePath root, const CIFAR100Options& options = {})
      : ImageDataset(detail::read_cifar100(root.string(), options.train, options.coarse)) {}
};

}  // namespace amp::inline v0::data

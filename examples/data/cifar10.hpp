// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CIFAR-10, binary version (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
// 2009). A file is 10,000 records without header or delimiter. A record is one label byte and the
// red, green and blue plane, 32 rows of 32 bytes each.
#pragma once

#include "data/dataset.hpp"
#include "data/file.hpp"

#include <filesystem>
#include <string>

namespace examples {

inline constexpr std::int64_t kCifarPixels = 3 * 32 * 32;
inline constexpr std::int64_t kCifarRecord = 1 + kCifarPixels;
inline constexpr std::int64_t kCifarRecordsPerFile = 10000;

/// Appends the images of one file. Throws amp::Error unless it holds exactly `records` of them:
/// without a header, the size is all that tells a whole file from a broken one.
inline void append_cifar10(Dataset& set, const std::filesystem::path& path,
                           std::int64_t records = kCifarRecordsPerFile) {
  InputFile file(path);
  const auto size = static_cast<std::uint64_t>(records * kCifarRecord);
  const auto bytes = file.read(size, std::to_string(size) + " bytes (" + std::to_string(records) +
                                         " records of " + std::to_string(kCifarRecord) + ")");
  file.expect_end();
  for (std::uint64_t at = 0; at < size; at += kCifarRecord) {
    const std::uint8_t label = bytes[at];
    if (label >= set.classes) file.fail(at, "a label from 0 to 9", std::to_string(label));
    set.labels.push_back(label);
    const auto pixels = bytes.begin() + static_cast<std::ptrdiff_t>(at + 1);
    set.pixels.insert(set.pixels.end(), pixels, pixels + kCifarPixels);
  }
}

/// Reads those of data_batch_{1..5}.bin that `directory` holds, at least one, and test_batch.bin,
/// each plain or with ".gz" appended.
inline TrainAndTest load_cifar10(const std::filesystem::path& directory,
                                 std::int64_t records_per_file = kCifarRecordsPerFile) {
  TrainAndTest sets{.train = {3, 32, 32}, .test = {3, 32, 32}};
  for (const char* name : {"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin",
                           "data_batch_4.bin", "data_batch_5.bin"}) {
    if (!has_file(directory, name)) continue;
    append_cifar10(sets.train, find_file(directory, name), records_per_file);
  }
  if (sets.train.count() == 0) {
    fail_at(directory / "data_batch_1.bin", 0, "at least one of data_batch_{1..5}.bin[.gz]",
            std::filesystem::is_directory(directory) ? "none" : "no such directory");
  }
  append_cifar10(sets.test, find_file(directory, "test_batch.bin"), records_per_file);
  return sets;
}

}  // namespace examples

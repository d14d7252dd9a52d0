// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CIFAR-10, binary version (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
// 2009). A file is 10,000 records without header or delimiter. A record is one label byte and the
// red, green and blue plane, 32 rows of 32 bytes each.
#pragma once

#include "data/dataset.hpp"

#include <cstdint>
#include <string>

namespace examples {

inline constexpr std::int64_t kCifarPixels = 3 * 32 * 32;
inline constexpr std::int64_t kCifarRecord = 1 + kCifarPixels;
inline constexpr std::int64_t kCifarRecordsPerFile = 10000;

/// Appends the images of one file. Throws amp::Error unless it holds exactly `records` of them:
/// there is no header, so only the size shows whether a file is complete.
void append_cifar10(Dataset& set, const std::string& path,
                    std::int64_t records = kCifarRecordsPerFile);

/// Reads those of data_batch_{1..5}.bin that `directory` holds, at least one, and test_batch.bin,
/// each plain or with ".gz" appended.
TrainAndTest load_cifar10(const std::string& directory,
                          std::int64_t records_per_file = kCifarRecordsPerFile);

}  // namespace examples

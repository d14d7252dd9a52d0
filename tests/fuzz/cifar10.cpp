// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CIFAR-10 reader on any bytes, plain or compressed: amp::Error, or one whole labelled image.
#include "data/cifar10.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string record = '\7' + std::string(examples::kCifarPixels, 'p');
  fuzz::write_seeds(*count, *arguments, {record, fuzz::gzip(record), fuzz::gzip(record + record)});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write({reinterpret_cast<const char*>(data), size});
  examples::Dataset set{3, 32, 32};
  if (fuzz::accepted([&] { examples::append_cifar10(set, file.path(), 1); })) {
    fuzz::require(set.count() == 1 && set.labels[0] >= 0 && set.labels[0] < 10, "one label");
    fuzz::require(set.pixels.size() == examples::kCifarPixels, "one image");
  } else {
    fuzz::require(set.count() == 0 && set.pixels.empty(), "nothing of a damaged file");
  }
  return 0;
}

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CIFAR-10 reader on any bytes, plain or compressed: amp::Error, or one whole labelled image.
#include <amp/amp.hpp>
#include <amp/data/files/cifar.hpp>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const std::string record = '\7' + std::string(3 * 32 * 32, 'p');
  fuzz::write_seeds(*count, *arguments, {record, fuzz::gzip(record), fuzz::gzip(record + record)});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile file;
  file.write({reinterpret_cast<const char*>(data), size});
  fuzz::accepted([&] {
    const amp::data::ImageDataset set =
        amp::data::detail::read_cifar_files({file.path()}, {.records = 1});
    fuzz::require(set.size() == 1 && set.get(0).target >= 0 && set.get(0).target < 10, "one label");
    fuzz::require(set.images().numel() == 3 * 32 * 32, "one image");
  });
  return 0;
}

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The idx reader on any bytes, plain or compressed: amp::Error, or whole images and labels in
// range. The first byte of an input chooses between images and labels.
#include <amp/amp.hpp>
#include <amp/data/files/mnist.hpp>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerInitialize(int* count, char*** arguments) {
  const auto number = [](char value) { return std::string(3, '\0') + value; };
  const std::string images = std::string("\0\0\x08\x03", 4) + number(2) + number(2) + number(3) +
                             std::string(12, 'p'),
                    labels =
                        std::string("\0\0\x08\x01", 4) + number(3) + std::string("\0\x09\4", 3);
  fuzz::write_seeds(
      *count, *arguments,
      {"i" + images, "l" + labels, "i" + fuzz::gzip(images), "l" + fuzz::gzip(labels)});
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const fuzz::MemoryFile memory;
  if (size == 0) return 0;
  memory.write({reinterpret_cast<const char*>(data + 1), size - 1});
  fuzz::accepted([&] {
    const int dims = data[0] == 'i' ? 3 : 1;
    const amp::Tensor bytes = amp::data::detail::read_idx(memory.path(), dims, "elements");
    fuzz::require(bytes.dim() == dims && bytes.numel() > 0, "images are whole");
  });
  return 0;
}

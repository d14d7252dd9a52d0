// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The hash of a tensor whose chunks several threads take at once, each of which adds its part.
#include <amp/kernels/hash/formula.hpp>
#include <amp/kernels/hash/host.hpp>

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace hash_threads {
namespace {

std::vector<std::uint64_t> hashes(const std::vector<std::vector<std::uint32_t>>& tensors) {
  std::vector<amp::kernels::HashSpan> spans;
  for (const auto& words : tensors)
    spans.push_back({words.data(), static_cast<std::int64_t>(4 * words.size())});
  std::vector<std::uint64_t> result(tensors.size());
  amp::kernels::host::hash({.device = amp::kCPU,
                            .tensors = spans.data(),
                            .count = static_cast<std::int64_t>(spans.size()),
                            .hashes = result.data()});
  return result;
}

}  // namespace

TEST_CASE("hash: any order of threads, and calls of several", "[ops]") {
  std::vector<std::vector<std::uint32_t>> tensors;
  std::vector<std::uint64_t> expected;
  for (const std::size_t size : {3u, 1000000u, 0u, 65537u}) {
    std::uint64_t sum = 0;
    std::vector<std::uint32_t>& words = tensors.emplace_back();
    for (std::size_t k = 0; k < size; ++k) {
      words.push_back(static_cast<std::uint32_t>(k * k));
      sum += amp::kernels::hash_of_word(words[k], static_cast<std::int64_t>(k));
    }
    expected.push_back(sum);
  }
  for (int run = 0; run < 20; ++run) CHECK(hashes(tensors) == expected);
  std::vector<std::uint64_t> others;
  std::thread other([&] { others = hashes(tensors); });
  CHECK(hashes(tensors) == expected);
  other.join();
  CHECK(others == expected);
}

}  // namespace hash_threads

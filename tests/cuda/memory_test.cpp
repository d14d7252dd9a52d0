// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The memory that amp holds of a device: what it says of it, what it gives back, and that it does
// not grow with the variety of sizes.
#include <amp/cuda.hpp>

#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/has_cache.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_memory {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp::cuda::DeviceMemoryStats;
using amp::cuda::memory_stats;
using Catch::Matchers::ContainsSubstring;

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

Tensor of_bytes(std::int64_t bytes) {
  return amp::empty({bytes}, {.dtype = amp::kUInt8, .device = kCUDA});
}

TEST_CASE("cuda memory: statistics say who holds how much", "[cuda]") {
  amp::cuda::empty_cache();
  amp::cuda::reset_peak_memory();
  const DeviceMemoryStats before = memory_stats();
  Tensor small = of_bytes(1000), large = of_bytes(3 * kMiB);
  DeviceMemoryStats now = memory_stats();
  CHECK(now.allocated == before.allocated + 1000 + 3 * kMiB);
  CHECK(now.peak_allocated == now.allocated);
  CHECK(now.reserved >= now.allocated);
  CHECK(now.peak_reserved >= now.reserved);
  small = large = Tensor();
  now = memory_stats();
  CHECK(now.allocated == before.allocated);
  CHECK(now.peak_allocated == before.allocated + 1000 + 3 * kMiB);
  // The large one is the driver's.
  CHECK(now.cached == before.cached + (cuda_test::has_cache() ? 1024 : 0));
  amp::cuda::reset_peak_memory();
  CHECK(memory_stats().peak_allocated == before.allocated);
  amp::cuda::empty_cache();
  now = memory_stats();
  CHECK(now.cached == 0);
  CHECK(now.reserved <= before.reserved);
  CHECK(now.peak_reserved >= now.reserved);
  CHECK_THAT(amp_test::error_of([] { (void)memory_stats(64); }),
             ContainsSubstring("memory_stats: `device` must be one of the"));
}

TEST_CASE("cuda memory: what a graph keeps is its own until it is destroyed", "[cuda]") {
  amp::cuda::empty_cache();
  const DeviceMemoryStats before = memory_stats();
  {
    const Tensor x = of_bytes(2 * kMiB);
    Tensor y;
    std::optional<amp::cuda::Graph> graph(std::in_place, [&] { y = (x + 1) * 2; });
    const DeviceMemoryStats with = memory_stats();
    CHECK(with.allocated == before.allocated + 4 * kMiB);
    CHECK(with.graphs >= before.graphs + 2 * kMiB);  // the temporary
    amp::cuda::empty_cache();
    CHECK(memory_stats().graphs == with.graphs);
    x.fill_(1);
    graph->replay();
    CHECK(y.to_vector<std::uint8_t>()[12345] == 4);
    graph.reset();
    CHECK(memory_stats().graphs == before.graphs);
    CHECK(y.to_vector<std::uint8_t>()[12345] == 4);
  }
  amp::cuda::empty_cache();
  CHECK(memory_stats().allocated == before.allocated);
  CHECK(memory_stats().cached == 0);
}

TEST_CASE("cuda memory: shapes that change reserve no memory of their own each", "[cuda]") {
  amp::cuda::empty_cache();
  amp::cuda::reset_peak_memory();
  const std::int64_t before = memory_stats().reserved;
  for (std::int64_t i = 0; i < 60; ++i) {
    const Tensor a = of_bytes((40 + i) * kMiB / 8), b = of_bytes((100 - i) * kMiB / 8);
    a.fill_(1);
    b.fill_(2);
  }
  // At most 12.5 MiB live at a time; the driver takes memory in steps of 32 MiB.
  CHECK(memory_stats().peak_reserved <= before + 64 * kMiB);
}

TEST_CASE("cuda memory: an error says who holds what memory, if there is too little", "[cuda]") {
  const Tensor some = of_bytes(5 * kMiB / 2);
  CHECK_THROWS_WITH(
      of_bytes(std::int64_t{1} << 42),
      ContainsSubstring("out of memory: cuda:0 could not give 4.0 TiB: tensors hold") &&
          ContainsSubstring("MiB") && ContainsSubstring("graphs") &&
          ContainsSubstring("workspaces") && ContainsSubstring("kept for reuse") &&
          ContainsSubstring("reserved") && ContainsSubstring("free"));
}

TEST_CASE("cuda memory: large copies arrive whole", "[cuda]") {
  std::vector<Tensor> there;
  for (int i = 0; i < 4; ++i)
    there.push_back(amp::full({11 * kMiB + 5}, i, {.dtype = amp::kUInt8}).to(kCUDA));
  for (int i = 0; i < 4; ++i) {
    const auto values = there[static_cast<std::size_t>(i)].to_vector<std::uint8_t>();
    for (const std::size_t at :
         {std::size_t{0}, (std::size_t{8} << 20) - 1, std::size_t{8} << 20, values.size() - 1})
      CHECK(values[at] == i);
  }
}

}  // namespace
}  // namespace cuda_memory

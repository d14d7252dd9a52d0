// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Bytes counted, and memory reused without mixing anything up.
#include <amp/amp.hpp>
#include <amp/device/host_memory.hpp>
#include <amp/device/large_blocks.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("memory: current bytes follow tensors as they come and go", "[device]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  {
    const amp::Tensor x = amp::empty({100});
    CHECK(amp::memory_stats().current_bytes == before + 400);
    const amp::Tensor y = amp::empty({100}, {.dtype = amp::kFloat16});
    CHECK(amp::memory_stats().current_bytes == before + 600);
    const amp::Tensor view = x.narrow(0, 10, 20);
    CHECK(amp::memory_stats().current_bytes == before + 600);
  }
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("memory: a view keeps its base alive", "[device]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  amp::Tensor view = amp::empty({1000}).narrow(0, 0, 1);
  CHECK(amp::memory_stats().current_bytes == before + 4000);
  view = amp::Tensor();
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("memory: the peak stays until it is reset", "[device]") {
  amp::reset_peak_memory();
  const std::int64_t before = amp::memory_stats().current_bytes;
  CHECK(amp::memory_stats().peak_bytes == before);
  { const amp::Tensor x = amp::empty({1 << 20}); }
  { const amp::Tensor x = amp::empty({1 << 10}); }
  CHECK(amp::memory_stats().peak_bytes == before + (4 << 20));
  amp::reset_peak_memory();
  CHECK(amp::memory_stats().peak_bytes == before);
}

TEST_CASE("memory: allocations are counted, empty tensors and foreign memory are not", "[device]") {
  const std::int64_t before = amp::memory_stats().allocations;
  float mine[4] = {};
  const amp::Tensor blob = amp::from_blob(mine, {4});
  const amp::Tensor nothing = amp::empty({0, 5});
  CHECK(amp::memory_stats().allocations == before);
  const amp::Tensor one = amp::empty({1}), two = amp::empty({2});
  CHECK(amp::memory_stats().allocations == before + 2);
}

TEST_CASE("memory: blocks are aligned to cache lines", "[device]") {
  for (const std::int64_t bytes : {1, 63, 64, 65, 80, 100, 200, 1000, 4097, 1 << 20}) {
    CAPTURE(bytes);
    std::vector<void*> blocks;
    for (int i = 0; i < 20; ++i) blocks.push_back(amp::allocate(amp::kCPU, bytes));
    for (void* const memory : blocks) {
      CHECK(reinterpret_cast<std::uintptr_t>(memory) % 64 == 0);
      amp::deallocate(amp::kCPU, memory, bytes);
    }
  }
}

TEST_CASE("memory: no bytes are no block", "[device]") {
  CHECK(amp::allocate(amp::kCPU, 0) == nullptr);
  amp::deallocate(amp::kCPU, nullptr, 0);
}

TEST_CASE("memory: live blocks of every size stay apart while others are reused", "[device]") {
  struct Block {
    unsigned char* memory;
    std::int64_t bytes;
    unsigned char mark;
  };
  std::mt19937 random(1);
  std::vector<Block> live;
  int corrupt = 0;
  const auto release = [&](std::size_t i) {
    const Block block = live[i];
    for (std::int64_t b = 0; b < block.bytes; ++b) corrupt += block.memory[b] != block.mark;
    amp::deallocate(amp::kCPU, block.memory, block.bytes);
    live[i] = live.back();
    live.pop_back();
  };
  for (int step = 0; step < 5000; ++step) {
    if (live.size() > 40 || (!live.empty() && random() % 3 == 0)) release(random() % live.size());
    // Sizes beside powers of two and quarter steps, where size classes meet.
    const std::int64_t power = std::int64_t{16} << random() % 9;
    const auto quarters = static_cast<std::int64_t>(random() % 4);
    const std::int64_t bytes = power + power / 4 * quarters + static_cast<int>(random() % 3);
    const auto mark = static_cast<unsigned char>(random());
    auto* const memory = static_cast<unsigned char*>(amp::allocate(amp::kCPU, bytes));
    std::memset(memory, mark, static_cast<std::size_t>(bytes));
    live.push_back({memory, bytes, mark});
  }
  while (!live.empty()) release(0);
  CHECK(corrupt == 0);
}

TEST_CASE("memory: large blocks of one size do not begin a power of two apart", "[device]") {
  if (!amp::detail::host_cache_enabled()) AMP_TEST_SKIP("AMP_HOST_CACHE=0");
  // A power of two, so that nothing but the allocator's own doing keeps them apart.
  constexpr std::int64_t kSize = std::int64_t{1} << 26, kSets = std::int64_t{1} << 20;
  std::vector<void*> blocks;
  for (int i = 0; i < 4; ++i) blocks.push_back(amp::allocate(amp::kCPU, kSize));
  int together = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) {
    const auto apart = std::abs(static_cast<char*>(blocks[i]) - static_cast<char*>(blocks[0]));
    together += (std::min)(apart % kSets, kSets - apart % kSets) < 8 * 4096 ? 1 : 0;
  }
  CHECK(together == 0);
  for (void* const block : blocks) amp::deallocate(amp::kCPU, block, kSize);
}

TEST_CASE("memory: small blocks of one size lie side by side", "[device]") {
  if (!amp::detail::host_cache_enabled()) AMP_TEST_SKIP("AMP_HOST_CACHE=0");
  constexpr std::int64_t kSize = 320;  // one of HostCache's classes
  std::vector<char*> blocks;
  for (int i = 0; i < 200; ++i)
    blocks.push_back(static_cast<char*>(amp::allocate(amp::kCPU, kSize)));
  std::sort(blocks.begin(), blocks.end());
  int neighbours = 0;
  for (std::size_t i = 1; i < blocks.size(); ++i) neighbours += blocks[i] == blocks[i - 1] + kSize;
  CHECK(neighbours >= 180);
  for (char* const block : blocks) amp::deallocate(amp::kCPU, block, kSize);
}

TEST_CASE("memory: what large blocks of one size leave serves another", "[device]") {
  if (!amp::detail::host_cache_enabled()) AMP_TEST_SKIP("AMP_HOST_CACHE=0");
  constexpr std::int64_t kMegabyte = std::int64_t{1} << 20;
  const auto take = [](int count, std::int64_t bytes) {
    std::vector<char*> blocks;
    for (int i = 0; i < count; ++i)
      blocks.push_back(static_cast<char*>(amp::allocate(amp::kCPU, bytes)));
    return blocks;
  };
  const auto give = [](const std::vector<char*>& blocks, std::int64_t bytes) {
    for (char* const block : blocks) amp::deallocate(amp::kCPU, block, bytes);
  };
  const auto wide = take(3, 32 * kMegabyte);
  char* const least = *std::min_element(wide.begin(), wide.end());
  char* const most = *std::max_element(wide.begin(), wide.end()) + 32 * kMegabyte;
  const auto outside = [&](const std::vector<char*>& blocks, std::int64_t bytes) {
    return std::count_if(blocks.begin(), blocks.end(),
                         [&](const char* block) { return block < least || block + bytes > most; });
  };
  give(wide, 32 * kMegabyte);
  const auto narrow = take(11, 8 * kMegabyte);
  CHECK(outside(narrow, 8 * kMegabyte) == 0);
  give({narrow.begin(), narrow.begin() + 6}, 8 * kMegabyte);  // joined again
  const auto other = take(1, 45 * kMegabyte);
  CHECK(outside(other, 45 * kMegabyte) == 0);
  give(other, 45 * kMegabyte);
  give({narrow.begin() + 6, narrow.end()}, 8 * kMegabyte);
}

#if defined(__linux__)
TEST_CASE("memory: the pages of more than the cache keeps go back to the system", "[device]") {
  if (!amp::detail::host_cache_enabled()) AMP_TEST_SKIP("AMP_HOST_CACHE=0");
  const auto resident = [] {
    std::int64_t all = 0, pages = 0;
    std::ifstream("/proc/self/statm") >> all >> pages;
    return pages * 4096;
  };
  constexpr std::int64_t kSize = 1 << 26;
  constexpr auto kMost = amp::detail::LargeBlocks::kMaxCachedBytes / kSize;
  void* const last = amp::allocate(amp::kCPU, kSize);
  std::vector<void*> blocks;  // their pages are never touched
  for (std::int64_t i = 0; i < kMost; ++i) blocks.push_back(amp::allocate(amp::kCPU, kSize));
  for (void* const block : blocks) amp::deallocate(amp::kCPU, block, kSize);
  std::memset(last, 1, kSize);
  const std::int64_t before = resident();
  amp::deallocate(amp::kCPU, last, kSize);
  CHECK(resident() <= before - kSize * 3 / 4);
}

TEST_CASE("memory: the system is asked for huge pages under large blocks", "[device]") {
  if (!amp::detail::host_cache_enabled()) AMP_TEST_SKIP("AMP_HOST_CACHE=0");
  if (!std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"))
    AMP_TEST_SKIP("the system has no transparent huge pages");
  constexpr std::int64_t kSize = std::int64_t{1} << 24;
  void* const block = amp::allocate(amp::kCPU, kSize);
  const auto middle = reinterpret_cast<std::uintptr_t>(block) + kSize / 2;
  bool inside = false, asked = false;
  std::ifstream maps("/proc/self/smaps");
  for (std::string line; std::getline(maps, line);) {
    std::uintptr_t begin = 0, end = 0;
    char dash = 0;
    if (std::istringstream range(line); range >> std::hex >> begin >> dash >> end && dash == '-')
      inside = begin <= middle && middle < end;
    if (inside && line.starts_with("VmFlags:")) asked = line.find(" hg") != std::string::npos;
  }
  CHECK(asked);
  amp::deallocate(amp::kCPU, block, kSize);
}
#endif

TEST_CASE("memory: a HostBuffer of nothing has no memory", "[device]") {
  const amp::HostBuffer<float> none(0), some(3);
  CHECK(none.data() == nullptr);
  some[2] = 1;
  CHECK(some.data()[2] == 1);
}

TEST_CASE("memory: copy_bytes copies and takes nothing for nothing", "[device]") {
  const int from[] = {1, 2, 3};
  int to[] = {0, 0, 0};
  amp::copy_bytes(amp::kCPU, to, amp::kCPU, from, sizeof(int) * 2);
  CHECK((to[0] == 1 && to[1] == 2 && to[2] == 0));
  amp::copy_bytes(amp::kCPU, nullptr, amp::kCPU, nullptr, 0);
}

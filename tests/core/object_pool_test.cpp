// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Memory of small objects: reused by size, and what is freed late is freed all the same.
#include <amp/core/object_pool.hpp>

#include <malloc.h>

#include <cstddef>
#include <cstring>
#include <set>
#include <vector>

#include "support/catch.hpp"

namespace {

using amp::detail::ObjectPool;

}  // namespace

TEST_CASE("ObjectPool: memory of a size holds all its bytes, whatever was there before", "[core]") {
  const std::vector<std::size_t> sizes = {0,    1,    63,   64,    65,    1023,  1024,
                                          1025, 2048, 2049, 65535, 65536, 65537, 1 << 20};
  for (int round = 0; round < 3; ++round) {
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      void* const memory = ObjectPool::allocate(sizes[i]);
      REQUIRE(memory != nullptr);
      std::memset(memory, static_cast<int>(i + 1), sizes[i]);
      blocks.push_back(memory);
    }
    CHECK(std::set<void*>(blocks.begin(), blocks.end()).size() == sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const auto* const bytes = static_cast<const unsigned char*>(blocks[i]);
      bool intact = true;
      for (std::size_t b = 0; b < sizes[i]; ++b) intact = intact && bytes[b] == i + 1;
      CHECK(intact);
      ObjectPool::deallocate(blocks[i], sizes[i]);
    }
  }
}

TEST_CASE("ObjectPool: gives back what was freed last, to any size of the class", "[core]") {
  if (!amp::detail::host_cache_enabled()) {
    WARN("AMP_HOST_CACHE=0: nothing is reused");
    return;
  }
  const auto reuses = [](std::size_t freed, std::size_t asked) {
    void* const first = ObjectPool::allocate(freed);
    ObjectPool::deallocate(first, freed);
    void* const second = ObjectPool::allocate(asked);
    ObjectPool::deallocate(second, asked);
    return first == second;
  };
  CHECK(reuses(40, 64));
  CHECK(reuses(65, 128));
  CHECK(reuses(1025, 2048));
  CHECK(reuses(40000, 65536));
  void* const small = ObjectPool::allocate(64);
  ObjectPool::deallocate(small, 64);
  void* const larger = ObjectPool::allocate(65);
  CHECK(larger != small);
  ObjectPool::deallocate(larger, 65);
}

TEST_CASE("ObjectPool: keeps a bounded number", "[core]") {
  const std::size_t before = mallinfo2().uordblks;
  std::vector<void*> blocks(10000);
  for (void*& block : blocks) block = ObjectPool::allocate(250);
  for (void* const block : blocks) ObjectPool::deallocate(block, 250);
  blocks = {};
  CHECK(mallinfo2().uordblks < before + 10000 * 256 / 4);  // under a sanitizer both are 0
}

TEST_CASE("PoolVector: grows through all sizes", "[core]") {
  amp::detail::PoolVector<int> numbers;
  for (int i = 0; i < 50000; ++i) numbers.push_back(i);
  bool right = true;
  for (int i = 0; i < 50000; ++i) right = right && numbers[static_cast<std::size_t>(i)] == i;
  CHECK(right);
}

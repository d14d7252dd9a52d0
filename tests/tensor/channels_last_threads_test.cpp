// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Threads that want one tensor, whose elements lie channels-last, in row-major order at once.
#include <amp/amp.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/channels_last.hpp"

TEST_CASE("channels-last: threads share the row-major elements, made once", "[tensor]") {
  const amp::Tensor row_major = amp::arange(2 * 18 * 130 * 130).to(amp::kFloat32);
  const std::vector<float> expected = row_major.to_vector<float>();
  for (int round = 0; round < 6; ++round) {
    const amp::Tensor x = amp_test::laid_out(row_major.reshape({2, 18, 130, 130}));
    const std::int64_t before = amp::memory_stats().allocations;
    std::vector<const float*> seen(4);
    std::atomic<int> ready = 0, wrong = 0;
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < seen.size(); ++t) {
      threads.emplace_back([&, t] {
        ++ready;
        while (ready < 4) std::this_thread::yield();
        seen[t] = x.const_data<float>();
        for (std::size_t i = 0; i < expected.size(); ++i)
          wrong += seen[t][i] == expected[i] ? 0 : 1;
      });
    }
    for (std::thread& thread : threads) thread.join();
    REQUIRE(wrong == 0);
    REQUIRE(seen == std::vector<const float*>(4, seen[0]));
    REQUIRE(amp::memory_stats().allocations == before + 1);
  }
}

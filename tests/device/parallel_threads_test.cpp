// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The pool and the memory of the device layer under several threads at once.
#include <amp/amp.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace {

/// body(thread) on four threads at once; how many of them returned true.
int on_four_threads(const std::function<bool(int)>& body) {
  std::atomic<int> successes = 0, waiting = 4;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      --waiting;
      while (waiting > 0) std::this_thread::yield();
      successes += body(t);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return successes;
}

}  // namespace

TEST_CASE("parallel_for: from several threads every caller's tasks run once", "[device]") {
  CHECK(on_four_threads([](int) {
          for (int round = 0; round < 300; ++round) {
            std::vector<std::atomic<int>> runs(37);
            amp::parallel_for(37, [&](std::int64_t i) { ++runs[static_cast<std::size_t>(i)]; });
            for (const auto& count : runs) {
              if (count != 1) return false;
            }
          }
          return true;
        }) == 4);
}

TEST_CASE("parallel_for: plain writes of tasks are visible to the caller", "[device]") {
  CHECK(on_four_threads([](int thread) {
          for (int round = 0; round < 300; ++round) {
            std::vector<int> values(64);
            amp::parallel_for(64, [&](std::int64_t i) {
              values[static_cast<std::size_t>(i)] = static_cast<int>(i) + thread;
            });
            for (int i = 0; i < 64; ++i) {
              if (values[static_cast<std::size_t>(i)] != i + thread) return false;
            }
          }
          return true;
        }) == 4);
}

TEST_CASE("parallel_for: exceptions reach the thread that called", "[device]") {
  CHECK(on_four_threads([](int thread) {
          for (int round = 0; round < 100; ++round) {
            int caught = -1;
            try {
              amp::parallel_for(16, [&](std::int64_t i) {
                if (i == 5) throw thread;
              });
            } catch (int from) {
              caught = from;
            }
            if (caught != thread) return false;
          }
          return true;
        }) == 4);
}

TEST_CASE("parallel_for: jobs after pauses of any length, for which threads poll or sleep",
          "[device]") {
  CHECK(on_four_threads([](int thread) {
          for (int round = 0; round < 120; ++round) {
            const auto pause = std::chrono::microseconds(round % 12 * 10 * (thread % 2));
            const auto until = std::chrono::steady_clock::now() + pause;
            while (std::chrono::steady_clock::now() < until) {
            }
            std::vector<int> values(8);
            amp::parallel_for(8, [&](std::int64_t i) {
              values[static_cast<std::size_t>(i)] = static_cast<int>(i) + round;
            });
            for (int i = 0; i < 8; ++i) {
              if (values[static_cast<std::size_t>(i)] != i + round) return false;
            }
          }
          return true;
        }) == 4);
}

TEST_CASE("memory: blocks of several threads stay apart", "[device]") {
  CHECK(on_four_threads([](int thread) {
          for (int round = 0; round < 2000; ++round) {
            const std::int64_t bytes = 64 + round % 7 * 100;
            auto* const memory = static_cast<unsigned char*>(amp::allocate(amp::kCPU, bytes));
            std::memset(memory, thread, static_cast<std::size_t>(bytes));
            std::this_thread::yield();
            bool intact = true;
            for (std::int64_t i = 0; i < bytes; ++i) intact = intact && memory[i] == thread;
            amp::deallocate(amp::kCPU, memory, bytes);
            if (!intact) return false;
          }
          return true;
        }) == 4);
}

TEST_CASE("memory: counters add up over threads", "[device]") {
  const amp::MemoryStats before = amp::memory_stats();
  CHECK(on_four_threads([](int) {
          for (int round = 0; round < 500; ++round) (void)amp::empty({100});
          return true;
        }) == 4);
  CHECK(amp::memory_stats().current_bytes == before.current_bytes);
  CHECK(amp::memory_stats().allocations == before.allocations + 2000);
  CHECK(amp::memory_stats().peak_bytes >= before.current_bytes + 400);
}

TEST_CASE("tensors: made, read and dropped on several threads", "[device]") {
  const amp::Tensor shared = amp::full({300}, 2);
  CHECK(on_four_threads([&](int) {
          for (int round = 0; round < 100; ++round) {
            const amp::Tensor mine = shared;
            if (amp::sum(amp::mul(mine, mine)).item<float>() != 1200) return false;
          }
          return true;
        }) == 4);
}

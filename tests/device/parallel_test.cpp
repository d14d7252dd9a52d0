// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// parallel_for and parallel_ranges from one thread; parallel_threads_test.cpp calls them from many.
#include <amp/amp.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include "support/catch.hpp"

TEST_CASE("parallel_for: every task runs once", "[device]") {
  for (const std::int64_t tasks : {0, 1, 2, 3, 17, 1000}) {
    CAPTURE(tasks);
    std::vector<std::atomic<int>> runs(static_cast<std::size_t>(tasks));
    amp::parallel_for(tasks, [&](std::int64_t task) { ++runs[static_cast<std::size_t>(task)]; });
    int wrong = 0;
    for (const auto& count : runs) wrong += count != 1;
    CHECK(wrong == 0);
  }
}

TEST_CASE("parallel_for: is done when it returns", "[device]") {
  const std::thread::id caller = std::this_thread::get_id();
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> done = 0;
    amp::parallel_for(8, [&](std::int64_t) {
      const bool elsewhere = std::this_thread::get_id() != caller;
      std::this_thread::sleep_for(std::chrono::milliseconds(elsewhere ? 8 : 1));
      ++done;
    });
    REQUIRE(done == 8);
  }
}

TEST_CASE("parallel_for: nests", "[device]") {
  std::atomic<int> runs = 0;
  amp::parallel_for(8, [&](std::int64_t) {
    amp::parallel_for(8,
                      [&](std::int64_t) { amp::parallel_for(2, [&](std::int64_t) { ++runs; }); });
  });
  CHECK(runs == 128);
}

TEST_CASE("parallel_for: an exception reaches the caller and the pool works on", "[device]") {
  for (int round = 0; round < 20; ++round) {
    CHECK_THROWS_WITH(amp::parallel_for(100,
                                        [](std::int64_t task) {
                                          if (task % 10 == 3) throw std::runtime_error("task");
                                        }),
                      "task");
    std::atomic<int> runs = 0;
    amp::parallel_for(100, [&](std::int64_t) { ++runs; });
    CHECK(runs == 100);
  }
}

TEST_CASE("parallel_for: an exception leaves a nested call", "[device]") {
  CHECK_THROWS_AS(amp::parallel_for(4,
                                    [](std::int64_t) {
                                      amp::parallel_for(4, [](std::int64_t task) {
                                        if (task == 2) throw amp::Error("inner");
                                      });
                                    }),
                  amp::Error);
}

TEST_CASE("parallel_for: an exception of the only task reaches the caller", "[device]") {
  CHECK_THROWS_AS(amp::parallel_for(1, [](std::int64_t) { throw amp::Error("one"); }), amp::Error);
}

TEST_CASE("parallel_ranges: covers everything once, whatever the grain", "[device]") {
  for (const std::int64_t n : {0, 1, 7, 64, 1001}) {
    for (const std::int64_t grain : {1, 3, 64, 2000}) {
      CAPTURE(n, grain);
      std::vector<std::atomic<int>> runs(static_cast<std::size_t>(n));
      amp::parallel_ranges(n, grain, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++runs[static_cast<std::size_t>(i)];
      });
      int wrong = 0;
      for (const auto& count : runs) wrong += count != 1;
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("parallel_ranges: a range of at most the grain stays whole", "[device]") {
  std::atomic<int> pieces = 0;
  amp::parallel_ranges(64, 64, [&](std::int64_t begin, std::int64_t end) {
    ++pieces;
    CHECK((begin == 0 && end == 64));
  });
  CHECK(pieces == 1);
}

TEST_CASE("num_threads: at least the caller", "[device]") { CHECK(amp::num_threads() >= 1); }

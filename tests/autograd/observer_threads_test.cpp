// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Observers are a thread's.
#include <amp/amp.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace observer_threads {
namespace {

struct Counts : amp::autograd::Observer {
  int ops = 0;
  void op_begins(const amp::autograd::OpEvent&) override { ++ops; }
};

struct AtomicCounts : amp::autograd::Observer {
  std::atomic<int> ops = 0;
  void op_begins(const amp::autograd::OpEvent&) override { ++ops; }
};

}  // namespace

TEST_CASE("threads: another thread's ops are not announced", "[autograd]") {
  Counts here, there;
  const amp::autograd::ObserverGuard guard(here);
  std::thread([&] {
    (void)amp::relu(amp::ones({2}));
    const amp::autograd::ObserverGuard own(there);
    (void)amp::relu(amp::ones({2}));
  }).join();
  CHECK(here.ops == 0);
  CHECK(there.ops == 1);
  (void)amp::relu(amp::ones({2}));
  CHECK(here.ops == 1);
}

TEST_CASE("threads: one observer may listen to several", "[autograd]") {
  AtomicCounts counts;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 50; ++i) {
        const amp::autograd::ObserverGuard guard(counts);
        (void)amp::relu(amp::ones({2}));
      }
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(counts.ops == 200);
}

}  // namespace observer_threads

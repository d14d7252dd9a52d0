// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Objects made on one thread and dropped on another, and those that outlive their thread's pool.
#include <amp/core/refcount.hpp>

#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace {

struct Object final : amp::RefCounted {
  explicit Object(int n) : number(n) {}
  ~Object() override { ++destroyed(); }
  static int& destroyed() {
    static thread_local int count = 0;
    return count;
  }
  int number;
  char payload[100] = {};
};
using Objects = std::vector<amp::Ref<Object>>;

/// Dropped when the program's statics are, after the pools of all threads.
Objects& until_the_end() {
  static Objects objects;
  return objects;
}

}  // namespace

TEST_CASE("threads: objects dropped by other threads than made them", "[core]") {
  constexpr int kThreads = 4, kEach = 1000;
  std::vector<Objects> made(kThreads);
  const auto on_threads = [&](auto&& work) {
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) threads.emplace_back([&, t] { work(t); });
    for (std::thread& thread : threads) thread.join();
  };
  for (int round = 0; round < 5; ++round) {
    on_threads([&](int t) {
      Objects& mine = made[static_cast<std::size_t>(t)];
      for (int i = 0; i < kEach; ++i) mine.push_back(amp::make_ref<Object>(t * kEach + i));
    });
    std::vector<int> destroyed(kThreads);
    on_threads([&](int t) {
      const auto next = static_cast<std::size_t>((t + 1) % kThreads);
      for (const auto& object : made[next]) {
        if (object->number < 0) return;
      }
      made[next].clear();
      destroyed[static_cast<std::size_t>(t)] = Object::destroyed();
    });
    for (const int count : destroyed) CHECK(count == kEach);
  }
}

TEST_CASE("threads: an object may outlive the thread that made it, and every pool", "[core]") {
  std::thread([] {
    for (int i = 0; i < 100; ++i) until_the_end().push_back(amp::make_ref<Object>(i));
    const Objects dropped = {amp::make_ref<Object>(0), amp::make_ref<Object>(1)};
  }).join();
  CHECK(until_the_end().size() == 100);
  for (int i = 0; i < 50; ++i) until_the_end().push_back(amp::make_ref<Object>(i));
}

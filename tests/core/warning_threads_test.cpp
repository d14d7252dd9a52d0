// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Warnings of several threads at once.
#include <amp/amp.hpp>

#include <atomic>
#include <string_view>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace warning_threads {

TEST_CASE("warnings: from several threads, while the handler changes") {
  std::atomic<int> calls = 0;
  const amp::WarningHandler handler = [&](std::string_view) { ++calls; };
  const amp::WarningHandler before = amp::set_warning_handler(handler);
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([] {
      for (int i = 0; i < 100; ++i) amp::detail::warn("again");
    });
  }
  for (int i = 0; i < 100; ++i) amp::set_warning_handler(handler);
  for (std::thread& thread : threads) thread.join();
  amp::set_warning_handler(before);
  CHECK(calls == 300);
}

}  // namespace warning_threads

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Threads that add to the gradient of one weight after a step: the next step warns, once.
#include <amp/amp.hpp>

#include <atomic>
#include <string_view>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace forgotten_zero_grad_threads {

using amp::Tensor;

TEST_CASE("forgotten zero_grad: backward passes of several threads are noticed, once") {
  std::atomic<int> heard = 0;
  const amp::WarningHandler before = amp::set_warning_handler([&](std::string_view) { ++heard; });
  const Tensor w = amp::ones({8, 8}, {.requires_grad = true}), x = amp::ones({2, 8});
  amp::SGD optimizer({w}, {.lr = 0.01});
  amp::GradScaler scaler({.init_scale = 16});
  for (int round = 0; round < 3; ++round) {
    CHECK(heard == (round < 2 ? 0 : 1));
    std::vector<Tensor> losses;
    for (int i = 0; i < 4; ++i) losses.push_back(scaler.scale(amp::mean(amp::linear(x, w))));
    std::vector<std::thread> threads;
    for (const Tensor& loss : losses) threads.emplace_back([&loss] { loss.backward(); });
    for (std::thread& thread : threads) thread.join();
    scaler.step(optimizer);
    scaler.update();
  }
  CHECK(heard == 1);
  amp::set_warning_handler(before);
}

}  // namespace forgotten_zero_grad_threads

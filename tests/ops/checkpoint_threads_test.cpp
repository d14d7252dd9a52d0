// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Checkpoints on several threads at once, over shared weights, and backward on another thread than
// forward.
#include <amp/amp.hpp>

#include <cstddef>
#include <optional>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace checkpoint_threads {
namespace {

using amp::Tensor;

/// The result of two blocks with dropout, the second inside of the first's checkpoint.
Tensor forward(const Tensor& x, const Tensor& w) {
  const auto inner = [w](const Tensor& a) { return amp::dropout(amp::linear(a, w), 0.5); };
  return amp::checkpoint(
      [inner, w](const Tensor& a) {
        return amp::checkpoint(inner, amp::dropout(amp::linear(a, w), 0.5)) + a;
      },
      x);
}

}  // namespace

TEST_CASE("checkpoint: threads at once, each with its own random numbers and scope", "[ops]") {
  constexpr int kThreads = 3, kSteps = 40;
  const Tensor w = amp::full({8, 8}, 0.125, {.requires_grad = true});
  std::vector<int> wrong(kThreads, 0);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kSteps; ++i) {
        const Tensor x = amp::ones({4, 8}, {.requires_grad = true});
        std::optional<amp::AutocastGuard> scope;
        if (t == 1) scope.emplace(amp::kCPU);
        const Tensor y = forward(x, w);
        // y is linear in x, which is 1: the gradient adds up to y if the masks are those of
        // forward. All numbers are small multiples of 1/64, exact also in bfloat16.
        amp::sum(y).backward();
        if (amp::sum(x.grad()).item<float>() != amp::sum(y).item<float>())
          ++wrong[static_cast<std::size_t>(t)];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(kThreads, 0));
}

TEST_CASE("checkpoint: backward on another thread than forward", "[ops]") {
  const auto run = [](bool elsewhere) {
    amp::manual_seed(3);
    const Tensor w = amp::randn({8, 8}, {.requires_grad = true}), x = amp::randn({4, 8});
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      loss = amp::sum(forward(x, w));
    }
    if (elsewhere) {
      std::thread([&] { loss.backward(); }).join();
    } else {
      loss.backward();
    }
    return w.grad().to_vector<float>();
  };
  CHECK(run(true) == run(false));
}

}  // namespace checkpoint_threads

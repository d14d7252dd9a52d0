// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Separate graphs over shared weights, recorded and walked by several threads at once.
#include <amp/amp.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace shared_weight_threads {

using amp::Tensor;

namespace {

template <class Body>
void on_threads(int count, Body body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) threads.emplace_back([&body, t] { body(t); });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

TEST_CASE("threads: two of them add their gradients to one weight", "[autograd]") {
  const Tensor w = amp::full({4, 4}, 0.5, {.requires_grad = true});
  on_threads(2, [&](int t) {
    for (int step = 0; step < 200; ++step) {
      const Tensor x = amp::full({3, 4}, t + 1);
      amp::sum(amp::relu(amp::linear(x, w))).backward();
    }
  });
  // d/dw = 3 rows of (t + 1), 200 times for each thread: exact in float.
  CHECK(w.grad().to_vector<float>() == std::vector<float>(16, 3 * 200 * (1 + 2)));
}

TEST_CASE("threads: work large enough for the pool gives each its own result", "[autograd]") {
  const Tensor w = amp::full({128, 128}, 0x1p-7, {.requires_grad = true});
  std::atomic<int> wrong = 0;
  on_threads(3, [&](int t) {
    for (int step = 0; step < 5; ++step) {
      const Tensor x = amp::full({64, 128}, t + 1, {.requires_grad = true});
      const Tensor y = amp::matmul(x, w);
      if (y.to_vector<float>() != std::vector<float>(64 * 128, static_cast<float>(t + 1))) ++wrong;
      amp::sum(y).backward();
      if (x.grad().to_vector<float>() != std::vector<float>(64 * 128, 1.0F)) ++wrong;
    }
  });
  CHECK(wrong == 0);
  CHECK(w.grad().to_vector<float>() == std::vector<float>(128 * 128, 5 * 64 * (1 + 2 + 3)));
}

TEST_CASE("threads: under autocast they share one copy of the weight", "[autograd]") {
  const Tensor w = amp::full({8, 8}, 0.5, {.requires_grad = true});
  on_threads(3, [&](int) {
    for (int step = 0; step < 100; ++step) {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      const Tensor y = amp::linear(amp::ones({2, 8}), w);
      amp::sum(y).backward();
    }
  });
  CHECK(w.grad().to_vector<float>() == std::vector<float>(64, 2 * 300));
}

TEST_CASE("threads: NoGradGuard is one thread's own", "[autograd]") {
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  std::atomic<bool> guarded = false, checked = false;
  std::atomic<int> wrong = 0;
  on_threads(2, [&](int t) {
    if (t == 0) {
      const amp::NoGradGuard guard;
      guarded = true;
      while (!checked) std::this_thread::yield();
      if ((x * 2).requires_grad()) ++wrong;
    } else {
      while (!guarded) std::this_thread::yield();
      if (!(x * 2).requires_grad()) ++wrong;
      checked = true;
    }
  });
  CHECK(wrong == 0);
}

TEST_CASE("threads: a graph made on one thread is walked and dropped on another", "[autograd]") {
  const Tensor x = amp::full({2}, 3, {.requires_grad = true});
  for (int round = 0; round < 50; ++round) {
    Tensor loss;
    std::thread([&] { loss = amp::sum(x * x); }).join();
    std::thread([&] {
      loss.backward();
      loss = Tensor();
    }).join();
  }
  CHECK(x.grad().to_vector<float>() == std::vector<float>{300, 300});
}

TEST_CASE("threads: branches of one trunk are dropped at once", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  for (int round = 0; round < 20; ++round) {
    Tensor trunk = amp::ones({1}, {.requires_grad = true});
    for (int i = 0; i < 200; ++i) trunk = amp::relu(trunk * 1);
    std::vector<Tensor> branches;
    for (int t = 0; t < 4; ++t) branches.push_back(trunk + t);
    trunk = Tensor();
    on_threads(4, [&](int t) { branches[static_cast<std::size_t>(t)] = Tensor(); });
  }
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("threads: random tensors of several threads never repeat each other", "[autograd]") {
  amp::manual_seed(1);
  std::vector<Tensor> drawn(4);
  on_threads(4, [&](int t) { drawn[static_cast<std::size_t>(t)] = amp::rand({64}); });
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 0; b < a; ++b)
      CHECK(drawn[a].to_vector<float>() != drawn[b].to_vector<float>());
  }
}

}  // namespace shared_weight_threads

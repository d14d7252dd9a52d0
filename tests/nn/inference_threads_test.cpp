// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// One module asked by several threads at once: const, so each gets what one thread alone gets.
#include <amp/amp.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace inference_threads {
namespace {

namespace nn = amp::nn;
using amp::Tensor;

constexpr int kThreads = 4;

void on_threads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

struct Net : nn::Module {
  nn::Sequential features{register_module(
      "features", nn::Sequential(nn::Conv2d(1, 3, 3, {.padding = 1}), nn::BatchNorm2d(3),
                                 nn::ReLU(), nn::MaxPool2d(2), nn::Flatten()))};
  nn::LayerNorm norm{register_module("norm", nn::LayerNorm(12))};
  nn::Dropout dropout{register_module("dropout", nn::Dropout(0.5))};
  nn::Linear head{register_module("head", nn::Linear(12, 2))};
  Tensor forward(const Tensor& x) const { return head(dropout(norm(features(x)))); }
};

Tensor input(int t) { return amp::full({2, 1, 4, 4}, 0.25 * (t + 1)); }

/// Whether every thread's results are those of one alone.
template <class Forward>
bool agree(Forward&& forward) {
  std::vector<std::vector<float>> expected;
  for (int t = 0; t < kThreads; ++t) expected.push_back(forward(input(t)));
  amp::clear_autocast_cache();  // so that the threads make the copies of weights
  std::atomic<int> wrong = 0;
  on_threads([&](int t) {
    for (int i = 0; i < 20; ++i) {
      if (forward(input(t)) != expected[static_cast<std::size_t>(t)]) ++wrong;
    }
  });
  return wrong == 0;
}

}  // namespace

TEST_CASE("threads: inference on one module", "[nn]") {
  const Net net;
  net.eval();
  CHECK(agree([&](const Tensor& x) {
    const amp::NoGradGuard no_grad;
    return net.forward(x).to_vector<float>();
  }));
}

TEST_CASE("threads: inference on one module under autocast", "[nn]") {
  const Net net;
  net.eval();
  CHECK(agree([&](const Tensor& x) {
    const amp::NoGradGuard no_grad;
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return net.forward(x).to_vector<float>();
  }));
}

TEST_CASE("threads: gradients with respect to each thread's input", "[nn]") {
  const Net net;
  net.eval();
  for (const Tensor& p : net.parameters()) p.requires_grad_(false);
  CHECK(agree([&](const Tensor& x) {
    const Tensor own = x.detach().requires_grad_();
    amp::sum(net.forward(own)).backward();
    return own.grad().to_vector<float>();
  }));
}

TEST_CASE("threads: modules are copied, listed and made at once", "[nn]") {
  const Net net;
  std::atomic<std::int64_t> wrong = 0;
  on_threads([&](int) {
    for (int i = 0; i < 20; ++i) {
      const Net copy = net;
      if (copy.state_dict().size() != 11 || !copy.is_training()) ++wrong;
      if (Net().head.weight.is_same(net.head.weight)) ++wrong;
    }
  });
  CHECK(wrong == 0);
}

}  // namespace inference_threads

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Several threads clone one module while others use it.
#include <amp/amp.hpp>

#include <atomic>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace clone_threads {
namespace {

namespace nn = amp::nn;

struct Net : nn::Layer<Net> {
  nn::Linear first{register_module("first", nn::Linear(4, 4))};
  nn::Sequential rest{register_module("rest", nn::Sequential{nn::ReLU(), nn::Linear(4, 1)})};
  amp::Tensor forward(const amp::Tensor& x) const { return rest(first(x)); }
};

}  // namespace

TEST_CASE("clone: from several threads at once, while others copy handles") {
  const Net net;
  const amp::Tensor x = amp::ones({2, 4});
  std::atomic<int> wrong = 0;
  const auto work = [&](bool clones) {
    const amp::NoGradGuard no_grad;
    for (int i = 0; i < 50; ++i) {
      const Net other = clones ? net.clone() : net;
      const bool same = other.first.weight.is_same(net.first.weight);
      const bool kept = other.parameters()[0].is_same(other.first.weight);
      if (same == clones || !kept || other(x).numel() != 2) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(work, i % 2 == 0);
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}

}  // namespace clone_threads

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp::libtorch::AutocastGuard: the state that it sets and restores, and weights that change
// inside.
#include <ATen/autocast_mode.h>

#include <fstream>
#include <stdexcept>
#include <thread>

#include "libtorch/torch.hpp"

namespace autocast_test {

using namespace libtorch_test;
using amp::libtorch::AutocastGuard;

torch::ScalarType of_matmul() {
  const auto x = torch::ones({2, 2});
  return torch::mm(x, x).scalar_type();
}

TEST_CASE("a scope computes matmuls in its dtype, and leaves what held before") {
  CHECK(of_matmul() == torch::kFloat);
  {
    const AutocastGuard scope(amp::kCPU);
    CHECK(amp::libtorch::is_autocast_enabled(amp::kCPU));
    CHECK(!amp::libtorch::is_autocast_enabled(amp::kCUDA));
    CHECK(amp::libtorch::autocast_dtype(amp::kCPU) == amp::kBFloat16);
    CHECK(of_matmul() == torch::kBFloat16);
    {
      const AutocastGuard off(amp::kCPU, {.enabled = false});
      CHECK(of_matmul() == torch::kFloat);
    }
    CHECK(of_matmul() == torch::kBFloat16);
    {
      const AutocastGuard cuda(amp::kCUDA, {.dtype = amp::kBFloat16});
      CHECK(amp::libtorch::is_autocast_enabled(amp::kCUDA));
      CHECK(amp::libtorch::autocast_dtype(amp::kCUDA) == amp::kBFloat16);
      CHECK(of_matmul() == torch::kBFloat16);
    }
    CHECK(!amp::libtorch::is_autocast_enabled(amp::kCUDA));
    CHECK(amp::libtorch::autocast_dtype(amp::kCUDA) == amp::kFloat16);
  }
  CHECK(!amp::libtorch::is_autocast_enabled(amp::kCPU));
  CHECK(at::autocast::is_autocast_cache_enabled());
  CHECK(of_matmul() == torch::kFloat);
}

TEST_CASE("an exception that leaves a scope restores the state") {
  const amp::libtorch::AutocastState before = amp::libtorch::autocast_state();
  try {
    const AutocastGuard outer(amp::kCPU);
    const AutocastGuard inner(amp::kCUDA, {.dtype = amp::kBFloat16});
    throw std::runtime_error("out");
  } catch (const std::runtime_error&) {
  }
  const amp::libtorch::AutocastState after = amp::libtorch::autocast_state();
  for (std::size_t d = 0; d < before.devices.size(); ++d) {
    CHECK(after.devices[d].enabled == before.devices[d].enabled);
    CHECK(after.devices[d].dtype == before.devices[d].dtype);
  }
  CHECK(after.cache_enabled == before.cache_enabled);
  CHECK(at::autocast::increment_nesting() == 1);  // none is open
  at::autocast::decrement_nesting();
}

TEST_CASE("a callable of autocast may call itself") {
  int depth = 0;
  std::function<void()> recurse;
  recurse = amp::libtorch::autocast(amp::kCPU, {}, [&] {
    CHECK(of_matmul() == torch::kBFloat16);
    if (++depth < 3) recurse();
    CHECK(of_matmul() == torch::kBFloat16);
  });
  recurse();
  CHECK(depth == 3);
  CHECK(of_matmul() == torch::kFloat);
}

TEST_CASE("a state that was taken in a scope is entered on another thread") {
  amp::libtorch::AutocastState state;
  {
    const AutocastGuard scope(amp::kCPU);
    state = amp::libtorch::autocast_state();
  }
  torch::ScalarType without = torch::kLong, with = torch::kLong, called = torch::kLong,
                    after = torch::kLong;
  std::thread([&] {
    without = of_matmul();
    {
      const AutocastGuard scope(state);
      with = of_matmul();
    }
    called = amp::libtorch::autocast(state, of_matmul)();
    after = of_matmul();
  }).join();
  CHECK(without == torch::kFloat);
  CHECK(with == torch::kBFloat16);
  CHECK(called == torch::kBFloat16);
  CHECK(after == torch::kFloat);
}

TEST_CASE("options that torch cannot follow are refused, and nothing changes") {
  CHECK_THROWS_WITH(AutocastGuard(amp::kCPU, {.dtype = amp::kFloat64}),
                    Catch::Matchers::Contains("`dtype` must be float16, bfloat16 or float32") &&
                        Catch::Matchers::Contains("float64"));
  CHECK_THROWS_WITH(
      AutocastGuard(amp::kCPU, {.policies = {{"softmax", amp::OpPolicy::kFloat32Math}}}),
      Catch::Matchers::Contains("`policies`"));
  CHECK_THROWS_AS(AutocastGuard(amp::kCPU, {.only_low_precision = true}), amp::Error);
  CHECK(!amp::libtorch::is_autocast_enabled(amp::kCPU));
  CHECK(at::autocast::increment_nesting() == 1);
  at::autocast::decrement_nesting();
}

TEST_CASE("a weight that is written inside a scope is used as it is then") {
  const auto w = parameter(torch::ones({2, 2}));
  const auto x = torch::ones({2, 2});
  const AutocastGuard scope(amp::kCPU);
  CHECK(torch::mm(x, w)[0][0].item<float>() == 2);
  {
    const torch::NoGradGuard no_grad;
    w.mul_(2);
  }
  CHECK(torch::mm(x, w)[0][0].item<float>() == 4);
}

TEST_CASE("torch's own cache can be had, and a step of the scaler clears it") {
  const auto w = parameter(torch::ones({2, 2}));
  const auto x = torch::ones({2, 2});
  torch::optim::SGD optimizer(std::vector{w}, torch::optim::SGDOptions(1));
  amp::GradScaler scaler({.init_scale = 4});
  const AutocastGuard scope(amp::kCPU, {}, amp::libtorch::WeightCache::kOn);
  const auto first = torch::mm(x, w);
  {
    const torch::NoGradGuard no_grad;
    w.mul_(2);
  }
  CHECK(torch::mm(x, w)[0][0].item<float>() == 2);  // the copy of before
  amp::libtorch::clear_cache();
  CHECK(torch::mm(x, w)[0][0].item<float>() == 4);
  scaler.scale(first.sum()).backward();
  scaler.step(optimizer);
  scaler.update();
  CHECK(torch::mm(x, w)[0][0].item<float>() == 0);  // 2 - 2, twice
}

TEST_CASE("a weight that was first used without gradients has its gradient in the same scope") {
  torch::nn::Linear layer(2, 2);
  for (const auto cache : {amp::libtorch::WeightCache::kOff, amp::libtorch::WeightCache::kOn}) {
    const AutocastGuard scope(amp::kCPU, {}, cache);
    const auto x = torch::ones({8, 2});
    if (cache == amp::libtorch::WeightCache::kOff) {
      const torch::NoGradGuard no_grad;
      layer->forward(x);
    }
    layer->zero_grad();
    layer->forward(x).sum().backward();
    CHECK(layer->weight.grad().defined());
    CHECK(layer->bias.grad().defined());
  }
}

std::int64_t resident_pages() {
  std::int64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident;
}

// pytorch/pytorch issue 46649: memory grew with each forward pass without gradients.
TEST_CASE("10,000 forward passes under NoGradGuard keep memory flat") {
  torch::nn::Sequential net(torch::nn::Linear(64, 64), torch::nn::ReLU(),
                            torch::nn::Linear(64, 64));
  const auto x = torch::ones({4, 64});
  const torch::NoGradGuard no_grad;
  for (const bool one_scope : {false, true}) {
    const auto run = [&](int count) {
      for (int i = 0; i < count; ++i) {
        const AutocastGuard scope(amp::kCPU);
        net->forward(x);
      }
    };
    std::optional<AutocastGuard> outer;
    if (one_scope) outer.emplace(amp::kCPU);
    run(1000);
    const std::int64_t before = resident_pages();
    run(10000);
    // A weight's copy of 8 KiB in each of the passes would be 20,000 pages each.
    CHECK(resident_pages() - before < 500);
  }
}

}  // namespace autocast_test

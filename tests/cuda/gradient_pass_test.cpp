// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What one pass over gradients costs on the CUDA device, whatever is asked of it: one launch. The
// norm it leaves is used once more, but never across a graph's border.
#include <amp/cuda.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_gradient_pass {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Tensors = std::vector<Tensor>;

template <class Call>
std::int64_t launches(const Call& call) {
  const standin::Counters before = standin::toolkit().counters;
  call();
  const standin::Counters now = standin::toolkit().counters;
  CHECK(now.allocations == before.allocations);
  CHECK(now.synchronisations == before.synchronisations);
  CHECK(now.to_device + now.to_host == before.to_device + before.to_host);
  return now.launches - before.launches;
}

Tensors parameters(std::size_t count, amp::Device device = kCUDA) {
  amp::manual_seed(51);
  Tensors all;
  for (std::size_t i = 0; i < count; ++i) {
    const amp::Shape shape{static_cast<std::int64_t>(1 + i * i % 37)};
    all.push_back(amp::randn(shape).to(device).detach().requires_grad_());
    all.back().set_grad(amp::randn(shape).to(device));
  }
  return all;
}

TEST_CASE("cuda pass: statistics cost no launch, copy or allocation on any path",
          "[cuda][cached]") {
  for (const bool statistics : {false, true}) {
    amp::SGD sgd(parameters(20), {.lr = 0});
    amp::GradScaler scaler({.init_scale = 4, .growth_interval = 1000, .statistics = statistics});
    (void)scaler.inverse_scale_data(kCUDA);
    const auto unscale = [&] { scaler.unscale_(sgd); };
    const auto clip = [&] { (void)scaler.unscale_and_clip(sgd, 1e6); };
    const auto step = [&] { (void)scaler.step(sgd); };
    const auto update = [&] { scaler.update(); };
    for (int i = 0; i < 4; ++i) {
      unscale(), step(), update();
      clip(), step(), update();
      step(), update();
    }
    CHECK(launches(unscale) <= 2);  // the word of the cycle set to 0; the pass
    step(), update();
    CHECK(launches(clip) <= 2);
    step(), update();
    CHECK(launches(step) <= 3);
    if (statistics) CHECK(scaler.statistics(sgd).get().elements > 20);
  }
}

TEST_CASE("cuda pass: unscale_ and clip_grad_norm_ launch the same in every cycle",
          "[cuda][cached]") {
  const Tensors all = parameters(5);
  amp::SGD sgd(all, {.lr = 0});
  amp::GradScaler scaler({.init_scale = 1});
  (void)scaler.inverse_scale_data(kCUDA);
  const auto unscale = [&] { scaler.unscale_(sgd); };
  const auto clip = [&] { (void)amp::clip_grad_norm_(all, 1e6); };
  for (int i = 0; i < 6; ++i) {
    if (i < 4) {  // memory is allocated in the first cycles
      unscale(), clip();
    } else {
      CHECK(launches(unscale) <= 2);  // found_inf = 0, the pass
      CHECK(launches(clip) <=
            5);  // the table, norm = 0, the norm of each block, the norm, the clip
    }
    scaler.step(sgd);
    scaler.update();
  }
}

/// Steps with unscale_ and clip_grad_norm_, as many as a graph's, or a graph's.
struct Training {
  Tensor x = amp::zeros({6, 8}, {.device = kCUDA}), w, norm = amp::zeros({}, {.device = kCUDA});
  std::optional<amp::Adam> optimizer = {};
  amp::GradScaler scaler{{.init_scale = 3, .growth_interval = 5, .statistics = true}};
  bool writes = false;

  Training() {
    amp::manual_seed(3);
    w = amp::randn({5, 8}).to(kCUDA).requires_grad_();
    optimizer.emplace(Tensors{w}, amp::AdamOptions{.lr = 0.01});
  }
  void step() {
    optimizer->zero_grad();
    scaler.scale(amp::mean(amp::pow(amp::linear(x, w), 2))).backward();
    scaler.unscale_(*optimizer);
    if (writes) w.grad().copy_(w.grad() * 2);
    norm.copy_(amp::clip_grad_norm_(optimizer->parameters(), 0.1));
    scaler.step(*optimizer);
    scaler.update();
  }
  void load(int i) const {
    amp::manual_seed(static_cast<std::uint64_t>(i));
    Tensor batch = amp::randn(x.shape());
    if (i % 7 == 5) batch.data<float>()[3] = HUGE_VALF;
    x.copy_(batch);
  }
};

TEST_CASE("cuda pass: in a graph, norm and statistics are those of each replay", "[cuda]") {
  for (const bool writes : {false, true}) {
    constexpr int kWarmup = 3;
    Training eager, recorded;
    eager.writes = recorded.writes = writes;
    eager.load(0), recorded.load(0);
    for (int i = 0; i < kWarmup; ++i) eager.step();
    amp::cuda::Graph graph([&] { recorded.step(); }, {.warmup = kWarmup});
    const amp::StatisticsResult told = recorded.scaler.statistics(*recorded.optimizer);
    for (int i = 0; i < 20; ++i) {
      eager.load(i), recorded.load(i);
      eager.step();
      graph.replay();
      const float norm = eager.norm.item<float>();
      if (std::isfinite(norm)) CHECK(recorded.norm.item<float>() == norm);
      const amp::GradientStatistics expected = eager.scaler.statistics(*eager.optimizer).get();
      if (std::isfinite(norm)) CHECK((told.get() == expected));
      CHECK(told.get().found_inf == (i % 7 == 5));
      CHECK(told.get().elements == 40);
    }
    CHECK(recorded.w.to_vector<float>() == eager.w.to_vector<float>());
  }
}

}  // namespace
}  // namespace cuda_gradient_pass

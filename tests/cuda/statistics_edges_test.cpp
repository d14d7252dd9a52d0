// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Statistics and kept norms if something ends early: passes that fail, graphs with few warm-ups,
// scalers that are destroyed.

#include <cmath>
#include <vector>

#include "cuda/device.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_statistics_edges {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;

Tensor parameter(double gradient) {
  const Tensor p = amp::ones({20}, {.device = kCUDA, .requires_grad = true});
  p.set_grad(amp::full({20}, gradient, {.device = kCUDA}));
  return p;
}

/// Not scale-aware: its gradients are unscaled in place.
struct RawOptimizer {
  Tensor gradient;

  std::vector<amp::TensorView> gradients() const {
    return {{gradient.raw_data(), gradient.numel(), gradient.dtype(), gradient.device()}};
  }
  void step() {}
};

}  // namespace

TEST_CASE("cuda statistics: what unscaling in place flushed to 0 is counted", "[cuda]") {
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32}) {
    std::vector<double> values(100003, 1.0);  // more than a chunk
    for (std::size_t i = 0; i < values.size(); i += 10) values[i] = i % 20 == 0 ? 0x1p-17 : 0;
    values[7] = 0x3p-18;  // rounds to float16's least
    const Tensor gradient = amp::tensor(values, {values.size()}, {.dtype = dtype});
    for (const amp::Device device : {amp::Device(amp::kCPU), amp::Device(kCUDA)}) {
      RawOptimizer optimizer{gradient.to(device).clone()};
      amp::GradScaler scaler({.init_scale = 256, .statistics = true});
      (void)scaler.scale_data(device);
      scaler.step(optimizer);
      const amp::GradientStatistics told = scaler.statistics(optimizer).get();
      INFO(amp::name(dtype));
      CHECK(told.flushed == (dtype == amp::kFloat16 ? 5001 : 0));
      CHECK(told.zeros == 5000);
    }
  }
}

#if !defined(AMP_TEST_GPU)
TEST_CASE("cuda statistics: a pass that fails leaves none of its own", "[cuda]") {
  for (int nth = 0;; ++nth) {
    INFO("call " << nth);
    const Tensor p = parameter(2);
    amp::SGD sgd({p}, {.lr = 0});
    amp::GradScaler scaler({.init_scale = 2, .statistics = true});
    (void)scaler.scale_data(kCUDA);
    scaler.step(sgd);
    scaler.update();
    standin::toolkit().fail("", nth, cudaErrorInvalidValue);
    const bool failed = !error_of([&] { scaler.unscale_(sgd); }).empty();
    standin::toolkit().reset();
    if (!failed) {
      CHECK(nth > 1);
      break;
    }
    // None of this cycle; if the cycle did not begin, still those of the last one.
    amp::GradientStatistics told{.max_abs = 1, .elements = 20};
    const std::string error = error_of([&] { told = scaler.statistics(sgd).get(); });
    if (error.empty()) CHECK(told.elements == 20);
    if (error.empty()) CHECK(told.max_abs == 1);
  }
}
#endif

TEST_CASE(
    "cuda statistics: a graph may be recorded after the default warm-ups, or eager steps and fewer",
    "[cuda]") {
  for (const int eager_steps : {0, 1, 3}) {
    for (const int warmup : {2, 3}) {
      // From cold, the first two calls find their words and that the norm is wanted.
      if (eager_steps == 0 && warmup < 3) continue;
      INFO(eager_steps << " " << warmup);
      const Tensor x = amp::ones({20}, {.device = kCUDA});
      const Tensor norm = amp::zeros({}, {.device = kCUDA});
      const Tensor p = amp::ones({20}, {.device = kCUDA, .requires_grad = true});
      amp::SGD sgd({p}, {.lr = 0.5, .zero_grad = true});
      amp::GradScaler scaler({.init_scale = 2, .statistics = true});
      const auto step = [&] {
        scaler.scale(amp::sum(p * x)).backward();
        scaler.unscale_(sgd);
        norm.copy_(amp::clip_grad_norm_(sgd.parameters(), 1e6));
        scaler.step(sgd);
        scaler.update();
      };
      for (int i = 0; i < eager_steps; ++i) step();
      amp::cuda::Graph graph(step, {.warmup = warmup});
      for (const double value : {3.0, 0.5}) {
        x.fill_(value);
        graph.replay();
        CHECK(norm.item<float>() == Approx(value * std::sqrt(20.0)));
        CHECK(scaler.statistics(sgd).get().max_abs == static_cast<float>(value));
      }
      step();  // eager once more
      CHECK(scaler.statistics(sgd).get().elements == 20);
      CHECK(p.to_vector<float>()[0] == Approx(1 - 0.5 * (eager_steps + warmup + 3.0 + 0.5 + 0.5)));
    }
  }
}

TEST_CASE("cuda statistics: an answer outlives scaler and optimizer", "[cuda]") {
  amp::StatisticsResult told;
  {
    const Tensor p = parameter(6);
    amp::Adam adam({p});
    amp::GradScaler scaler({.init_scale = 2, .statistics = true});
    (void)scaler.scale_data(kCUDA);
    (void)scaler.unscale_and_clip(adam, 1.0);
    told = scaler.statistics(adam);
  }
  CHECK(told.get().max_abs == 3);
}

}  // namespace cuda_statistics_edges

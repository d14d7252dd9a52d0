// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loop: scale, backward, step, update, with one optimizer and several, with one loss and
// several, and the steps left out.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace loop {
namespace {

using scaler_test::parameter;
using Bits = std::vector<std::vector<float>>;

constexpr double kInfinity = HUGE_VAL;

/// A small regression whose second layer gets an infinite gradient at chosen steps.
struct Regression {
  amp::Tensor w1, w2;
  std::vector<amp::Tensor> batches, targets;

  Regression() {
    amp::manual_seed(3);
    w1 = (amp::randn({8, 8}) * 0.3).requires_grad_();
    w2 = (amp::randn({8, 8}) * 0.3).requires_grad_();
    for (int i = 0; i < 12; ++i) {
      batches.push_back(amp::randn({8, 8}));
      targets.push_back(amp::randn({8, 8}));
    }
  }
  std::vector<amp::Tensor> parameters() const { return {w1, w2}; }
  amp::Tensor loss(std::size_t i) const {
    const amp::Tensor d = amp::matmul(amp::relu(amp::matmul(batches[i], w1)), w2) - targets[i];
    return amp::mean(d * d);
  }
  Bits bits() const { return {w1.to_vector<float>(), w2.to_vector<float>()}; }
};

/// Trains with a scaler, or as a control that leaves the bad steps out by itself.
template <class Optimizer, class Options>
Bits train(const Options& options, bool scaled, const std::set<std::size_t>& bad_steps) {
  const Regression problem;
  Optimizer optimizer(problem.parameters(), options);
  amp::GradScaler scaler({.init_scale = 128, .growth_interval = 1, .enabled = scaled});
  for (std::size_t i = 0; i < problem.batches.size(); ++i) {
    optimizer.zero_grad();
    const bool bad = bad_steps.contains(i);
    if (bad && !scaled) continue;
    scaler.scale(problem.loss(i)).backward();
    if (bad) problem.w2.grad().narrow(0, 3, 1).fill_(kInfinity);
    CHECK(scaler.step(optimizer).skipped() == bad);
    scaler.update();
  }
  return problem.bits();
}

}  // namespace

TEST_CASE("loop: SGD under a scaler is bit for bit SGD without, but for the skipped steps") {
  const amp::SGDOptions options{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01};
  CHECK(train<amp::SGD>(options, true, {}) == train<amp::SGD>(options, false, {}));
  CHECK(train<amp::SGD>(options, true, {0, 2, 3, 7}) ==
        train<amp::SGD>(options, false, {0, 2, 3, 7}));
}

TEST_CASE("loop: Adam's moments and step counts stand still on a skipped step, bit for bit") {
  const amp::AdamOptions options{.lr = 0.05};
  CHECK(train<amp::Adam>(options, true, {}) == train<amp::Adam>(options, false, {}));
  CHECK(train<amp::Adam>(options, true, {0, 2, 3, 7}) ==
        train<amp::Adam>(options, false, {0, 2, 3, 7}));
  const amp::AdamOptions decay{.lr = 0.05, .weight_decay = 0.1};
  CHECK(train<amp::AdamW>(decay, true, {0, 5}) == train<amp::AdamW>(decay, false, {0, 5}));
}

TEST_CASE("loop: a skipped step leaves parameters as they are, -0 and NaN included") {
  const amp::Tensor p = parameter({-0.0, NAN, 1}, {1, 1, kInfinity});
  const std::vector<float> before = p.to_vector<float>();
  amp::SGD sgd({p}, {.lr = 1, .weight_decay = 1});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  scaler.step(sgd);
  const std::vector<float> after = p.to_vector<float>();
  for (std::size_t i = 0; i < 3; ++i)
    CHECK(__builtin_bit_cast(std::uint32_t, after[i]) ==
          __builtin_bit_cast(std::uint32_t, before[i]));
}

TEST_CASE("loop: the numbers of PyTorch's documentation test") {
  // SGD, lr 1, p = 1, gradient 4, scale 2: p becomes -1, the tracker 1.
  const amp::Tensor p = parameter({1}, {4});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.item<float>() == -1);
  CHECK(scaler.state_dict().growth_tracker == 1);
  // An infinite gradient: p stays, the scale becomes 1, the tracker 0.
  p.set_grad(amp::full({1}, kInfinity));
  CHECK(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.item<float>() == -1);
  CHECK(scaler.get_scale() == 1);
  CHECK(scaler.state_dict().growth_tracker == 0);
}

TEST_CASE(
    "loop: an infinite gradient in one of two optimizers skips that one, and backs off once") {
  const amp::Tensor p = parameter({1}, {4}), q = parameter({1}, {kInfinity});
  amp::SGD good({p}, {.lr = 1});
  amp::Adam bad({q}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  const amp::StepResult first = scaler.step(good), second = scaler.step(bad);
  scaler.update();
  CHECK_FALSE(first.skipped());
  CHECK(second.skipped());
  CHECK(p.item<float>() == -1);
  CHECK(q.item<float>() == 1);
  CHECK(scaler.get_scale() == 1);
  CHECK(scaler.counters().applied == 1);
  CHECK(scaler.counters().skipped == 1);
}

TEST_CASE("loop: infinite gradients in both of two optimizers back off once") {
  const amp::Tensor p = parameter({1}, {kInfinity}), q = parameter({1}, {NAN});
  amp::SGD a({p}), b({q});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.step(a);
  scaler.step(b);
  scaler.update();
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("loop: losses of several dtypes share one scaler, and their gradients add up") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 1024});
  const std::vector<amp::Tensor> losses = {amp::sum(p * 2), amp::sum(p.to(amp::kFloat64) * 3),
                                           amp::sum(p.to(amp::kBFloat16) * 4)};
  for (const amp::Tensor& loss : scaler.scale(losses)) loss.backward();
  CHECK(p.grad().item<float>() == 9 * 1024);
  scaler.step(sgd);
  scaler.update();
  CHECK(p.item<float>() == -8);
}

TEST_CASE("loop: two losses of one network, each backward through its own part of the graph") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 4});
  const std::vector<amp::Tensor> scaled = scaler.scale({amp::sum(p), amp::sum(p * p)});
  REQUIRE(scaled.size() == 2);
  scaled[0].backward();
  scaled[1].backward();
  scaler.step(sgd);
  CHECK(p.item<float>() == -2);
}

TEST_CASE("loop: gradients accumulate over several backward passes") {
  const amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 256});
  for (int i = 0; i < 4; ++i) scaler.scale(amp::sum(p * 0.25)).backward();
  scaler.step(sgd);
  scaler.update();
  CHECK(p.item<float>() == -1);
}

// --- scale() ------------------------------------------------------------------------------------

TEST_CASE("scale: 16-bit losses become float32, and finite, of any shape") {
  amp::GradScaler scaler;
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32}) {
    for (const amp::Shape& shape : {amp::Shape(), amp::Shape(1), amp::Shape(2, 3)}) {
      const amp::Tensor scaled = scaler.scale(amp::full(shape, 40000, {.dtype = dtype}));
      CHECK(scaled.dtype() == amp::kFloat32);
      CHECK(scaled.shape() == shape);
      const float value = amp::full({1}, 40000, {.dtype = dtype}).item<float>();
      CHECK(scaled.to_vector<float>() ==
            std::vector<float>(static_cast<std::size_t>(shape.numel()), value * 65536));
    }
  }
}

TEST_CASE("scale: float64 stays float64") {
  amp::GradScaler scaler;
  const amp::Tensor p = amp::full({}, 1e-30, {.dtype = amp::kFloat64, .requires_grad = true});
  const amp::Tensor scaled = scaler.scale(p * 3);
  CHECK(scaled.dtype() == amp::kFloat64);
  CHECK(scaled.item<double>() == 1e-30 * 3 * 65536);
  scaled.backward();
  CHECK(p.grad().dtype() == amp::kFloat64);
  CHECK(p.grad().item<double>() == 3.0 * 65536);
}

TEST_CASE("scale: a loss without history is scaled, an undefined one is refused") {
  amp::GradScaler scaler({.init_scale = 4});
  CHECK(scaler.scale(amp::full({}, 2)).item<float>() == 8);
  CHECK_FALSE(scaler.scale(amp::full({}, 2)).requires_grad());
  CHECK_THROWS_AS(scaler.scale(amp::Tensor{}), amp::Error);
}

TEST_CASE("scale: under autocast the result is still float32") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  amp::GradScaler scaler;
  CHECK(scaler.scale(amp::ones({}, {.dtype = amp::kFloat16})).dtype() == amp::kFloat32);
}

TEST_CASE("scale: update() between forward and backward is detected") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 4, .growth_interval = 1});
  const amp::Tensor late = scaler.scale(amp::sum(p * 1));
  scaler.scale(amp::sum(p * 2)).backward();
  scaler.step(sgd);
  scaler.update();
  sgd.zero_grad();
  CHECK_THROWS_AS(late.backward(), amp::Error);
  CHECK_FALSE(p.grad().defined());
  CHECK(p.item<float>() == -1);
}

// --- results ------------------------------------------------------------------------------------

TEST_CASE("StepResult: right when asked after later steps and updates") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  std::vector<amp::StepResult> results;
  for (int i = 0; i < 20; ++i) {
    p.set_grad(amp::full({1}, i % 3 == 1 ? kInfinity : 1));
    results.push_back(scaler.step(sgd));
    scaler.update();
  }
  for (int i = 0; i < 20; ++i) {
    INFO("step " << i);
    const amp::StepResult& result = results[static_cast<std::size_t>(i)];
    CHECK(result.skipped() == (i % 3 == 1));
    REQUIRE(result.skipped_data() != nullptr);
    CHECK((*result.skipped_data() != 0) == (i % 3 == 1));
  }
}

TEST_CASE("StepResult: outlives its scaler") {
  amp::StepResult result;
  {
    const amp::Tensor p = parameter({1}, {NAN});
    amp::SGD sgd({p});
    amp::GradScaler scaler;
    scaler_test::start(scaler);
    result = scaler.step(sgd);
  }
  CHECK(result.skipped());
}

TEST_CASE("counters: steps applied, skipped, and skipped in a row") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  const auto cycle = [&](double gradient) {
    p.set_grad(amp::full({1}, gradient));
    scaler.step(sgd);
    scaler.update();
    const amp::GradScalerCounters c = scaler.counters();
    return std::array{c.applied, c.skipped, c.consecutive_skips};
  };
  using Counted = std::array<std::int64_t, 3>;
  CHECK(cycle(1) == Counted{1, 0, 0});
  CHECK(cycle(NAN) == Counted{1, 1, 1});
  CHECK(cycle(-kInfinity) == Counted{1, 2, 2});
  CHECK(cycle(1) == Counted{2, 2, 0});
}

TEST_CASE("counters: an optimizer that was unscaled but not stepped counts for the scale only") {
  const amp::Tensor p = parameter({1}, {NAN});
  amp::SGD sgd({p});
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  scaler.unscale_(sgd);
  scaler.update();
  CHECK(scaler.counters().applied == 0);
  CHECK(scaler.counters().skipped == 0);
  CHECK(scaler.get_scale() == 2);
}

TEST_CASE("loop: a cycle allocates no words of its own once warm") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  p.set_grad(amp::ones({1}));
  amp::Adam adam({p});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  const auto cycle = [&] {
    scaler.step(adam);
    scaler.update();
  };
  cycle();
  cycle();
  const std::int64_t allocations = amp::memory_stats().allocations;
  cycle();
  CHECK(amp::memory_stats().allocations == allocations);
}

}  // namespace loop

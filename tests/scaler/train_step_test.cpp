// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// TrainStep: the order of its calls, and each way to go on after a step that was left out.
#include <amp/amp.hpp>
#include <amp/scaler/train_step.hpp>

#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // kSanitize

namespace train_step {
namespace {

using amp::OnSkip;
using amp::Tensor;
using amp::TrainStep;
using amp::TrainStepResult;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

/// A weight of 1, whose gradient is what times() says at each run, as many as there are.
struct Setup {
  Tensor p = amp::ones({2}, {.requires_grad = true});
  amp::SGD sgd{amp::NamedTensors{{"weight", p}}, {.lr = 0.5}};
  amp::GradScaler scaler;
  int runs = 0;
  std::vector<bool> autocast = {};
  std::vector<float> random = {};

  explicit Setup(const amp::GradScalerOptions& options = {.init_scale = 1024, .on_skips = {}})
      : scaler(options) {}
  /// The loss of a batch whose first `bad` runs overflow.
  auto loss(int bad = 0) {
    return [this, bad, first = runs] {
      autocast.push_back(amp::is_autocast_enabled(amp::kCPU));
      random.push_back(amp::rand({1}).item<float>());
      const bool overflows = runs++ < first + bad;
      const double factor = overflows ? 1e38 : 1;
      return amp::sum(p * amp::tensor({1.0, factor}, {2}, {.dtype = amp::kFloat32}));
    };
  }
  std::vector<float> weights() const { return p.to_vector<float>(); }
};

}  // namespace

TEST_CASE("train step: takes the step that the calls by hand take") {
  Setup by_hand, setup;
  TrainStep train(setup.scaler, {.max_norm = 0.5});
  for (int i = 0; i < 3; ++i) {
    by_hand.sgd.zero_grad();
    Tensor loss;
    {
      const amp::AutocastGuard autocast(amp::kCPU);
      loss = by_hand.loss()();
    }
    by_hand.scaler.scale(loss).backward();
    const Tensor norm = by_hand.scaler.unscale_and_clip(by_hand.sgd, 0.5);
    by_hand.scaler.step(by_hand.sgd);
    by_hand.scaler.update();
    const TrainStepResult result = train(setup.sgd, setup.loss());
    CHECK_FALSE(result.skipped());
    CHECK(result.reruns == 0);
    CHECK_FALSE(result.float32);
    CHECK(result.loss.item<float>() == loss.item<float>());
    CHECK_FALSE(result.loss.requires_grad());
    CHECK(result.norm.item<float>() == norm.item<float>());
  }
  CHECK(setup.weights() == by_hand.weights());
  CHECK(setup.scaler.counters().applied == 3);
  CHECK(setup.autocast == std::vector<bool>{true, true, true});
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("train step: autocast as the options say, and no clipping without max_norm") {
  Setup setup;
  TrainStep off(setup.scaler, {.autocast = {.enabled = false}});
  const TrainStepResult result = off(setup.sgd, setup.loss());
  CHECK(setup.autocast == std::vector<bool>{false});
  CHECK_FALSE(result.norm.defined());
  CHECK(setup.weights() == std::vector<float>{0.5, 0.5});
}

TEST_CASE("train step: kSkip leaves the step out") {
  Setup setup;
  TrainStep train(setup.scaler);
  CHECK(train(setup.sgd, setup.loss(1)).skipped());
  CHECK(setup.runs == 1);
  CHECK(setup.weights() == std::vector<float>{1, 1});
  CHECK(setup.scaler.get_scale() == 512);
  CHECK_FALSE(train(setup.sgd, setup.loss()).skipped());
}

TEST_CASE("train step: kRerun runs the batch again at the new scale") {
  Setup setup;
  TrainStep train(setup.scaler, {.on_skip = OnSkip::kRerun});
  amp::manual_seed(3);
  TrainStepResult result = train(setup.sgd, setup.loss(2));
  CHECK_FALSE(result.skipped());
  CHECK(result.reruns == 2);
  CHECK(setup.runs == 3);
  CHECK(setup.scaler.get_scale() == 256);
  CHECK(setup.scaler.counters().skipped == 2);
  CHECK(setup.scaler.counters().applied == 1);
  CHECK(setup.random[1] == setup.random[0]);
  CHECK(setup.random[2] == setup.random[0]);
  CHECK(setup.weights() == std::vector<float>{0.5, 0.5});
  result = train(setup.sgd, setup.loss(9));
  CHECK(result.skipped());
  CHECK(result.reruns == 3);
  CHECK(setup.runs == 7);
  CHECK(setup.random[3] != setup.random[0]);
  CHECK(setup.weights() == std::vector<float>{0.5, 0.5});

  TrainStep never(setup.scaler, {.on_skip = OnSkip::kRerun, .max_reruns = 0});
  CHECK(never(setup.sgd, setup.loss(1)).skipped());
  CHECK(setup.runs == 8);
}

TEST_CASE("train step: kFloat32 runs the next steps without autocast and scale") {
  Setup setup;
  TrainStep train(setup.scaler, {.on_skip = OnSkip::kFloat32, .float32_steps = 2});
  CHECK_FALSE(train(setup.sgd, setup.loss()).float32);
  CHECK(train(setup.sgd, setup.loss(1)).skipped());
  CHECK(train.float32_steps_left() == 2);
  CHECK(setup.scaler.get_scale() == 512);
  // A gradient of 1e38 is finite where it is not scaled; the next one is bad all the same.
  const TrainStepResult result = train(setup.sgd, setup.loss(1));
  CHECK(result.float32);
  CHECK_FALSE(result.skipped());
  CHECK(train.float32_steps_left() == 1);
  const std::vector<float> before = setup.weights();
  CHECK(before[0] == 0);
  const TrainStepResult bad = train(setup.sgd, [&] { return amp::sum(setup.p * HUGE_VAL); });
  CHECK(bad.float32);
  CHECK(bad.skipped());
  CHECK(setup.weights() == before);
  CHECK(train.float32_steps_left() == 0);
  CHECK_FALSE(train(setup.sgd, setup.loss()).float32);
  CHECK(setup.scaler.get_scale() == 512);
  CHECK(setup.scaler.counters().applied == 2);
  CHECK(setup.autocast == std::vector<bool>{true, true, false, true});
}

TEST_CASE("train step: kStop throws, says what is known, and training may go on") {
  Setup setup({.init_scale = 1024, .on_skips = {}, .ledger = 2});
  TrainStep train(setup.scaler, {.on_skip = OnSkip::kStop});
  CHECK_FALSE(train(setup.sgd, setup.loss()).skipped());
  const std::string error = error_of([&] { train(setup.sgd, setup.loss(1)); });
  CHECK_THAT(error, ContainsSubstring("TrainStep: a step was skipped") &&
                        ContainsSubstring("the scale was 1024") &&
                        ContainsSubstring("1 of 1 gradients were not finite") &&
                        ContainsSubstring("weight, with 1 inf and 0 NaN among 2 elements, from "
                                          "element 1 on") &&
                        ContainsSubstring("which overflowed once scaled"));
  CHECK(setup.weights() == std::vector<float>{0.5, 0.5});
  CHECK(setup.scaler.get_scale() == 512);
  CHECK_FALSE(train(setup.sgd, setup.loss()).skipped());

  Setup without;
  TrainStep plain(without.scaler, {.on_skip = OnSkip::kStop});
  CHECK_THAT(error_of([&] { plain(without.sgd, without.loss(1)); }),
             ContainsSubstring(".ledger = 16"));
  TrainStep own(without.scaler,
                {.on_skip = OnSkip::kStop, .report = [](const amp::GradScaler& scaler) {
                   return "my report at " + std::to_string(scaler.get_scale());
                 }});
  CHECK_THAT(error_of([&] { own(without.sgd, without.loss(1)); }),
             ContainsSubstring("my report at 256"));
}

TEST_CASE("train step: an optimizer of one's own, a disabled scaler, kSanitize") {
  struct Raw : scaler_test::RawSGD<float> {
    int zeroed = 0;
    void zero_grad() { ++zeroed; }
  } raw;
  raw.weights = {1};
  raw.gradient = {8};
  amp::GradScaler scaler({.init_scale = 4});
  const Tensor w = amp::ones({}, {.requires_grad = true});
  TrainStep train(scaler, {.on_skip = OnSkip::kRerun});
  CHECK_FALSE(train(raw, [&] { return w * 2; }).skipped());
  CHECK(raw.weights[0] == -1);
  CHECK(raw.zeroed == 1);

  Setup disabled({.enabled = false});
  TrainStep plain(disabled.scaler, {.max_norm = 100.0, .on_skip = OnSkip::kStop});
  CHECK_FALSE(plain(disabled.sgd, disabled.loss()).skipped());
  CHECK(disabled.weights() == std::vector<float>{0.5, 0.5});

  Setup sanitized(
      {.init_scale = 1024, .on_skips = {}, .on_overflow = amp::OverflowPolicy::kSanitize});
  TrainStep taken(sanitized.scaler, {.on_skip = OnSkip::kStop});
  CHECK_FALSE(taken(sanitized.sgd, sanitized.loss(1)).skipped());
  CHECK(sanitized.weights()[0] == 0.5F);
}

TEST_CASE("train step: misuse is an error, and the next step works") {
  Setup setup;
  CHECK_THROWS_WITH(TrainStep(setup.scaler, {.max_norm = 0.0}), ContainsSubstring("`max_norm`"));
  CHECK_THROWS_WITH(TrainStep(setup.scaler, {.max_reruns = -1}), ContainsSubstring("`max_reruns`"));
  CHECK_THROWS_WITH(TrainStep(setup.scaler, {.float32_steps = 0}),
                    ContainsSubstring("`float32_steps`"));
  CHECK_THROWS_WITH(TrainStep(setup.scaler, {.on_skip = static_cast<OnSkip>(9)}),
                    ContainsSubstring("`on_skip` is no OnSkip, but 9"));
  TrainStep train(setup.scaler, {.max_norm = 10.0, .on_skip = OnSkip::kStop});
  CHECK_THROWS_WITH(train(setup.sgd, [] { return Tensor(); }),
                    ContainsSubstring("returned an undefined tensor"));
  CHECK_THROWS_AS(train(setup.sgd, [&]() -> Tensor { throw std::runtime_error("data"); }),
                  std::runtime_error);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK_THROWS_WITH(train(setup.sgd, [] { return amp::ones({}); }),  // depends on no parameter
                    ContainsSubstring("backward"));
  const Tensor other = amp::ones({}, {.requires_grad = true});
  CHECK_THROWS_WITH(train(setup.sgd, [&] { return other * 2; }),
                    ContainsSubstring("no parameter of the optimizer has a gradient"));
  CHECK_FALSE(train(setup.sgd, setup.loss()).skipped());
  CHECK(setup.weights() == std::vector<float>{0.5, 0.5});
}

}  // namespace train_step

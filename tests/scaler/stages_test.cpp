// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stages of an optimizer in a cycle: every call in every stage has its next stage or its error,
// to the word.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace stages {
namespace {

using amp_test::error_of;

enum Stage { kReady, kUnscaled, kClipped, kStepped, kSkipped, kUnscaledSkipped, kFailed };
constexpr std::array kStageNames = {"ready",   "unscaled",          "clipped", "stepped",
                                    "skipped", "unscaled, skipped", "failed"};
constexpr std::size_t kStages = kStageNames.size();

/// Two gradients, of which the scaler counts two.
struct Plain {
  std::array<float, 2> weights = {}, gradient = {8, 8};
  bool fails = false;

  std::vector<amp::TensorView> gradients() { return {{&gradient[0], 1}, {&gradient[1], 1}}; }
  void step() { apply(1); }
  void apply(float factor) {
    if (fails) throw std::runtime_error("a step that fails");
    for (std::size_t i = 0; i < 2; ++i) weights[i] -= gradient[i] * factor;
  }
};
struct Aware : Plain {
  using Plain::step;
  void step(const amp::GradScale& scale) {
    if (*scale.found_inf == 0) apply(*scale.inverse * (scale.clip != nullptr ? *scale.clip : 1));
  }
};

template <class Optimizer>
struct Setup {
  Optimizer optimizer;
  amp::GradScaler scaler{amp::GradScalerOptions{.init_scale = 8}};

  void forward() {
    optimizer.gradient = {8, 8};
    (void)scaler.scale(amp::ones({}));
  }
  void bring_to(Stage stage) {
    forward();
    switch (stage) {
      case kReady:
        break;
      case kUnscaled:
        return scaler.unscale_(optimizer);
      case kClipped:
        return (void)scaler.unscale_and_clip(optimizer, 100);
      case kStepped:
        return (void)scaler.step(optimizer);
      case kSkipped:
        return scaler.skip_step(optimizer);
      case kUnscaledSkipped:
        scaler.unscale_(optimizer);
        return scaler.skip_step(optimizer);
      case kFailed:
        scaler.unscale_(optimizer);
        optimizer.fails = true;
        CHECK_THROWS_AS(scaler.step(optimizer), std::runtime_error);
        optimizer.fails = false;
    }
  }
  /// The stage, as far as calls can tell; ends the cycle.
  std::string_view stage() {
    optimizer.gradient = {8, 8};
    const std::string error = error_of([&] { scaler.unscale_(optimizer); });
    for (const char* word : {"threw", "already unscaled", "already stepped", "skipped by"}) {
      if (error.find(word) != error.npos) return word;
    }
    return error.empty() ? "ready" : "unknown";
  }
};

constexpr std::array<std::string_view, kStages> kStageWords = {
    "ready", "already unscaled", "already unscaled", "already stepped", "skipped by", "skipped by",
    "threw"};

/// What a call does in a stage: the next stage, or an error that begins with the call's name.
struct Outcome {
  Stage next;
  std::string error;
  Outcome(Stage stage) : next(stage) {}
  Outcome(const char* text) : next(kReady), error(text) {}
};

template <class Optimizer>
struct Call {
  const char* name;
  void (*call)(Setup<Optimizer>&);
  std::array<Outcome, kStages> outcomes;
};

constexpr const char *kIsUnscaled =
                         ": this optimizer is already unscaled in this cycle (2 gradients); next "
                         "may come step(optimizer), skip_step(optimizer) or update()",
                     *kIsStepped =
                         ": this optimizer is already stepped in this cycle (2 gradients); next "
                         "may come update()",
                     *kIsSkipped =
                         ": this optimizer's step was skipped by skip_step in this cycle (0 "
                         "gradients); next may come update()",
                     *kIsUnscaledSkipped =
                         ": this optimizer's step was skipped by skip_step in this cycle (2 "
                         "gradients); next may come update()",
                     *kHasFailed =
                         ": unscaling or stepping this optimizer threw in this cycle, its 2 "
                         "gradients perhaps already unscaled; next may come update(), or "
                         "scale(loss) of a new cycle",
                     *kIsNew =
                         ": nothing was scaled yet; call scale(loss) before backward first (one's "
                         "own gradients: scale_data(device), which starts the scaler; "
                         "get_scale() does not)";

template <class O>
std::vector<Call<O>> calls() {
  using S = Setup<O>;
  return {
      {"unscale_",
       [](S& s) { s.scaler.unscale_(s.optimizer); },
       {kUnscaled, kIsUnscaled, kIsUnscaled, kIsStepped, kIsSkipped, kIsUnscaledSkipped,
        kHasFailed}},
      {"unscale_and_clip",
       [](S& s) { (void)s.scaler.unscale_and_clip(s.optimizer, 100); },
       {kClipped, kIsUnscaled, kIsUnscaled, kIsStepped, kIsSkipped, kIsUnscaledSkipped,
        kHasFailed}},
      {"step",
       [](S& s) { s.scaler.step(s.optimizer); },
       {kStepped, kStepped, kStepped, kIsStepped, kIsSkipped, kIsUnscaledSkipped, kHasFailed}},
      {"skip_step",
       [](S& s) { s.scaler.skip_step(s.optimizer); },
       {kSkipped, kSkipped, kSkipped, kIsStepped, kIsSkipped, kIsUnscaledSkipped, kHasFailed}},
      {"update",
       [](S& s) { s.scaler.update(); },
       {": no optimizer was unscaled or stepped since the last update (0 gradients); call "
        "step(optimizer), or skip_step(optimizer), first",
        kReady, kReady, kReady, kReady, kReady, kReady}},
      {"update(value)",
       [](S& s) { s.scaler.update(8.0); },
       {kReady, kReady, kReady, kReady, kReady, kReady, kReady}},
      {"load_state_dict",
       [](S& s) { s.scaler.load_state_dict({.scale = 8}); },
       {kReady, kReady, kReady, kReady, kReady, kReady, kReady}},
      {"scale",
       [](S& s) { (void)s.scaler.scale(amp::ones({})); },
       {kReady, kUnscaled, kClipped, kStepped, kSkipped, kUnscaledSkipped, kReady}},
  };
}

}  // namespace

TEMPLATE_TEST_CASE("stages: every call in every stage", "", Plain, Aware) {
  for (const Call<TestType>& call : calls<TestType>()) {
    for (std::size_t stage = 0; stage < kStages; ++stage) {
      INFO(call.name << " in stage " << kStageNames[stage]);
      const Outcome& outcome = call.outcomes[stage];
      Setup<TestType> s;
      s.bring_to(static_cast<Stage>(stage));
      const auto weights = s.optimizer.weights, gradient = s.optimizer.gradient;
      const amp::GradScalerState state = s.scaler.state_dict();
      const std::string error = error_of([&] { call.call(s); });
      if (outcome.error.empty()) {
        CHECK(error.empty());
        CHECK(s.stage() == kStageWords[outcome.next]);
      } else {
        CHECK(error == call.name + outcome.error);
        CHECK(s.optimizer.weights == weights);
        CHECK(s.optimizer.gradient == gradient);
        CHECK(s.scaler.state_dict() == state);
        CHECK(s.stage() == kStageWords[stage]);  // an error is no step on the way
      }
      // Whatever happened, a new cycle works.
      (void)error_of([&] { s.scaler.update(8.0); });
      s.forward();
      s.optimizer.weights = {};
      CHECK_FALSE(s.scaler.step(s.optimizer).skipped());
      CHECK(s.optimizer.weights == std::array{-1.0F, -1.0F});
      CHECK_NOTHROW(s.scaler.update());
    }
  }
}

TEMPLATE_TEST_CASE("stages: before the first scale() only loading and reading is legal", "", Plain,
                   Aware) {
  for (const Call<TestType>& call : calls<TestType>()) {
    INFO(call.name);
    Setup<TestType> s;
    const std::string error = error_of([&] { call.call(s); });
    const std::string_view name = call.name;
    if (name == "load_state_dict" || name == "scale") {
      CHECK(error.empty());
    } else {
      CHECK(error == std::string(name.substr(0, name.find('('))) + kIsNew);
    }
    CHECK(s.optimizer.weights == std::array{0.0F, 0.0F});
  }
}

TEST_CASE("stages: update() twice is an error, of which the loop recovers") {
  Setup<Aware> s;
  s.bring_to(kStepped);
  s.scaler.update();
  const amp::GradScalerState state = s.scaler.state_dict();
  for (int i = 0; i < 3; ++i) CHECK_THROWS_AS(s.scaler.update(), amp::Error);
  CHECK(s.scaler.state_dict() == state);
  s.bring_to(kStepped);
  CHECK_NOTHROW(s.scaler.update());
}

TEST_CASE("stages: of each optimizer in each stage at once, one update() ends them all") {
  std::array<Plain, kStages> optimizers;
  amp::GradScaler scaler({.init_scale = 8, .growth_interval = 1});
  (void)scaler.scale(amp::ones({}));
  (void)scaler.unscale_(optimizers[kUnscaled]);
  (void)scaler.unscale_and_clip(optimizers[kClipped], 100);
  scaler.step(optimizers[kStepped]);
  scaler.skip_step(optimizers[kSkipped]);
  optimizers[kFailed].fails = true;
  scaler.unscale_(optimizers[kFailed]);
  CHECK_THROWS_AS(scaler.step(optimizers[kFailed]), std::runtime_error);
  scaler.update();
  CHECK(scaler.get_scale() == 16);
  CHECK(scaler.counters().applied == 1);
  CHECK(scaler.counters().skipped == 1);
  for (Plain& optimizer : optimizers) {
    optimizer.fails = false;
    optimizer.gradient = {16, 16};
    CHECK_NOTHROW(scaler.unscale_(optimizer));
  }
}

TEST_CASE("stages: an aware optimizer that throws in a plain step is ready again") {
  Setup<Aware> s;
  s.forward();
  s.optimizer.fails = true;
  CHECK_THROWS_AS(s.scaler.step(s.optimizer), std::runtime_error);
  s.optimizer.fails = false;
  CHECK(s.optimizer.gradient == std::array{8.0F, 8.0F});  // still scaled, so tried again
  CHECK_FALSE(s.scaler.step(s.optimizer).skipped());
  CHECK(s.optimizer.weights == std::array{-1.0F, -1.0F});
  CHECK_NOTHROW(s.scaler.update());
}

TEST_CASE("stages: an overflow that a failed step left behind still lowers the scale") {
  Setup<Plain> s;
  s.forward();
  s.optimizer.gradient[1] = HUGE_VALF;
  s.scaler.unscale_(s.optimizer);
  Plain other;
  other.fails = true;
  CHECK_THROWS_AS(s.scaler.step(other), std::runtime_error);
  s.scaler.update();
  CHECK(s.scaler.get_scale() == 4);
  CHECK(s.scaler.counters().applied + s.scaler.counters().skipped == 0);
}

TEST_CASE("stages: update(value) and load_state_dict drop what one's own kernels found, too") {
  for (const bool load : {false, true}) {
    INFO((load ? "load_state_dict" : "update(value)"));
    Setup<Plain> s;
    *s.scaler.found_inf_data(amp::kCPU) = 1;
    if (load) {
      s.scaler.load_state_dict({.scale = 8});
    } else {
      s.scaler.update(8.0);
    }
    CHECK(*s.scaler.found_inf_data(amp::kCPU) == 0);
    s.bring_to(kStepped);
    s.scaler.update();
    CHECK(s.scaler.get_scale() == 8);
  }
}

TEST_CASE("stages: a gradient in memory that another optimizer's gradient had is its own") {
  // Two networks in one cycle, in turn: the second gradient is allocated where the first was.
  const amp::Tensor p = amp::zeros({1000}, {.requires_grad = true});
  const amp::Tensor q = amp::zeros({1000}, {.requires_grad = true});
  amp::SGD first({p}, {.lr = 1}), second({q}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  for (int i = 1; i <= 3; ++i) {
    for (amp::SGD* const optimizer : {&first, &second}) {
      scaler.scale(amp::sum(optimizer->parameters()[0])).backward();
      CHECK_NOTHROW(scaler.unscale_(*optimizer));
      CHECK_FALSE(scaler.step(*optimizer).skipped());
      optimizer->zero_grad();
    }
    CHECK_NOTHROW(scaler.update());
    CHECK(p.to_vector<float>().front() == static_cast<float>(-i));
    CHECK(q.to_vector<float>().front() == static_cast<float>(-i));
  }
}

}  // namespace stages

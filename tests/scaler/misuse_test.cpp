// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Calls out of order: each has an expected outcome in each stage, each error says what comes next,
// and after each a new cycle works.
#include <amp/amp.hpp>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace misuse {
namespace {

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;

/// A scaler and an optimizer of one weight, whose gradient is 1 in each cycle.
struct Setup {
  amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd{std::vector{p}, amp::SGDOptions{.lr = 1}};
  amp::GradScaler scaler{amp::GradScalerOptions{.init_scale = 8}};

  void forward_backward() {
    sgd.zero_grad();
    scaler.scale(amp::sum(p)).backward();
  }
  /// One whole cycle, which must work and move the weight by 1.
  void check_new_cycle() {
    const float before = p.item<float>();
    forward_backward();
    CHECK_FALSE(scaler.step(sgd).skipped());
    CHECK_NOTHROW(scaler.update());
    CHECK(p.item<float>() == before - 1);
  }
};

enum Stage { kNew, kReady, kUnscaled, kClipped, kStepped };
constexpr std::array kStageNames = {"new", "ready", "unscaled", "clipped", "stepped"};

void bring_to(Setup& s, Stage stage) {
  if (stage == kNew) return;
  s.forward_backward();
  if (stage == kUnscaled) s.scaler.unscale_(s.sgd);
  if (stage == kClipped) (void)s.scaler.unscale_and_clip(s.sgd, 100);
  if (stage == kStepped) s.scaler.step(s.sgd);
}

struct Call {
  const char* name;
  void (*call)(Setup&);
  std::array<std::vector<std::string>, 5> errors;  // by stage: what the message holds; none = legal
};

const std::vector<Call>& calls() {
  static const std::vector<std::string> kLegal,
      kNothingScaled = {"nothing was scaled", "scale(loss)"},
      kAlreadyUnscaled = {"already unscaled", "step(optimizer) or update()"},
      kAlreadyStepped = {"already stepped", "update()"};
  static const std::vector<Call> all = {
      {"unscale_",
       [](Setup& s) { s.scaler.unscale_(s.sgd); },
       {kNothingScaled, kLegal, kAlreadyUnscaled, kAlreadyUnscaled, kAlreadyStepped}},
      {"unscale_and_clip",
       [](Setup& s) { (void)s.scaler.unscale_and_clip(s.sgd, 100); },
       {kNothingScaled, kLegal, kAlreadyUnscaled, kAlreadyUnscaled, kAlreadyStepped}},
      {"step",
       [](Setup& s) { s.scaler.step(s.sgd); },
       {kNothingScaled, kLegal, kLegal, kLegal, kAlreadyStepped}},
      {"update",
       [](Setup& s) { s.scaler.update(); },
       {kNothingScaled, {"no optimizer was", "step(optimizer)"}, kLegal, kLegal, kLegal}},
      {"update(value)",
       [](Setup& s) { s.scaler.update(4.0); },
       {kNothingScaled, kLegal, kLegal, kLegal, kLegal}},
  };
  return all;
}

}  // namespace

TEST_CASE("misuse: every call in every stage has its outcome, and a new cycle works after it") {
  for (const Call& call : calls()) {
    for (const Stage stage : {kNew, kReady, kUnscaled, kClipped, kStepped}) {
      INFO(call.name << " in stage " << kStageNames[stage]);
      Setup s;
      bring_to(s, stage);
      const float before = s.p.item<float>();
      const std::string error = error_of([&] { call.call(s); });
      if (call.errors[stage].empty()) {
        CHECK(error.empty());
      } else {
        CHECK_THAT(error, Catch::Matchers::StartsWith(
                              call.name == std::string("update(value)") ? "update" : call.name));
        for (const std::string& part : call.errors[stage])
          CHECK_THAT(error, ContainsSubstring(part));
        CHECK(s.p.item<float>() == before);
      }
      (void)error_of([&] { s.scaler.update(); });  // ends the cycle where one was begun
      s.check_new_cycle();
    }
  }
}

TEST_CASE("misuse: the stages of several optimizers are their own") {
  Setup a;
  const amp::Tensor q = amp::zeros({1}, {.requires_grad = true});
  amp::SGD other({q}, {.lr = 1});
  a.forward_backward();
  a.scaler.scale(amp::sum(q)).backward();
  a.scaler.step(a.sgd);
  CHECK_NOTHROW(a.scaler.unscale_(other));
  CHECK_THAT(error_of([&] { a.scaler.unscale_(a.sgd); }), ContainsSubstring("already stepped"));
  CHECK_THAT(error_of([&] { a.scaler.unscale_(other); }), ContainsSubstring("already unscaled"));
  a.scaler.step(other);
  a.scaler.update();
  CHECK(q.item<float>() == -1);
}

TEST_CASE("misuse: update() twice throws, and says that nothing was stepped") {
  Setup s;
  s.check_new_cycle();
  CHECK_THAT(error_of([&] { s.scaler.update(); }), ContainsSubstring("step(optimizer)"));
  s.check_new_cycle();
}

TEST_CASE("misuse: a cycle in which no parameter has a gradient throws, and a new one works") {
  Setup s;
  s.check_new_cycle();
  for (int i = 0; i < 3; ++i) {
    INFO(i);
    s.sgd.zero_grad();
    const std::string error = error_of([&] {
      if (i == 0) s.scaler.step(s.sgd);
      if (i == 1) s.scaler.unscale_(s.sgd);
      if (i == 2) (void)s.scaler.unscale_and_clip(s.sgd, 1);
    });
    CHECK_THAT(error, ContainsSubstring("no parameter of the optimizer has a gradient"));
    CHECK_THAT(error, ContainsSubstring("backward()"));
    s.check_new_cycle();
  }
}

TEST_CASE("misuse: an optimizer without gradients does not spoil the cycle of another") {
  Setup s;
  const amp::Tensor q = amp::zeros({1}, {.requires_grad = true});
  amp::SGD idle({q});
  s.forward_backward();
  CHECK_THROWS_AS(s.scaler.step(idle), amp::Error);
  CHECK_NOTHROW(s.scaler.step(s.sgd));
  CHECK_NOTHROW(s.scaler.update());
  CHECK(s.p.item<float>() == -1);
  CHECK(s.scaler.counters().applied == 1);
}

TEST_CASE("misuse: gradients that are no memory of numbers throw and name the view") {
  struct Odd {
    std::vector<amp::TensorView> views;
    int steps = 0;
    std::vector<amp::TensorView> gradients() const { return views; }
    void step() { ++steps; }
  };
  float memory[2] = {8, 8};
  const std::vector<amp::TensorView> odd = {
      {nullptr, 2, amp::kFloat32, amp::kCPU, "layer7"},
      {memory, -1, amp::kFloat32, amp::kCPU, "layer7"},
      {memory, 1, amp::kInt64, amp::kCPU, "layer7"},
      {memory, 2, amp::kBool, amp::kCPU, "layer7"},
      {memory, 2, amp::kFloat32, amp::kCUDA, "layer7"},
  };
  for (const amp::TensorView& view : odd) {
    Odd optimizer{{{memory, 2, amp::kFloat32, amp::kCPU, "good"}, view}};
    amp::GradScaler scaler({.init_scale = 8});
    scaler_test::start(scaler);
    CHECK_THAT(error_of([&] { scaler.unscale_(optimizer); }), ContainsSubstring("layer7"));
    CHECK_THAT(error_of([&] { scaler.step(optimizer); }), ContainsSubstring("layer7"));
    CHECK(memory[0] == 8);  // nothing was touched
    CHECK(optimizer.steps == 0);
    optimizer.views.pop_back();
    CHECK_NOTHROW(scaler.step(optimizer));
    CHECK(memory[0] == 1);
    memory[0] = memory[1] = 8;
  }
}

TEMPLATE_TEST_CASE("misuse: after an optimizer that throws in step, a new cycle works", "",
                   RawSGD<float>, AwareSGD<float>) {
  auto optimizer = make_raw<TestType>({0}, {8});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  for (const bool unscale_first : {false, true}) {
    INFO("unscale_ first: " << unscale_first);
    optimizer.fails = true;
    optimizer.gradient = {8};
    if (unscale_first) scaler.unscale_(optimizer);
    CHECK_THROWS_AS(scaler.step(optimizer), std::runtime_error);
    CHECK(optimizer.weights[0] == 0);
    optimizer.fails = false;
    optimizer.gradient = {8};  // of a new loss
    (void)scaler.scale(amp::ones({}));
    CHECK_FALSE(scaler.step(optimizer).skipped());
    CHECK_NOTHROW(scaler.update());
    CHECK(optimizer.weights[0] == -1);
    optimizer.weights[0] = 0;
  }
}

TEMPLATE_TEST_CASE("misuse: a step tried again after it threw does not unscale twice", "",
                   RawSGD<float>, AwareSGD<float>) {
  auto optimizer = make_raw<TestType>({0}, {8});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  for (const bool unscale_first : {false, true}) {
    INFO("unscale_ first: " << unscale_first);
    optimizer.gradient = {8};
    optimizer.weights = {0};
    if (unscale_first) scaler.unscale_(optimizer);
    optimizer.fails = true;
    CHECK_THROWS_AS(scaler.step(optimizer), std::runtime_error);
    optimizer.fails = false;
    // A scale-aware optimizer steps with the true gradient, 1. Gradients that unscale_ or the step
    // of another optimizer may have unscaled in place already are refused until a new cycle.
    const bool steps = std::is_same_v<TestType, AwareSGD<float>> && !unscale_first;
    const std::string error = error_of([&] { scaler.step(optimizer); });
    CHECK(error.empty() == steps);
    CHECK((error.find("perhaps already unscaled") == error.npos) == steps);
    CHECK(optimizer.weights[0] == (steps ? -1 : 0));
    CHECK_NOTHROW(scaler.update());
  }
}

TEST_CASE("misuse: a throwing optimizer leaves the cycle of another whole") {
  auto bad = make_raw<RawSGD<float>>({0}, {8}), good = make_raw<RawSGD<float>>({0}, {8});
  bad.fails = true;
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.unscale_(good);
  CHECK_THROWS_AS(scaler.step(bad), std::runtime_error);
  CHECK_NOTHROW(scaler.step(good));
  CHECK_NOTHROW(scaler.update());
  CHECK(good.weights[0] == -1);
}

TEST_CASE("misuse: a backward pass that throws leaves the scaler ready") {
  Setup s;
  const amp::Tensor loss = s.scaler.scale(amp::sum(s.p * s.p));
  {
    const amp::NoGradGuard no_grad;
    s.p.fill_(0);
  }
  CHECK_THROWS_AS(loss.backward(), amp::Error);
  s.check_new_cycle();
}

TEST_CASE("misuse: tensors of another device than the scaler's are refused") {
  amp::GradScaler scaler;
  (void)scaler.scale(amp::ones({}));
  CHECK_THROWS_AS(scaler.scale_data(amp::kCUDA), amp::Error);
  CHECK_THROWS_AS(scaler.found_inf_data(amp::kCUDA), amp::Error);
  CHECK(*scaler.scale_data(amp::kCPU) == 65536);
}

TEST_CASE("misuse: a scaler asked to live on a device that is not there says so, and can be used") {
  if (amp::is_available(amp::kCUDA)) return;
  amp::GradScaler scaler({.device = amp::Device(amp::kCUDA)});
  CHECK_THROWS_AS(scaler.scale(amp::ones({})), amp::Error);
  CHECK_THROWS_AS(scaler.scale(amp::ones({})), amp::Error);
  CHECK(scaler.get_scale() == 65536);
}

}  // namespace misuse

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The text of diagnose() for each reason to skip a step, and the names in it.
#include <amp/amp.hpp>
#include <amp/diagnostics.hpp>

#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace diagnose_test {
namespace {

using amp::Diagnosis;
using amp::DiagnosisKind;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

const double kNan = std::nan("");

struct Setup {
  amp::NamedTensors parameters;
  std::vector<Tensor> all;
  std::optional<amp::SGD> sgd = {};
  amp::GradScaler scaler;

  explicit Setup(int count = 3,
                 const amp::GradScalerOptions& options = {.on_skips = {}, .ledger = 16})
      : scaler(options) {
    for (int i = 0; i < count; ++i) {
      all.push_back(amp::ones({2, 3}, {.requires_grad = true}));
      parameters.emplace_back("layer" + std::to_string(i) + ".weight", all.back());
    }
    sgd.emplace(parameters, amp::SGDOptions{.lr = 0});
    scaler_test::start(scaler);
  }
  /// A cycle in which gradient g has the value in its element 4.
  void cycle(std::size_t g = 0, double value = 1, double loss = 1) {
    for (const Tensor& p : all) p.set_grad(amp::ones(p.shape()));
    all[g].grad().select(0, 1).narrow(0, 1, 1).fill_(value);
    (void)scaler.scale(amp::full({}, loss));
    scaler.step(*sgd);
    scaler.update();
  }
};

}  // namespace

TEST_CASE("diagnose: no step was skipped") {
  Setup setup;
  CHECK(diagnose(setup.scaler).passes == 0);
  CHECK_THAT(to_string(diagnose(setup.scaler)), ContainsSubstring("no pass yet"));
  for (int i = 0; i < 5; ++i) setup.cycle();
  const Diagnosis d = diagnose(setup.scaler, setup.parameters);
  CHECK(d.kind == DiagnosisKind::kNoSkip);
  CHECK(d.passes == 5);
  CHECK(d.gradient == -1);
  CHECK_THAT(to_string(d), ContainsSubstring("No step was skipped among the last 5 passes"));
}

TEST_CASE("diagnose: an inf in gradient 137 of 400 is named") {
  Setup setup(400);
  setup.cycle();
  setup.cycle(137, -HUGE_VAL);
  const Diagnosis d = diagnose(setup.scaler, setup.parameters);
  CHECK(d.kind == DiagnosisKind::kInfinities);
  CHECK(d.gradient == 137);
  CHECK(d.parameter == "layer137.weight");
  CHECK(d.element == 4);
  CHECK(d.elements == 6);
  CHECK(d.infs == 1);
  CHECK(d.nans == 0);
  CHECK(d.bad_gradients == 1);
  CHECK(d.gradients == 400);
  CHECK(d.scale == 65536);
  CHECK(d.loss == 1);
  CHECK(d.pass == 2);
  CHECK(d.passes_ago == 0);
  CHECK(d.skips_in_a_row == 1);
  std::ostringstream text;
  text << d;
  CHECK(text.str() == to_string(d));
  CHECK_THAT(text.str(), ContainsSubstring("1 of 400 gradients was not finite") &&
                             ContainsSubstring("layer137.weight") &&
                             ContainsSubstring("1 inf among 6 elements, from element 4 on") &&
                             ContainsSubstring("backs off by itself"));
}

TEST_CASE("diagnose: NaN alone comes from backward") {
  Setup setup(400);
  setup.cycle(137, kNan);
  const Diagnosis d = diagnose(setup.scaler);
  CHECK(d.kind == DiagnosisKind::kBackward);
  CHECK(d.parameter == "layer137.weight");
  CHECK(d.nans == 1);
  CHECK(d.infs == 0);
  CHECK_THAT(to_string(d), ContainsSubstring("AnomalyGuard") && ContainsSubstring("1 NaN"));
}

TEST_CASE("diagnose: infinities at a small scale, or again and again, are not the scale's") {
  Setup small(3, {.init_scale = 1, .on_skips = {}, .ledger = 4});
  small.cycle(2, HUGE_VAL);
  CHECK(diagnose(small.scaler).kind == DiagnosisKind::kBackward);
  CHECK_THAT(to_string(diagnose(small.scaler)), ContainsSubstring("the scale was only 1"));

  Setup often;
  for (int i = 0; i < 9; ++i) often.cycle(1, HUGE_VAL);
  CHECK(diagnose(often.scaler).kind == DiagnosisKind::kInfinities);
  often.cycle(1, HUGE_VAL);
  const Diagnosis d = diagnose(often.scaler);
  CHECK(d.kind == DiagnosisKind::kBackward);
  CHECK(d.skips_in_a_row == 10);
  CHECK(d.scale == 128);
  CHECK_THAT(to_string(d), ContainsSubstring("10 steps in a row"));
}

TEST_CASE("diagnose: the loss was not finite, or only its product with the scale") {
  for (const double loss : {kNan, HUGE_VAL}) {
    Setup setup;
    setup.cycle(1, loss, loss);
    const Diagnosis d = diagnose(setup.scaler);
    CHECK(d.kind == DiagnosisKind::kLoss);
    CHECK(std::isnan(d.loss) == std::isnan(loss));
    CHECK_THAT(to_string(d),
               ContainsSubstring(std::isnan(loss) ? "The loss was nan" : "The loss was inf") &&
                   ContainsSubstring("AnomalyGuard"));
  }
  Setup setup;
  setup.cycle(1, HUGE_VAL, 1e35);
  const Diagnosis d = diagnose(setup.scaler);
  CHECK(d.kind == DiagnosisKind::kScaledLoss);
  CHECK_THAT(to_string(d), ContainsSubstring("overflowed float32"));
}

TEST_CASE("diagnose: only the norm overflowed") {
  Setup setup(1, {.init_scale = 2, .on_skips = {}, .ledger = 4});
  setup.all[0].set_grad(amp::full({2, 3}, 1e30));
  (void)setup.scaler.unscale_and_clip(*setup.sgd, 1.0);
  setup.scaler.step(*setup.sgd);
  setup.scaler.update();
  const Diagnosis d = diagnose(setup.scaler);
  CHECK(d.kind == DiagnosisKind::kNorm);
  CHECK(d.gradient == -1);
  CHECK(d.bad_gradients == 0);
  CHECK_THAT(to_string(d), ContainsSubstring("norm"));
}

TEST_CASE("diagnose: a skip of many steps ago is found as long as the ledger has it") {
  Setup setup;
  setup.cycle(2, HUGE_VAL);
  for (int i = 0; i < 15; ++i) setup.cycle();
  Diagnosis d = diagnose(setup.scaler);
  CHECK(d.kind == DiagnosisKind::kInfinities);
  CHECK(d.pass == 1);
  CHECK(d.passes_ago == 15);
  CHECK(d.parameter == "layer2.weight");
  CHECK_THAT(to_string(d), ContainsSubstring("15 before the last"));
  setup.cycle();
  CHECK(diagnose(setup.scaler).kind == DiagnosisKind::kNoSkip);
}

TEST_CASE("diagnose: all optimizers of the pass are looked at") {
  amp::GradScaler scaler({.on_skips = {}, .ledger = 8});
  scaler_test::start(scaler);
  const Tensor p = scaler_test::parameter({0}, {1});
  const Tensor q = scaler_test::parameter({0, 0}, {1, HUGE_VAL});
  amp::SGD one({p}, {.lr = 0}), other({q, p.detach().requires_grad_()}, {.lr = 0});
  for (int i = 0; i < 2; ++i) {
    scaler.step(one);
    if (i == 0) scaler.step(other);
    scaler.update();
  }
  const Diagnosis d = diagnose(scaler);
  CHECK(d.kind == DiagnosisKind::kInfinities);
  CHECK(d.optimizer == 1);
  CHECK(d.parameter == "gradient 0");
  CHECK(d.element == 1);
  CHECK(d.gradients == 2);
  CHECK(d.passes_ago == 1);
  CHECK(d.losses == 0);
}

TEST_CASE("diagnose: a weight that is not finite is named, whatever happened") {
  Setup setup;
  const Tensor integers = amp::ones({2}, {.dtype = amp::kInt64});
  amp::NamedTensors state = setup.parameters;
  state.emplace_back("steps", integers);
  for (const double bad : {HUGE_VAL, kNan}) {
    amp::Tensor(setup.all[1].detach()).select(0, 1).narrow(0, 2, 1).fill_(bad);
    for (const bool skipped : {false, true}) {
      if (skipped) setup.cycle(0, HUGE_VAL);
      const Diagnosis d = diagnose(setup.scaler, state);
      CHECK(d.kind == DiagnosisKind::kWeight);
      CHECK(d.weight == "layer1.weight");
      CHECK(d.weight_element == 5);
      CHECK(d.weight_is_nan == std::isnan(bad));
      CHECK_THAT(to_string(d), ContainsSubstring("element 5 of layer1.weight is ") &&
                                   ContainsSubstring(std::isnan(bad) ? "NaN" : "inf"));
      CHECK(diagnose(setup.scaler).kind != DiagnosisKind::kWeight);
    }
  }
  CHECK(diagnose(setup.scaler, setup.all).weight == "parameter 1");
  CHECK(diagnose(setup.scaler, setup.all).kind == DiagnosisKind::kWeight);
}

TEST_CASE("diagnose: a disabled scaler has no passes, one without a ledger is an error") {
  const amp::GradScaler disabled({.enabled = false});
  CHECK(diagnose(disabled).kind == DiagnosisKind::kNoSkip);
  CHECK(diagnose(disabled).passes == 0);
  CHECK_THAT(to_string(diagnose(disabled)), ContainsSubstring("disabled"));
  const amp::GradScaler without;
  CHECK_THROWS_WITH(
      diagnose(without),
      ContainsSubstring("diagnose: the scaler records no passes") && ContainsSubstring(".ledger"));
  const Setup setup;
  CHECK_THROWS_WITH(diagnose(setup.scaler, {{"absent", Tensor()}}),
                    ContainsSubstring("absent is undefined"));
}

TEST_CASE("diagnose: several bad gradients, the last is where backward came first") {
  const Tensor a = amp::ones({2}, {.requires_grad = true}),
               b = amp::zeros({2}, {.requires_grad = true});
  amp::SGD sgd(amp::NamedTensors{{"first", a}, {"second", b}}, {.lr = 0});
  amp::GradScaler scaler({.on_skips = {}, .ledger = 2});
  scaler.scale(amp::sum(amp::sqrt(b) * a)).backward();  // the derivative of sqrt at 0
  scaler.step(sgd);
  scaler.update();
  const Diagnosis d = diagnose(scaler);
  CHECK(d.kind == DiagnosisKind::kInfinities);
  CHECK(d.parameter == "second");
  CHECK(d.last_parameter == "second");
}

}  // namespace diagnose_test

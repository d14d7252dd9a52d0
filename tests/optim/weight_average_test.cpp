// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Averages of weights: against torch's AveragedModel, with an optimizer's steps and skips, in the
// place of the weights and back, saved and loaded, and what is refused.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace weight_average {
namespace {

using amp::ExponentialMovingAverage;
using amp::StochasticWeightAverage;
using amp::Tensor;
using amp_test::difference;
using amp_test::error_of;
using amp_test::numbers;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

Values values_of(const amp::WeightAverage& average) {
  Values all;
  for (const Tensor& t : average.averages())
    for (const double x : t.to_vector<double>()) all.push_back(x);
  return all;
}

// As in goldens/make_averages.py.
constexpr int kRecorded[] = {1, 2, 3, 10, 50};
struct Model {
  Tensor weight, mean, batches = amp::tensor({3}, {});
  explicit Model(amp::DType dtype)
      : weight(amp::zeros({5}, {.dtype = dtype, .requires_grad = true})),
        mean(amp::zeros({3}, {.dtype = dtype})) {}
  amp::NamedTensors parameters() const { return {{"weight", weight}}; }
  amp::NamedTensors buffers() const { return {{"mean", mean}, {"batches", batches}}; }
};
template <class Average>
void check(Average average, const Model& model, const goldens::Block& golden) {
  average.add(model.buffers());
  Values all;
  const float found = 1;
  for (int step = 0; step < 50; ++step) {
    const amp::NoGradGuard no_grad;
    model.weight.copy_(numbers({5}, 3 * step));
    model.mean.copy_(numbers({3}, 3 * step + 1));
    if (step % 5 == 2) average.update(&found);
    average.update();
    if (std::find(std::begin(kRecorded), std::end(kRecorded), step + 1) == std::end(kRecorded))
      continue;
    for (const double x : values_of(average)) all.push_back(x);
  }
  CHECK(average.n_averaged() == 50);
  const double tolerance = model.weight.dtype() == amp::kFloat64 ? 1e-15 : 3e-7;
  CHECK(difference(all, golden["averages"].values) < tolerance);
  std::string names;
  for (const auto& [name, tensor] : average.state_dict())
    names += (names.empty() ? "" : " ") + name;
  CHECK(names == golden.text("names"));
}

/// A parameter and gradients, and an optimizer with its average.
struct Run {
  Tensor p;
  amp::AdamW optimizer;
  ExponentialMovingAverage ema;

  explicit Run(amp::DType dtype, const amp::AdamOptions& options = {.lr = 0.1})
      : p(numbers({40}, 3, dtype).requires_grad_()),
        optimizer(amp::NamedTensors{{"w", p}}, options),
        ema(optimizer, {.decay = 0.75}) {}
  void step(int step, bool skips = false) {
    const float found = skips ? 1 : 0;
    p.set_grad(numbers({40}, 7 + step, p.dtype()));
    optimizer.step({.found_inf = &found});
  }
};

}  // namespace

TEST_CASE("averages: 50 updates of weights and buffers are torch's", "[optim]") {
  for (const goldens::Block& golden : goldens::read_blocks("averages.txt")) {
    INFO(golden.title);
    const Model model(golden.title.ends_with("float64") ? amp::kFloat64 : amp::kFloat32);
    if (golden.title.starts_with("swa"))
      check(StochasticWeightAverage(model.parameters()), model, golden);
    else if (golden.title.starts_with("ema_short"))
      check(ExponentialMovingAverage(model.parameters(), {.decay = 0.4}), model, golden);
    else
      check(ExponentialMovingAverage(model.parameters()), model, golden);
  }
}

TEST_CASE("averages: each step that is applied updates them, and no other", "[optim]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    INFO(amp::name(dtype));
    Run run(dtype);
    Tensor expected;
    for (int step = 0; step < 12; ++step) {
      const bool skips = step == 0 || step % 4 == 1;
      const Values before = values_of(run.ema);
      run.step(step, skips);
      if (skips) {
        CHECK(values_of(run.ema) == before);
        continue;
      }
      const Tensor w = run.p.detach().to(amp::kFloat64).clone();
      expected = expected.defined() ? expected * 0.75 + w * 0.25 : w;
    }
    CHECK(run.ema.n_averaged() == run.optimizer.applied_steps());
    CHECK(run.ema.averages()[0].dtype() ==
          (dtype == amp::kFloat64 ? amp::kFloat64 : amp::kFloat32));
    CHECK(difference(values_of(run.ema), expected.to_vector<double>()) < 1e-6);
  }
}

TEST_CASE("averages: masters are averaged in the place of 16-bit parameters", "[optim]") {
  Run run(amp::kBFloat16, {.lr = 1e-4, .storage = amp::WeightStorage::kMaster});
  run.step(0);
  CHECK(same_bits(run.ema.averages()[0], run.optimizer.master_weights()[0]));
  CHECK(!same_bits(run.ema.averages()[0], run.p.detach().to(amp::kFloat32)));
}

TEST_CASE("averages: stand in the place of the weights and go, bit for bit", "[optim]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    for (const auto storage : {amp::WeightStorage::kParameter, amp::WeightStorage::kMaster}) {
      Run run(dtype, {.lr = 0.1, .storage = storage}),
          other(dtype, {.lr = 0.1, .storage = storage});
      for (int step = 0; step < 6; ++step) {
        run.step(step);
        other.step(step);
        if (step % 2 == 0) continue;
        const Tensor weights = run.p.detach().clone();
        std::uint64_t version = run.p.version();
        {
          const amp::AverageGuard guard(run.ema);
          CHECK(same_bits(run.p, run.ema.averages()[0].to(dtype)));
          CHECK(run.p.version() > version);
          version = run.p.version();
          const amp::AutocastGuard autocast(amp::kCPU);  // whose copy is the average's
          const Tensor x = amp::eye(40);
          CHECK(difference(amp::matmul(x, run.p.to(amp::kFloat32)).to_vector<double>(),
                           run.ema.averages()[0].to_vector<double>()) < 0.01);
        }
        CHECK(same_bits(run.p, weights));
        CHECK(run.p.version() > version);
      }
      CHECK(same_bits(run.p, other.p));
      CHECK(values_of(run.ema) == values_of(other.ema));
    }
  }
}

TEST_CASE("averages: no step and no second guard inside a guard", "[optim]") {
  Run run(amp::kFloat32);
  run.step(0);
  {
    const amp::AverageGuard guard(run.ema);
    CHECK_THAT(error_of([&] { run.ema.update(); }), ContainsSubstring("AverageGuard"));
    CHECK_THAT(error_of([&] { const amp::AverageGuard again(run.ema); }),
               ContainsSubstring("already"));
    CHECK_THAT(error_of([&] { run.step(1); }), ContainsSubstring("AverageGuard"));
  }
  run.ema.update();
  CHECK(run.ema.n_averaged() == 2);
}

TEST_CASE("averages: a resumed run goes on, and the optimizer outlives its average", "[optim]") {
  Run whole(amp::kFloat32), resumed(amp::kFloat32);
  for (int step = 0; step < 5; ++step) whole.step(step);
  resumed.optimizer.load_state_dict(whole.optimizer.state_dict());
  resumed.ema.load_state_dict(whole.ema.state_dict());
  {
    const amp::NoGradGuard no_grad;
    resumed.p.copy_(whole.p);
  }
  whole.step(5);
  resumed.step(5);
  CHECK(values_of(whole.ema) == values_of(resumed.ema));
  CHECK(resumed.ema.n_averaged() == 6);

  const Tensor p = amp::ones({2}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  { const ExponentialMovingAverage gone(sgd); }
  p.set_grad(amp::ones({2}));
  sgd.step();
  CHECK(p.to_vector<float>()[0] == 0);
}

TEST_CASE("averages: the first updates of a warm-up forget soon", "[optim]") {
  const Tensor p = amp::zeros({1}, {.dtype = amp::kFloat64});
  ExponentialMovingAverage ema(std::vector{p}, {.decay = 0.2, .warmup = true});
  double expected = 0;
  for (int n = 0; n < 6; ++n) {
    p.fill_(n + 1);
    ema.update();
    const double decay = n == 0 ? 0 : std::min(0.2, (1.0 + n) / (10.0 + n));
    expected = decay * expected + (1 - decay) * (n + 1);
    CHECK(ema.averages()[0].item<double>() == Approx(expected).epsilon(1e-14));
  }
}

TEST_CASE("averages: infinities are copied, and then averaged as numbers are", "[optim]") {
  const Tensor p = amp::full({3}, HUGE_VAL);
  ExponentialMovingAverage ema(std::vector{p});
  ema.update();
  CHECK(ema.averages()[0].to_vector<float>()[1] == HUGE_VALF);
}

TEST_CASE("averages: what cannot be averaged is refused by name", "[optim]") {
  const Tensor p = amp::ones({2, 3});
  const auto ema_of = [](const amp::NamedTensors& tensors, double decay = 0.9) {
    return error_of([&] { ExponentialMovingAverage(tensors, {.decay = decay}); });
  };
  CHECK_THAT(ema_of({}), ContainsSubstring("no floating-point tensor"));
  CHECK_THAT(ema_of({{"n", amp::tensor({1}, {})}}), ContainsSubstring("no floating-point tensor"));
  CHECK_THAT(ema_of({{"w", Tensor()}}), ContainsSubstring("\"w\" is undefined"));
  CHECK_THAT(ema_of({{"w", p.t()}}), ContainsSubstring("contiguous"));
  CHECK_THAT(ema_of({{"w", p}, {"w", amp::ones({1})}}), ContainsSubstring("are named \"w\""));
  for (const double decay : {-0.1, 1.1, std::nan("")})
    CHECK_THAT(ema_of({{"w", p}}, decay), ContainsSubstring("`decay`"));

  ExponentialMovingAverage ema(amp::NamedTensors{{"w", p}});
  ema.update();
  CHECK_THAT(error_of([&] {
               ema.add(amp::NamedTensors{{"late", p}});
             }),
             ContainsSubstring("before the first update"));
  CHECK(ema.averages().size() == 1);
  amp::NamedTensors state = ema.state_dict();
  state[1].second = amp::ones({6});
  CHECK_THAT(error_of([&] { ema.load_state_dict(state); }), ContainsSubstring("module.w"));
  state.pop_back();
  CHECK_THAT(error_of([&] { ema.load_state_dict(state); }), ContainsSubstring("module.w"));
  CHECK(ema.n_averaged() == 1);
}

}  // namespace weight_average

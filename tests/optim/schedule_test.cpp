// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Schedules count applied steps: a skipped step changes nothing, and the run goes on as if that
// step had not been made. And the values of schedules at their ends.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace schedule {
namespace {

using amp::scheduled_rate;
using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Two groups under different schedules, and a scaler over them.
template <class Optimizer>
struct Run {
  using Group = std::remove_cvref_t<decltype(std::declval<Optimizer&>().param_groups()[0])>;
  Tensor a, b;
  Optimizer optimizer;
  amp::GradScaler scaler{{.init_scale = 1024, .growth_interval = 1000}};

  explicit Run(amp::DType dtype)
      : a(start(5, dtype)), b(start(3, dtype)), optimizer(groups(a, b)) {}

  static Tensor start(std::int64_t n, amp::DType dtype) {
    return (amp::arange(n).to(amp::kFloat32) * 0.25 - 0.5).to(dtype).requires_grad_();
  }
  static std::vector<Group> groups(const Tensor& a, const Tensor& b) {
    Group first{.params = {a}}, second{.params = {b}};
    first.options.lr = 0.1;
    first.options.schedule = amp::cosine_schedule(20, 0.01).after_warmup(3, 0.1);
    second.options.lr = 0.05;
    second.options.schedule = amp::one_cycle_schedule(12);
    if constexpr (requires { first.options.momentum; }) first.options.momentum = 0.9;
    return {first, second};
  }
  /// A step whose gradients depend on `step`; with `bad`, one of them is not finite.
  void step(int step, double bad = 0) {
    const Tensor x = amp::full({5}, 0.5 + step % 3, {.dtype = a.dtype()});
    const Tensor y = amp::tensor({0.25, -1.0, bad == 0 ? 0.5 : bad}, {3}, {.dtype = b.dtype()});
    optimizer.zero_grad();
    scaler.scale(amp::sum(a * a * x) + amp::sum(b * y)).backward();
    const amp::StepResult result = scaler.step(optimizer);
    scaler.update();
    CHECK(result.skipped() == (bad != 0));
  }
};

void check_same(const amp::NamedTensors& a, const amp::NamedTensors& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    INFO(a[i].first);
    CHECK(a[i].first == b[i].first);
    CHECK(same_bits(a[i].second, b[i].second));
  }
}

}  // namespace

TEST_CASE("schedule: lr() is the rate of the next step, of each group", "[optim]") {
  Run<amp::SGD> run(amp::kFloat32);
  const auto& groups = run.optimizer.param_groups();
  CHECK(run.optimizer.lr() == Approx(0.01));  // the warm-up starts at a tenth
  CHECK(run.optimizer.options().lr == 0.1);
  for (int step = 0; step < 6; ++step) {
    run.step(step, step == 2 ? kInfinity : 0);  // a skipped step does not count
    const std::int64_t applied = step < 2 ? step + 1 : step;
    CHECK(run.optimizer.lr() == scheduled_rate(groups[0].options.schedule, 0.1, applied));
    CHECK(run.optimizer.lr(1) == scheduled_rate(groups[1].options.schedule, 0.05, applied));
  }
  CHECK_THAT(error_of([&] { return run.optimizer.lr(2); }),
             ContainsSubstring("SGD::lr") && ContainsSubstring("2 groups"));
  amp::Adam constant({amp::ones({1}, {.requires_grad = true})}, {.lr = 0.5});
  constant.options().lr = 0.25;
  CHECK(constant.lr() == 0.25);
}

TEMPLATE_TEST_CASE("schedule: a skipped step changes nothing, bit for bit", "[optim]", amp::SGD,
                   amp::Adam, amp::AdamW) {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16}) {
    INFO(amp::name(dtype));
    Run<TestType> run(dtype);
    for (int step = 0; step < 4; ++step) run.step(step);
    for (const double bad : {kInfinity, -kInfinity, std::nan("")}) {
      const amp::NamedTensors state = run.optimizer.state_dict();
      const Tensor a = run.a.detach().clone(), b = run.b.detach().clone();
      run.step(4, bad);
      check_same(run.optimizer.state_dict(), state);
      CHECK(same_bits(run.a, a));
      CHECK(same_bits(run.b, b));
      CHECK(run.optimizer.applied_steps() == 4);
    }
  }
}

TEMPLATE_TEST_CASE("schedule: after skipped steps a run goes on as if they had not been", "[optim]",
                   amp::SGD, amp::Adam, amp::AdamW) {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64}) {
    INFO(amp::name(dtype));
    Run<TestType> clean(dtype), skipping(dtype);
    for (int step = 0; step < 25; ++step) {
      if (step == 0 || step == 2 || step == 9 || step == 10) skipping.step(step, kInfinity);
      clean.step(step);
      skipping.step(step);
    }
    check_same(skipping.optimizer.state_dict(), clean.optimizer.state_dict());
    CHECK(same_bits(skipping.a, clean.a));
    CHECK(same_bits(skipping.b, clean.b));
    CHECK(clean.optimizer.applied_steps() == 25);
    CHECK(skipping.optimizer.applied_steps() == 25);
  }
}

TEST_CASE("schedule: a step without any gradient does not count", "[optim]") {
  const Tensor p = amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1, .schedule = amp::step_schedule(1, 0.5)});
  sgd.step();
  CHECK(sgd.applied_steps() == 0);
  p.set_grad(amp::full({1}, -1, {.dtype = amp::kFloat64}));
  sgd.step();
  CHECK(p.item<double>() == 1);
  sgd.step();
  CHECK(p.item<double>() == 1.5);
  CHECK(sgd.applied_steps() == 2);
}

TEST_CASE("schedule: a step counts once, whichever groups have gradients", "[optim]") {
  const auto make = [] { return amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true}); };
  const Tensor p[] = {make(), make(), make()};
  const amp::SGDOptions options{.lr = 1, .schedule = amp::step_schedule(1, 0.5)};
  amp::SGD sgd({{.params = {p[0]}, .options = options},
                {.params = {p[1]}, .options = options},
                {.params = {p[2]}, .options = options}});
  int steps = 0;
  for (int mask = 1; mask < 8; ++mask) {
    const double rate = std::pow(0.5, steps);
    for (int k = 0; k < 3; ++k) {
      const amp::NoGradGuard no_grad;
      p[k].zero_();
      p[k].set_grad((mask >> k & 1) != 0 ? amp::full({1}, -1, {.dtype = amp::kFloat64}) : Tensor());
    }
    sgd.step();
    ++steps;
    CHECK(sgd.applied_steps() == steps);
    for (int k = 0; k < 3; ++k) CHECK(p[k].item<double>() == ((mask >> k & 1) != 0 ? rate : 0));
  }
}

TEST_CASE("schedule: a learning rate changed while training scales what is left", "[optim]") {
  const Tensor p = amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1, .schedule = amp::step_schedule(2, 0.5)});
  std::vector<double> rates;
  for (int step = 0; step < 5; ++step) {
    if (step == 3) sgd.options().lr = 8;
    const amp::NoGradGuard no_grad;
    p.zero_();
    p.set_grad(amp::full({1}, -1, {.dtype = amp::kFloat64}));
    sgd.step();
    rates.push_back(p.item<double>());
  }
  CHECK(rates == std::vector<double>{1, 1, 0.5, 4, 2});
}

TEST_CASE("schedule: constant by default, and after the end of a schedule", "[optim]") {
  for (const std::int64_t t : {0, 1, 1000}) CHECK(scheduled_rate({}, 0.3, t) == 0.3);
  const amp::Schedule cosine = amp::cosine_schedule(10, 0.01);
  for (const std::int64_t t : {10, 11, 20, 1000}) CHECK(scheduled_rate(cosine, 0.3, t) == 0.01);
  const amp::Schedule cycle = amp::one_cycle_schedule(10);
  for (const std::int64_t t : {9, 10, 1000})
    CHECK(scheduled_rate(cycle, 0.25, t) == Approx(1e-6).epsilon(1e-12));
  for (const std::int64_t t : {5, 6, 1000})
    CHECK(scheduled_rate(amp::warmup_schedule(5), 0.3, t) == 0.3);
}

TEST_CASE("schedule: values at hand", "[optim]") {
  const amp::Schedule warmup = amp::warmup_schedule(4, 0);
  for (int t = 0; t < 4; ++t) CHECK(scheduled_rate(warmup, 2, t) == 0.5 * t);
  const amp::Schedule cosine = amp::cosine_schedule(4);
  CHECK(scheduled_rate(cosine, 2, 0) == 2);
  CHECK(scheduled_rate(cosine, 2, 2) == Approx(1).epsilon(1e-15));
  CHECK(scheduled_rate(cosine.after_warmup(3, 0), 2, 3) == 2);
  CHECK(scheduled_rate(amp::step_schedule(3).after_warmup(2), 1, 4) == 1);
  CHECK(scheduled_rate(amp::step_schedule(3).after_warmup(2), 1, 5) == Approx(0.1).epsilon(1e-15));
  const amp::Schedule cycle = amp::one_cycle_schedule(11, 5.0 / 11, 4, 8);
  CHECK(scheduled_rate(cycle, 1, 0) == Approx(0.25).epsilon(1e-12));
  CHECK(scheduled_rate(cycle, 1, 4) == Approx(1).epsilon(1e-12));
  CHECK(scheduled_rate(cycle, 1, 10) == Approx(0.03125).epsilon(1e-12));
}

TEST_CASE("schedule: every one-cycle has finite rates, from one step and any share on", "[optim]") {
  for (const std::int64_t steps : {1, 2, 3, 10, 100}) {
    for (const double rising : {0.0, 0.01, 0.1, 0.3, 0.5, 0.9, 1.0}) {
      INFO(steps << " steps, of which the share " << rising << " rises");
      const amp::Schedule schedule = amp::one_cycle_schedule(steps, rising);
      double highest = 0;
      for (std::int64_t t = 0; t < steps + 2; ++t) {
        const double rate = scheduled_rate(schedule, 1, t);
        CHECK(std::isfinite(rate));
        CHECK((rate > 0 && rate <= 1 + 1e-15));
        highest = std::fmax(highest, rate);
      }
      if (rising * static_cast<double>(steps) == 1) CHECK(highest == 1);  // at the first step
    }
  }
}

TEST_CASE("schedule: one that cannot work throws when it is given, and names itself", "[optim]") {
  const double nan = std::nan("");
  const std::pair<const char*, amp::Schedule> all[] = {
      {"no steps between drops", amp::step_schedule(0)},
      {"negative steps", amp::cosine_schedule(-5)},
      {"no steps", amp::one_cycle_schedule(0)},
      {"negative warm-up", amp::warmup_schedule(-1)},
      {"gamma NaN", amp::step_schedule(3, nan)},
      {"gamma below 0", amp::step_schedule(3, -0.5)},
      {"final rate NaN", amp::cosine_schedule(3, nan)},
      {"final rate below 0", amp::cosine_schedule(3, -0.1)},
      {"warm-up from NaN", amp::warmup_schedule(3, nan)},
      {"warm-up from below 0", amp::warmup_schedule(3, -1)},
      {"share below 0", amp::one_cycle_schedule(3, -0.1)},
      {"share above 1", amp::one_cycle_schedule(3, 1.5)},
      {"division by 0", amp::one_cycle_schedule(3, 0.3, 0)},
      {"final division by 0", amp::one_cycle_schedule(3, 0.3, 25, 0)},
  };
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  for (const auto& [what, schedule] : all) {
    INFO(what);
    const auto says = ContainsSubstring("schedule");
    CHECK_THAT(error_of([&, s = schedule] { amp::SGD({p}, {.schedule = s}); }), says);
    CHECK_THAT(error_of([&, s = schedule] { amp::Adam({p}, {.schedule = s}); }), says);
  }
}

TEST_CASE("schedule: one that cannot work, given while training, throws at the step", "[optim]") {
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  p.set_grad(amp::ones({1}));
  sgd.options().schedule = amp::step_schedule(0);
  CHECK_THAT(error_of([&] { sgd.step(); }), ContainsSubstring("schedule"));
  CHECK(p.item<float>() == 1);
}

}  // namespace schedule

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Schedules that repeat, follow each other or multiply, ReduceLROnPlateau and LambdaLR: the rates
// of 60 steps against torch's, their state, and what is refused.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "goldens/blocks.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace lr_scheduler {
namespace {

using amp::scheduled_rate;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

// As in goldens/make_schedules.py.
constexpr double kRates[] = {0.1, 0.02};
constexpr int kSteps = 60;
double metric(int t) { return t == 17 ? std::nan("") : 3.0 / (1 + t / 6) + (t * 37 % 11) / 8.0; }

std::map<std::string_view, amp::Schedule> schedules() {
  using enum amp::CyclicMode;
  std::vector<std::int64_t> many;
  for (std::int64_t t = 3; t < 33; t += 3) many.push_back(t);
  return {
      {"multistep", amp::multistep_schedule({30, 7, 30, 50})},
      {"multistep_many", amp::multistep_schedule(many, 0.8)},
      {"exponential", amp::exponential_schedule(0.93)},
      {"polynomial", amp::polynomial_schedule()},
      {"polynomial_power", amp::polynomial_schedule(40, 2.5)},
      {"linear", amp::linear_schedule()},
      {"linear_down", amp::linear_schedule(1, 0.05, 45)},
      {"constant", amp::constant_schedule()},
      {"constant_factor", amp::constant_schedule(0.7, 33)},
      {"restarts", amp::cosine_restarts_schedule(13, 1, 0.001)},
      {"restarts_longer", amp::cosine_restarts_schedule(6, 3)},
      {"cyclic", amp::cyclic_schedule(0.3, 7)},
      {"cyclic_halved", amp::cyclic_schedule(0.3, 4, 9, kTriangular2)},
      {"cyclic_decaying", amp::cyclic_schedule(0.3, 8, 0, kExpRange, 0.95)},
      {"sequence",
       amp::sequence_schedule({amp::linear_schedule(0.1, 1, 8), amp::exponential_schedule(0.95),
                               amp::multistep_schedule({6, 20}, 0.5)},
                              {8, 30})},
      {"chained",
       amp::chained_schedule({amp::constant_schedule(0.1, 12), amp::exponential_schedule(0.97),
                              amp::multistep_schedule({20, 40}, 0.3)})},
  };
}

struct Sgd {
  Tensor a = amp::zeros({1}, {.requires_grad = true}), b = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd{{{.params = {a}, .options = {.lr = kRates[0]}},
                {.params = {b}, .options = {.lr = kRates[1]}}}};

  void add_rates(Values& all) const {
    for (const auto& group : sgd.param_groups()) all.push_back(group.options.lr);
  }
};

Values of_lambda(amp::LambdaLR scheduler, const Sgd& run) {
  Values rates;
  for (int t = 0; t < kSteps; ++t) {
    run.add_rates(rates);
    scheduler.step();
  }
  return rates;
}
Values of_plateau(const amp::ReduceLROnPlateauOptions& options) {
  Sgd run;
  amp::ReduceLROnPlateau plateau(run.sgd, options);
  Values rates;
  for (int t = 0; t < kSteps; ++t) {
    run.add_rates(rates);
    plateau.step(metric(t));
  }
  return rates;
}

Values rates_of(const std::string& name) {
  using enum amp::PlateauMode;
  using enum amp::PlateauThreshold;
  Sgd run;
  if (name == "lambda") {
    return of_lambda(
        {run.sgd, [](std::int64_t t) { return 1 / std::sqrt(1.0 + static_cast<double>(t)); }}, run);
  }
  if (name == "lambdas") {
    return of_lambda(
        {run.sgd,
         {[](std::int64_t t) { return std::pow(0.95, t); },
          [](std::int64_t t) { return std::min(1.0, static_cast<double>(t + 1) / 20); }}},
        run);
  }
  if (name == "plateau") return of_plateau({});
  if (name == "plateau_max")
    return of_plateau({.mode = kMax, .factor = 0.5, .patience = 2, .cooldown = 3});
  if (name == "plateau_abs") {
    return of_plateau(
        {.factor = 0.3, .patience = 1, .threshold = 0.2, .threshold_mode = kAbs, .min_lr = 2e-3});
  }
  if (name == "plateau_max_abs") {
    return of_plateau(
        {.mode = kMax, .patience = 3, .threshold = 0.3, .threshold_mode = kAbs, .eps = 1e-3});
  }
  const amp::Schedule schedule = schedules().at(name);
  Values rates;
  for (int t = 0; t < kSteps; ++t)
    for (const double rate : kRates) rates.push_back(scheduled_rate(schedule, rate, t));
  return rates;
}

}  // namespace

TEST_CASE("schedules: 60 learning rates of two groups are torch's, of all of them", "[optim]") {
  const std::vector<goldens::Block> blocks = goldens::read_blocks("schedules.txt");
  CHECK(blocks.size() == schedules().size() + 6);
  for (const goldens::Block& golden : blocks) {
    const Values rates = rates_of(golden.title), expected = golden["rates"].values;
    REQUIRE(rates.size() == expected.size());
    for (std::size_t i = 0; i < rates.size(); ++i) {
      INFO(golden.title << ", step " << i / 2 << ", group " << i % 2);
      CHECK(std::abs(rates[i] - expected[i]) <= 1e-12 * expected[i] + 1e-18);
    }
  }
}

TEST_CASE("schedules: a value that can be copied bytewise and compared", "[optim]") {
  static_assert(std::is_trivially_copyable_v<amp::Schedule>);
  static_assert(amp::multistep_schedule({30, 80})[1].begin == 80);
  for (const auto& [name, schedule] : schedules()) {
    INFO(name);
    CHECK(schedule == schedules().at(name));
    CHECK(schedule != amp::Schedule{});
    CHECK(schedule.after_warmup(3, 0) != schedule);
    for (const std::int64_t t : {0, 5, 40, 1000}) {
      const double rate = scheduled_rate(schedule, 0.1, t);
      CHECK(scheduled_rate(schedule.after_warmup(3, 0), 0.1, t + 3) == rate);
      CHECK(scheduled_rate(amp::chained_schedule({schedule}), 0.1, t) == rate);
      CHECK(scheduled_rate(amp::sequence_schedule({{}, schedule}, {7}), 0.1, t + 7) == rate);
    }
    CHECK(scheduled_rate(amp::sequence_schedule({schedule, {}}, {7}), 0.1, 7) == 0.1);
  }
}

TEST_CASE("schedules: rates stay finite up to the last step that can be counted", "[optim]") {
  for (const auto& [name, schedule] : schedules()) {
    INFO(name);
    for (const std::int64_t t : {std::int64_t{1} << 31, std::numeric_limits<std::int64_t>::max()}) {
      const double rate = scheduled_rate(schedule, 0.1, t);
      CHECK((rate >= 0 && rate <= 0.3));
    }
  }
}

TEST_CASE("schedules: combinations that cannot work throw when they are given", "[optim]") {
  const double nan = std::nan("");
  const amp::Schedule step = amp::step_schedule(3);
  const std::vector<std::int64_t> many(30, 1), distinct = [] {
    std::vector<std::int64_t> all(17);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
    return all;
  }();
  const std::pair<const char*, amp::Schedule> all[] = {
      {"too many milestones", amp::multistep_schedule(distinct)},
      {"milestone below 0", amp::multistep_schedule({-1, 5})},
      {"gamma NaN", amp::multistep_schedule({3}, nan)},
      {"no milestone", amp::sequence_schedule({step, step}, {})},
      {"too many milestones", amp::sequence_schedule({step}, {5})},
      {"falling milestones", amp::sequence_schedule({step, step, step}, {5, 5})},
      {"milestone 0", amp::sequence_schedule({step, step}, {0})},
      {"milestone below 0", amp::sequence_schedule({step, step}, {-5})},
      {"one is wrong", amp::sequence_schedule({step, amp::cosine_schedule(0)}, {4})},
      {"one is wrong", amp::chained_schedule({step, amp::sequence_schedule({step}, {5})})},
      {"no steps", amp::polynomial_schedule(0)},
      {"power below 0", amp::polynomial_schedule(5, -1)},
      {"power NaN", amp::polynomial_schedule(5, nan)},
      {"factor below 0", amp::constant_schedule(-1)},
      {"no steps", amp::constant_schedule(0.5, -3)},
      {"end NaN", amp::linear_schedule(1, nan)},
      {"no factor", amp::cosine_restarts_schedule(5, 0)},
      {"no steps", amp::cosine_restarts_schedule(0)},
      {"no steps up", amp::cyclic_schedule(1, 0)},
      {"down below 0", amp::cyclic_schedule(1, 5, -1)},
      {"huge", amp::cyclic_schedule(1, std::numeric_limits<std::int64_t>::max())},
      {"highest rate NaN", amp::cyclic_schedule(nan)},
  };
  const Tensor p = amp::ones({1}, {.requires_grad = true});
  for (const auto& [what, schedule] : all) {
    INFO(what);
    CHECK_THAT(error_of([&, s = schedule] { amp::SGD({p}, {.schedule = s}); }),
               ContainsSubstring("schedule"));
  }
  CHECK(error_of([&] { amp::SGD({p}, {.schedule = amp::multistep_schedule(many)}); }).empty());
}

TEST_CASE("ReduceLROnPlateau: a resumed run goes on, and wrong options are refused", "[optim]") {
  Sgd whole, first, second;
  const amp::ReduceLROnPlateauOptions options{.factor = 0.5, .patience = 2, .cooldown = 1};
  amp::ReduceLROnPlateau a(whole.sgd, options), b(first.sgd, options), c(second.sgd, options);
  for (int t = 0; t < 40; ++t) {
    a.step(metric(t));
    if (t < 23) b.step(metric(t));
    if (t == 22) {
      second.sgd.load_state_dict(first.sgd.state_dict());
      c.load_state_dict(b.state_dict());
    }
    if (t > 22) c.step(metric(t));
  }
  Values of_a, of_c;
  whole.add_rates(of_a);
  second.add_rates(of_c);
  CHECK(of_a == of_c);
  CHECK(of_a[0] < kRates[0]);
  CHECK(a.best() == c.best());
  CHECK(a.num_bad_epochs() == c.num_bad_epochs());
  amp::NamedTensors state = a.state_dict();
  state.pop_back();
  CHECK_THAT(error_of([&] { c.load_state_dict(state); }), ContainsSubstring("last_epoch"));

  const auto refuses = [&](const amp::ReduceLROnPlateauOptions& wrong, const char* name) {
    CHECK_THAT(error_of([&] { amp::ReduceLROnPlateau(whole.sgd, wrong); }),
               ContainsSubstring(name));
  };
  refuses({.factor = 1}, "`factor`");
  refuses({.factor = std::nan("")}, "`factor`");
  refuses({.patience = -1}, "`patience`");
  refuses({.threshold = -1}, "`threshold`");
  refuses({.min_lr = std::nan("")}, "`min_lr`");
}

TEST_CASE("LambdaLR: a resumed run goes on, and wrong functions are refused", "[optim]") {
  const auto falling = [](std::int64_t t) { return 1 / (1 + static_cast<double>(t)); };
  Sgd first, second;
  amp::LambdaLR a(first.sgd, falling), b(second.sgd, [](std::int64_t) { return 1.0; });
  for (int t = 0; t < 3; ++t) a.step();
  amp::LambdaLR c(second.sgd, falling);
  second.sgd.load_state_dict(first.sgd.state_dict());
  c.load_state_dict(a.state_dict());
  CHECK(second.sgd.options().lr == kRates[0] / 4);
  c.step();
  CHECK(c.last_epoch() == 4);
  CHECK(second.sgd.options().lr == Approx(kRates[0] / 5));

  const auto error = [&](auto f) { return error_of([&] { amp::LambdaLR(first.sgd, f); }); };
  CHECK_THAT(error([](std::int64_t) { return -1.0; }), ContainsSubstring("is -1 at t = 0"));
  CHECK_THAT(error([](std::int64_t) { return std::nan(""); }), ContainsSubstring("finite"));
  CHECK_THAT(error(amp::LambdaLR::Factor()), ContainsSubstring("empty"));
  CHECK_THAT(error(std::vector<amp::LambdaLR::Factor>{falling}), ContainsSubstring("2 groups"));
  amp::LambdaLR bad(first.sgd, [](std::int64_t t) { return t < 1 ? 1.0 : -1.0; });
  const double before = first.sgd.options().lr;
  CHECK_THAT(error_of([&] { bad.step(); }), ContainsSubstring("t = 1"));
  CHECK(first.sgd.options().lr == before);
  CHECK(bad.last_epoch() == 0);
}

}  // namespace lr_scheduler

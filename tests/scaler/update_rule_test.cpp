// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How the scale grows and backs off: PyTorch's measured values, bounds, hysteresis, and random
// traces against a reference.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "support/catch.hpp"

namespace update_rule {
namespace {

struct Result {
  double scale;
  std::int32_t tracker;
  friend bool operator==(const Result&, const Result&) = default;
};

/// One update of a scaler in this state, with this found_inf word.
Result update(amp::GradScalerState state, float found_inf) {
  amp::GradScaler scaler;
  scaler.load_state_dict(state);
  *scaler.found_inf_data(amp::kCPU) = found_inf;
  scaler.update();
  return {scaler.get_scale(), scaler.state_dict().growth_tracker};
}

amp::GradScalerState state(double scale, std::int32_t tracker) {
  return {.scale = scale, .growth_interval = 2, .growth_tracker = tracker};
}

void update(amp::GradScaler& scaler, bool bad) {
  *scaler.found_inf_data(amp::kCPU) = bad ? 1 : 0;
  scaler.update();
}

/// The rule, written once more.
struct Reference {
  amp::GradScalerState s;
  void update(bool bad) {
    const auto rounded = [](double v) { return static_cast<double>(static_cast<float>(v)); };
    if (bad) {
      s.growth_tracker = 0;
      if (s.hysteresis_left > 1) {
        --s.hysteresis_left;
      } else {
        s.scale = rounded(std::fmax(s.scale * s.backoff_factor, s.min_scale));
      }
    } else if (++s.growth_tracker >= s.growth_interval) {
      s.growth_tracker = 0;
      s.hysteresis_left = s.hysteresis;
      s.scale = rounded(std::fmin(s.scale * s.growth_factor, s.max_scale));
    }
  }
};

}  // namespace

TEST_CASE("update: PyTorch's values, growth 2, backoff 0.5, interval 2") {
  CHECK(update(state(4, 0), 0) == Result{4, 1});
  CHECK(update(state(4, 1), 0) == Result{8, 0});
  CHECK(update(state(4, 1), 1) == Result{2, 0});
  CHECK(update(state(4, 5), 0) == Result{8, 0});  // PyTorch tests for equality, and never grows
}

TEST_CASE("update: any found_inf word but 0 backs off") {
  for (const float word : {2.0F, -1.0F, NAN, 1e-40F, INFINITY}) {
    INFO(word);
    CHECK(update(state(4, 1), word) == Result{2, 0});
  }
  CHECK(update(state(4, 1), -0.0F) == Result{8, 0});
}

TEST_CASE("update: the product is formed in double and rounded once") {
  amp::GradScalerState s = state(3, 1);
  s.backoff_factor = 0.1;
  CHECK(update(s, 1) == Result{0.30000001192092896, 0});
  s.growth_factor = 1.1;
  CHECK(update(s, 0) == Result{3.299999952316284, 0});
}

TEST_CASE("update: an interval of 1 grows each time") {
  amp::GradScalerState s = state(4, 0);
  s.growth_interval = 1;
  CHECK(update(s, 0) == Result{8, 0});
}

TEST_CASE("update: growth stops at max_scale, backoff at min_scale") {
  amp::GradScaler scaler({.init_scale = 4, .growth_interval = 1, .min_scale = 3, .max_scale = 10});
  std::vector<double> scales;
  for (const bool bad : {false, false, false, true, true, true}) {
    update(scaler, bad);
    scales.push_back(scaler.get_scale());
  }
  CHECK(scales == std::vector<double>{8, 10, 10, 5, 3, 3});
}

TEST_CASE("update: the default bounds keep scale and inverse normal and finite") {
  amp::GradScaler scaler({.growth_factor = 1e30, .backoff_factor = 1e-30, .growth_interval = 1});
  for (const bool bad : {false, true}) {
    for (int i = 0; i < 5; ++i) update(scaler, bad);
    CHECK(scaler.get_scale() == (bad ? 0x1p-64 : 0x1p126));
    CHECK(std::isnormal(*scaler.scale_data(amp::kCPU)));
    CHECK(std::isnormal(*scaler.inverse_scale_data(amp::kCPU)));
  }
}

TEST_CASE("update: growth never lowers the scale and backoff never raises it") {
  // A scale outside of the bounds is either refused, or not pulled the wrong way.
  for (const double outside : {3e38, 1e-30}) {
    const bool high = outside > 1;
    INFO(outside);
    std::optional<amp::GradScaler> scaler;
    try {
      scaler.emplace(amp::GradScalerOptions{.init_scale = outside, .growth_interval = 1});
    } catch (const amp::Error&) {
      continue;
    }
    const auto start = static_cast<double>(*scaler->scale_data(amp::kCPU));
    update(*scaler, !high);
    CHECK((high ? scaler->get_scale() >= start : scaler->get_scale() <= start));
  }
}

TEST_CASE("update(value): a scale outside of the bounds stays until the rule moves it to them") {
  amp::GradScaler scaler({.init_scale = 4, .growth_interval = 1, .min_scale = 1, .max_scale = 16});
  (void)scaler.scale_data(amp::kCPU);
  scaler.update(24);
  update(scaler, false);
  CHECK(scaler.get_scale() == 24);
  update(scaler, true);
  CHECK(scaler.get_scale() == 12);
  scaler.update(0.75);
  update(scaler, true);
  CHECK(scaler.get_scale() == 0.75);
  update(scaler, false);
  CHECK(scaler.get_scale() == 1.5);
}

TEST_CASE("update: hysteresis h forgives h - 1 bad steps, and refills when the scale grows") {
  amp::GradScaler scaler({.init_scale = 64, .growth_interval = 2, .hysteresis = 3});
  std::vector<double> scales;
  for (const bool bad : {true, true, true, true, false, false, true, true, true}) {
    update(scaler, bad);
    scales.push_back(scaler.get_scale());
  }
  CHECK(scales == std::vector<double>{64, 64, 32, 16, 16, 32, 32, 32, 16});
}

TEST_CASE("update: a good step between bad ones does not refill hysteresis") {
  amp::GradScaler scaler({.init_scale = 64, .hysteresis = 2});
  for (const bool bad : {true, false, true}) update(scaler, bad);
  CHECK(scaler.get_scale() == 32);
}

TEST_CASE("update: an interval lowered below the tracker grows at the next good step") {
  amp::GradScaler scaler({.init_scale = 2, .growth_interval = 10});
  for (int i = 0; i < 5; ++i) update(scaler, false);
  CHECK(scaler.get_scale() == 2);
  scaler.set_growth_interval(3);
  update(scaler, false);
  CHECK(scaler.get_scale() == 4);
}

TEST_CASE("update(value): sets the scale, keeps the tracker, needs nothing recorded") {
  amp::GradScaler scaler({.init_scale = 2});
  update(scaler, false);
  scaler.update(64);
  CHECK(scaler.get_scale() == 64);
  CHECK(scaler.state_dict().growth_tracker == 1);
  CHECK(*scaler.inverse_scale_data(amp::kCPU) == 1.0F / 64);
  scaler.update(3);  // not a power of two
  CHECK(*scaler.inverse_scale_data(amp::kCPU) == static_cast<float>(1.0 / 3.0));
}

TEST_CASE("update(value): a scale that cannot work is refused and changes nothing") {
  amp::GradScaler scaler({.init_scale = 2});
  (void)scaler.scale_data(amp::kCPU);
  for (const double bad : {0.0, -1.0, std::nan(""), HUGE_VAL, 1e39, 1e-46}) {
    INFO(bad);
    CHECK_THROWS_AS(scaler.update(bad), amp::Error);
    CHECK(scaler.get_scale() == 2);
  }
}

TEST_CASE("update: random traces are the reference's") {
  std::mt19937 random(11);
  for (int trace = 0; trace < 20; ++trace) {
    INFO("trace " << trace);
    const int hysteresis = 1 + trace % 4;
    const amp::GradScalerOptions options{.init_scale = 100,
                                         .growth_factor = 1.5 + 0.1 * trace,
                                         .backoff_factor = 0.3 + 0.02 * trace,
                                         .growth_interval = 1 + trace % 5,
                                         .min_scale = 0.01,
                                         .max_scale = 1e6,
                                         .hysteresis = hysteresis};
    amp::GradScaler scaler(options);
    Reference reference{scaler.state_dict()};
    bool equal = true;
    for (int i = 0; i < 1000; ++i) {
      const bool bad = random() % 4 == 0;
      update(scaler, bad);
      reference.update(bad);
      const amp::GradScalerState s = scaler.state_dict();
      equal = equal && s.scale == reference.s.scale &&
              s.growth_tracker == reference.s.growth_tracker &&
              s.hysteresis_left == reference.s.hysteresis_left;
    }
    CHECK(equal);
  }
}

TEST_CASE("options: those that cannot work throw") {
  using Options = amp::GradScalerOptions;
  const double nan = std::nan("");
  for (const double bad : {0.0, -1.0, nan, HUGE_VAL, 1e39, 1e-46}) {
    INFO(bad);
    CHECK_THROWS_AS(amp::GradScaler(Options{.init_scale = bad}), amp::Error);
    CHECK_THROWS_AS(amp::GradScaler(Options{.min_scale = bad}), amp::Error);
    CHECK_THROWS_AS(amp::GradScaler(Options{.max_scale = bad}), amp::Error);
  }
  for (const double bad : {1.0, 0.5, -2.0, nan, HUGE_VAL})
    CHECK_THROWS_AS(amp::GradScaler(Options{.growth_factor = bad}), amp::Error);
  for (const double bad : {0.0, 1.0, 2.0, -0.5, nan, HUGE_VAL})
    CHECK_THROWS_AS(amp::GradScaler(Options{.backoff_factor = bad}), amp::Error);
  for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN})
    CHECK_THROWS_AS(amp::GradScaler(Options{.growth_interval = bad}), amp::Error);
  CHECK_THROWS_AS(amp::GradScaler(Options{.hysteresis = 0}), amp::Error);
  CHECK_THROWS_AS(amp::GradScaler(Options{.min_scale = 8, .max_scale = 4}), amp::Error);
}

TEST_CASE("options: a scale whose inverse is not finite cannot work") {
  CHECK_THROWS_AS(amp::GradScaler({.init_scale = 1e-45, .min_scale = 1e-45}), amp::Error);
}

TEST_CASE("setters: read back, checked, and refused values change nothing") {
  amp::GradScaler scaler;
  scaler.set_growth_factor(3);
  scaler.set_backoff_factor(0.25);
  scaler.set_growth_interval(7);
  CHECK_THROWS_AS(scaler.set_growth_factor(1), amp::Error);
  CHECK_THROWS_AS(scaler.set_backoff_factor(1), amp::Error);
  CHECK_THROWS_AS(scaler.set_growth_interval(0), amp::Error);
  CHECK(scaler.get_growth_factor() == 3);
  CHECK(scaler.get_backoff_factor() == 0.25);
  CHECK(scaler.get_growth_interval() == 7);
}

TEST_CASE("getters: before the first use they show the options") {
  const amp::GradScaler scaler({.init_scale = 4, .growth_factor = 3, .growth_interval = 5});
  CHECK(scaler.is_enabled());
  CHECK(scaler.get_scale() == 4);
  CHECK(scaler.get_growth_factor() == 3);
  CHECK(scaler.get_backoff_factor() == 0.5);
  CHECK(scaler.get_growth_interval() == 5);
}

}  // namespace update_rule

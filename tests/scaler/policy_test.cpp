// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Each policy by hand: what the project it comes from does with a short trace, step by step.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace policy {
namespace {

using Options = amp::GradScalerOptions;
using Scales = std::vector<double>;
using enum amp::ScalePolicy;

/// A scaler that takes a trace of updates: '.' for a good one, 'x' for a bad one.
struct Trace {
  amp::GradScaler scaler;
  explicit Trace(Options options) : scaler((options.on_skips = {}, options)) {}

  void update(char step) {
    *scaler.found_inf_data(amp::kCPU) = step == 'x' ? 1 : 0;
    scaler.update();
  }
  /// The scale after each update.
  Scales scales(std::string_view trace) {
    Scales scales;
    for (const char step : trace) {
      update(step);
      scales.push_back(scaler.get_scale());
    }
    return scales;
  }
};

Scales scales(const Options& options, std::string_view trace) {
  return Trace(options).scales(trace);
}

std::string bad_then_good(int bad, int good) {
  return std::string(static_cast<std::size_t>(bad), 'x') +
         std::string(static_cast<std::size_t>(good), '.');
}

}  // namespace

TEST_CASE("policy: PyTorch, factor 2 and 1/2, every 3 good steps") {
  const Options options{.init_scale = 8, .growth_interval = 3};
  CHECK(scales(options, "...x..x...x") == Scales{8, 8, 16, 8, 8, 8, 4, 4, 4, 8, 4});
}

TEST_CASE("policy: Megatron-LM, a budget of bad steps that only growth refills") {
  const Options options{.init_scale = 64,
                        .growth_interval = 3,
                        .min_scale = 1,
                        .hysteresis = 2,
                        .policy = kRefillAtGrowth};
  // The budget:                                1   0   0   0   0   0   2   1   1   0
  CHECK(scales(options, "xx.x...x.x") == Scales{64, 32, 32, 16, 16, 16, 32, 32, 32, 16});
}

TEST_CASE("policy: apex, a budget that every good step refills") {
  const Options options{
      .init_scale = 64, .growth_interval = 4, .hysteresis = 3, .policy = kRefillAtGoodStep};
  // The budget:                                 2   1   0   0   3   2   1   3   2   1   0
  CHECK(scales(options, "xxxx.xx.xxx") == Scales{64, 64, 32, 16, 16, 16, 16, 16, 16, 16, 8});
}

TEST_CASE("policy: apex, an overflow that is forgiven still sets the growth back") {
  const Options options{
      .init_scale = 64, .growth_interval = 3, .hysteresis = 2, .policy = kRefillAtGoodStep};
  CHECK(scales(options, "..x..x...") == Scales{64, 64, 64, 64, 64, 64, 64, 64, 128});
}

TEST_CASE("policy: Paddle, every second bad step in a row") {
  const Options options{
      .init_scale = 64, .growth_interval = 2, .min_scale = 1, .hysteresis = 2, .policy = kEveryNth};
  // Counted in a row:                         1   2   1   2   1   0   1   0   0
  CHECK(scales(options, "xxxxx.x..") == Scales{64, 32, 32, 16, 16, 16, 16, 16, 32});
}

TEST_CASE("policy: Paddle with 1 is PyTorch") {
  for (const auto policy : {kRefillAtGrowth, kRefillAtGoodStep, kEveryNth}) {
    const Options options{.init_scale = 64, .growth_interval = 2, .policy = policy};
    CHECK(scales(options, "xx..x...x") == Scales{32, 16, 16, 32, 16, 16, 32, 32, 16});
  }
}

TEST_CASE("policy: fairseq without tolerance backs off at every overflow") {
  const Options options{.init_scale = 128, .growth_interval = 4, .policy = kOverflowShare};
  CHECK(scales(options, "x....x.....") == Scales{64, 64, 64, 64, 128, 64, 64, 64, 64, 128, 128});
}

TEST_CASE("policy: fairseq with tolerance 0.25 counts overflows since the last rescale") {
  const Options options{
      .init_scale = 128, .growth_interval = 100, .policy = kOverflowShare, .overflow_share = 0.25};
  // The shares at the bad steps: 1/5, 2/6, then 1/4, then 1/1.
  CHECK(scales(options, "....xx...xx") == Scales{128, 128, 128, 128, 128, 64, 64, 64, 64, 32, 16});
}

TEST_CASE("policy: fairseq's growth starts the share's steps anew, but not its overflows") {
  const Options options{
      .init_scale = 64, .growth_interval = 6, .policy = kOverflowShare, .overflow_share = 0.4};
  // 1/5 at the first bad step; growth; then 2/3, where forgetting would make it 1/3.
  CHECK(scales(options, "....x........x") ==
        Scales{64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 128, 128, 128, 64});
}

TEST_CASE("policy: fairseq's share is a quotient, which reaches the tolerance of that name") {
  // 7 / 25 is the double 0.28, though 0.28 * 25 lies above 7; so for the other pairs.
  struct Share {
    double share;
    int bad, updates;
  };
  for (const Share& s : {Share{0.07, 7, 100}, Share{0.14, 7, 50}, Share{0.28, 7, 25},
                         Share{0.56, 14, 25}, Share{0.55, 55, 100}, Share{0.1, 1, 10}}) {
    INFO(s.bad << " of " << s.updates);
    amp::GradScalerState state{.scale = 128,
                               .growth_interval = 1000,
                               .policy = kOverflowShare,
                               .overflow_share = s.share,
                               .updates_since_change = s.updates - 1,
                               .bad_since_backoff = s.bad - 1};
    Trace at({}), below({});
    at.scaler.load_state_dict(state);
    CHECK(at.scales("x") == Scales{64});
    ++state.updates_since_change;
    below.scaler.load_state_dict(state);
    CHECK(below.scales("x") == Scales{128});
  }
}

TEST_CASE("policy: a share of 1 backs off only where all steps since the last one were bad") {
  const Options options{
      .init_scale = 64, .growth_interval = 100, .policy = kOverflowShare, .overflow_share = 1};
  CHECK(scales(options, "xx.xxx") == Scales{32, 16, 16, 16, 16, 16});
}

TEST_CASE("policy: kStatic leaves the scale alone, and bad steps out") {
  const Options options{.init_scale = 128, .growth_interval = 1, .min_scale = 1, .policy = kStatic};
  Trace trace(options);
  CHECK(trace.scales("..xx.x") == Scales(6, 128));
  const amp::GradScalerCounters counters = trace.scaler.counters();
  CHECK(counters.applied == 3);
  CHECK(counters.skipped == 3);
  CHECK(counters.consecutive_skips == 1);
  auto optimizer = scaler_test::make_raw<scaler_test::RawSGD<float>>({0}, {HUGE_VAL});
  CHECK(trace.scaler.step(optimizer).skipped());
  CHECK(optimizer.steps == 0);
}

TEST_CASE("policy: a static scale may be set by hand") {
  Trace trace({.init_scale = 128, .policy = kStatic});
  CHECK(trace.scales(".") == Scales{128});
  trace.scaler.update(32);
  CHECK(trace.scales("x.") == Scales{32, 32});
}

TEST_CASE("policy: kNone is a scale of 1, whatever init_scale says") {
  Trace trace({.init_scale = 65536, .growth_interval = 1, .policy = kNone});
  CHECK(trace.scaler.get_scale() == 1);
  CHECK(trace.scales("..xx.x") == Scales(6, 1));
  const amp::Tensor loss = amp::full({}, 0.3, {.dtype = amp::kBFloat16});
  CHECK(trace.scaler.scale(loss).item<float>() == loss.item<float>());
}

TEST_CASE("policy: kNone leaves out the steps whose gradients are not finite") {
  const amp::Tensor p = scaler_test::parameter({1, 1}, {0.5, NAN}, amp::kBFloat16);
  amp::Adam adam({p});
  amp::GradScaler scaler({.policy = kNone});
  scaler_test::start(scaler);
  CHECK(scaler.step(adam).skipped());
  scaler.update();
  CHECK(p.to_vector<float>() == std::vector<float>{1, 1});
  CHECK(scaler.counters().skipped == 1);
}

TEST_CASE("policy: kNone refuses any other scale, and changes nothing") {
  Trace trace({.policy = kNone});
  (void)trace.scales(".");
  const amp::GradScalerState before = trace.scaler.state_dict();
  const std::string error = amp_test::error_of([&] { trace.scaler.update(2.0); });
  CHECK_THAT(error, Catch::Matchers::ContainsSubstring("kNone"));
  CHECK(trace.scaler.state_dict() == before);
  CHECK_NOTHROW(trace.scaler.update(1.0));
  amp::GradScalerState scaled = before;
  scaled.scale = 2;
  CHECK_THROWS_AS(trace.scaler.load_state_dict(scaled), amp::Error);
  CHECK(trace.scaler.state_dict() == before);
}

TEST_CASE("policy: fixed policies count good steps, but never act on them") {
  for (const auto policy : {kStatic, kNone}) {
    Trace trace({.init_scale = 1, .growth_interval = 2, .policy = policy});
    (void)trace.scales("x.....");
    CHECK(trace.scaler.state_dict().growth_tracker == 5);
    CHECK(trace.scaler.get_scale() == 1);
  }
}

TEST_CASE("policy: the scale never crosses its bounds, whatever the trace") {
  for (const auto policy : scaler_test::kPolicies) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      scaler_test::Dice dice(seed);
      Options options = scaler_test::random_options(dice, policy);
      options.min_scale = 0.3 + dice.unit();
      options.max_scale = 100 + 1000 * dice.unit();
      options.init_scale = 1 + 99 * dice.unit();
      if (policy == kNone) options.min_scale = 0.3;
      Trace trace(options);
      scaler_test::Overflows overflows(dice);
      double lowest = HUGE_VAL, highest = 0;
      for (int i = 0; i < 2000; ++i) {
        trace.update(overflows.next() ? 'x' : '.');
        lowest = std::min(lowest, trace.scaler.get_scale());
        highest = std::max(highest, trace.scaler.get_scale());
      }
      INFO("policy " << static_cast<int>(policy) << ", seed " << seed);
      CHECK(lowest >= static_cast<double>(static_cast<float>(options.min_scale)));
      CHECK(highest <= static_cast<double>(static_cast<float>(options.max_scale)));
    }
  }
}

TEST_CASE("policy: backing off at the floor and growing at the ceiling still restart the counts") {
  for (const auto policy : {kRefillAtGrowth, kRefillAtGoodStep, kEveryNth, kOverflowShare}) {
    Trace trace(
        {.init_scale = 2, .growth_interval = 2, .min_scale = 2, .max_scale = 2, .policy = policy});
    INFO(static_cast<int>(policy));
    CHECK(trace.scales("x") == Scales{2});
    CHECK(trace.scaler.state_dict().bad_since_backoff == 0);
    CHECK(trace.scaler.state_dict().updates_since_change == 0);
    CHECK(trace.scales("..") == Scales{2, 2});
    CHECK(trace.scaler.state_dict().growth_tracker == 0);
    CHECK(trace.scaler.state_dict().updates_since_change == 0);
  }
}

TEST_CASE("policy: a default scaler halves at each of a run of bad steps, to the floor") {
  Trace trace({});
  const Scales all = trace.scales(bad_then_good(100, 2000));
  for (int i = 0; i < 100; ++i)
    CHECK(all[static_cast<std::size_t>(i)] == std::ldexp(1.0, std::max(15 - i, -64)));
  CHECK(all[2098] == 0x1p-64);
  CHECK(all[2099] == 0x1p-63);
}

TEST_CASE("policy: options of a policy that cannot work throw") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double share : {-0.1, 1.1, nan, HUGE_VAL})
    CHECK_THROWS_AS(amp::GradScaler(Options{.policy = kOverflowShare, .overflow_share = share}),
                    amp::Error);
  CHECK_THROWS_AS(amp::GradScaler(Options{.policy = static_cast<amp::ScalePolicy>(6)}), amp::Error);
  CHECK_NOTHROW(amp::GradScaler(Options{.policy = kOverflowShare, .overflow_share = 1}));
}

}  // namespace policy

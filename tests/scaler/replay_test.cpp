// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// replay(): what a scaler would have done, bit for bit what one does.
#include <amp/amp.hpp>

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace replay {
namespace {

using amp::GradScalerState;
using scaler_test::Dice;
using scaler_test::Reference;
using scaler_test::same_bits;

std::vector<bool> random_trace(Dice& dice, std::size_t steps) {
  scaler_test::Overflows overflows(dice);
  std::vector<bool> trace;
  for (std::size_t i = 0; i < steps; ++i) trace.push_back(overflows.next());
  return trace;
}

/// The states of a real scaler with one optimizer.
std::vector<GradScalerState> train(amp::GradScaler& scaler, const std::vector<bool>& trace) {
  auto optimizer = scaler_test::make_raw<scaler_test::AwareSGD<float>>({0}, {0}, 0);
  scaler_test::start(scaler);
  std::vector<GradScalerState> states;
  for (const bool bad : trace) {
    optimizer.gradient[0] = bad ? HUGE_VALF : 0.0F;
    scaler.step(optimizer);
    scaler.update();
    states.push_back(scaler.state_dict());
  }
  return states;
}

/// Whether the call of the documentation is one call, and not two.
template <class Trace>
constexpr bool kTakesOptionsInPlace = requires(const Trace& trace) {
  amp::replay({.policy = amp::ScalePolicy::kEveryNth}, trace);
};

std::vector<double> scales(const std::vector<GradScalerState>& states) {
  std::vector<double> scales;
  for (const GradScalerState& state : states) scales.push_back(state.scale);
  return scales;
}

}  // namespace

TEST_CASE("replay: 10,000 random steps of every policy are a scaler's, and the reference's") {
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    Dice dice(seed);
    const amp::ScalePolicy policy = scaler_test::kPolicies[seed % 6];
    const amp::GradScalerOptions options = scaler_test::random_options(dice, policy);
    const std::vector<bool> trace = random_trace(dice, 10'000);
    amp::GradScaler scaler(options);
    const std::vector<GradScalerState> real = train(scaler, trace);
    const std::vector<GradScalerState> replayed = amp::replay(options, trace);
    Reference reference(options);
    REQUIRE(replayed.size() == trace.size());
    std::size_t equal = 0, true_to_reference = 0;
    for (; equal < trace.size() && same_bits(replayed[equal], real[equal]); ++equal) continue;
    for (; true_to_reference < trace.size(); ++true_to_reference) {
      ++(trace[true_to_reference] ? reference.skipped : reference.applied);
      reference.update(trace[true_to_reference]);
      if (!same_bits(replayed[true_to_reference], reference.state())) break;
    }
    INFO("policy " << static_cast<int>(policy) << ", seed " << seed);
    CHECK(equal == trace.size());
    CHECK(true_to_reference == trace.size());
  }
}

TEST_CASE("replay: from a state in the middle, the rest is what the whole was") {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    INFO("seed " << seed);
    Dice dice(seed + 100);
    const auto options = scaler_test::random_options(dice, scaler_test::kPolicies[seed % 6]);
    const std::vector<bool> trace = random_trace(dice, 2000);
    const std::vector<GradScalerState> whole = amp::replay(options, trace);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{999}, trace.size() - 1}) {
      const std::vector<bool> rest(trace.begin() + static_cast<std::ptrdiff_t>(cut), trace.end());
      const std::vector<GradScalerState> second = amp::replay(whole[cut - 1], rest);
      REQUIRE(second.size() == rest.size());
      bool equal = true;
      for (std::size_t i = 0; i < rest.size(); ++i)
        equal = equal && same_bits(second[i], whole[cut + i]);
      CHECK(equal);
    }
  }
}

TEST_CASE("replay: one trace under every policy, by hand") {
  const std::array trace = {true, true, false, true, false, false, true, true, true, true};
  const auto under = [&](amp::ScalePolicy policy) {
    const amp::GradScalerOptions options{.init_scale = 64,
                                         .growth_interval = 2,
                                         .hysteresis = 2,
                                         .policy = policy,
                                         .overflow_share = 0.7};
    return scales(amp::replay(options, trace));
  };
  using Scales = std::vector<double>;
  using enum amp::ScalePolicy;
  CHECK(under(kRefillAtGrowth) == Scales{64, 32, 32, 16, 16, 32, 32, 16, 8, 4});
  CHECK(under(kRefillAtGoodStep) == Scales{64, 32, 32, 32, 32, 64, 64, 32, 16, 8});
  CHECK(under(kEveryNth) == Scales{64, 32, 32, 32, 32, 64, 64, 32, 32, 16});
  CHECK(under(kOverflowShare) == Scales{32, 16, 16, 16, 16, 32, 16, 8, 4, 2});
  CHECK(under(kStatic) == Scales(10, 64));
  CHECK(under(kNone) == Scales(10, 1));
}

TEST_CASE("replay: takes any range of what converts to bool, and one of nothing") {
  const amp::GradScalerOptions options{.init_scale = 8};
  const std::vector<double> expected = {8, 4, 4};
  CHECK(scales(amp::replay(options, std::array{false, true, false})) == expected);
  CHECK(scales(amp::replay(options, std::vector<int>{0, 7, 0})) == expected);
  CHECK(scales(amp::replay(options, std::deque<bool>{false, true, false})) == expected);
  const bool array[] = {false, true, false};
  CHECK(scales(amp::replay(options, array)) == expected);
  CHECK(amp::replay(options, std::vector<bool>{}).empty());
}

TEST_CASE("replay: the start counts on, and stays as it was") {
  const GradScalerState start{.scale = 3, .growth_tracker = 5, .applied = 10, .skipped = 4};
  const GradScalerState before = start;
  const std::vector<GradScalerState> states = amp::replay(start, std::array{false, true});
  CHECK(start == before);
  CHECK(states[0].applied == 11);
  CHECK(states[0].growth_tracker == 6);
  CHECK(states[1].skipped == 5);
  CHECK(states[1].scale == 1.5);
  CHECK(states[1].growth_interval == 2000);
}

TEST_CASE("replay: takes options written in place") {
  CHECK(kTakesOptionsInPlace<std::vector<bool>>);
}

TEST_CASE("replay: a start that cannot work throws") {
  const std::array trace = {true};
  CHECK_THROWS_AS(amp::replay(GradScalerState{.scale = 0}, trace), amp::Error);
  CHECK_THROWS_AS(amp::replay(amp::GradScalerOptions{.growth_factor = 1}, trace), amp::Error);
}

}  // namespace replay

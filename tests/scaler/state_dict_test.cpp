// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Saving and loading a scaler: bit for bit, at any time, and never a state that cannot work.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <type_traits>
#include <utility>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace state_dict {
namespace {

using State = amp::GradScalerState;

bool same(const State& a, const State& b) {
  return a.scale == b.scale && a.growth_factor == b.growth_factor &&
         a.backoff_factor == b.backoff_factor && a.growth_interval == b.growth_interval &&
         a.min_scale == b.min_scale && a.max_scale == b.max_scale && a.hysteresis == b.hysteresis &&
         a.hysteresis_left == b.hysteresis_left && a.growth_tracker == b.growth_tracker &&
         a.applied == b.applied && a.skipped == b.skipped &&
         a.consecutive_skips == b.consecutive_skips;
}

const State kOdd = {.scale = 3.0F,
                    .growth_factor = 1.7,
                    .backoff_factor = 0.3,
                    .growth_interval = 5,
                    .min_scale = 0.25,
                    .max_scale = 1e9,
                    .hysteresis = 4,
                    .hysteresis_left = 2,
                    .growth_tracker = 3,
                    .applied = 10,
                    .skipped = 4,
                    .consecutive_skips = 1};

void run(amp::GradScaler& scaler, std::mt19937& random, int steps) {
  for (int i = 0; i < steps; ++i) {
    *scaler.found_inf_data(amp::kCPU) = random() % 3 == 0 ? 1 : 0;
    scaler.update();
  }
}

}  // namespace

TEST_CASE("state_dict: trivially copyable") { STATIC_REQUIRE(std::is_trivially_copyable_v<State>); }

TEST_CASE("state_dict: loaded before the first use and after it, every field comes back") {
  amp::GradScaler fresh;
  fresh.load_state_dict(kOdd);
  CHECK(same(fresh.state_dict(), kOdd));
  scaler_test::start(fresh);
  CHECK(same(fresh.state_dict(), kOdd));

  amp::GradScaler used;
  scaler_test::start(used);
  used.load_state_dict(kOdd);
  CHECK(same(used.state_dict(), kOdd));
  CHECK(*used.scale_data(amp::kCPU) == 3);
  CHECK(*used.inverse_scale_data(amp::kCPU) == static_cast<float>(1.0 / 3.0));
  CHECK(used.get_growth_factor() == 1.7);
  CHECK(used.counters().skipped == 4);
}

TEST_CASE("state_dict: N + M steps are N steps, saved, loaded, and M more, bit for bit") {
  const amp::GradScalerOptions options{
      .init_scale = 100, .growth_factor = 1.3, .growth_interval = 3, .hysteresis = 3};
  for (int n = 0; n < 40; n += 3) {
    INFO("saved after " << n);
    std::mt19937 random(5), again(5);
    amp::GradScaler whole(options), first(options), second;
    run(whole, random, 50);
    run(first, again, n);
    second.load_state_dict(first.state_dict());
    run(second, again, 50 - n);
    CHECK(same(whole.state_dict(), second.state_dict()));
  }
}

TEST_CASE("load_state_dict: a state that cannot work is refused, and nothing changes") {
  using Edit = std::function<void(State&)>;
  const std::vector<std::pair<const char*, Edit>> edits = {
      {"scale 0", [](State& s) { s.scale = 0; }},
      {"scale -1", [](State& s) { s.scale = -1; }},
      {"scale NaN", [](State& s) { s.scale = NAN; }},
      {"scale inf", [](State& s) { s.scale = HUGE_VAL; }},
      {"growth 1", [](State& s) { s.growth_factor = 1; }},
      {"growth NaN", [](State& s) { s.growth_factor = NAN; }},
      {"backoff 1", [](State& s) { s.backoff_factor = 1; }},
      {"backoff 0", [](State& s) { s.backoff_factor = 0; }},
      {"interval 0", [](State& s) { s.growth_interval = 0; }},
      {"min 0", [](State& s) { s.min_scale = 0; }},
      {"max inf", [](State& s) { s.max_scale = HUGE_VAL; }},
      {"bounds crossed", [](State& s) { s.min_scale = 2e9; }},
      {"hysteresis 0", [](State& s) { s.hysteresis = 0; }},
      {"hysteresis_left 0", [](State& s) { s.hysteresis_left = 0; }},
      {"hysteresis_left above hysteresis", [](State& s) { s.hysteresis_left = 1000; }},
      {"tracker -1", [](State& s) { s.growth_tracker = -1; }},
      {"applied -1", [](State& s) { s.applied = -1; }},
      {"skipped -1", [](State& s) { s.skipped = -1; }},
      {"consecutive_skips -1", [](State& s) { s.consecutive_skips = -1; }},
  };
  for (const bool used : {false, true}) {
    for (const auto& [name, edit] : edits) {
      INFO(name << (used ? ", after use" : ", before use"));
      amp::GradScaler scaler;
      scaler.load_state_dict(kOdd);
      if (used) scaler_test::start(scaler);
      State bad = kOdd;
      edit(bad);
      CHECK_THROWS_AS(scaler.load_state_dict(bad), amp::Error);
      CHECK(same(scaler.state_dict(), kOdd));
    }
  }
}

TEST_CASE("load_state_dict: a tracker at the end of its range does not overflow") {
  State s = kOdd;
  s.growth_interval = INT64_MAX;
  s.growth_tracker = INT32_MAX;
  amp::GradScaler scaler;
  try {
    scaler.load_state_dict(s);
  } catch (const amp::Error&) {
    return;  // refused is fine
  }
  *scaler.found_inf_data(amp::kCPU) = 0;
  scaler.update();
  CHECK(scaler.state_dict().growth_tracker >= 0);
}

TEST_CASE("state_dict: of a scale at a bound that no float equals loads again") {
  amp::GradScaler scaler({.init_scale = 0.09, .growth_interval = 1, .max_scale = 0.1});
  *scaler.found_inf_data(amp::kCPU) = 0;
  scaler.update();
  CHECK(scaler.get_scale() == static_cast<double>(0.1F));
  amp::GradScaler other;
  CHECK_NOTHROW(other.load_state_dict(scaler.state_dict()));
  CHECK(same(other.state_dict(), scaler.state_dict()));
}

TEST_CASE("load_state_dict: in the middle of a cycle drops what was recorded") {
  const amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(p)).backward();
  scaler.unscale_(sgd);
  scaler.load_state_dict({.scale = 4});
  CHECK_THROWS_AS(scaler.update(), amp::Error);
  sgd.zero_grad();
  scaler.scale(amp::sum(p)).backward();
  CHECK(p.grad().item<float>() == 4);
  scaler.step(sgd);
  CHECK(p.item<float>() == -1);
}

TEST_CASE("load_state_dict: between forward and backward is an error of backward") {
  const amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  const amp::Tensor loss = scaler.scale(amp::sum(p));
  scaler.load_state_dict({.scale = 4});
  CHECK_THROWS_AS(loss.backward(), amp::Error);
}

TEST_CASE("update(value): drops what the cycle recorded") {
  const amp::Tensor p = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(p)).backward();
  scaler.step(sgd);
  scaler.update(16);
  CHECK_THROWS_AS(scaler.update(), amp::Error);
  CHECK(scaler.get_scale() == 16);
}

}  // namespace state_dict

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// on_skips: called once for each long run of skipped updates, with the right counters.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "scaler/reference.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace skip_callback {
namespace {

using amp::GradScalerCounters;
using Calls = std::vector<GradScalerCounters>;

/// A loop that remembers what its scaler called.
struct Loop {
  Calls calls;
  amp::GradScaler scaler;
  scaler_test::AwareSGD<float> optimizer =
      scaler_test::make_raw<scaler_test::AwareSGD<float>>({0}, {0}, 0);

  explicit Loop(amp::GradScalerOptions options = {})
      : scaler((
            options.on_skips = [this](const GradScalerCounters& c) { calls.push_back(c); },
            options)) {
    scaler_test::start(scaler);
  }
  void cycles(int count, bool bad) {
    for (int i = 0; i < count; ++i) {
      optimizer.gradient[0] = bad ? NAN : 0.0F;
      scaler.step(optimizer);
      scaler.update();
    }
  }
};

}  // namespace

TEST_CASE("on_skips: after 50 bad updates in a row, and again after 100") {
  Loop loop;
  loop.cycles(7, false);
  loop.cycles(49, true);
  CHECK(loop.calls.empty());
  loop.cycles(1, true);
  REQUIRE(loop.calls.size() == 1);
  CHECK(loop.calls[0].applied == 7);
  CHECK(loop.calls[0].skipped == 50);
  CHECK(loop.calls[0].consecutive_skips == 50);
  loop.cycles(49, true);
  CHECK(loop.calls.size() == 1);
  loop.cycles(1, true);
  REQUIRE(loop.calls.size() == 2);
  CHECK(loop.calls[1].consecutive_skips == 100);
  CHECK(loop.calls[1].skipped == 100);
}

TEST_CASE("on_skips: a good step begins the count anew") {
  Loop loop({.skips_in_a_row = 3});
  for (int i = 0; i < 10; ++i) {
    loop.cycles(2, true);
    loop.cycles(1, false);
  }
  CHECK(loop.calls.empty());
  loop.cycles(3, true);
  REQUIRE(loop.calls.size() == 1);
  CHECK(loop.calls[0].applied == 10);
  CHECK(loop.calls[0].skipped == 23);
  CHECK(loop.calls[0].consecutive_skips == 3);
}

TEST_CASE("on_skips: with every policy, fixed scales too, and at the scale's floor") {
  for (const amp::ScalePolicy policy : scaler_test::kPolicies) {
    INFO(static_cast<int>(policy));
    Loop loop({.init_scale = 1,
               .min_scale = 1,
               .hysteresis = 100,
               .policy = policy,
               .overflow_share = 1});
    loop.cycles(50, true);
    REQUIRE(loop.calls.size() == 1);
    CHECK(loop.calls[0].consecutive_skips == 50);
  }
}

TEST_CASE("on_skips: bfloat16 without a scale") {
  int calls = 0;
  const amp::Tensor p = scaler_test::parameter({1}, {NAN}, amp::kBFloat16);
  amp::AdamW adam({p});
  amp::GradScaler scaler({.policy = amp::ScalePolicy::kNone,
                          .skips_in_a_row = 2,
                          .on_skips = [&](const GradScalerCounters&) { ++calls; }});
  scaler_test::start(scaler);
  for (int i = 0; i < 4; ++i) {
    scaler.step(adam);
    scaler.update();
  }
  CHECK(calls == 2);
  CHECK(p.item<float>() == 1);
}

TEST_CASE("on_skips: counts updates, not the optimizers in them") {
  Loop loop({.skips_in_a_row = 4});
  auto other = scaler_test::make_raw<scaler_test::RawSGD<float>>({0}, {NAN}, 0);
  for (int i = 0; i < 4; ++i) {
    loop.scaler.step(other);
    loop.cycles(1, false);
    other.gradient[0] = NAN;
  }
  REQUIRE(loop.calls.size() == 1);
  CHECK(loop.calls[0].consecutive_skips == 4);
  CHECK(loop.calls[0].applied == 4);
  CHECK(loop.calls[0].skipped == 4);
}

TEST_CASE("on_skips: an update that looked at no gradient does not repeat the call") {
  Loop loop({.skips_in_a_row = 5});
  loop.cycles(5, true);
  REQUIRE(loop.calls.size() == 1);
  loop.scaler.skip_step(loop.optimizer);
  loop.scaler.update();
  CHECK(loop.calls.size() == 1);
  loop.cycles(5, true);
  CHECK(loop.calls.size() == 2);
}

TEST_CASE("on_skips: a loaded run of skips counts on, and is not reported by loading") {
  Loop loop({.skips_in_a_row = 10});
  loop.scaler.load_state_dict({.scale = 8, .skipped = 8, .consecutive_skips = 8});
  loop.cycles(1, true);
  CHECK(loop.calls.empty());
  loop.cycles(1, true);
  REQUIRE(loop.calls.size() == 1);
  CHECK(loop.calls[0].skipped == 10);
  loop.scaler.update(4.0);
  CHECK(loop.calls.size() == 1);
}

TEST_CASE("on_skips: empty, nothing is called") {
  amp::GradScaler scaler({.skips_in_a_row = 1, .on_skips = {}});
  for (int i = 0; i < 5; ++i) {
    *scaler.found_inf_data(amp::kCPU) = 1;
    CHECK_NOTHROW(scaler.update());
  }
  CHECK(scaler.counters().consecutive_skips == 5);
}

TEST_CASE("on_skips: after one that throws the scaler is whole, and the next cycle works") {
  int calls = 0;
  amp::GradScaler scaler(
      {.init_scale = 64, .skips_in_a_row = 2, .on_skips = [&](const GradScalerCounters& counters) {
         if (++calls == 1) throw std::runtime_error("training does not move");
         CHECK(counters.consecutive_skips == 4);
       }});
  const amp::Tensor p = scaler_test::parameter({1}, {NAN});
  amp::SGD sgd({p}, {.lr = 1});
  scaler_test::start(scaler);
  scaler.step(sgd);
  scaler.update();
  scaler.step(sgd);
  CHECK_THROWS_AS(scaler.update(), std::runtime_error);
  // That update is complete: the scale has moved, and the cycle is over.
  CHECK(scaler.get_scale() == 16);
  CHECK(scaler.counters().skipped == 2);
  CHECK_THROWS_AS(scaler.update(), amp::Error);
  CHECK(calls == 1);
  for (int i = 0; i < 2; ++i) {
    scaler.step(sgd);
    scaler.update();
  }
  CHECK(calls == 2);
  p.set_grad(amp::full({1}, scaler.get_scale()));
  CHECK_FALSE(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.item<float>() == 0);
}

TEST_CASE("on_skips: may ask the scaler, and set its scale") {
  std::unique_ptr<amp::GradScaler> scaler;
  std::vector<double> seen;
  scaler = std::make_unique<amp::GradScaler>(amp::GradScalerOptions{
      .init_scale = 64, .skips_in_a_row = 2, .on_skips = [&](const GradScalerCounters&) {
        seen.push_back(scaler->get_scale());
        scaler->update(1024);
      }});
  for (int i = 0; i < 3; ++i) {
    *scaler->found_inf_data(amp::kCPU) = 1;
    scaler->update();
  }
  CHECK(seen == std::vector<double>{16});
  CHECK(scaler->get_scale() == 512);
}

TEST_CASE("on_skips: every bad update, where skips_in_a_row is 1") {
  Loop loop({.skips_in_a_row = 1});
  loop.cycles(3, true);
  loop.cycles(3, false);
  loop.cycles(2, true);
  REQUIRE(loop.calls.size() == 5);
  CHECK(loop.calls[2].consecutive_skips == 3);
  CHECK(loop.calls[4].consecutive_skips == 2);
}

TEST_CASE("on_skips: a count that cannot work throws") {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN}) {
    const std::string error =
        amp_test::error_of([&] { amp::GradScaler({.skips_in_a_row = count}); });
    CHECK_THAT(error, Catch::Matchers::ContainsSubstring("skips_in_a_row"));
  }
}

TEST_CASE("on_skips: a disabled scaler never calls") {
  Loop loop({.enabled = false, .skips_in_a_row = 1});
  loop.cycles(5, true);
  CHECK(loop.calls.empty());
}

}  // namespace skip_callback

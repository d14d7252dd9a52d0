// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A disabled scaler is transparent: every call in any order, every getter, training as without.
#include <amp/amp.hpp>

#include <cmath>
#include <stdexcept>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace disabled {
namespace {

using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;

amp::GradScalerOptions disabled() { return {.enabled = false}; }

}  // namespace

TEST_CASE("disabled: scale returns its argument") {
  amp::GradScaler scaler(disabled());
  const amp::Tensor loss = amp::ones({}, {.dtype = amp::kFloat16});
  CHECK(scaler.scale(loss).is_same(loss));
  CHECK(scaler.scale({loss, loss})[1].is_same(loss));
  CHECK_FALSE(scaler.is_enabled());
}

TEST_CASE("disabled: calls in any order are legal") {
  const amp::Tensor p = parameter({1}, {4});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler(disabled());
  CHECK_NOTHROW(scaler.update());
  CHECK_NOTHROW(scaler.step(sgd));
  CHECK_NOTHROW(scaler.unscale_(sgd));
  CHECK_NOTHROW(scaler.unscale_(sgd));
  CHECK_NOTHROW(scaler.step(sgd));
  CHECK_NOTHROW(scaler.step(sgd));
  CHECK_NOTHROW(scaler.update());
  CHECK_NOTHROW(scaler.update());
  CHECK_NOTHROW(scaler.update(-1));
  CHECK_NOTHROW(scaler.load_state_dict({}));
  CHECK(p.item<float>() == 1 - 3 * 4);
  CHECK(p.grad().item<float>() == 4);
}

TEST_CASE("disabled: every getter answers") {
  amp::GradScaler scaler({.growth_factor = 3, .growth_interval = 7, .enabled = false});
  CHECK(scaler.get_scale() == 1);
  CHECK(scaler.get_growth_factor() == 3);
  CHECK(scaler.get_backoff_factor() == 0.5);
  CHECK(scaler.get_growth_interval() == 7);
  CHECK(scaler.counters().applied == 0);
  scaler.set_growth_factor(5);
  CHECK(scaler.get_growth_factor() == 5);
  CHECK_NOTHROW(scaler.state_dict());
}

TEST_CASE("disabled: options are not judged") {
  CHECK_NOTHROW(amp::GradScaler({.init_scale = -1, .growth_factor = 0, .enabled = false}));
}

TEST_CASE("disabled: the words for one's own kernels say scale 1") {
  amp::GradScaler scaler(disabled());
  CHECK(*scaler.scale_data(amp::kCPU) == 1);
  CHECK(*scaler.inverse_scale_data(amp::kCPU) == 1);
  CHECK(*scaler.found_inf_data(amp::kCPU) == 0);
}

TEST_CASE("disabled: steps are the optimizer's own, whatever the gradients") {
  const amp::Tensor p = parameter({1}, {HUGE_VAL});
  amp::SGD sgd({p}, {.lr = 1});
  auto raw = make_raw<RawSGD<float>>({1}, {4});
  amp::GradScaler scaler(disabled());
  const amp::StepResult result = scaler.step(sgd);
  CHECK_FALSE(result.skipped());
  CHECK(result.skipped_data() == nullptr);
  CHECK(std::isinf(p.item<float>()));
  scaler.step(raw);
  CHECK(raw.weights[0] == -3);
}

TEST_CASE("disabled: an optimizer without gradients steps in silence") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p});
  amp::GradScaler scaler(disabled());
  CHECK_NOTHROW(scaler.step(sgd));
  CHECK(scaler.unscale_and_clip(sgd, 1).item<float>() == 0);
}

TEST_CASE("disabled: unscale_and_clip clips") {
  const amp::Tensor p = parameter({0, 0}, {3, 4});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler(disabled());
  CHECK(scaler.unscale_and_clip(sgd, 1).item<float>() == 5);
  scaler.step(sgd);
  CHECK(p.to_vector<float>()[0] == Approx(-0.6).epsilon(1e-6));
  CHECK(p.to_vector<float>()[1] == Approx(-0.8).epsilon(1e-6));
}

TEST_CASE("disabled: a loss it scaled leaves no mark on gradients") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler(disabled());
  scaler.scale(amp::sum(p)).backward();
  CHECK_NOTHROW(amp::clip_grad_norm_(sgd.parameters(), 1));
  CHECK_NOTHROW(sgd.step());
}

TEST_CASE("disabled: an exception of the optimizer passes through") {
  auto raw = make_raw<RawSGD<float>>({0}, {1});
  raw.fails = true;
  amp::GradScaler scaler(disabled());
  CHECK_THROWS_AS(scaler.step(raw), std::runtime_error);
}

}  // namespace disabled

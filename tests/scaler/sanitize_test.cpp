// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// OverflowPolicy::kSanitize: what becomes of NaN and infinity in every dtype and on every path, and
// what of the step, the scale and the counters.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // kSanitize

namespace sanitize {
namespace {

using amp::OverflowPolicy;
using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;
using Values = std::vector<double>;

const double kNan = std::nan("");
const amp::GradScalerOptions kOptions{
    .init_scale = 4, .on_skips = {}, .on_overflow = OverflowPolicy::kSanitize};

/// As the raw optimizer's step saw them.
template <class T>
std::vector<double> sanitized(const Values& gradient) {
  auto optimizer = make_raw<AwareSGD<T>>(Values(gradient.size()), gradient);
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(optimizer.steps == 1);
  CHECK(scaler.get_scale() == 2);
  CHECK(scaler.counters().sanitized == 1);
  std::vector<double> values;
  for (const T value : optimizer.gradient) values.push_back(static_cast<double>(value));
  return values;
}

template <class T>
void check_dtype() {
  INFO(amp::name(amp::dtype_of<T>));
  const double most = static_cast<double>(std::numeric_limits<T>::max());
  const double least = static_cast<double>(std::numeric_limits<T>::denorm_min());
  CHECK(sanitized<T>({1, kNan, -kNan, most, -most, least, -1}) ==
        Values{1, 0, 0, most, -most, least, -1});
  if (!std::numeric_limits<T>::has_infinity) return;
  CHECK(sanitized<T>({HUGE_VAL, -0.0, -HUGE_VAL}) == Values{most, 0, -most});
  Values long_one(70001, 1.0);
  long_one[70000] = -HUGE_VAL;
  Values expected = long_one;
  expected[70000] = -most;
  CHECK(sanitized<T>(long_one) == expected);
}

}  // namespace

TEST_CASE("sanitize: NaN becomes 0, an infinity the largest of the dtype, all else stays") {
  check_dtype<float>();
  check_dtype<double>();
  check_dtype<amp::half>();
  check_dtype<amp::bfloat16>();
  check_dtype<amp::float8_e5m2>();
  check_dtype<amp::float8_e4m3fn>();
}

TEST_CASE("sanitize: the step is taken, and the scale backs off as for a bad step") {
  const amp::Tensor p = parameter({0, 0, 0}, {4, kNan, HUGE_VAL}, amp::kFloat16);
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(p.to_vector<float>() == std::vector<float>{-1, 0, -65504 / 4});
  CHECK(scaler.get_scale() == 2);
  amp::GradScalerCounters counters = scaler.counters();
  CHECK(counters.applied == 1);
  CHECK(counters.skipped == 0);
  CHECK(counters.consecutive_skips == 1);
  CHECK(counters.sanitized == 1);
  p.set_grad(amp::ones({3}, {.dtype = amp::kFloat16}));
  scaler.step(sgd);
  scaler.update();
  counters = scaler.counters();
  CHECK(counters.applied == 2);
  CHECK(counters.consecutive_skips == 0);
  CHECK(counters.sanitized == 1);
  CHECK(scaler.get_scale() == 2);
}

TEST_CASE("sanitize: on every path, of every kind of optimizer") {
  const Values gradient{8, kNan, -4};
  for (const int path : {0, 1, 2}) {
    INFO("path " << path);
    const auto run = [&](auto&& optimizer) {
      amp::GradScaler scaler(kOptions);
      scaler_test::start(scaler);
      if (path == 1) scaler.unscale_(optimizer);
      if (path == 2) {
        const amp::Tensor norm = scaler.unscale_and_clip(optimizer, 100.0);
        CHECK(norm.item<double>() == Approx(std::sqrt(5.0)));
      }
      CHECK_FALSE(scaler.step(optimizer).skipped());
      scaler.update();
      CHECK(scaler.counters().sanitized == 1);
      CHECK(scaler.get_scale() == 2);
    };
    auto raw = make_raw<RawSGD<float>>(Values(3), gradient);
    run(raw);
    CHECK(raw.weights == std::vector<float>{-2, 0, 1});
    auto aware = make_raw<AwareSGD<double>>(Values(3), gradient);
    run(aware);
    CHECK(aware.weights == std::vector<float>{-2, 0, 1});
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16, amp::kFloat16}) {
      const amp::Tensor p = parameter({0, 0, 0}, gradient, dtype);
      amp::SGD sgd({p}, {.lr = 1});
      run(sgd);
      CHECK(p.to_vector<float>() == std::vector<float>{-2, 0, 1});
    }
  }
}

TEST_CASE("sanitize: what only unscaling, or the norm, makes infinite still leaves the step out") {
  auto raw = make_raw<RawSGD<float>>({0}, {3e38});
  amp::GradScaler small(
      {.init_scale = 0.25, .on_skips = {}, .on_overflow = OverflowPolicy::kSanitize});
  scaler_test::start(small);
  CHECK(small.step(raw).skipped());
  small.update();
  CHECK(small.counters().sanitized == 0);

  const amp::Tensor p = parameter({0}, {HUGE_VAL});
  amp::SGD sgd({p});
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  (void)scaler.unscale_and_clip(sgd, 1.0);
  CHECK(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(scaler.counters().skipped == 1);
  CHECK(scaler.counters().sanitized == 1);
  CHECK(scaler.get_scale() == 2);
}

TEST_CASE("sanitize: several optimizers, one that is left out, and the ledger") {
  const amp::Tensor p = parameter({0}, {4}), q = parameter({0}, {kNan});
  amp::SGD one({p}, {.lr = 1}), other({q}, {.lr = 1});
  amp::GradScaler scaler(
      {.init_scale = 4, .on_skips = {}, .ledger = 4, .on_overflow = OverflowPolicy::kSanitize});
  scaler_test::start(scaler);
  scaler.step(one);
  scaler.unscale_(other);
  scaler.skip_step(other);
  scaler.update();
  CHECK(scaler.get_scale() == 2);
  CHECK(scaler.counters().applied == 1);
  CHECK(scaler.counters().skipped == 1);
  CHECK(scaler.counters().sanitized == 1);
  CHECK_FALSE(scaler.ledger(one).read().at(0).sanitized);
  CHECK(scaler.ledger(other).read().at(0).sanitized);
  CHECK_FALSE(scaler.ledger(other).read().at(0).found_inf);
  CHECK(scaler.ledger(other).read().at(0).gradients[0].zeros == 1);
}

TEST_CASE("sanitize: without the policy gradients stay what they are, and nothing is counted") {
  const amp::Tensor p = parameter({0}, {kNan});
  amp::SGD sgd({p});
  amp::GradScaler scaler({.on_skips = {}});
  scaler_test::start(scaler);
  CHECK(scaler.step(sgd).skipped());
  scaler.update();
  CHECK(std::isnan(p.grad().item<float>()));
  CHECK(scaler.counters().sanitized == 0);

  amp::GradScaler disabled({.enabled = false, .on_overflow = OverflowPolicy::kSanitize});
  p.set_grad(amp::full({1}, kNan));
  disabled.step(sgd);
  CHECK(std::isnan(p.to_vector<float>()[0]));
  CHECK(disabled.counters().sanitized == 0);
}

TEST_CASE("sanitize: a policy that is none is an error") {
  CHECK_THROWS_WITH(amp::GradScaler({.on_overflow = static_cast<OverflowPolicy>(7)}),
                    ContainsSubstring("`on_overflow` is no OverflowPolicy, but 7"));
}

TEST_CASE("sanitize: the policy is no part of the state, and old states load") {
  amp::GradScaler scaler(kOptions), plain({.init_scale = 4, .on_skips = {}});
  CHECK(to_string(scaler.state_dict()) == to_string(plain.state_dict()));
  scaler.load_state_dict(amp::parse_grad_scaler_state(to_string(plain.state_dict())));
  const amp::Tensor p = parameter({0}, {kNan});
  amp::SGD sgd({p});
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(sgd).skipped());
}

}  // namespace sanitize

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the pass over gradients tells besides: for every path, optimizer and dtype, and when it may
// be asked.
#include <amp/amp.hpp>

#include <cmath>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace statistics {
namespace {

using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;
using Values = std::vector<double>;

constexpr double kScale = 256;
const amp::GradScalerOptions kOptions{.init_scale = kScale, .statistics = true};

/// As scaled: |3 / S, 4 / S| is the norm, two are 0, three float16 would keep with fewer bits.
const Values kGradient{3, 0, -0.0, -4, 0x1p-15, -0x1p-20, 0x1p-24, 0x1p-14};

enum class Path { kStep, kUnscale, kClip };
constexpr Path kPaths[] = {Path::kStep, Path::kUnscale, Path::kClip};

template <class Optimizer>
amp::GradientStatistics after(Path path, Optimizer& optimizer) {
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  if (path == Path::kUnscale) scaler.unscale_(optimizer);
  if (path == Path::kClip) (void)scaler.unscale_and_clip(optimizer, 0.5);
  if (path != Path::kStep) CHECK(scaler.statistics(optimizer).get().elements != 0);
  scaler.step(optimizer);
  return scaler.statistics(optimizer).get();
}

void check(const amp::GradientStatistics& told, std::int64_t elements = 8) {
  CHECK(told.norm == Approx(5 / kScale).epsilon(1e-6));
  CHECK(told.max_abs == 4 / kScale);
  CHECK(told.elements == elements);
  CHECK(told.zeros == 2);
  CHECK(told.underflows == 3);
  CHECK_FALSE(told.found_inf);
}

}  // namespace

TEST_CASE("statistics: what they say, on every path, of every optimizer and dtype") {
  for (const Path path : kPaths) {
    INFO("path " << static_cast<int>(path));
    auto raw = make_raw<RawSGD<float>>(Values(8), kGradient);
    auto raw_double = make_raw<RawSGD<double>>(Values(8), kGradient);
    auto raw_bfloat16 = make_raw<RawSGD<amp::bfloat16>>(Values(8), kGradient);
    auto raw_half = make_raw<RawSGD<amp::half>>(Values(8), kGradient);
    auto aware = make_raw<AwareSGD<float>>(Values(8), kGradient);
    auto aware_half = make_raw<AwareSGD<amp::half>>(Values(8), kGradient);
    check(after(path, raw));
    check(after(path, raw_double));
    check(after(path, raw_bfloat16));
    check(after(path, raw_half));
    check(after(path, aware));
    check(after(path, aware_half));
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
      INFO(amp::name(dtype));
      const amp::Tensor p = parameter(Values(8), kGradient, dtype), none = parameter({}, {});
      amp::SGD sgd({none, p}, {.lr = 1});
      check(after(path, sgd));
    }
  }
}

TEST_CASE("statistics: what unscaling in place flushed to 0 is counted") {
  // Divided by 256: 1.5 * 2^-25 rounds to float16's least, 2^-25 to 0, as does what is smaller.
  const Values gradient{1, 0, -0.0, 0x3p-18, 0x1p-17, -0x1p-17, 0x1p-18, 0x1p-24, -0x1p-24};
  const Values weights(gradient.size());
  for (const Path path : kPaths) {
    INFO("path " << static_cast<int>(path));
    auto raw_half = make_raw<RawSGD<amp::half>>(weights, gradient);
    CHECK(after(path, raw_half).flushed == 5);
    auto raw_float8 = make_raw<RawSGD<amp::float8_e5m2>>(Values(4), {0, 1, 0x1p-9, 0x1p-16});
    CHECK(after(path, raw_float8).flushed == 2);
    auto raw_bfloat16 = make_raw<RawSGD<amp::bfloat16>>(weights, gradient);
    CHECK(after(path, raw_bfloat16).flushed == 0);
    auto raw = make_raw<RawSGD<float>>(weights, gradient);
    CHECK(after(path, raw).flushed == 0);
    auto raw_double = make_raw<RawSGD<double>>(Values(3), {0x1p-1000, 0, 1});
    CHECK(after(path, raw_double).flushed == 0);  // though it is 0 in float32
    const amp::Tensor p = parameter(weights, gradient, amp::kFloat16);
    amp::SGD sgd({p});  // unscales in float32
    CHECK(after(path, sgd).flushed == 0);
  }
}

TEST_CASE("statistics: change nothing of what a step does, bit for bit") {
  for (const Path path : kPaths) {
    const auto weights = [&](bool asked) {
      amp::manual_seed(9);
      const amp::Tensor p = amp::zeros({70000}, {.requires_grad = true});
      p.set_grad(amp::randn({70000}));
      amp::Adam adam({p});
      amp::GradScaler scaler({.init_scale = 3, .statistics = asked});
      scaler_test::start(scaler);
      if (path == Path::kUnscale) scaler.unscale_(adam);
      if (path == Path::kClip) (void)scaler.unscale_and_clip(adam, 0.5);
      scaler.step(adam);
      return p.to_vector<float>();
    };
    CHECK(weights(true) == weights(false));
  }
}

TEST_CASE("statistics: infinity and NaN are found, and the largest says which") {
  for (const Path path : kPaths) {
    for (const double bad : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      const amp::Tensor p = parameter({0, 0, 0}, {bad, 1, 0});
      amp::SGD sgd({p});
      const amp::GradientStatistics told = after(path, sgd);
      CHECK(told.found_inf);
      CHECK(std::isnan(told.max_abs) == std::isnan(bad));
      CHECK_FALSE(std::isfinite(told.max_abs));
      CHECK_FALSE(std::isfinite(told.norm));
      CHECK(told.infs == (std::isnan(bad) ? 0 : 1));
      CHECK(told.nans == (std::isnan(bad) ? 1 : 0));
      CHECK(told.zeros == 1);
      CHECK(told.elements == 3);
    }
  }
}

TEST_CASE("statistics: a norm that overflows is no infinity but for who clips by it") {
  const auto found = [](Path path) {
    const amp::Tensor p = parameter({1}, {1e30});
    amp::SGD sgd({p});
    auto raw = make_raw<RawSGD<float>>({1}, {1e30});
    const bool of_raw = after(path, raw).found_inf;
    CHECK(after(path, sgd).found_inf == of_raw);
    return of_raw;
  };
  CHECK_FALSE(found(Path::kStep));
  CHECK_FALSE(found(Path::kUnscale));
  CHECK(found(Path::kClip));
}

TEST_CASE("statistics: an answer stays right while later cycles come and go") {
  const amp::Tensor p = parameter({0, 0}, {3 * kScale, 4 * kScale});
  amp::SGD sgd({p});
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  scaler.step(sgd);
  const amp::StatisticsResult first = scaler.statistics(sgd);
  scaler.update();
  CHECK(scaler.statistics(sgd).get().norm == 5);  // of the last cycle
  for (int i = 0; i < 3; ++i) {
    p.set_grad(amp::tensor({0.0F, 2 * static_cast<float>(kScale)}, {2}));
    scaler.step(sgd);
    CHECK(scaler.statistics(sgd).get().norm == 2);
    scaler.update();
    CHECK(scaler.statistics(sgd).get().zeros == 1);
  }
  CHECK(first.get().norm == 5);
  CHECK(first.data()->zeros == 0);
}

TEST_CASE("statistics: each optimizer has its own") {
  const amp::Tensor p = parameter({0}, {kScale}), q = parameter({0, 0}, {0, HUGE_VAL});
  amp::SGD one({p}), other({q});
  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  scaler.unscale_(other);
  scaler.step(one);
  CHECK(scaler.statistics(one).get().norm == 1);
  CHECK_FALSE(scaler.statistics(one).get().found_inf);
  CHECK(scaler.statistics(other).get().zeros == 1);
  CHECK(scaler.statistics(other).get().found_inf);
}

TEST_CASE("statistics: asked where there are none, an error says why") {
  const amp::Tensor p = parameter({0}, {1}), q = parameter({0}, {1});
  amp::SGD sgd({p}), other({q});
  amp::GradScaler without;
  scaler_test::start(without);
  without.step(sgd);
  CHECK_THROWS_WITH(without.statistics(sgd), ContainsSubstring(".statistics"));

  amp::GradScaler scaler(kOptions);
  scaler_test::start(scaler);
  const auto none = ContainsSubstring("statistics: this optimizer's gradients were not tested");
  CHECK_THROWS_WITH(scaler.statistics(sgd), none);
  scaler.step(other);
  CHECK_THROWS_WITH(scaler.statistics(sgd), none);
  scaler.skip_step(sgd);  // nobody looks
  CHECK_THROWS_WITH(scaler.statistics(sgd), none);
  scaler.update();
  CHECK_NOTHROW(scaler.statistics(other));
  scaler.step(sgd);
  scaler.update();
  CHECK_THROWS_WITH(scaler.statistics(other), none);  // two cycles ago
}

TEST_CASE("statistics: of a disabled scaler are 0") {
  const amp::Tensor p = parameter({0}, {1});
  amp::SGD sgd({p});
  const amp::GradScaler scaler({.enabled = false});
  CHECK((scaler.statistics(sgd).get() == amp::GradientStatistics{}));
  CHECK(scaler.statistics(sgd).data() == nullptr);
}

TEST_CASE("statistics: the counts of more elements than a chunk has, on however many threads") {
  std::vector<double> gradient(200001, 1.0);
  for (std::size_t i = 0; i < gradient.size(); i += 3) gradient[i] = i % 2 == 0 ? 0 : 1e-6;
  auto raw = make_raw<RawSGD<float>>(Values(gradient.size()), gradient);
  const amp::GradientStatistics told = after(Path::kUnscale, raw);
  CHECK(told.elements == 200001);
  CHECK(told.zeros == 33334);
  CHECK(told.underflows == 33333);
  CHECK(told.norm == Approx(std::sqrt(133334.0) / kScale).epsilon(1e-6));
}

TEST_CASE("statistics: the old spelling of allocate still works") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
  const amp::Tensor old = amp::StatisticsResult::make_words(amp::kCPU);
#pragma GCC diagnostic pop
  CHECK(old.shape() == amp::StatisticsResult::allocate(amp::kCPU).shape());
}

}  // namespace statistics

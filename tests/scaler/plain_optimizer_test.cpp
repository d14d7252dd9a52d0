// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Steps of one's own over gradients in memory of one's own; and what is lost if 16-bit gradients
// are unscaled where they lie, which a step that unscales by itself keeps.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace plain_optimizer {
namespace {

using amp::half;
using amp::kFloat16;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

constexpr double kScale = 65536;
constexpr std::size_t kCount = 1000;

/// Gradients around 2^-23: subnormal in float16, and exact there once they are scaled.
struct Small {
  std::vector<half> scaled;
  std::vector<double> exact;
  double norm = 0;

  Small() {
    for (std::size_t i = 0; i < kCount; ++i) {
      exact.push_back(0x1p-23 * (1 + static_cast<double>(i % 64) / 64));
      scaled.push_back(static_cast<half>(exact.back() * kScale));
      REQUIRE(static_cast<double>(scaled.back()) == exact.back() * kScale);
      norm += exact.back() * exact.back();
    }
    norm = std::sqrt(norm);
  }
  amp::TensorView view() {
    return {scaled.data(), static_cast<std::int64_t>(kCount), kFloat16, amp::kCPU, "small"};
  }
};

/// Without its warnings, which rounding_warning_test.cpp reads.
struct Quiet {
  amp::WarningHandler before = amp::set_warning_handler([](std::string_view) {});
  ~Quiet() { amp::set_warning_handler(before); }
};

}  // namespace

TEST_CASE("plain optimizer: the fused step keeps what unscaling in place rounds away") {
  const Quiet quiet;
  // In place: by an optimizer that knows of no scale.
  Small in_place;
  scaler_test::RawSGD<half> rounding;
  rounding.weights.assign(kCount, 0);
  rounding.gradient = in_place.scaled;
  amp::GradScaler scaler({.init_scale = kScale});
  scaler_test::start(scaler);
  const double rounded = scaler.unscale_and_clip(rounding, 1e6).item<double>();
  scaler.step(rounding);
  scaler.update();
  CHECK(std::abs(rounded / in_place.norm - 1) > 1e-3);
  const amp::TensorView left{rounding.gradient.data(), static_cast<std::int64_t>(kCount), kFloat16};
  CHECK(amp::grad_norm({left}).item<double>() == Approx(rounded));

  // amp's own, over the same memory.
  Small fused;
  std::vector<float> weights(kCount, 0);
  amp::SGD sgd(
      {{.weight = {weights.data(), static_cast<std::int64_t>(kCount)}, .gradient = fused.view()}},
      {.lr = 1});
  CHECK(scaler.unscale_and_clip(sgd, 1e6).item<double>() == Approx(fused.norm));
  scaler.step(sgd);
  scaler.update();

  // A step of one's own.
  Small own;
  std::vector<float> plain(kCount, 0);
  amp::PlainOptimizer optimizer({own.view()}, [&](const amp::GradScale& scale) {
    if (scale.skips()) return;
    for (std::size_t i = 0; i < kCount; ++i)
      plain[i] -= static_cast<float>(static_cast<double>(own.scaled[i]) * scale.factor(kFloat16));
  });
  CHECK(scaler.unscale_and_clip(optimizer, 1e6).item<double>() == Approx(own.norm));
  scaler.step(optimizer);
  scaler.update();

  int differ = 0;
  for (std::size_t i = 0; i < kCount; ++i) {
    CHECK(weights[i] == -static_cast<float>(fused.exact[i]));
    CHECK(plain[i] == -static_cast<float>(fused.exact[i]));
    differ += rounding.weights[i] != weights[i] ? 1 : 0;
  }
  CHECK(differ > 100);
}

TEST_CASE("plain optimizer: the step sees the scale, the clip and a gradient that is not finite") {
  half gradient[2] = {half(3.0F), half(4.0F)};
  double factor = 0;
  bool skipped = false;
  amp::PlainOptimizer optimizer({{gradient, 2, kFloat16}}, [&](const amp::GradScale& scale) {
    factor = scale.factor(kFloat16);
    skipped = scale.skips();
  });
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  scaler.step(optimizer);
  scaler.update();
  CHECK(factor == 0.5);
  CHECK_FALSE(skipped);
  CHECK(scaler.unscale_and_clip(optimizer, 1.25).item<float>() == 2.5F);
  scaler.step(optimizer);
  scaler.update();
  CHECK(factor == Approx(0.25));
  gradient[1] = half(HUGE_VALF);
  CHECK(scaler.step(optimizer).skipped());
  scaler.update();
  CHECK(skipped);
  optimizer.step();  // without a scaler
  CHECK(factor == 1);
  CHECK_FALSE(skipped);
  amp::GradScaler disabled({.enabled = false});
  disabled.step(optimizer);
  CHECK(factor == 1);
}

TEST_CASE("plain optimizer: what is bad is named by the scaler") {
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  int steps = 0;
  const auto step = [&](const amp::GradScale&) { ++steps; };
  std::int32_t integers[2] = {};
  amp::PlainOptimizer none({}, step);
  amp::PlainOptimizer null({{nullptr, 2, kFloat16, amp::kCPU, "wte"}}, step);
  amp::PlainOptimizer integer({{integers, 2, amp::kInt32, amp::kCPU, "ids"}}, step);
  CHECK_THAT(error_of([&] { scaler.step(none); }), ContainsSubstring("has a gradient"));
  CHECK_THAT(error_of([&] { scaler.step(null); }),
             ContainsSubstring("gradient 0 wte has 2 elements, but no data"));
  CHECK_THAT(error_of([&] { scaler.step(integer); }),
             ContainsSubstring("gradient 0 ids must be floating point, but is int32"));
  CHECK(steps == 0);
}

}  // namespace plain_optimizer

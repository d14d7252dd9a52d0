// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The warning that 16-bit gradients are unscaled in place: once, and only if they are.
#include <amp/amp.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace rounding_warning {
namespace {

using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::RawSGD;
using Texts = std::vector<std::string>;

/// What amp warns of in three cycles of one scaler.
template <class... Optimizers>
Texts warnings(const amp::GradScalerOptions& options, Optimizers... optimizers) {
  Texts texts;
  const amp::WarningHandler before =
      amp::set_warning_handler([&](std::string_view text) { texts.emplace_back(text); });
  amp::GradScaler scaler(options);
  if (scaler.is_enabled()) scaler_test::start(scaler);
  for (int cycle = 0; cycle < 3; ++cycle) {
    const auto step = [&](auto& optimizer) {
      if (cycle == 0) scaler.unscale_(optimizer);
      if (cycle == 1) (void)scaler.unscale_and_clip(optimizer, 1.0);
      scaler.step(optimizer);
    };
    (step(optimizers), ...);
    scaler.update();
  }
  amp::set_warning_handler(before);
  return texts;
}

template <class Optimizer>
Optimizer raw() {
  return make_raw<Optimizer>({1, 1}, {0.5, 2});
}

}  // namespace

TEST_CASE("rounding warning: once for each scaler, with what to do instead") {
  for (int scaler = 0; scaler < 2; ++scaler) {
    const Texts texts = warnings({}, raw<RawSGD<amp::half>>(), raw<RawSGD<amp::bfloat16>>());
    REQUIRE(texts.size() == 1);
    for (const char* const part : {"unscale_: gradient 0 raw, float16", "const amp::GradScale&",
                                   "amp::ParameterView", "float32 gradients"})
      CHECK_THAT(texts[0], ContainsSubstring(part));
  }
}

TEST_CASE("rounding warning: not if nothing is rounded, and not for who unscales by itself") {
  const amp::Tensor p = scaler_test::parameter({1}, {1}, amp::kFloat16);
  CHECK(warnings({}, raw<RawSGD<float>>(), raw<RawSGD<double>>()).empty());
  CHECK(warnings({}, raw<AwareSGD<float>>(), amp::SGD({p})).empty());
  CHECK(warnings({.enabled = false}, raw<RawSGD<amp::half>>()).empty());
  CHECK(warnings({.policy = amp::ScalePolicy::kNone}, raw<RawSGD<amp::bfloat16>>()).empty());
}

TEST_CASE("rounding warning: a handler that throws does not keep the step from being taken") {
  const amp::WarningHandler before = amp::set_warning_handler([](std::string_view) { throw 1; });
  auto optimizer = raw<RawSGD<amp::half>>();
  amp::GradScaler scaler({.init_scale = 2});
  scaler_test::start(scaler);
  CHECK_FALSE(scaler.step(optimizer).skipped());
  amp::set_warning_handler(before);
  CHECK(optimizer.weights == std::vector<float>{0.75, 0});
}

TEST_CASE("rounding warning: who unscales by itself is warned of unscale_, and of nothing else") {
  const Texts texts = warnings({}, raw<AwareSGD<amp::half>>());
  REQUIRE(texts.size() == 1);
  CHECK_THAT(texts[0], ContainsSubstring("unscale_: gradient 0 raw, float16"));
  CHECK_THAT(texts[0], ContainsSubstring("Leave unscale_ out"));
  int warned = 0;
  const amp::WarningHandler before = amp::set_warning_handler([&](std::string_view) { ++warned; });
  auto optimizer = raw<AwareSGD<amp::half>>();
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  (void)scaler.unscale_and_clip(optimizer, 1.0);
  scaler.step(optimizer);
  scaler.update();
  scaler.step(optimizer);
  amp::set_warning_handler(before);
  CHECK(warned == 0);
}

TEST_CASE("rounding warning: it comes before anything is written, from each call that writes") {
  const amp::half scaled[2] = {amp::half(0.5F), amp::half(2.0F)};
  const auto check = [&](std::string_view name, const auto& call) {
    auto optimizer = raw<RawSGD<amp::half>>();
    amp::GradScaler scaler({.init_scale = 2});
    scaler_test::start(scaler);
    bool warned = false, unwritten = false;
    const amp::WarningHandler before = amp::set_warning_handler([&](std::string_view text) {
      warned = text.find(std::string(name) + ": gradient 0 raw") != std::string_view::npos;
      unwritten = optimizer.gradient[0] == scaled[0] && optimizer.gradient[1] == scaled[1];
    });
    call(scaler, optimizer);
    amp::set_warning_handler(before);
    INFO(name);
    CHECK(warned);
    CHECK(unwritten);
    CHECK(optimizer.gradient[0] == amp::half(0.25F));
  };
  check("unscale_", [](auto& scaler, auto& optimizer) { scaler.unscale_(optimizer); });
  check("unscale_and_clip",
        [](auto& scaler, auto& optimizer) { (void)scaler.unscale_and_clip(optimizer, 100.0); });
  check("step", [](auto& scaler, auto& optimizer) { scaler.step(optimizer); });
}

}  // namespace rounding_warning

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Training without amp's tensors: the scaler's words, and optimizers over memory of the user's.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace raw_memory {
namespace {

using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::RawSGD;

/// Least squares y = 3 x - 1 by hand, gradients in T, scaled by the scaler's word.
template <class Optimizer>
std::vector<float> fit(amp::GradScaler& scaler, int steps) {
  auto optimizer = make_raw<Optimizer>({0, 0}, {0, 0}, 0.1);
  using T = typename decltype(optimizer.gradient)::value_type;
  const float* const scale = scaler.scale_data(amp::kCPU);
  for (int i = 0; i < steps; ++i) {
    const double x = (i * 7 % 11) / 5.0 - 1,
                 error = optimizer.weights[0] * x + optimizer.weights[1] - (3 * x - 1);
    const double scaled = 2 * error * static_cast<double>(*scale);
    optimizer.gradient = {static_cast<T>(scaled * x), static_cast<T>(scaled)};
    scaler.step(optimizer);
    scaler.update();
  }
  return optimizer.weights;
}

}  // namespace

TEST_CASE("raw: scale_data makes unscale_ and step legal") {
  auto optimizer = make_raw<RawSGD<float>>({0}, {8});
  amp::GradScaler scaler({.init_scale = 8});
  CHECK_THROWS_AS(scaler.step(optimizer), amp::Error);
  CHECK_THROWS_AS(scaler.unscale_(optimizer), amp::Error);
  CHECK(*scaler.scale_data(amp::kCPU) == 8);
  CHECK_NOTHROW(scaler.step(optimizer));
  CHECK(optimizer.weights[0] == -1);
}

TEST_CASE("raw: the words stay where they are and follow the scale") {
  amp::GradScaler scaler({.init_scale = 8});
  const float* const scale = scaler.scale_data(amp::kCPU);
  const float* const inverse = scaler.inverse_scale_data(amp::kCPU);
  float* const found_inf = scaler.found_inf_data(amp::kCPU);
  for (int i = 0; i < 10; ++i) {
    *found_inf = 1;
    scaler.update();
    CHECK(*scale == std::ldexp(1.0F, 2 - i));
    CHECK(*inverse == std::ldexp(1.0F, i - 2));
    CHECK(*found_inf == 0);
  }
  scaler.update(5);
  CHECK(*scale == 5);
  scaler.load_state_dict({.scale = 6});
  CHECK(*scale == 6);
  CHECK(scaler.scale_data(amp::kCPU) == scale);
  CHECK(scaler.inverse_scale_data(amp::kCPU) == inverse);
  CHECK(scaler.found_inf_data(amp::kCPU) == found_inf);
}

TEST_CASE("raw: a cycle of one's own kernels is counted by its found_inf word") {
  amp::GradScaler scaler;
  float* const found_inf = scaler.found_inf_data(amp::kCPU);
  scaler.update();
  *found_inf = 1;
  scaler.update();
  scaler.update();
  CHECK(scaler.counters().applied == 2);
  CHECK(scaler.counters().skipped == 1);
  CHECK(scaler.get_scale() == 32768);
}

TEST_CASE("raw: one's own word and an optimizer's both count, and back off once") {
  for (const bool own : {false, true}) {
    auto optimizer = make_raw<RawSGD<float>>({0}, {own ? 8.0 : HUGE_VAL});
    amp::GradScaler scaler({.init_scale = 8});
    *scaler.found_inf_data(amp::kCPU) = own ? 1 : 0;
    scaler.step(optimizer);
    scaler.update();
    CHECK(scaler.get_scale() == 4);
  }
}

TEST_CASE("raw: a fit by hand with float16 gradients finds the line") {
  amp::GradScaler scaler({.init_scale = 1024, .growth_interval = 50});
  const std::vector<float> weights = fit<RawSGD<amp::half>>(scaler, 400);
  CHECK(weights[0] == Approx(3).epsilon(2e-3));
  CHECK(weights[1] == Approx(-1).epsilon(2e-3));
}

TEST_CASE("raw: scale-aware and plain optimizers end bit for bit alike in float32") {
  amp::GradScaler a({.growth_interval = 20}), b({.growth_interval = 20});
  CHECK(fit<RawSGD<float>>(a, 200) == fit<AwareSGD<float>>(b, 200));
  CHECK(a.get_scale() == b.get_scale());
}

TEST_CASE("raw: a scale-aware optimizer's gradients are only read") {
  auto optimizer = make_raw<AwareSGD<float>>({0, 0}, {8, 16});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  (void)scaler.unscale_and_clip(optimizer, 1e6);
  scaler.step(optimizer);
  CHECK(optimizer.gradient == std::vector<float>{8, 16});
  CHECK(optimizer.weights == std::vector<float>{-1, -2});
}

TEST_CASE("raw: gradients() may return a view or an array, by value or by reference") {
  struct Fixed {
    float gradient = 8, weight = 0;
    amp::TensorView views[1] = {};
    const amp::TensorView (&gradients())[1] {
      views[0] = {&gradient, 1};
      return views;
    }
    void step() { weight -= gradient; }
  };
  Fixed optimizer;
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.step(optimizer);
  CHECK(optimizer.weight == -1);
}

TEST_CASE("raw: gradients that share memory are refused before they are written") {
  struct Views : RawSGD<float> {
    std::vector<amp::TensorView> views;
    const std::vector<amp::TensorView>& gradients() const { return views; }
  };
  float memory[6] = {8, 8, 8, 8, 8, 8};
  const auto view = [&](int begin, std::int64_t count, std::string_view name = {}) {
    return amp::TensorView{memory + begin, count, amp::kFloat32, amp::kCPU, name};
  };
  const auto refusal = [&](const std::vector<amp::TensorView>& views) {
    Views optimizer;
    optimizer.views = views;
    amp::GradScaler scaler({.init_scale = 8});
    scaler_test::start(scaler);
    return error_of([&] { scaler.step(optimizer); });
  };
  CHECK_THAT(refusal({view(0, 2), view(4, 1), view(0, 2)}),
             ContainsSubstring("gradient 0 shares memory with gradient 2, which would be "
                               "multiplied twice"));
  CHECK_THAT(refusal({view(3, 3, "w"), view(0, 4, "b")}),
             ContainsSubstring("gradient \"w\" shares memory with gradient \"b\""));
  for (const float value : memory) CHECK(value == 8);
  CHECK(refusal({view(3, 3), view(0, 3), view(3, 0), view(0, 0)}).empty());  // side by side
  for (const float value : memory) CHECK(value == 1);
}

TEST_CASE("raw: two parameters that share a gradient are refused where it is written") {
  const amp::Tensor a = scaler_test::parameter({1, 1}, {8, 8}),
                    b = scaler_test::parameter({1, 1}, {8, 8});
  b.set_grad(a.grad());
  amp::SGD optimizer({a, b}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8}), off({.enabled = false});
  for (const auto& call :
       std::vector<std::function<void()>>{[&] { scaler.unscale_(optimizer); },
                                          [&] { (void)off.unscale_and_clip(optimizer, 1); }}) {
    scaler_test::start(scaler);
    CHECK_THAT(error_of(call), ContainsSubstring("gradient 0 shares memory with gradient 1"));
  }
  CHECK(a.grad().to_vector<float>() == std::vector<float>{8, 8});
  scaler.step(optimizer);  // only reads them
  CHECK(a.to_vector<float>() == std::vector<float>{0, 0});
  CHECK(b.to_vector<float>() == std::vector<float>{0, 0});
}

TEST_CASE("raw: one's own word backs off where the optimizer was only unscaled") {
  auto optimizer = make_raw<RawSGD<float>>({0}, {8});
  amp::GradScaler scaler({.init_scale = 8});
  scaler_test::start(scaler);
  scaler.unscale_(optimizer);
  *scaler.found_inf_data(amp::kCPU) = 1;
  scaler.update();
  CHECK(scaler.get_scale() == 4);
  CHECK(scaler.counters().applied + scaler.counters().skipped == 0);
}

}  // namespace raw_memory

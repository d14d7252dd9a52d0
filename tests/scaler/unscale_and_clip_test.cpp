// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// unscale_and_clip against a reference in double, for every kind of optimizer and scale.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "scaler/raw_optimizers.hpp"
#include "support/catch.hpp"

namespace unscale_and_clip {
namespace {

using scaler_test::AwareSGD;
using scaler_test::make_raw;
using scaler_test::parameter;
using scaler_test::RawSGD;
using Values = std::vector<double>;

constexpr double kInfinity = HUGE_VAL;

Values true_gradient(std::size_t n = 1000) {
  Values g(n);
  for (std::size_t i = 0; i < n; ++i)
    g[i] = static_cast<float>(std::sin(0.7 * static_cast<double>(i)) / 32);
  return g;
}
Values times(const Values& values, double factor) {
  Values result = values;
  for (double& v : result) v *= factor;
  return result;
}
double norm_of(const Values& values) {
  double squares = 0;
  for (const double v : values) squares += v * v;
  return std::sqrt(squares);
}

/// The weights after one clipped step of rate 1 from 0, and the norm that was reported.
struct Outcome {
  Values weights;
  float norm;
};

template <class Optimizer>
Outcome clipped_step_raw(const Values& gradient, double scale, double max_norm) {
  auto optimizer = make_raw<Optimizer>(Values(gradient.size()), times(gradient, scale));
  amp::GradScaler scaler({.init_scale = scale});
  scaler_test::start(scaler);
  const amp::Tensor norm = scaler.unscale_and_clip(optimizer, max_norm);
  CHECK(norm.dim() == 0);
  const bool wide = optimizer.gradients()[0].dtype == amp::kFloat64;
  CHECK(norm.dtype() == (wide ? amp::kFloat64 : amp::kFloat32));
  CHECK_FALSE(scaler.step(optimizer).skipped());
  return {{optimizer.weights.begin(), optimizer.weights.end()}, norm.item<float>()};
}
Outcome clipped_step_amp(const Values& gradient, double scale, double max_norm, amp::DType dtype) {
  const amp::Tensor p =
      amp::zeros(amp::Shape(gradient.size()), {.dtype = dtype, .requires_grad = true});
  p.set_grad(amp::tensor(times(gradient, scale), p.shape(), {.dtype = dtype}));
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = scale});
  scaler_test::start(scaler);
  const amp::Tensor norm = scaler.unscale_and_clip(sgd, max_norm);
  CHECK_FALSE(scaler.step(sgd).skipped());
  return {p.to_vector<double>(), norm.item<float>()};
}

void check(const Outcome& outcome, const Values& gradient, double max_norm, double tolerance) {
  const double norm = norm_of(gradient);
  CHECK(outcome.norm == Approx(norm).epsilon(tolerance));
  const double factor = std::min(1.0, max_norm / (norm + 1e-6));
  double worst = 0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double error = std::abs(outcome.weights[i] + gradient[i] * factor);
    worst = error <= worst ? worst : error;
  }
  CHECK(worst <= tolerance / 32);
}

}  // namespace

TEST_CASE("unscale_and_clip: the float32 reference, for every optimizer, scale and limit") {
  const Values g = true_gradient();
  for (const double scale : {1.0, 0x1p8, 0x1p16}) {
    for (const double max_norm : {0.1, 1e3}) {
      INFO("scale " << scale << ", max_norm " << max_norm);
      check(clipped_step_raw<RawSGD<float>>(g, scale, max_norm), g, max_norm, 1e-6);
      check(clipped_step_raw<AwareSGD<float>>(g, scale, max_norm), g, max_norm, 1e-6);
      check(clipped_step_raw<RawSGD<double>>(g, scale, max_norm), g, max_norm, 1e-6);
      check(clipped_step_raw<RawSGD<amp::half>>(g, scale, max_norm), g, max_norm, 3e-3);
      check(clipped_step_raw<AwareSGD<amp::half>>(g, scale, max_norm), g, max_norm, 1e-3);
      check(clipped_step_raw<AwareSGD<amp::bfloat16>>(g, scale, max_norm), g, max_norm, 1e-2);
      check(clipped_step_amp(g, scale, max_norm, amp::kFloat32), g, max_norm, 1e-6);
      check(clipped_step_amp(g, scale, max_norm, amp::kFloat64), g, max_norm, 1e-6);
      check(clipped_step_amp(g, scale, max_norm, amp::kFloat16), g, max_norm, 3e-3);
      check(clipped_step_amp(g, scale, max_norm, amp::kBFloat16), g, max_norm, 2e-2);
    }
  }
}

TEST_CASE("unscale_and_clip: the scale leaves no trace in float32") {
  const Values g = true_gradient(70000);
  const Outcome plain = clipped_step_amp(g, 1, 0.5, amp::kFloat32);
  for (const double scale : {0x1p8, 0x1p16}) {
    const Outcome scaled = clipped_step_amp(g, scale, 0.5, amp::kFloat32);
    CHECK(scaled.norm == plain.norm);
    CHECK(scaled.weights == plain.weights);
  }
}

TEST_CASE("unscale_and_clip: is unscale_ followed by clip_grad_norm_") {
  const auto run = [](bool at_once) {
    const amp::Tensor p = parameter(Values(500), times(true_gradient(500), 256));
    amp::SGD sgd({p}, {.lr = 1});
    amp::GradScaler scaler({.init_scale = 256});
    scaler_test::start(scaler);
    float norm = 0;
    if (at_once) {
      norm = scaler.unscale_and_clip(sgd, 0.1).item<float>();
    } else {
      scaler.unscale_(sgd);
      norm = amp::clip_grad_norm_(sgd.parameters(), 0.1).item<float>();
    }
    scaler.step(sgd);
    Values result = p.to_vector<double>();
    result.push_back(norm);
    return result;
  };
  const Values at_once = run(true), in_turn = run(false);
  for (std::size_t i = 0; i < at_once.size(); ++i)
    CHECK(at_once[i] == Approx(in_turn[i]).epsilon(1e-6).margin(1e-12));
}

TEST_CASE("unscale_and_clip: .grad of amp's optimizers stays scaled and unclipped") {
  const amp::Tensor p = parameter({0, 0}, {3 * 8, 4 * 8});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8, .statistics = true});
  scaler_test::start(scaler);
  CHECK(scaler.unscale_and_clip(sgd, 1).item<double>() == 5);
  CHECK(scaler.statistics(sgd).get().norm == 5);
  CHECK(p.grad().to_vector<double>() == Values{24, 32});
  scaler.step(sgd);
  CHECK(p.grad().to_vector<double>() == Values{24, 32});
  CHECK(p.to_vector<double>()[0] == Approx(-0.6).epsilon(1e-6));
}

TEST_CASE("unscale_and_clip: below the limit nothing is clipped, bit for bit") {
  const auto run = [](bool clip) {
    const amp::Tensor p = parameter(Values(100), times(true_gradient(100), 8));
    amp::Adam adam({p});
    amp::GradScaler scaler({.init_scale = 8});
    scaler_test::start(scaler);
    if (clip) (void)scaler.unscale_and_clip(adam, 1e6);
    scaler.step(adam);
    return p.to_vector<float>();
  };
  CHECK(run(true) == run(false));
}

TEST_CASE("unscale_and_clip: the norm is that of all gradients together") {
  const amp::Tensor p = parameter({0}, {3 * 16}), q = parameter({0}, {4 * 16}, amp::kFloat16);
  amp::SGD sgd({p, q}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 16});
  scaler_test::start(scaler);
  CHECK(scaler.unscale_and_clip(sgd, 2.5).item<float>() == 5);
  scaler.step(sgd);
  CHECK(p.item<float>() == Approx(-1.5).epsilon(1e-6));
  CHECK(q.item<float>() == Approx(-2).epsilon(1e-3));
}

TEST_CASE("unscale_and_clip: gradients that are not finite skip the step") {
  for (const double bad : {kInfinity, static_cast<double>(NAN)}) {
    const amp::Tensor p = parameter({1, 1}, {bad, 1});
    amp::Adam adam({p});
    auto raw = make_raw<RawSGD<float>>({1, 1}, {bad, 4});
    auto aware = make_raw<AwareSGD<float>>({1, 1}, {bad, 4});
    amp::GradScaler scaler({.init_scale = 4});
    scaler_test::start(scaler);
    CHECK_FALSE(std::isfinite(scaler.unscale_and_clip(adam, 1).item<float>()));
    CHECK_FALSE(std::isfinite(scaler.unscale_and_clip(raw, 1).item<float>()));
    CHECK_FALSE(std::isfinite(scaler.unscale_and_clip(aware, 1).item<float>()));
    CHECK(scaler.step(adam).skipped());
    CHECK(scaler.step(raw).skipped());
    CHECK(scaler.step(aware).skipped());
    CHECK(p.to_vector<float>() == std::vector<float>(2, 1));
    CHECK(raw.gradient[1] == 1);  // unscaled, and not multiplied by a coefficient of 0 or NaN
    CHECK(aware.steps == 0);
  }
}

TEST_CASE("unscale_and_clip: a norm that overflows skips the step, the gradients being finite") {
  const amp::Tensor p = parameter({1}, {1e30});
  amp::SGD sgd({p});
  auto raw = make_raw<RawSGD<float>>({1}, {1e30});
  amp::GradScaler scaler({.init_scale = 1});
  scaler_test::start(scaler);
  (void)scaler.unscale_and_clip(sgd, 1);
  (void)scaler.unscale_and_clip(raw, 1);
  CHECK(scaler.step(sgd).skipped());
  CHECK(scaler.step(raw).skipped());
  scaler.update();
  CHECK(p.item<float>() == 1);
  CHECK(scaler.get_scale() == 0.5);
}

TEST_CASE("unscale_and_clip: zero gradients stay zero") {
  const amp::Tensor p = parameter({1}, {0});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler;
  scaler_test::start(scaler);
  CHECK(scaler.unscale_and_clip(sgd, 1).item<float>() == 0);
  CHECK_FALSE(scaler.step(sgd).skipped());
  CHECK(p.item<float>() == 1);
}

TEST_CASE("unscale_and_clip: a max_norm that is not above 0 throws and leaves the cycle unbegun") {
  const amp::Tensor p = parameter({1}, {4});
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    INFO(bad);
    CHECK_THROWS_AS(scaler.unscale_and_clip(sgd, bad), amp::Error);
  }
  CHECK_NOTHROW(scaler.unscale_and_clip(sgd, 10));
  scaler.step(sgd);
  CHECK(p.item<float>() == 0);
}

TEST_CASE("unscale_and_clip: the norm returned is still right after the next cycle") {
  const amp::Tensor p = parameter({0}, {4});
  amp::SGD sgd({p});
  amp::GradScaler scaler({.init_scale = 4});
  scaler_test::start(scaler);
  const amp::Tensor first = scaler.unscale_and_clip(sgd, 1);
  scaler.step(sgd);
  scaler.update();
  p.set_grad(amp::full({1}, 40));
  const amp::Tensor second = scaler.unscale_and_clip(sgd, 1);
  CHECK(first.item<float>() == 1);
  CHECK(second.item<float>() == 10);
}

}  // namespace unscale_and_clip

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Special cases of the formulas of Lion and LAMB; their values are in goldens_test.cpp, storages
// of weights, skips and clipping in weight_storage_test.cpp and two_pass_test.cpp.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace lion_lamb {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor parameter(const std::vector<float>& values) {
  return amp::tensor(values, {static_cast<std::int64_t>(values.size())}).requires_grad_();
}
Tensor gradient(const std::vector<float>& values) {
  return amp::tensor(values, {static_cast<std::int64_t>(values.size())});
}
std::vector<std::string> names(const amp::NamedTensors& state) {
  std::vector<std::string> all;
  for (const auto& entry : state) all.push_back(entry.first);
  return all;
}

}  // namespace

TEST_CASE("Lion: each weight moves by the rate, and not where gradient and moment are 0") {
  const std::vector<float> g{1e-30F, -1e30F, 0, 3, -2, 1, 1, 1, 1, 1};  // a vector and two elements
  const Tensor p = parameter(std::vector<float>(10, 1));
  amp::Lion lion({p}, {.lr = 0.25});
  p.set_grad(gradient(g));
  lion.step();
  CHECK(p.to_vector<float>() ==
        std::vector<float>{0.75F, 1.25F, 1, 0.75F, 1.25F, 0.75F, 0.75F, 0.75F, 0.75F, 0.75F});
  lion.zero_grad();
  lion.step();  // no gradient, no step
  CHECK(p.to_vector<float>()[0] == 0.75F);
}

TEST_CASE("Lion: a gradient that is NaN makes the weight NaN, and no other") {
  for (const std::size_t at : {0U, 7U, 19U, 20U}) {
    std::vector<float> g(21, 1);
    g[at] = NAN;
    const Tensor p = parameter(std::vector<float>(21, 0));
    amp::Lion lion({p}, {.lr = 1});
    p.set_grad(gradient(g));
    lion.step();
    const std::vector<float> w = p.to_vector<float>();
    for (std::size_t i = 0; i < w.size(); ++i) CHECK((i == at ? std::isnan(w[i]) : w[i] == -1));
  }
}

TEST_CASE("Lion, LAMB: without a decay an infinite weight leaves the state alone") {
  const auto moments = [](auto optimizer, const Tensor& p) {
    p.set_grad(gradient({1, 1}));
    optimizer->step();
    std::vector<float> all;
    for (const auto& [name, tensor] : optimizer->state_dict()) {
      if (name.starts_with("0.exp_avg"))
        for (const float x : tensor.template to_vector<float>()) all.push_back(x);
    }
    return all;
  };
  const Tensor p = parameter({HUGE_VALF, 2}), q = parameter({HUGE_VALF, 2});
  for (const float m : moments(std::make_unique<amp::Lion>(std::vector{p}), p)) CHECK(m > 0);
  CHECK(p.to_vector<float>()[0] == HUGE_VALF);
  const amp::LAMBOptions plain{.weight_decay = 0};
  for (const float m : moments(std::make_unique<amp::LAMB>(std::vector{q}, plain), q)) CHECK(m > 0);
}

TEST_CASE("LAMB: a step is as long as the rate times the weights, whatever the gradient's size") {
  for (const std::int64_t n : {1, 9, 1025, 70'000, 200'000}) {  // of several sums
    for (const double size : {1e-3, 1e3}) {
      INFO(n << " " << size);
      amp::manual_seed(5);
      const Tensor p = amp::randn({n}).to(amp::kFloat64).requires_grad_();
      const std::vector<double> before = p.to_vector<double>();
      amp::LAMB lamb({p}, {.lr = 0.01, .weight_decay = 0.5});
      p.set_grad((amp::randn({n}) * size).to(amp::kFloat64));
      lamb.step();
      const std::vector<double> after = p.to_vector<double>();
      double moved = 0, weights = 0;
      for (std::size_t i = 0; i < before.size(); ++i) {
        moved += (after[i] - before[i]) * (after[i] - before[i]);
        weights += before[i] * before[i];
      }
      CHECK(std::sqrt(moved) == Approx(0.01 * std::sqrt(weights)).epsilon(1e-10));
    }
  }
}

TEST_CASE("LAMB: each parameter has a trust ratio of its own, 1 where a norm is 0") {
  const Tensor zero = parameter({0, 0}), large = parameter({100, -100}), idle = parameter({3, 4});
  amp::LAMB lamb({zero, large, idle}, {.lr = 0.1, .eps = 0, .weight_decay = 0});
  zero.set_grad(gradient({5, -5}));
  large.set_grad(gradient({5, -5}));
  lamb.step();  // the direction of a first step is the sign of the gradient
  CHECK(zero.to_vector<float>()[0] == Approx(-0.1));
  CHECK(large.to_vector<float>()[0] == Approx(90));
  CHECK(idle.to_vector<float>() == std::vector<float>{3, 4});
  amp::LAMB still({idle}, {.lr = 0.1, .weight_decay = 0});
  idle.set_grad(gradient({0, 0}));
  still.step();
  CHECK(idle.to_vector<float>() == std::vector<float>{3, 4});
}

TEST_CASE("LAMB: a step skipped by found_inf does not count") {
  const Tensor p = parameter({1, 2}), q = parameter({1, 2});
  amp::LAMB skipping({p}), other({q});
  const float found = 1;
  p.set_grad(gradient({HUGE_VALF, 1}));
  skipping.step(amp::GradScale{.found_inf = &found});
  CHECK(skipping.applied_steps() == 0);
  for (const Tensor& w : {p, q}) w.set_grad(gradient({0.5F, -1}));
  skipping.step();
  other.step();
  CHECK(p.to_vector<float>() == q.to_vector<float>());
}

TEST_CASE("Lion, LAMB: what they save") {
  const Tensor p = parameter({1});
  amp::Lion lion({p});
  amp::LAMB lamb({p});
  p.set_grad(gradient({1}));
  lion.step();
  lamb.step();
  CHECK(names(lion.state_dict()) == std::vector<std::string>{"applied_steps", "groups.0.lr",
                                                             "groups.0.beta1", "groups.0.beta2",
                                                             "groups.0.weight_decay", "0.exp_avg"});
  CHECK(names(lamb.state_dict()) ==
        std::vector<std::string>{"applied_steps", "groups.0.lr", "groups.0.beta1", "groups.0.beta2",
                                 "groups.0.eps", "groups.0.weight_decay", "0.step", "0.exp_avg",
                                 "0.exp_avg_sq"});
  CHECK(lion.options().lr == 1e-4);
  CHECK(lamb.options().eps == 1e-6);
}

TEST_CASE("Lion, LAMB: options that cannot work throw, and say why") {
  const std::vector<Tensor> p = {parameter({1})};
  for (const double bad : {-0.1, std::nan(""), HUGE_VAL}) {
    INFO(bad);
    CHECK_THROWS_AS(amp::Lion(p, {.lr = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Lion(p, {.beta1 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Lion(p, {.beta2 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Lion(p, {.weight_decay = bad}), amp::Error);
    CHECK_THROWS_AS(amp::LAMB(p, {.lr = bad}), amp::Error);
    CHECK_THROWS_AS(amp::LAMB(p, {.beta1 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::LAMB(p, {.beta2 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::LAMB(p, {.eps = bad}), amp::Error);
    CHECK_THROWS_AS(amp::LAMB(p, {.weight_decay = bad}), amp::Error);
  }
  CHECK_THAT(error_of([&] { amp::Lion(p, {.beta2 = 1}); }),
             ContainsSubstring("Lion: `beta2` must lie in [0, 1), but is 1"));
  CHECK_THAT(error_of([&] { amp::LAMB(p, {.beta1 = 2}); }),
             ContainsSubstring("LAMB: `beta1` must lie in [0, 1), but is 2"));
}

}  // namespace lion_lamb

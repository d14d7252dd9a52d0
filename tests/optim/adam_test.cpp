// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Adam and AdamW against an independent reference in double, and against values worked out by hand.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include "optim/reference.hpp"
#include "support/catch.hpp"

namespace adam {
namespace {

using optim_test::ReferenceAdam;
using optim_test::run_against;

const std::vector<amp::AdamOptions>& variants() {
  static const std::vector<amp::AdamOptions> all = {
      {.lr = 0.01},
      {.lr = 0.01, .beta1 = 0.5, .beta2 = 0.9},
      {.lr = 0.01, .eps = 0.1},
      {.lr = 0.01, .weight_decay = 0.1},
      {.lr = 0.01, .beta1 = 0, .beta2 = 0.99, .weight_decay = 0.01},
      {.lr = 0},
  };
  return all;
}

}  // namespace

TEST_CASE("Adam: 50 steps in float64 and float32 are the reference's") {
  for (std::size_t i = 0; i < variants().size(); ++i) {
    INFO("variant " << i);
    const amp::AdamOptions& options = variants()[i];
    CHECK(run_against<amp::Adam>(ReferenceAdam{options}, options, amp::kFloat64, 50) < 1e-12);
    CHECK(run_against<amp::Adam>(ReferenceAdam{options}, options, amp::kFloat32, 50) < 5e-6);
  }
}

TEST_CASE("AdamW: 50 steps in float64 and float32 are the reference's") {
  for (std::size_t i = 0; i < variants().size(); ++i) {
    INFO("variant " << i);
    const amp::AdamOptions& options = variants()[i];
    const ReferenceAdam reference{options, true};
    CHECK(run_against<amp::AdamW>(reference, options, amp::kFloat64, 50) < 1e-12);
    CHECK(run_against<amp::AdamW>(reference, options, amp::kFloat32, 50) < 5e-6);
  }
}

TEST_CASE("Adam: 16-bit parameters follow the reference to their rounding") {
  const amp::AdamOptions options{.lr = 0.01};
  const ReferenceAdam reference{options};
  CHECK(run_against<amp::Adam>(reference, options, amp::kFloat16, 10) < 20 * 0x1p-11);
  CHECK(run_against<amp::Adam>(reference, options, amp::kBFloat16, 10) < 20 * 0x1p-8);
}

TEST_CASE("Adam: parameters longer than a block, and not a multiple of one") {
  const amp::AdamOptions options{.lr = 0.01};
  for (const std::size_t n : {1U, 1023U, 1025U, 40000U}) {
    INFO(n);
    CHECK(run_against<amp::Adam>(ReferenceAdam{options}, options, amp::kFloat32, 3, n) < 1e-6);
  }
}

TEST_CASE("Adam: the first step is the learning rate in the gradient's direction") {
  for (const double gradient : {1e-3, 1.0, 1e3}) {
    const amp::Tensor p = amp::zeros({1}, {.dtype = amp::kFloat64, .requires_grad = true});
    amp::Adam adam({p}, {.lr = 0.1});
    p.set_grad(amp::full({1}, gradient, {.dtype = amp::kFloat64}));
    adam.step();
    CHECK(p.item<double>() == Approx(-0.1).epsilon(1e-4));
  }
}

TEST_CASE("Adam: steps without a gradient do not count for a parameter") {
  const amp::Tensor early = amp::zeros({1}, {.requires_grad = true});
  const amp::Tensor late = amp::zeros({1}, {.requires_grad = true});
  amp::Adam adam({early, late}, {.lr = 0.1});
  early.set_grad(amp::ones({1}));
  for (int step = 0; step < 100; ++step) adam.step();
  CHECK(late.item<float>() == 0);
  late.set_grad(amp::ones({1}));
  adam.step();
  CHECK(late.item<float>() == Approx(-0.1).epsilon(1e-5));  // bias correction of a first step
}

TEST_CASE("AdamW: decays by default, and weights without a gradient not at all") {
  const amp::Tensor p = amp::ones({1}, {.dtype = amp::kFloat64, .requires_grad = true});
  const amp::Tensor idle = amp::ones({1}, {.requires_grad = true});
  amp::AdamW adamw({p, idle});
  p.set_grad(amp::zeros({1}, {.dtype = amp::kFloat64}));
  adamw.step();
  CHECK(p.item<double>() == Approx(1 - 1e-3 * 1e-2).epsilon(1e-15));
  CHECK(idle.item<float>() == 1);
}

TEST_CASE("Adam: a gradient of zeros moves nothing") {
  const amp::Tensor p = amp::ones({3}, {.requires_grad = true});
  amp::Adam adam({p});
  p.set_grad(amp::zeros({3}));
  adam.step();
  CHECK(p.to_vector<float>() == std::vector<float>(3, 1));
}

TEST_CASE("Adam: options that cannot work throw") {
  const std::vector<amp::Tensor> p = {amp::ones({1}, {.requires_grad = true})};
  const double nan = std::nan(""), infinity = HUGE_VAL;
  for (const double bad : {-0.1, nan, infinity}) {
    INFO(bad);
    CHECK_THROWS_AS(amp::Adam(p, {.lr = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Adam(p, {.beta1 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Adam(p, {.beta2 = bad}), amp::Error);
    CHECK_THROWS_AS(amp::Adam(p, {.eps = bad}), amp::Error);
    CHECK_THROWS_AS(amp::AdamW(p, {.weight_decay = bad}), amp::Error);
  }
  CHECK_THROWS_AS(amp::Adam(p, {.beta1 = 1}), amp::Error);
  CHECK_THROWS_AS(amp::Adam(p, {.beta2 = 1}), amp::Error);
}

}  // namespace adam

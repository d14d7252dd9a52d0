// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// SGD against an independent reference in double, and against values worked out by hand.
#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <vector>

#include "optim/reference.hpp"
#include "support/catch.hpp"

namespace sgd {
namespace {

using optim_test::ReferenceSGD;

double against_reference(const amp::SGDOptions& options, amp::DType dtype, int steps = 50,
                         std::size_t n = 37) {
  return optim_test::run_against<amp::SGD>(ReferenceSGD{options}, options, dtype, steps, n);
}

const std::vector<amp::SGDOptions>& variants() {
  static const std::vector<amp::SGDOptions> all = {
      {.lr = 0.1},
      {.lr = 0.1, .momentum = 0.9},
      {.lr = 0.1, .momentum = 0.9, .nesterov = true},
      {.lr = 0.1, .weight_decay = 0.05},
      {.lr = 0.1, .momentum = 0.7, .weight_decay = 0.05},
      {.lr = 0.1, .momentum = 0.7, .weight_decay = 0.05, .nesterov = true},
      {.lr = 0},
  };
  return all;
}

}  // namespace

TEST_CASE("SGD: 50 steps in float64 and float32 are the reference's") {
  for (std::size_t i = 0; i < variants().size(); ++i) {
    INFO("variant " << i);
    CHECK(against_reference(variants()[i], amp::kFloat64) < 1e-13);
    CHECK(against_reference(variants()[i], amp::kFloat32) < 5e-6);
  }
}

TEST_CASE("SGD: 16-bit parameters follow the reference to their rounding") {
  for (std::size_t i = 0; i < variants().size(); ++i) {
    INFO("variant " << i);
    CHECK(against_reference(variants()[i], amp::kFloat16, 10) < 10 * 0x1p-11);
    CHECK(against_reference(variants()[i], amp::kBFloat16, 10) < 10 * 0x1p-8);
  }
}

TEST_CASE("SGD: parameters longer than a block, and not a multiple of one") {
  const amp::SGDOptions options{.lr = 0.1, .momentum = 0.9};
  for (const std::size_t n : {1U, 1023U, 1024U, 1025U, 40000U}) {
    INFO(n);
    CHECK(against_reference(options, amp::kFloat32, 3, n) < 1e-6);
    CHECK(against_reference(options, amp::kFloat16, 3, n) < 3 * 0x1p-11);
  }
}

TEST_CASE("SGD: a parameter and its gradient may be of different dtypes") {
  const amp::Tensor p = amp::ones({2}, {.dtype = amp::kFloat16, .requires_grad = true});
  amp::SGD sgd({p}, {.lr = 0.5});
  p.set_grad(amp::tensor({0.5F, -1.0F}, {2}));
  sgd.step();
  CHECK(p.to_vector<float>() == std::vector<float>{0.75F, 1.5F});
}

TEST_CASE("SGD: a learning rate changed between steps is used") {
  const amp::Tensor p = amp::ones({1}, {.requires_grad = true});
  amp::SGD sgd({p}, {.lr = 1});
  p.set_grad(amp::ones({1}));
  sgd.step();
  sgd.options().lr = 0.25;
  sgd.step();
  CHECK(p.item<float>() == -0.25F);
}

TEST_CASE("SGD: a parameter whose first gradient comes late starts its momentum then") {
  const amp::Tensor early = amp::zeros({1}, {.requires_grad = true});
  const amp::Tensor late = amp::zeros({1}, {.requires_grad = true});
  amp::SGD sgd({early, late}, {.lr = 1, .momentum = 0.5});
  early.set_grad(amp::ones({1}));
  sgd.step();
  late.set_grad(amp::ones({1}));
  sgd.step();
  CHECK(early.item<float>() == -2.5F);
  CHECK(late.item<float>() == -1.0F);
}

TEST_CASE("SGD: options that cannot work throw") {
  const std::vector<amp::Tensor> p = {amp::ones({1}, {.requires_grad = true})};
  const double nan = std::nan(""), infinity = HUGE_VAL;
  for (const double bad : {-0.1, nan, infinity}) {
    INFO(bad);
    CHECK_THROWS_AS(amp::SGD(p, {.lr = bad}), amp::Error);
    CHECK_THROWS_AS(amp::SGD(p, {.momentum = bad}), amp::Error);
    CHECK_THROWS_AS(amp::SGD(p, {.weight_decay = bad}), amp::Error);
  }
  CHECK_THROWS_AS(amp::SGD(p, {.nesterov = true}), amp::Error);
}

}  // namespace sgd

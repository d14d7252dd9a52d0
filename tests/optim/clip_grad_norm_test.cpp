// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// clip_grad_norm_ against a reference in double.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace clip_grad_norm {
namespace {

using Catch::Matchers::ContainsSubstring;

amp::Tensor with_gradient(const std::vector<float>& gradient, amp::DType dtype = amp::kFloat32) {
  const amp::Shape shape(gradient.size());
  const amp::Tensor p = amp::zeros(shape, {.dtype = dtype, .requires_grad = true});
  p.set_grad(amp::tensor(gradient, shape, {.dtype = dtype}));
  return p;
}

std::vector<double> gradient_of(const amp::Tensor& p) { return p.grad().to_vector<double>(); }

/// Clips gradients of `n` elements each, drawn in [-1, 1), and compares with a double reference.
void check_against_reference(std::size_t n, double max_norm, amp::DType dtype, double tolerance) {
  INFO(n << " elements of " << amp::name(dtype) << ", max_norm " << max_norm);
  amp::manual_seed(7);
  std::vector<amp::Tensor> params;
  std::vector<std::vector<double>> expected;
  double squares = 0;
  for (int i = 0; i < 3; ++i) {
    const amp::Tensor p = amp::zeros(amp::Shape(n), {.dtype = dtype, .requires_grad = true});
    p.set_grad((amp::rand(amp::Shape(n)) * 2 - 1).to(dtype));
    params.push_back(p);
    expected.push_back(gradient_of(p));
    for (const double g : expected.back()) squares += g * g;
  }
  const double norm = std::sqrt(squares), factor = std::min(1.0, max_norm / (norm + 1e-6));
  const amp::Tensor result = amp::clip_grad_norm_(params, max_norm);
  CHECK(result.dtype() == (dtype == amp::kFloat64 ? amp::kFloat64 : amp::kFloat32));
  CHECK(result.dim() == 0);
  CHECK(result.item<double>() == Approx(norm).epsilon(1e-6));
  double worst = 0;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::vector<double> clipped = gradient_of(params[i]);
    for (std::size_t j = 0; j < n; ++j)
      worst = std::max(worst, std::abs(clipped[j] - expected[i][j] * factor));
  }
  CHECK(worst <= tolerance * factor);
}

}  // namespace

TEST_CASE("clip_grad_norm_: norm and gradients are the reference's") {
  for (const std::size_t n : {1U, 37U, 513U, 65536U, 65537U, 200000U}) {
    check_against_reference(n, 0.5, amp::kFloat32, 1e-6);
    check_against_reference(n, 1e6, amp::kFloat32, 0);  // below the limit nothing changes
    check_against_reference(n, 0.5, amp::kFloat64, 1e-6);
    check_against_reference(n, 1e6, amp::kFloat64, 0);
  }
  check_against_reference(1000, 8, amp::kFloat16, 0x1p-11);
  check_against_reference(1000, 8, amp::kBFloat16, 0x1p-8);
}

TEST_CASE("clip_grad_norm_: 3, 4 and max_norm 1") {
  const std::vector<amp::Tensor> params = {with_gradient({3}), with_gradient({4})};
  CHECK(amp::clip_grad_norm_(params, 1).item<float>() == 5);
  CHECK(gradient_of(params[0])[0] == Approx(0.6).epsilon(1e-6));
  CHECK(gradient_of(params[1])[0] == Approx(0.8).epsilon(1e-6));
}

TEST_CASE("clip_grad_norm_: gradients of several dtypes share one norm") {
  const std::vector<amp::Tensor> params = {with_gradient({3}, amp::kFloat16),
                                           with_gradient({4}, amp::kFloat64)};
  CHECK(amp::clip_grad_norm_(params, 2.5).item<float>() == 5);
  CHECK(gradient_of(params[0])[0] == Approx(1.5).epsilon(1e-3));
  CHECK(gradient_of(params[1])[0] == Approx(2).epsilon(1e-6));
}

TEST_CASE("clip_grad_norm_: zero gradients stay zero") {
  const std::vector<amp::Tensor> params = {with_gradient({0, 0})};
  CHECK(amp::clip_grad_norm_(params, 1).item<float>() == 0);
  CHECK(gradient_of(params[0]) == std::vector<double>(2, 0));
}

TEST_CASE("clip_grad_norm_: without gradients, or without parameters, the norm is 0") {
  const std::vector<amp::Tensor> params = {amp::ones({2}, {.requires_grad = true})};
  CHECK(amp::clip_grad_norm_(params, 1).item<float>() == 0);
  CHECK(amp::clip_grad_norm_(std::vector<amp::Tensor>{}, 1).item<float>() == 0);
}

TEST_CASE("clip_grad_norm_: a parameter without gradient among others is passed over") {
  const std::vector<amp::Tensor> params = {amp::ones({2}, {.requires_grad = true}),
                                           with_gradient({2}), amp::ones({1})};
  CHECK(amp::clip_grad_norm_(params, 1).item<float>() == 2);
  CHECK_FALSE(params[0].grad().defined());
}

TEST_CASE("clip_grad_norm_: NaN and infinity show in the norm") {
  CHECK(std::isnan(amp::clip_grad_norm_(std::vector{with_gradient({1, NAN})}, 1).item<float>()));
  CHECK(
      std::isinf(amp::clip_grad_norm_(std::vector{with_gradient({1, INFINITY})}, 1).item<float>()));
}

TEST_CASE("clip_grad_norm_: no empty gradient disturbs it") {
  const amp::Tensor none = amp::empty({0}, {.requires_grad = true});
  none.set_grad(amp::empty({0}));
  CHECK(amp::clip_grad_norm_(std::vector{none, with_gradient({2})}, 1).item<float>() == 2);
  CHECK(amp::clip_grad_norm_(std::vector{none}, 1).item<float>() == 0);
}

TEST_CASE("clip_grad_norm_: a max_norm that is not above 0 throws and changes nothing") {
  const std::vector<amp::Tensor> params = {with_gradient({3})};
  for (const double bad : {0.0, -1.0, std::nan("")}) {
    INFO(bad);
    CHECK_THROWS_AS(amp::clip_grad_norm_(params, bad), amp::Error);
  }
  CHECK(gradient_of(params[0])[0] == 3);
}

TEST_CASE("clip_grad_norm_: moves the version of the gradients") {
  const std::vector<amp::Tensor> params = {with_gradient({3})};
  const std::uint64_t version = params[0].grad().version();
  (void)amp::clip_grad_norm_(params, 1);
  CHECK(params[0].grad().version() > version);
}

TEST_CASE("clip_grad_norm_: a gradient of a scaled loss throws, names unscale_, changes nothing") {
  const amp::Tensor p = amp::zeros({2}, {.requires_grad = true}), q = with_gradient({3});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(p)).backward();
  const auto clip = [&] { (void)amp::clip_grad_norm_(std::vector{q, p}, 1); };
  CHECK_THROWS_WITH(clip(), ContainsSubstring("unscale_") && ContainsSubstring("params[1]"));
  CHECK(gradient_of(p) == std::vector<double>(2, 8));
  CHECK(gradient_of(q)[0] == 3);
}

}  // namespace clip_grad_norm

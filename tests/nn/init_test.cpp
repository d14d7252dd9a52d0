// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What parameters start as: the distributions of torch's modules.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace init {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using Values = std::vector<double>;

struct Moments {
  double mean = 0, variance = 0, fourth = 0;
  explicit Moments(const Values& values) {
    const auto n = static_cast<double>(values.size());
    for (const double v : values) mean += v / n;
    for (const double v : values) {
      const double square = (v - mean) * (v - mean);
      variance += square / n;
      fourth += square * square / n;
    }
  }
};

/// Uniform in +-bound: no element beyond it, mean 0 and variance bound^2 / 3 within 4.5 standard
/// errors, the largest near the bound.
void check_uniform(const Tensor& tensor, double bound) {
  const Values values = tensor.to_vector<double>();
  const auto n = static_cast<double>(values.size());
  REQUIRE(n > 500);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  CHECK(*least >= -static_cast<double>(static_cast<float>(bound)));
  CHECK(*most <= static_cast<double>(static_cast<float>(bound)));
  CHECK(*least < -0.98 * bound);
  CHECK(*most > 0.98 * bound);
  const Moments moments(values);
  CHECK(std::abs(moments.mean) < 4.5 * bound / std::sqrt(3 * n));
  CHECK(std::abs(moments.variance / (bound * bound) - 1.0 / 3) < 4.5 * std::sqrt(4.0 / 45 / n));
  CHECK(std::abs(moments.fourth / std::pow(bound, 4) - 1.0 / 5) < 0.02);  // flat, not a bell
}

Values all_of(const nn::Module& module) {
  Values all;
  for (const Tensor& p : module.parameters()) {
    for (const double v : p.to_vector<double>()) all.push_back(v);
  }
  return all;
}

}  // namespace

TEST_CASE("Linear: weight and bias start uniform in +-1 / sqrt(in)", "[nn]") {
  amp::manual_seed(1);
  const nn::Linear linear(25, 600);
  check_uniform(linear.weight, 0.2);
  check_uniform(linear.bias, 0.2);
}

TEST_CASE("Conv2d: weight and bias start uniform in +-1 / sqrt(in / groups * area)", "[nn]") {
  amp::manual_seed(2);
  const nn::Conv2d plain(4, 600, 5), grouped(8, 600, {3, 2}, {.groups = 2});
  check_uniform(plain.weight, 0.1);
  check_uniform(plain.bias, 0.1);
  check_uniform(grouped.weight, 1 / std::sqrt(24));
  check_uniform(grouped.bias, 1 / std::sqrt(24));
}

TEST_CASE("Embedding: starts standard normal", "[nn]") {
  amp::manual_seed(3);
  const Values values = nn::Embedding(400, 50).weight.to_vector<double>();
  const auto n = static_cast<double>(values.size());
  const Moments moments(values);
  CHECK(std::abs(moments.mean) < 4.5 / std::sqrt(n));
  CHECK(std::abs(moments.variance - 1) < 4.5 * std::sqrt(2 / n));
  CHECK(std::abs(moments.fourth - 3) < 4.5 * std::sqrt(96 / n));
}

TEST_CASE("norms: weights start as 1, biases as 0, running variance as 1", "[nn]") {
  const nn::BatchNorm2d batch(3);
  const nn::GroupNorm group(1, 3);
  const nn::LayerNorm layer(3);
  const std::vector<float> zeros(3, 0), ones(3, 1);
  for (const Tensor& weight :
       {batch.weight, group.weight, layer.weight, nn::RMSNorm(3).weight, batch.running_var})
    CHECK(weight.to_vector<float>() == ones);
  for (const Tensor& bias : {batch.bias, group.bias, layer.bias, batch.running_mean})
    CHECK(bias.to_vector<float>() == zeros);
}

TEST_CASE("nn: modules of one seed are equal, two modules of one seed are not", "[nn]") {
  const auto make = [] { return nn::Sequential(nn::Linear(4, 4), nn::Linear(4, 4)); };
  amp::manual_seed(5);
  const nn::Sequential first = make(), second = make();
  amp::manual_seed(5);
  const nn::Sequential again = make();
  CHECK(all_of(first) == all_of(again));
  CHECK(all_of(first) != all_of(second));
  const std::vector<Tensor> p = first.parameters();
  CHECK(p[0].to_vector<float>() != p[2].to_vector<float>());
}

TEST_CASE("nn: initial values carry no history", "[nn]") {
  for (const Tensor& p : nn::Sequential(nn::Linear(2, 2), nn::Conv2d(1, 1, 2)).parameters()) {
    CHECK(p.is_leaf());
    CHECK(p.requires_grad());
  }
}

TEST_CASE("nn: layers without inputs start with a bias of 0, as torch's", "[nn]") {
  const nn::Linear linear(0, 3);
  CHECK(linear.bias.to_vector<float>() == std::vector<float>(3, 0));
  CHECK(linear(amp::empty({2, 0})).to_vector<float>() == std::vector<float>(6, 0));
}

TEST_CASE("Conv2d: relu of the result, where the options ask for it", "[nn]") {
  const nn::Conv2d layer(2, 3, 3, {.stride = 2, .padding = 1, .relu = true});
  const Tensor x = amp::randn({2, 2, 6, 6});
  const auto y = layer(x).to_vector<float>();
  CHECK(std::count(y.begin(), y.end(), 0.0F) > 0);
  CHECK(y == amp::relu(amp::conv2d(x, layer.weight, layer.bias, {.stride = 2, .padding = 1}))
                 .to_vector<float>());
}

TEST_CASE("nn: sizes that cannot be throw", "[nn]") {
  CHECK_THROWS_AS(nn::Linear(-1, 2), amp::Error);
  CHECK_THROWS_AS(nn::Conv2d(3, 4, 2, {.groups = 2}), amp::Error);
  CHECK_THROWS_AS(nn::Conv2d(4, 3, 2, {.groups = 2}), amp::Error);
  CHECK_THROWS_AS(nn::Conv2d(4, 4, 2, {.groups = 0}), amp::Error);
  CHECK_THROWS_AS(nn::GroupNorm(2, 3), amp::Error);
  CHECK_THROWS_AS(nn::GroupNorm(0, 3), amp::Error);
  CHECK_THROWS_AS(nn::Embedding(-1, 3), amp::Error);
}

template <class M>
concept TakesShapeInBraces = requires {
  M({5});
  M({3, 4});
  M({5}, {.eps = 0.1});
  M(5);
};

TEST_CASE("LayerNorm, RMSNorm: take a shape in braces, of one extent too", "[nn]") {
  CHECK(TakesShapeInBraces<nn::LayerNorm>);
  CHECK(TakesShapeInBraces<nn::RMSNorm>);
}

}  // namespace init

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// nn::init: distributions by their moments, matrices by what defines them, and bad arguments.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace init_functions {
namespace {

namespace nn = amp::nn;
namespace init = amp::nn::init;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A leaf of [40, 30, 2, 2]: fan_in is 120 and fan_out 160.
Tensor weight(amp::DType dtype = amp::kFloat32) {
  return amp::full({40, 30, 2, 2}, 7, {.dtype = dtype, .requires_grad = true});
}

struct Moments {
  double mean = 0, deviation = 0, kurtosis = 0, least = 0, most = 0;
  explicit Moments(const Tensor& tensor) {
    const Values values = tensor.to_vector<double>();
    const auto n = static_cast<double>(values.size());
    double squares = 0, fourths = 0;
    for (const double v : values) mean += v / n;
    for (const double v : values) squares += (v - mean) * (v - mean) / n;
    for (const double v : values) fourths += std::pow(v - mean, 4) / n;
    deviation = std::sqrt(squares);
    kurtosis = fourths / (squares * squares);
    least = *std::min_element(values.begin(), values.end());
    most = *std::max_element(values.begin(), values.end());
  }
};

/// 4800 numbers: means within 4.5 standard errors, deviations within 4 %.
void check_normal(const Tensor& tensor, double mean, double deviation) {
  const Moments m(tensor);
  CHECK(std::abs(m.mean - mean) < 4.5 * deviation / std::sqrt(4800));
  CHECK(m.deviation == Approx(deviation).epsilon(0.04));
  CHECK(m.kurtosis == Approx(3).margin(0.35));
}
void check_uniform(const Tensor& tensor, double a, double b) {
  const Moments m(tensor);
  CHECK(m.least >= a);
  CHECK(m.most <= b);
  CHECK(m.least < a + 0.01 * (b - a));
  CHECK(m.most > b - 0.01 * (b - a));
  CHECK(std::abs(m.mean - (a + b) / 2) < 4.5 * (b - a) / std::sqrt(12 * 4800));
  CHECK(m.kurtosis == Approx(1.8).margin(0.1));
}

/// The largest difference of x x^T and factor I, for the rows of x.
double distance_from_orthogonal(const Tensor& x, double factor) {
  const Tensor rows = x.detach().flatten(1).to(amp::kFloat64);
  const Tensor product = amp::matmul(rows, rows.t());
  const Tensor difference = product - amp::eye(rows.size(0), {.dtype = amp::kFloat64}) * factor;
  return amp::max(amp::abs(difference)).item<double>();
}

}  // namespace

TEST_CASE("init: uniform and normal numbers", "[nn]") {
  amp::manual_seed(1);
  check_uniform(init::uniform_(weight()), 0, 1);
  check_uniform(init::uniform_(weight(), -3, 2), -3, 2);
  check_normal(init::normal_(weight()), 0, 1);
  check_normal(init::normal_(weight(), 4, 0.02), 4, 0.02);
  check_normal(init::normal_(weight(amp::kBFloat16), -1, 0.5), -1, 0.5);
  check_uniform(init::uniform_(weight(amp::kFloat64), 1, 1 + 1e-9), 1, 1 + 1e-9);
}

TEST_CASE("init: xavier and kaiming", "[nn]") {
  amp::manual_seed(2);
  check_uniform(init::xavier_uniform_(weight()), -std::sqrt(6.0 / 280), std::sqrt(6.0 / 280));
  check_normal(init::xavier_normal_(weight(), 3), 0, 3 * std::sqrt(2.0 / 280));
  const double bound = std::sqrt(3.0) * std::sqrt(2.0 / 120);
  check_uniform(init::kaiming_uniform_(weight()), -bound, bound);
  check_uniform(init::kaiming_uniform_(weight(), {.a = std::sqrt(5.0)}), -1 / std::sqrt(120.0),
                1 / std::sqrt(120.0));
  check_normal(
      init::kaiming_normal_(weight(), {.mode = init::kFanOut, .nonlinearity = init::kReLU}), 0,
      std::sqrt(2.0 / 160));
  check_normal(init::kaiming_normal_(weight(), {.nonlinearity = init::kLinear}), 0,
               std::sqrt(1.0 / 120));
}

TEST_CASE("init: gains", "[nn]") {
  CHECK(init::calculate_gain(init::kLinear) == 1);
  CHECK(init::calculate_gain(init::kSigmoid) == 1);
  CHECK(init::calculate_gain(init::kTanh) == Approx(5.0 / 3));
  CHECK(init::calculate_gain(init::kReLU) == Approx(std::sqrt(2.0)));
  CHECK(init::calculate_gain(init::kLeakyReLU) == Approx(std::sqrt(2 / 1.0001)));
  CHECK(init::calculate_gain(init::kLeakyReLU, 0.2) == Approx(std::sqrt(2 / 1.04)));
  CHECK(init::calculate_gain(init::kSELU) == 0.75);
}

TEST_CASE("init: truncated normal numbers", "[nn]") {
  amp::manual_seed(3);
  Moments m(init::trunc_normal_(weight()));  // variance 1 - 4 phi(2) / (Phi(2) - Phi(-2))
  CHECK(m.least >= -2);
  CHECK(m.most <= 2);
  CHECK(m.most > 1.98);
  CHECK(m.deviation == Approx(0.8796).epsilon(0.03));
  check_normal(init::trunc_normal_(weight(), 0, 0.02), 0, 0.02);   // bounds that cut off nothing
  m = Moments(init::trunc_normal_(weight(), 0, 1, 5, kInfinity));  // far from the mean
  CHECK(m.least >= 5);
  CHECK(m.least < 5.01);
  CHECK(m.mean == Approx(5.1865).margin(0.015));  // phi(5) / (1 - Phi(5))
  CHECK(m.deviation == Approx(0.1797).epsilon(0.08));
  m = Moments(init::trunc_normal_(weight(), 0, 10, -1, 1));  // almost uniform
  CHECK(m.kurtosis == Approx(1.8).margin(0.1));
  m = Moments(init::trunc_normal_(weight(amp::kFloat16), 0, 1, -0.5, 3));
  CHECK(m.least >= -0.5);
}

TEST_CASE("init: constants, the identity and kernels that return their input", "[nn]") {
  const Tensor matrix = amp::full({2, 3}, 9, {.requires_grad = true});
  CHECK(init::constant_(matrix, -1.5).to_vector<double>() == Values(6, -1.5));
  CHECK(init::ones_(matrix).to_vector<double>() == Values(6, 1));
  CHECK(init::eye_(matrix).to_vector<double>() == Values{1, 0, 0, 0, 1, 0});
  CHECK(init::zeros_(matrix).to_vector<double>() == Values(6, 0));
  CHECK(init::eye_(amp::empty({2, 2}, {.dtype = amp::kInt32})).to_vector<double>() ==
        Values{1, 0, 0, 1});

  const Tensor x = amp::randn({1, 4, 5, 5});
  const nn::Conv2d conv(4, 4, 3, {.padding = 1, .bias = false});
  init::dirac_(conv.weight);
  CHECK(conv(x).to_vector<float>() == x.to_vector<float>());
  const nn::Conv2d grouped(4, 6, 3, {.padding = 1, .groups = 2, .bias = false});
  init::dirac_(grouped.weight, 2);
  const Tensor y = grouped(x);  // in each group two channels, and a third of zeros
  CHECK(y.narrow(1, 0, 2).to_vector<float>() == x.narrow(1, 0, 2).to_vector<float>());
  CHECK(y.select(1, 2).to_vector<double>() == Values(25, 0));
  CHECK(y.narrow(1, 3, 2).to_vector<float>() == x.narrow(1, 2, 2).to_vector<float>());
  const Tensor line = init::dirac_(amp::empty({2, 3, 4}));
  CHECK(line.select(2, 2).to_vector<double>() == Values{1, 0, 0, 0, 1, 0});
  CHECK(amp::sum(line).item<double>() == 2);
  CHECK(amp::sum(init::dirac_(amp::empty({3, 2, 1, 2, 3}))).item<double>() == 2);
}

TEST_CASE("init: orthogonal matrices", "[nn]") {
  amp::manual_seed(4);
  CHECK(distance_from_orthogonal(init::orthogonal_(amp::empty({5, 5})), 1) < 1e-6);
  const Tensor wide = init::orthogonal_(amp::empty({70, 11, 3, 3}, {.requires_grad = true}), 2);
  CHECK(distance_from_orthogonal(wide, 4) < 1e-5);
  const Tensor tall = init::orthogonal_(amp::empty({90, 70}, {.dtype = amp::kFloat64}));
  CHECK(distance_from_orthogonal(tall.t(), 1) < 1e-14);
  CHECK(distance_from_orthogonal(init::orthogonal_(amp::empty({8, 9}, {.dtype = amp::kFloat16})),
                                 1) < 0.01);
  // Each is equally likely: the mean of an element is 0, and that of its square 1 / 4.
  double sum = 0, squares = 0;
  for (int i = 0; i < 2000; ++i) {
    const double first = init::orthogonal_(amp::empty({4, 4})).to_vector<double>()[0];
    sum += first / 2000;
    squares += first * first / 2000;
  }
  CHECK(std::abs(sum) < 4.5 * 0.5 / std::sqrt(2000));
  CHECK(squares == Approx(0.25).margin(0.025));
}

TEST_CASE("init: sparse matrices", "[nn]") {
  amp::manual_seed(5);
  const Tensor matrix = init::sparse_(amp::empty({10, 300}, {.requires_grad = true}), 0.31);
  const Tensor zero = amp::eq(matrix.detach(), 0).to(amp::kFloat32);
  CHECK(amp::sum(zero, 0).to_vector<double>() == Values(300, 4));  // ceil(3.1) in each column
  const Values of_rows = amp::sum(zero, 1).to_vector<double>();
  for (const double zeros : of_rows) CHECK(std::abs(zeros - 120) < 4.5 * std::sqrt(300 * 0.24));
  CHECK(Moments(matrix).deviation == Approx(0.01 * std::sqrt(0.6)).epsilon(0.05));
}

TEST_CASE("init: writes to leaves without history, in place", "[nn]") {
  const nn::Linear linear(3, 3);
  const Tensor before = linear.weight;
  const std::uint64_t version = before.version();
  const std::vector<std::function<Tensor(const Tensor&)>> calls = {
      [](const Tensor& w) { return init::uniform_(w); },
      [](const Tensor& w) { return init::trunc_normal_(w); },
      [](const Tensor& w) { return init::kaiming_normal_(w); },
      [](const Tensor& w) { return init::orthogonal_(w); },
      [](const Tensor& w) { return init::eye_(w); },
      [](const Tensor& w) { return init::sparse_(w, 0.5); },
  };
  for (const auto& call : calls) {
    CHECK(call(linear.weight).is_same(before));
    CHECK(before.is_leaf());
    CHECK(before.requires_grad());
  }
  CHECK(before.version() >= version + calls.size());
  amp::sum(linear(amp::ones({1, 3}))).backward();
  CHECK(before.grad().defined());
  amp::manual_seed(6);
  const auto first = init::normal_(amp::empty({5})).to_vector<float>();
  amp::manual_seed(6);
  CHECK(init::normal_(amp::empty({5})).to_vector<float>() == first);
}

TEST_CASE("init: without elements", "[nn]") {
  for (const Tensor& none : {amp::empty({0, 3}), amp::empty({3, 0})}) {
    CHECK_NOTHROW(init::kaiming_uniform_(none, {.mode = init::kFanOut}));
    CHECK_NOTHROW(init::kaiming_normal_(none));
    CHECK_NOTHROW(init::xavier_uniform_(none));
    CHECK_NOTHROW(init::xavier_normal_(none));
    CHECK_NOTHROW(init::orthogonal_(none));
    CHECK_NOTHROW(init::sparse_(none, 0.5));
    CHECK_NOTHROW(init::eye_(none));
    CHECK_NOTHROW(init::trunc_normal_(none));
    CHECK_NOTHROW(init::normal_(none));
  }
  CHECK_NOTHROW(init::dirac_(amp::empty({0, 2, 3})));
  CHECK_NOTHROW(init::dirac_(amp::empty({2, 2, 0})));
}

TEST_CASE("init: bad arguments throw, and the tensor stays", "[nn]") {
  const Tensor x = amp::full({2, 2}, 7), line = amp::full({4}, 7), integers = amp::arange(4);
  CHECK_THAT(error_of([] { init::zeros_(nn::Linear(2, 2, {.bias = false}).bias); }),
             ContainsSubstring("nn::init::zeros_") && ContainsSubstring("undefined"));
  CHECK_THAT(error_of([&] { init::uniform_(x, 2, 1); }), ContainsSubstring("2 and 1"));
  CHECK_THAT(error_of([&] { init::normal_(x, 0, -1); }), ContainsSubstring("`std`"));
  CHECK_THAT(error_of([&] { init::normal_(x, kNan, 1); }), ContainsSubstring("`mean`"));
  CHECK_THAT(error_of([&] { init::uniform_(x, -kInfinity, 1); }), ContainsSubstring("`a`"));
  CHECK_THAT(error_of([&] { init::normal_(integers); }), ContainsSubstring("floating"));
  CHECK_THAT(error_of([&] { init::trunc_normal_(x, 0, 0); }), ContainsSubstring("`std`"));
  CHECK_THAT(error_of([&] { init::trunc_normal_(x, 0, 1, 2, -2); }), ContainsSubstring("`a`"));
  CHECK_THAT(error_of([&] { init::xavier_normal_(line); }), ContainsSubstring("2 dimensions"));
  CHECK_THAT(error_of([&] { init::xavier_uniform_(x, kNan); }), ContainsSubstring("finite"));
  CHECK_THAT(error_of([&] { init::kaiming_normal_(x, {.a = kNan}); }), ContainsSubstring("`a`"));
  CHECK_THAT(error_of([&] { init::kaiming_uniform_(line); }), ContainsSubstring("2 dimensions"));
  CHECK_THAT(error_of([&] { init::orthogonal_(line); }), ContainsSubstring("2 dimensions"));
  CHECK_THAT(error_of([&] { init::orthogonal_(x, kInfinity); }), ContainsSubstring("`gain`"));
  CHECK_THAT(error_of([&] { init::eye_(line); }), ContainsSubstring("matrix"));
  CHECK_THAT(error_of([&] { init::sparse_(line, 0.5); }), ContainsSubstring("matrix"));
  CHECK_THAT(error_of([&] { init::sparse_(x, 1.5); }), ContainsSubstring("`sparsity`"));
  CHECK_THAT(error_of([&] { init::dirac_(x); }), ContainsSubstring("3, 4 or 5"));
  CHECK_THAT(error_of([] { init::dirac_(amp::empty({3, 2, 1}), 2); }), ContainsSubstring("divide"));
  CHECK_THROWS_AS(init::constant_(amp::empty({1}, {.dtype = amp::kUInt8}), 300), amp::Error);
  CHECK_THROWS_AS(init::uniform_(amp::empty({1}, {.dtype = amp::kFloat16}), 0, 1e6), amp::Error);
  CHECK(x.to_vector<double>() == Values(4, 7));
  CHECK(line.to_vector<double>() == Values(4, 7));
}

}  // namespace init_functions

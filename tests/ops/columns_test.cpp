// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions over a dimension that is not the last, whose lines are computed side by side: results
// and gradients are those over the last dimension of the transposed array, for any number of lines,
// and NaN and infinities act in their own line only.
#include <amp/amp.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace columns_test {
namespace {

using amp::Tensor;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Op {
  std::string name;
  std::function<Tensor(const Tensor&, std::int64_t dim)> call;
};

std::vector<Op> ops() {
  std::vector<Op> all = {
      {"softmax", [](const Tensor& x, std::int64_t dim) { return amp::softmax(x, dim); }},
      {"log_softmax", [](const Tensor& x, std::int64_t dim) { return amp::log_softmax(x, dim); }},
      {"logsumexp", [](const Tensor& x, std::int64_t dim) { return amp::logsumexp(x, dim, true); }},
      {"sum", [](const Tensor& x, std::int64_t dim) { return amp::sum(x, dim, true); }},
      {"prod", [](const Tensor& x, std::int64_t dim) { return amp::prod(x, dim, true); }},
      {"amax", [](const Tensor& x, std::int64_t dim) { return amp::amax(x, dim, true); }},
      {"amin", [](const Tensor& x, std::int64_t dim) { return amp::amin(x, dim, true); }},
      {"var", [](const Tensor& x, std::int64_t dim) { return amp::var(x, dim, 0, true); }},
      {"std", [](const Tensor& x, std::int64_t dim) { return amp::std(x, dim, 0, true); }},
  };
  for (const double p : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0, -1.5, kInfinity, -kInfinity}) {
    all.push_back({"norm of order " + std::to_string(p),
                   [p](const Tensor& x, std::int64_t dim) { return amp::norm(x, p, dim, true); }});
  }
  return all;
}

Tensor across(const Tensor& x) { return x.transpose(1, 2).contiguous(); }

void check_same(const Tensor& got, const Tensor& expected, double tolerance) {
  const std::vector<double> a = got.to_vector<double>(), b = expected.to_vector<double>();
  REQUIRE(a.size() == b.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const bool same = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
    wrong += !(same || std::abs(a[i] - b[i]) <= tolerance * (1 + std::abs(b[i])));
  }
  CHECK(wrong == 0);
}

void check(const Tensor& x, double tolerance) {
  const Tensor weights = amp::randn(x.shape()).to(x.dtype());
  for (const Op& op : ops()) {
    INFO(op.name << " of " << x.size(1) << " x " << x.size(2));
    const Tensor a = x.detach().clone().requires_grad_(), b = across(x).requires_grad_();
    const Tensor y = op.call(a, 1), z = op.call(b, 2);
    check_same(y, across(z), tolerance);
    amp::sum(y * weights).backward();
    amp::sum(z * across(weights)).backward();
    check_same(a.grad(), across(b.grad()), 4 * tolerance);
  }
}

TEST_CASE("columns: of any number and length", "[ops]") {
  amp::manual_seed(5);
  for (const std::int64_t length : {1, 2, 7, 70}) {
    for (const std::int64_t columns : {2, 15, 16, 17, 33, 1100}) {
      const Tensor x = amp::randn({2, length, columns});
      check(x, 1e-5);
      check(x.to(amp::kFloat64), 1e-12);
      check(x.to(amp::kBFloat16), 1e-2);
    }
  }
}

TEST_CASE("columns: long ones, in several blocks", "[ops]") {
  amp::manual_seed(7);
  check(amp::randn({1, 600, 273}), 1e-5);
}

TEST_CASE("columns: NaN and infinities", "[ops]") {
  amp::manual_seed(6);
  const std::int64_t columns = GENERATE(3, 16, 37);
  const Tensor x = amp::randn({2, 5, columns});
  float* const values = x.data<float>();
  values[0] = std::numeric_limits<float>::quiet_NaN();
  values[columns + 1] = std::numeric_limits<float>::infinity();
  values[columns + 2] = -std::numeric_limits<float>::infinity();
  for (std::int64_t row = 0; row < 5; ++row)
    values[row * columns + columns - 1] = values[columns + 2];
  check(x, 1e-5);
  const std::vector<float> sums = amp::logsumexp(x, 1).to_vector<float>();
  CHECK(std::isnan(sums[0]));
  CHECK(sums[1] == std::numeric_limits<float>::infinity());
  CHECK(sums[static_cast<std::size_t>(columns) - 1] == -std::numeric_limits<float>::infinity());
  CHECK(std::isfinite(sums[static_cast<std::size_t>(columns)]));
}

TEST_CASE("columns: none, and strided ones", "[ops]") {
  CHECK(amp::softmax(amp::ones({2, 0, 3}), 1).numel() == 0);
  CHECK(amp::softmax(amp::ones({2, 3, 0}), 1).numel() == 0);
  CHECK(amp::logsumexp(amp::ones({2, 0, 3}), 1).to_vector<float>()[5] == -kInfinity);
  CHECK(amp::sum(amp::ones({2, 0, 3}), 1).to_vector<float>() == std::vector<float>(6, 0.0F));
  const Tensor x = amp::randn({4, 33, 6});
  for (const Op& op : ops()) {
    INFO(op.name);
    const Tensor strided = x.transpose(0, 2);
    check_same(op.call(strided, 1), op.call(strided.contiguous(), 1), 1e-5);
    check_same(op.call(strided, 0), op.call(strided.contiguous(), 0), 1e-5);
  }
}

TEST_CASE("columns: sums of 16-bit numbers that overflow floats on the way", "[ops]") {
  const std::int64_t columns = GENERATE(5, 40, 1030);
  for (const std::int64_t rows : {3, 9, 300}) {
    INFO(rows << " rows of " << columns);
    const Tensor x = amp::zeros({2, rows, columns});
    for (std::int64_t i = 0; i < 3; ++i) x.select(1, i).fill_(i == 2 ? -3e38 : 3e38);
    const Tensor low = x.to(amp::kBFloat16);
    const double largest = low.select(1, 0).to_vector<double>()[0];
    for (const double sum : amp::sum(low, 1).to_vector<double>()) CHECK(sum == largest);
  }
}

}  // namespace
}  // namespace columns_test

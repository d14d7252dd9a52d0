// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops over rows, whose lengths are no multiple of a vector's: in float32 they give what they give
// in float64 (which other tests compare with torch and with differences), and special values act in
// their own row only, wherever they lie.
#include <amp/amp.hpp>
#include <amp/kernels/traversal/host/rows.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace rows_test {
namespace {

using amp::Tensor;
using Tensors = std::vector<Tensor>;

constexpr std::int64_t kLengths[] = {1, 3, 15, 16, 17, 31, 33, 65, 1023, 1025};
constexpr std::int64_t kRows = 5;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Op {
  std::string name;
  std::vector<amp::Shape> shapes;
  std::function<Tensor(const Tensors&)> call;
};

std::vector<Op> ops(std::int64_t n) {
  const amp::Shape rows{kRows, n}, line{n};
  std::vector<std::int64_t> classes;
  for (std::int64_t row = 0; row < kRows; ++row) classes.push_back(row * 7 % n);
  classes[1] = -100;  // ignored
  const Tensor targets = amp::tensor(classes, {kRows});
  return {
      {"softmax", {rows}, [](const Tensors& t) { return amp::softmax(t[0], 1); }},
      {"softmax over columns", {{n, kRows}}, [](auto& t) { return amp::softmax(t[0], 0); }},
      {"log_softmax", {rows}, [](const Tensors& t) { return amp::log_softmax(t[0], 1); }},
      {"sum", {rows}, [](const Tensors& t) { return amp::sum(t[0], 1); }},
      {"sum of columns", {rows}, [](const Tensors& t) { return amp::sum(t[0], 0); }},
      {"sum of many columns", {{70, n}}, [](const Tensors& t) { return amp::sum(t[0], 0); }},
      {"mean", {{70, n}}, [](const Tensors& t) { return amp::mean(t[0]); }},
      {"var", {rows}, [](const Tensors& t) { return amp::var(t[0], 1, 0); }},
      {"var of columns", {{n, kRows}}, [](const Tensors& t) { return amp::var(t[0], 0, 0.5); }},
      {"std", {rows}, [](const Tensors& t) { return amp::std(t[0], 1, 0); }},
      {"logsumexp", {rows}, [](const Tensors& t) { return amp::logsumexp(t[0], 1); }},
      {"logsumexp of columns", {rows}, [](const Tensors& t) { return amp::logsumexp(t[0], 0); }},
      {"norm", {rows}, [](const Tensors& t) { return amp::norm(t[0], 2, 1); }},
      {"norm of order 3", {rows}, [](const Tensors& t) { return amp::norm(t[0], 3, 1); }},
      {"amax", {rows}, [](const Tensors& t) { return amp::amax(t[0], 1); }},
      {"layer_norm",
       {rows, line, line},
       [n](const Tensors& t) { return amp::layer_norm(t[0], {n}, t[1], t[2]); }},
      {"rms_norm", {rows, line}, [n](auto& t) { return amp::rms_norm(t[0], {n}, t[1], 0.5); }},
      {"group_norm",
       {{2, 6, n}, {6}, {6}},
       [](const Tensors& t) { return amp::group_norm(t[0], 2, t[1], t[2]); }},
      {"group_norm of channels",
       {{kRows, 2 * n}, {2 * n}, {2 * n}},
       [](const Tensors& t) { return amp::group_norm(t[0], 2, t[1], t[2], 1e-2); }},
      {"cross_entropy",
       {rows},
       [targets](const Tensors& t) { return amp::cross_entropy(t[0], targets); }},
      {"cross_entropy, smoothed",
       {rows},
       [targets, n](const Tensors& t) {
         const Tensor weight =
             amp::arange(std::int64_t{1}, n + 1).to(t[0].dtype()) * (1.0 / static_cast<double>(n));
         return amp::cross_entropy(
             t[0], targets, {.label_smoothing = 0.2, .reduction = amp::kNone, .weight = weight});
       }},
  };
}

/// The value and the gradients, one after another, of the op in a dtype; what goes in is the same.
std::vector<double> values(const Op& op, amp::DType dtype, amp::DType rounded_to) {
  amp::manual_seed(7);
  Tensors inputs;
  for (const amp::Shape& shape : op.shapes) {
    const Tensor input = amp::randn(shape).to(rounded_to).to(dtype);
    inputs.push_back(input.requires_grad_());
  }
  const Tensor output = op.call(inputs);
  output.backward(amp::randn(output.shape()).to(rounded_to).to(output.dtype()));
  std::vector<double> all = output.to_vector<double>();
  for (const Tensor& input : inputs) {
    for (const double g : input.grad().to_vector<double>()) all.push_back(g);
  }
  return all;
}

void check_close(const std::vector<double>& got, const std::vector<double>& expected,
                 double tolerance) {
  REQUIRE(got.size() == expected.size());
  double largest = 1, worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    largest = (std::max)(largest, std::abs(expected[i]));
    const double difference = std::abs(got[i] - expected[i]);
    worst = difference <= worst ? worst : difference;  // NaN is the worst
  }
  CHECK(worst <= tolerance * largest);
}

TEST_CASE("rows of any length: float32 and bfloat16 as float64", "[ops]") {
  for (const std::int64_t n : kLengths) {
    for (const Op& op : ops(n)) {
      if (n == 1 && op.name.starts_with("group_norm of")) continue;  // nothing to normalise
      INFO(op.name << ", rows of " << n);
      check_close(values(op, amp::kFloat32, amp::kFloat32),
                  values(op, amp::kFloat64, amp::kFloat32), 1e-5);
      check_close(values(op, amp::kBFloat16, amp::kBFloat16),
                  values(op, amp::kFloat64, amp::kBFloat16), 1e-2);
    }
  }
}

/// Three rows of n, of which the middle one has `value` at `at`.
Tensor with(double value, std::int64_t at, std::int64_t n) {
  amp::manual_seed(3);
  const Tensor x = amp::randn({3, n});
  x.data<float>()[n + at] = static_cast<float>(value);
  return x;
}

/// The rows that hold a NaN.
std::string rows_with_nan(const Tensor& x) {
  const std::vector<double> v = x.to_vector<double>();
  std::string found;
  for (std::size_t row = 0; row < 3; ++row) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < v.size() / 3; ++i) count += std::isnan(v[row * (v.size() / 3) + i]);
    found += count == 0 ? '-' : count == v.size() / 3 ? 'N' : '?';
  }
  return found;
}

TEST_CASE("rows of any length: NaN and infinity in each lane", "[ops]") {
  const std::int64_t n = GENERATE(3, 16, 33);
  const Tensor targets = amp::tensor({0, 1, 2}, {3});
  for (std::int64_t at = 0; at < n; ++at) {
    INFO("element " << at << " of " << n);
    for (const double value : {std::nan(""), kInfinity}) {
      const Tensor x = with(value, at, n).requires_grad_();
      CHECK(rows_with_nan(amp::softmax(x, 1)) == "-N-");
      CHECK(rows_with_nan(amp::log_softmax(x, 1)) == "-N-");
      CHECK(rows_with_nan(amp::var(x, 1)) == "-N-");
      CHECK(rows_with_nan(amp::layer_norm(x, {n})) == "-N-");
      CHECK(rows_with_nan(amp::cross_entropy(x, targets, {.reduction = amp::kNone})) == "-N-");
      amp::cross_entropy(x, targets, {.reduction = amp::kSum}).backward();
      CHECK(rows_with_nan(x.grad()) == "-N-");
      const std::vector<float> sums = amp::sum(x, 1).to_vector<float>();
      CHECK(!std::isfinite(sums[1]));
      CHECK((std::isfinite(sums[0]) && std::isfinite(sums[2])));
    }
    CHECK(rows_with_nan(amp::rms_norm(with(std::nan(""), at, n), {n})) == "-N-");
    const Tensor hidden = amp::softmax(with(-kInfinity, at, n), 1);
    CHECK(hidden.to_vector<float>()[static_cast<std::size_t>(n + at)] == 0);
    CHECK(amp::sum(hidden).item<float>() == Approx(3));
  }
  CHECK(rows_with_nan(amp::softmax(amp::full({3, n}, -kInfinity), 1)) == "NNN");
}

TEST_CASE("rows far from zero, and very large ones", "[ops]") {
  const Tensor apart = amp::arange(0, 65).to(amp::kFloat32).reshape({1, 65}) + 10000;
  const std::vector<float> normal = amp::layer_norm(apart, {65}).to_vector<float>();
  for (std::size_t i = 0; i < 65; ++i)
    CHECK(normal[i] == Approx((static_cast<double>(i) - 32) / std::sqrt(352)).margin(1e-4));
  const std::vector<float> same = amp::layer_norm(amp::full({1, 65}, 0.1), {65}).to_vector<float>();
  CHECK(same == std::vector<float>(65, 0.0F));
  CHECK(amp::rms_norm(amp::full({1, 17}, 1e30), {17}).to_vector<float>()[16] == Approx(1));
  CHECK(amp::mean(amp::full({70}, 3e38, {.dtype = amp::kBFloat16})).item<float>() ==
        Approx(3e38).epsilon(0.01));
  CHECK(amp::sum(amp::tensor({0x1p40F, 1.0F, -0x1p40F}, {3})).item<float>() == 1);
  const Tensor columns = amp::full({8, 1024}, 3e38, {.dtype = amp::kBFloat16});
  CHECK(amp::mean(columns, 0).to_vector<float>()[1000] == Approx(3e38).epsilon(0.01));
}

TEST_CASE("rows: norms of rows whose first element is far from the others", "[ops]") {
  amp::manual_seed(7);
  for (const double first : {0.0, 1e4, -1e8}) {
    INFO("first element " << first);
    const Tensor x = amp::randn({4, 3, 1025});
    x.select(2, 0).fill_(first);
    const Tensor wide = x.to(amp::kFloat64);
    const auto check_same = [](const Tensor& y, const Tensor& expected) {
      const std::vector<double> a = y.to_vector<double>(), b = expected.to_vector<double>();
      double error = 0;
      for (std::size_t i = 0; i < a.size(); ++i)
        error = std::fmax(error, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
      CHECK(error < 1e-5);
    };
    check_same(amp::layer_norm(x, {1025}), amp::layer_norm(wide, {1025}));
    check_same(amp::batch_norm(x, {}, {}, {}, {}, true),
               amp::batch_norm(wide, {}, {}, {}, {}, true));
  }
}

TEST_CASE("rows: buffers side by side have their own places within a page", "[ops]") {
  constexpr std::int64_t kPage = 1024, kApart = 128;  // in floats
  for (std::int64_t n = 1; n < 5000; ++n) {
    const std::int64_t distance = amp::kernels::host::detail::scratch_space(n);
    REQUIRE((distance >= n + amp::simd::kMostLanes && distance <= n + 2 * kPage));
    for (int k = 1; k < 4; ++k) {
      const std::int64_t place = k * distance % kPage;
      REQUIRE((place >= kApart && place <= kPage - kApart));
    }
  }
}

}  // namespace
}  // namespace rows_test

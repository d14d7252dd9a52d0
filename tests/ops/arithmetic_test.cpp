// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Arithmetic where dtypes mix, ranges end, or shapes overflow.
#include <amp/amp.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace {

using amp::Tensor;

std::vector<double> values(const Tensor& tensor) { return tensor.to_vector<double>(); }

}  // namespace

TEST_CASE("numbers: a fraction beside integers is not cut off", "[ops]") {
  const Tensor x = amp::arange(3);
  CHECK((x + 0.5).dtype() == amp::kFloat32);
  CHECK(values(x + 0.5) == std::vector<double>{0.5, 1.5, 2.5});
  CHECK(values(x * 0.5) == std::vector<double>{0, 0.5, 1});
  CHECK(values(0.5 - x) == std::vector<double>{0.5, -0.5, -1.5});
  CHECK(values(amp::eq(x, 0.5)) == std::vector<double>{0, 0, 0});
  CHECK(values(amp::eq(x, 1.0)) == std::vector<double>{0, 1, 0});
}

TEST_CASE("numbers: a bool beside bools gives bool, an integer int64, as in torch", "[ops]") {
  const Tensor x = amp::tensor({true, false}, {2});
  const auto is = [](const Tensor& actual, amp::DType dtype, const std::vector<double>& expected) {
    CHECK(actual.dtype() == dtype);
    CHECK(values(actual) == expected);
  };
  is(x + true, amp::kBool, {1, 1});
  is(true + x, amp::kBool, {1, 1});
  is(x * false, amp::kBool, {0, 0});
  is(amp::where(x, x, true), amp::kBool, {1, 1});
  is(amp::where(x, false, x), amp::kBool, {0, 0});
  is(amp::pow(x, false), amp::kBool, {1, 1});
  is(x / true, amp::kFloat32, {1, 0});
  is(x + 1, amp::kInt64, {2, 1});
  is(amp::tensor({3}, {1}) + true, amp::kInt64, {4});
  is(amp::full({1}, 2.5, {.dtype = amp::kFloat16}) * true, amp::kFloat16, {2.5});
  is(amp::eq(x, true), amp::kBool, {1, 0});
  CHECK_THROWS_WITH(x - true, Catch::Matchers::StartsWith("sub: `a` must not be bool"));
  CHECK_THROWS_WITH(true - x, Catch::Matchers::StartsWith("sub: `b` must not be bool"));
}

TEST_CASE("numbers: every comparison", "[ops]") {
  const Tensor x = amp::tensor({1.0F, 2.0F, 3.0F}, {3});
  CHECK(values(amp::eq(x, 2)) == std::vector<double>{0, 1, 0});
  CHECK(values(amp::ne(x, 2)) == std::vector<double>{1, 0, 1});
  CHECK(values(amp::lt(x, 2)) == std::vector<double>{1, 0, 0});
  CHECK(values(amp::le(x, 2)) == std::vector<double>{1, 1, 0});
  CHECK(values(amp::gt(x, 2)) == std::vector<double>{0, 0, 1});
  CHECK(values(amp::ge(x, 2)) == std::vector<double>{0, 1, 1});
}

TEST_CASE("numbers: an integer beside int64 is exact", "[ops]") {
  const std::int64_t big = (std::int64_t{1} << 53) + 1;
  CHECK((amp::arange(1) + big).item<std::int64_t>() == big);
}

TEST_CASE("numbers: over a tensor of 16 bits, the number is not rounded to 16 bits", "[ops]") {
  const Tensor x = amp::full({1}, 1000, {.dtype = amp::kFloat16, .requires_grad = true});
  const Tensor y = 1e6 / x;
  CHECK(y.dtype() == amp::kFloat16);
  CHECK(y.item<float>() == 1000);
  y.backward();
  CHECK(x.grad().item<float>() == -1);  // -1e6 / 1000^2
}

TEST_CASE("div: the divisor's gradient does not overflow on the way", "[ops]") {
  const amp::TensorOptions half{.dtype = amp::kFloat16};
  const Tensor x = amp::full({1}, 0.001, half);
  const Tensor y = amp::full({1}, 0.01, half).requires_grad_();
  (x / y).backward(amp::full({1}, 1000, half));
  CHECK(y.grad().item<float>() == Approx(-1e4).epsilon(0.01));
}

TEST_CASE("matmul: integers are refused, not multiplied in float", "[ops]") {
  const Tensor x = amp::tensor({16777217}, {1, 1});
  CHECK_THROWS_AS((void)amp::matmul(x, x), amp::Error);
}

TEST_CASE("broadcasting: a result of more elements than 63 bits count throws", "[ops]") {
  const std::int64_t n = std::int64_t{1} << 32;
  const Tensor one = amp::zeros({1});
  CHECK_THROWS_AS((void)amp::add(one.expand({n, 1}), one.expand({n})), amp::Error);
}

TEST_CASE("writing in place: elements that share memory are refused", "[ops]") {
  const Tensor same = amp::zeros({1}).expand({3});
  CHECK_THROWS_AS(same.copy_(amp::ones({3})), amp::Error);
  CHECK_THROWS_AS(same.fill_(1), amp::Error);
}

TEST_CASE("NaN: survives relu, pooling and argmax", "[ops]") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor x = amp::tensor({1.0F, nan, 2.0F, 3.0F}, {1, 2, 2});
  CHECK(std::isnan(amp::max_pool2d(x, 2).item<float>()));
  CHECK(std::isnan(amp::relu(x).to_vector<float>()[1]));
  CHECK(amp::argmax(x).item<std::int64_t>() == 1);
}

TEST_CASE("arange: one, two and three bounds", "[ops]") {
  CHECK(values(amp::arange(3)) == std::vector<double>{0, 1, 2});
  CHECK(values(amp::arange(2, 5)) == std::vector<double>{2, 3, 4});
  CHECK(values(amp::arange(5, 2, -1)) == std::vector<double>{5, 4, 3});
}

TEST_CASE("fill: every dtype, dense and strided", "[ops]") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16,
                                 amp::kInt64, amp::kInt32, amp::kUInt8}) {
    const Tensor x = amp::zeros({3, 2}, {.dtype = dtype});
    x.narrow(1, 1, 1).fill_(7);
    CHECK(values(x) == std::vector<double>{0, 7, 0, 7, 0, 7});
  }
}

TEST_CASE("integers wrap around, without undefined behaviour") {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  const amp::Tensor ends = amp::tensor(std::vector<std::int64_t>{kLeast, kMost}, {2});
  using Values = std::vector<std::int64_t>;
  CHECK((ends + 1).to_vector<std::int64_t>() == Values{kLeast + 1, kLeast});
  CHECK((ends - 1).to_vector<std::int64_t>() == Values{kMost, kMost - 1});
  CHECK((ends * 2).to_vector<std::int64_t>() == Values{0, -2});
  CHECK((-ends).to_vector<std::int64_t>() == Values{kLeast, -kMost});
  CHECK(amp::abs(ends).to_vector<std::int64_t>() == Values{kLeast, kMost});
  CHECK(amp::sum(amp::cat({ends, ends})).item<std::int64_t>() == -2);
  CHECK(amp::pow(amp::tensor({3}, {1}), 41).item<std::int64_t>() == -420491770248316829);
}

TEST_CASE("pow: exponents that need no logarithm, in 16 bits as in float32", "[ops]") {
  amp::manual_seed(4);
  for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat16}) {
    const Tensor x = (amp::rand({333}) + 0.5).to(dtype);
    for (const double e : {2.0, 3.0, 0.5, -0.5, -1.0, 2.5}) {
      CAPTURE(dtype, e);
      CHECK(amp_test::same_bits(amp::pow(x, e), amp::pow(x.to(amp::kFloat32), e).to(dtype)));
    }
  }
}

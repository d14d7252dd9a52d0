// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A finite number that the dtype of a result does not hold: stored, it is an error, as in
// masked_fill and full of torch 2.15; computed with, it is rounded like any result.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"

namespace overflowing_number {
namespace {

using amp::Tensor;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

Tensor mask() { return amp::tensor({true, false}, {2}); }
Tensor ones(amp::DType dtype) { return amp::ones({2}, {.dtype = dtype}); }
std::vector<double> values(const Tensor& x) { return x.to_vector<double>(); }

/// The text of the error that `body` throws; empty if it throws none.
template <class Body>
std::string error_of(const Body& body) {
  try {
    (void)body();
    return {};
  } catch (const amp::Error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("where: a finite number beyond the largest of the dtype throws") {
  const Tensor x = ones(amp::kFloat16);
  for (const double number : {1e30, -1e30, 65520.0, -1e300}) {
    INFO(number);
    CHECK_THROWS_AS(amp::where(mask(), number, x), amp::Error);
    CHECK_THROWS_AS(amp::where(mask(), x, number), amp::Error);
  }
  CHECK_THROWS_AS(amp::where(mask(), x, -1e30F), amp::Error);
  CHECK_THROWS_AS(amp::where(mask(), x, 1'000'000), amp::Error);  // an integer, too
  CHECK_THROWS_AS(amp::where(mask(), -4e38, ones(amp::kFloat32)), amp::Error);
  CHECK_THROWS_AS(amp::where(mask(), -4e38, ones(amp::kBFloat16)), amp::Error);
  CHECK_THROWS_AS(amp::where(mask(), 62e3, ones(amp::kFloat8E5M2)), amp::Error);
  CHECK_THROWS_AS(amp::where(mask(), 465.0, ones(amp::kFloat8E4M3)), amp::Error);
}

TEST_CASE("where: the error names the number, the dtype, its largest value and what to write") {
  const std::string error =
      error_of([&] { return amp::where(mask(), -1e30, ones(amp::kFloat16)); });
  CHECK(error.find("where: `a`") == 0);
  for (const char* part : {"-1e+30", "float16", "65504", "infinity"}) {
    INFO(error << " " << part);
    CHECK(error.find(part) != std::string::npos);
  }
  const std::string wide = error_of([&] { return amp::where(mask(), ones(amp::kFloat32), 1e300); });
  CHECK(wide.find("where: `b`") == 0);
  CHECK(wide.find("float32") != std::string::npos);
}

TEST_CASE("where: what the dtype holds, rounded, and infinities and NaN pass") {
  CHECK(values(amp::where(mask(), -65504, ones(amp::kFloat16))) == std::vector<double>{-65504, 1});
  CHECK(values(amp::where(mask(), 65519.0, ones(amp::kFloat16))) == std::vector<double>{65504, 1});
  CHECK(values(amp::where(mask(), -kInf, ones(amp::kFloat16))) == std::vector<double>{-kInf, 1});
  CHECK(values(amp::where(mask(), -1e30, ones(amp::kFloat32)))[0] == double{-1e30F});
  CHECK(values(amp::where(mask(), -1e300, ones(amp::kFloat64)))[0] == -1e300);
  CHECK(values(amp::where(mask(), -1e30, ones(amp::kBFloat16)))[0] < -9e29);
  CHECK(std::isnan(values(amp::where(mask(), kNaN, ones(amp::kFloat16)))[0]));
  CHECK(values(amp::where(mask(), 1e-30, ones(amp::kFloat16)))[0] == 0);  // underflow is none
}

TEST_CASE("where: float8_e4m3fn has no infinity") {
  const std::string error =
      error_of([&] { return amp::where(mask(), kInf, ones(amp::kFloat8E4M3)); });
  INFO(error);
  CHECK(error.find("448") != std::string::npos);
  CHECK(error.find("pass an infinity") == std::string::npos);
}

TEST_CASE("where: an integer dtype must hold the integer") {
  CHECK_THROWS_AS(amp::where(mask(), std::int64_t{1} << 40, ones(amp::kInt32)), amp::Error);
  CHECK_THROWS_AS(amp::where(mask(), 300, ones(amp::kUInt8)), amp::Error);
  const std::int64_t most = std::numeric_limits<std::int64_t>::max();
  CHECK(amp::where(mask(), most, ones(amp::kInt64)).to_vector<std::int64_t>()[0] == most);
}

TEST_CASE("where: under autocast, the dtype of the result decides") {
  const Tensor x = amp::randn({2, 2}), w = amp::randn({2, 2});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const Tensor scores = amp::matmul(x, w);  // float16
  CHECK_THROWS_AS(amp::where(mask(), -1e30, scores), amp::Error);
  CHECK_NOTHROW(amp::where(mask(), -1e30, x));  // float32
  CHECK_NOTHROW(amp::where(mask(), -1e4, scores));
  const amp::AutocastGuard casts(amp::kCPU,
                                 {.policies = {{"where", amp::OpPolicy::kLowPrecision}}});
  CHECK_THROWS_AS(amp::where(mask(), -1e30, x), amp::Error);
}

TEST_CASE("full, fill_, arange: a finite number beyond the largest of the dtype throws") {
  CHECK_THROWS_AS(amp::full({2}, 1e30, {.dtype = amp::kFloat16}), amp::Error);
  CHECK_THROWS_AS(amp::full({2}, -4e38), amp::Error);
  CHECK_THROWS_AS(amp::full({2}, kInf, {.dtype = amp::kFloat8E4M3}), amp::Error);
  const Tensor x = ones(amp::kFloat16);
  const std::string error = error_of([&] { return x.fill_(-1e30); });
  INFO(error);
  CHECK(error.find("fill_: `value`") == 0);
  CHECK(error.find("65504") != std::string::npos);
  CHECK(values(x) == std::vector<double>{1, 1});
  CHECK(values(x.fill_(-kInf)) == std::vector<double>{-kInf, -kInf});
  CHECK(values(amp::full({1}, 65519, {.dtype = amp::kFloat16}))[0] == 65504);
  CHECK_THROWS_AS(amp::arange(65519.0, 65521.0, {.dtype = amp::kFloat16}), amp::Error);
}

TEST_CASE("arithmetic with a number is computed, then rounded: it may overflow") {
  const Tensor x = ones(amp::kFloat16);
  CHECK(values(x + 1e30)[0] == kInf);
  CHECK(values(x * -1e30)[0] == -kInf);
  CHECK(values(1e30 - x)[0] == kInf);
  CHECK(values(x / 1e30)[0] == 0);
  CHECK(values((x * 1e-4) * 1e5)[0] > 9);  // the number alone does not fit
  CHECK(values(amp::pow(x, 1e30))[0] == 1);
  CHECK(amp::lt(x, 1e30).to_vector<bool>()[0]);
  CHECK(values(amp::tensor({1e30, -1e30}, {2}, {.dtype = amp::kFloat16})) ==
        std::vector<double>{kInf, -kInf});
}

}  // namespace overflowing_number

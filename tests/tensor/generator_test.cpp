// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random tensors: reproducible, distributed as they say.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "support/catch.hpp"

namespace {

struct Moments {
  double mean = 0, variance = 0, fourth = 0;
  explicit Moments(const std::vector<double>& values) {
    for (const double x : values) mean += x;
    mean /= static_cast<double>(values.size());
    for (const double x : values) {
      const double square = (x - mean) * (x - mean);
      variance += square;
      fourth += square * square;
    }
    variance /= static_cast<double>(values.size());
    fourth /= static_cast<double>(values.size()) * variance * variance;
  }
};

constexpr amp::DType kFloats[] = {amp::kFloat64,  amp::kFloat32,    amp::kFloat16,
                                  amp::kBFloat16, amp::kFloat8E4M3, amp::kFloat8E5M2};

}  // namespace

TEST_CASE("generator: a seed repeats everything that follows", "[tensor]") {
  const auto draw = [] {
    std::vector<float> values = amp::rand({5}).to_vector<float>();
    for (const float x : amp::randn({4099}).to_vector<float>()) values.push_back(x);
    for (const float x : amp::rand({3, 3}).to_vector<float>()) values.push_back(x);
    return values;
  };
  amp::manual_seed(7);
  const auto first = draw(), second = draw();
  amp::manual_seed(7);
  CHECK(draw() == first);
  CHECK(draw() == second);
  CHECK(first != second);
  amp::manual_seed(8);
  CHECK(draw() != first);
}

TEST_CASE("generator: no two draws share numbers", "[tensor]") {
  amp::manual_seed(1);
  std::vector<float> all;
  for (const std::int64_t n : {1, 2, 3, 4, 5, 1000}) {
    for (const float x : amp::rand({n}).to_vector<float>()) all.push_back(x);
  }
  std::sort(all.begin(), all.end());
  // Of 1015 draws from 2^24 numbers two coincide by chance with probability 0.03; not of this seed.
  CHECK(std::adjacent_find(all.begin(), all.end()) == all.end());
}

TEST_CASE("generator: the shape does not change the numbers", "[tensor]") {
  amp::manual_seed(2);
  const auto flat = amp::randn({12}).to_vector<float>();
  amp::manual_seed(2);
  CHECK(amp::randn({3, 4}).to_vector<float>() == flat);
}

TEST_CASE("generator: 16-bit numbers are the rounded float32 ones", "[tensor]") {
  amp::manual_seed(3);
  const amp::Tensor wide = amp::randn({2000});
  amp::manual_seed(3);
  const amp::Tensor narrow = amp::randn({2000}, {.dtype = amp::kFloat16});
  CHECK(narrow.to_vector<float>() == wide.to(amp::kFloat16).to_vector<float>());
}

TEST_CASE("rand: uniform in the unit interval", "[tensor]") {
  amp::manual_seed(4);
  const auto values = amp::rand({200'000}).to_vector<double>();
  const Moments moments(values);
  CHECK(std::abs(moments.mean - 0.5) < 0.004);  // five standard errors and more
  CHECK(std::abs(moments.variance - 1.0 / 12) < 0.001);
  CHECK(*std::min_element(values.begin(), values.end()) < 1e-4);
  CHECK(*std::max_element(values.begin(), values.end()) > 1 - 1e-4);
}

TEST_CASE("rand: never one, in no dtype", "[tensor]") {
  for (const amp::DType dtype : kFloats) {
    CAPTURE(amp::name(dtype));
    amp::manual_seed(5);
    const auto values = amp::rand({200'000}, {.dtype = dtype}).to_vector<float>();
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
    CHECK(*std::max_element(values.begin(), values.end()) < 1);
  }
}

TEST_CASE("randn: standard normal", "[tensor]") {
  amp::manual_seed(6);
  const auto values = amp::randn({200'000}).to_vector<double>();
  const Moments moments(values);
  CHECK(std::abs(moments.mean) < 0.012);
  CHECK(std::abs(moments.variance - 1) < 0.02);
  CHECK(std::abs(moments.fourth - 3) < 0.1);
  CHECK(std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); }));
}

TEST_CASE("randn: neighbours are uncorrelated", "[tensor]") {
  amp::manual_seed(7);
  const auto values = amp::randn({200'000}).to_vector<double>();
  for (std::size_t lag = 1; lag <= 5; ++lag) {
    double sum = 0;
    for (std::size_t i = 0; i + lag < values.size(); ++i) sum += values[i] * values[i + lag];
    CAPTURE(lag);
    CHECK(std::abs(sum / static_cast<double>(values.size())) < 0.012);
  }
}

TEST_CASE("rand: integers are refused, nothing and one number work", "[tensor]") {
  CHECK_THROWS_AS((void)amp::rand({2}, {.dtype = amp::kInt64}), amp::Error);
  CHECK_THROWS_AS((void)amp::randn({2}, {.dtype = amp::kBool}), amp::Error);
  CHECK(amp::rand({0, 3}).numel() == 0);
  CHECK(amp::randn({}).numel() == 1);
}

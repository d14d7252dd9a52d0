// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The row functions of attention, by every instruction set that this processor has.
#include <amp/amp.hpp>
#include <amp/kernels/attention/host/score_rows.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/instruction_sets.hpp"

namespace score_rows_test {
namespace {

namespace rows = amp::kernels::host::score_rows;

constexpr float kUnseen = rows::kUnseen<float>;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// The functions of one instruction set.
struct Rows {
  amp::detail::InstructionSet set;

  template <class Function, class... Arguments>
  auto run(Arguments... arguments) const {
    return amp::simd::on_set<Function>(set, arguments...);
  }
  float maximum(const float* x, std::int64_t n) const { return run<rows::Maximum>(x, n); }
  float exponentials(float* x, std::int64_t n, float factor, float shift, float times) const {
    return run<rows::Exponentials>(x, n, factor, shift, times);
  }
  float dot(const float* p, const float* dp, std::int64_t n) const {
    return run<rows::Dot>(p, dp, n);
  }
  void gradient(const float* p, float* dp, std::int64_t n, float mean, float factor) const {
    run<rows::Gradient>(p, dp, n, mean, factor);
  }
  void scale(float* x, std::int64_t n, float factor) const { run<rows::Scale>(x, n, factor); }
};

std::vector<Rows> all() {
  std::vector<Rows> sets;
  for (const auto set : instruction_sets()) sets.push_back({set});
  return sets;
}

/// A row of 16 that begins so.
std::vector<float> row_of(std::vector<float> begin, float rest) {
  begin.resize(16, rest);
  return begin;
}

}  // namespace

TEST_CASE("softmax rows: exponentials to the last place", "[ops]") {
  for (const Rows& set : all()) {
    double worst = 0;
    for (int i = 0; i < 20000; i += 16) {
      std::vector<float> x(16);
      for (std::size_t l = 0; l < 16; ++l)
        x[l] = 0.3F - 87.2F * (static_cast<float>(i) + static_cast<float>(l)) / 20000;
      const std::vector<float> from = x;
      set.exponentials(x.data(), 16, 1, 0, 1);
      for (std::size_t l = 0; l < 16; ++l) {
        const double exact = std::exp(double{from[l]});
        worst = std::max(worst, std::abs(x[l] - exact) / exact);
      }
    }
    CHECK(worst < 0x1p-23);
  }
}

TEST_CASE("softmax rows: infinity, NaN and what is not seen", "[ops]") {
  for (const Rows& set : all()) {
    std::vector<float> x = row_of({1, -kInfinity, kUnseen, -1e30F, 0, -90, -200}, kUnseen);
    CHECK(set.exponentials(x.data(), 16, 2, 2, 3) == Approx(3 + 3 * std::exp(-2.0)));
    CHECK(x[0] == 3);
    CHECK(x[4] == Approx(3 * std::exp(-2.0)));
    CHECK(std::count(x.begin(), x.end(), 0.0F) == 14);
    x = row_of({1, kNaN, kUnseen, -kNaN}, kUnseen);
    CHECK(std::isnan(set.exponentials(x.data(), 16, 1, 1, 1)));
    CHECK((x[0] == 1 && std::isnan(x[1]) && x[2] == 0 && std::isnan(x[3]) && x[15] == 0));
    x = row_of({1, kUnseen}, -kInfinity);
    CHECK(std::isnan(set.exponentials(x.data(), 16, 1, kInfinity, 1)) == false);
    CHECK(x == row_of({}, 0));
  }
}

TEST_CASE("softmax rows: the largest element", "[ops]") {
  for (const Rows& set : all()) {
    CHECK(set.maximum(row_of({-3, -2}, -5).data(), 16) == -2);
    CHECK(set.maximum(row_of({}, -kInfinity).data(), 16) == -kInfinity);
    CHECK(set.maximum(row_of({1, kInfinity}, 2).data(), 16) == kInfinity);
    for (const float nan : {kNaN, -kNaN}) {
      CHECK(std::isnan(set.maximum(row_of({nan}, 1).data(), 16)));
      CHECK(std::isnan(set.maximum(row_of({kInfinity, 0, nan}, 1).data(), 16)));
    }
  }
}

TEST_CASE("softmax rows: of probability 0, no gradient", "[ops]") {
  for (const Rows& set : all()) {
    const std::vector<float> p = row_of({0.5F, 0, 0.25F, 0}, 0);
    std::vector<float> dp = row_of({2, kNaN, -4, kInfinity}, 1);
    CHECK(set.dot(p.data(), dp.data(), 16) == 0);
    set.gradient(p.data(), dp.data(), 16, 1, 3);
    CHECK(dp == row_of({1.5F, 0, -3.75F, 0}, 0));
    set.scale(dp.data(), 16, 2);
    CHECK(dp == row_of({3, 0, -7.5F, 0}, 0));
  }
}

}  // namespace score_rows_test

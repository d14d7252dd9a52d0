// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random numbers of the host, and samplers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>
#include <vector>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_samplers {
namespace {

namespace data = amp::data;
using amp_test::error_of;
using amp_test::Indices;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("data: a generator is a function of its seed") {
  data::Generator a(5), b(5), c(6);
  const std::uint32_t first = a.bits();
  CHECK(first == b.bits());
  CHECK(first != c.bits());
  amp::manual_seed(3);
  data::Generator d;
  const double number = d.uniform();
  CHECK(data::Generator().uniform() != number);
  amp::manual_seed(3);
  CHECK(data::Generator().uniform() == number);
  CHECK(data::Generator(1, 2, 3).uniform() != data::Generator(1, 3, 2).uniform());
}

TEST_CASE("data: distributions of a generator") {
  data::Generator g(11);
  constexpr int kCount = 20000;
  double sum = 0, squares = 0, beta = 0, beta_squares = 0, heads = 0;
  std::vector<int> dice(6);
  for (int i = 0; i < kCount; ++i) {
    const double u = g.uniform(2, 4);
    REQUIRE((u >= 2 && u < 4));
    const double n = g.normal(1, 2);
    sum += n;
    squares += n * n;
    ++dice[static_cast<std::size_t>(g.randint(-3, 3) + 3)];
    heads += g.bernoulli(0.3) ? 1 : 0;
    const double x = g.beta(0.4, 1.2);
    REQUIRE((x >= 0 && x <= 1));
    beta += x;
    beta_squares += x * x;
  }
  CHECK(sum / kCount == Approx(1).margin(0.06));
  CHECK(squares / kCount - 1 == Approx(4).margin(0.2));
  CHECK(heads / kCount == Approx(0.3).margin(0.015));
  for (const int count : dice) CHECK(count == Approx(kCount / 6.0).margin(260));
  CHECK(beta / kCount == Approx(0.25).margin(0.01));  // a / (a + b)
  // a b / ((a + b)^2 (a + b + 1))
  CHECK(beta_squares / kCount - 0.0625 == Approx(0.4 * 1.2 / (2.56 * 2.6)).margin(0.01));
  CHECK_THROWS_AS(g.randint(2, 2), amp::Error);
  CHECK_THROWS_AS(g.beta(0, 1), amp::Error);
  CHECK_THROWS_AS(g.permutation(-1), amp::Error);
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  CHECK(g.randint(kLeast, kMost) != g.randint(kLeast, kMost));
}

TEST_CASE("data: samplers in order, at random, and of a list") {
  data::Generator g(2);
  CHECK(data::SequentialSampler()(3, g) == Indices{0, 1, 2});
  Indices order = data::RandomSampler()(100, g);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  CHECK(order == data::SequentialSampler()(100, g));

  const Indices longer = data::RandomSampler({.num_samples = 25})(10, g);
  CHECK(std::set(longer.begin(), longer.begin() + 10).size() == 10);
  CHECK(std::set(longer.begin() + 10, longer.begin() + 20).size() == 10);
  CHECK(longer.size() == 25);
  const Indices drawn = data::RandomSampler({.replacement = true, .num_samples = 50})(10, g);
  CHECK(drawn.size() == 50);
  CHECK(*std::max_element(drawn.begin(), drawn.end()) < 10);
  CHECK(data::RandomSampler()(0, g).empty());
  CHECK_THROWS_AS(data::RandomSampler({.num_samples = 0}), amp::Error);
  CHECK_THROWS_AS(data::RandomSampler({.num_samples = 3})(0, g), amp::Error);

  Indices part = data::SubsetRandomSampler({4, 8, 6})(10, g);
  std::sort(part.begin(), part.end());
  CHECK(part == Indices{4, 6, 8});
  CHECK_THAT(error_of([&] {
               (void)data::SubsetRandomSampler({4, 10})(10, g);
             }),
             ContainsSubstring("index 10"));
  CHECK(data::Sampler(std::vector<int>{2, 0})(3, g) == Indices{2, 0});
}

TEST_CASE("data: weighted samples are as frequent as their weights") {
  data::Generator g(4);
  const Indices drawn = data::WeightedRandomSampler({0, 1, 3, 0}, 8000)(4, g);
  CHECK(std::count(drawn.begin(), drawn.end(), 0) == 0);
  CHECK(std::count(drawn.begin(), drawn.end(), 3) == 0);
  CHECK(std::count(drawn.begin(), drawn.end(), 1) == Approx(2000).margin(170));

  const data::Sampler once = data::WeightedRandomSampler({1, 0, 8, 1}, 2, false);
  int with_heaviest = 0;
  for (int i = 0; i < 2000; ++i) {
    const Indices pair = once(4, g);
    REQUIRE((pair[0] != pair[1] && pair[0] != 1 && pair[1] != 1));
    with_heaviest += pair[0] == 2 ? 1 : 0;
  }
  CHECK(with_heaviest == Approx(1600).margin(80));

  CHECK_THROWS_AS(data::WeightedRandomSampler({1, -1}, 1), amp::Error);
  CHECK_THROWS_AS(data::WeightedRandomSampler({1, NAN}, 1), amp::Error);
  CHECK_THROWS_AS(data::WeightedRandomSampler({0, 0}, 1), amp::Error);
  CHECK_THROWS_AS(data::WeightedRandomSampler({}, 1), amp::Error);
  CHECK_THROWS_AS(data::WeightedRandomSampler({1, 1}, 0), amp::Error);
  CHECK_THAT(error_of([] {
               (void)data::WeightedRandomSampler({1, 0, 1}, 3, false);
             }),
             ContainsSubstring("3 samples") && ContainsSubstring("2 examples"));
  CHECK_THAT(error_of([&] {
               (void)data::WeightedRandomSampler({1, 1}, 1)(3, g);
             }),
             ContainsSubstring("2 weights") && ContainsSubstring("3 examples"));
}

}  // namespace
}  // namespace data_samplers

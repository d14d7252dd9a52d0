// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Data sets of tensors, and those made of other data sets.
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_datasets {
namespace {

namespace data = amp::data;
using amp_test::error_of;
using amp_test::Indices;
using amp_test::Numbers;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("data: a TensorDataset gives slices, and gathers batches") {
  const amp::Tensor x = amp::arange(12.0).reshape({4, 3}), y = amp::arange(4);
  const data::TensorDataset two(x, y);
  CHECK(two.size() == 4);
  const auto [row, target] = two.get(2);
  CHECK(row.to_vector<float>() == std::vector<float>{6, 7, 8});
  CHECK(target.item<std::int64_t>() == 2);
  const Indices some = {3, 0};
  const auto [rows, targets] = two.get_batch(some);
  CHECK(rows.shape() == amp::Shape{2, 3});
  CHECK(rows.to_vector<float>() == std::vector<float>{9, 10, 11, 0, 1, 2});
  CHECK(targets.to_vector<std::int64_t>() == some);

  const data::TensorDataset columns(x.t());  // not contiguous
  const auto [picked] = columns.get_batch(Indices{2, 1});
  CHECK(picked.to_vector<float>() == std::vector<float>{2, 5, 8, 11, 1, 4, 7, 10});
  const data::TensorDataset three(x, y, y);
  CHECK(std::get<2>(three.get(1)).item<std::int64_t>() == 1);
  CHECK(data::TensorDataset(amp::empty({0, 3})).size() == 0);
}

TEST_CASE("data: a TensorDataset refuses tensors that do not fit, and indices out of range") {
  const amp::Tensor x = amp::zeros({4, 3});
  CHECK_THAT(error_of([&] { data::TensorDataset(x, amp::zeros({5})); }),
             ContainsSubstring("same first extent") && ContainsSubstring("[4, 3]") &&
                 ContainsSubstring("[5]"));
  CHECK_THAT(error_of([&] { data::TensorDataset(x, amp::zeros({})); }),
             ContainsSubstring("dimension of examples"));
  CHECK_THAT(error_of([&] { data::TensorDataset(x, amp::Tensor()); }),
             ContainsSubstring("undefined"));
  const data::TensorDataset set(x);
  CHECK_THROWS_AS(set.get(4), amp::Error);
  CHECK_THAT(error_of([&] {
               (void)set.get_batch(Indices{0, 4});
             }),
             ContainsSubstring("index 4") && ContainsSubstring("4 examples"));
}

TEST_CASE("data: map transforms examples, or the data of an example") {
  const Numbers numbers(5);
  data::Generator generator(1);
  const auto whole =
      numbers.map([](data::Example<amp::Tensor, std::int64_t> e) { return e.target; });
  CHECK(whole.get(3, generator) == 3);
  const auto part = numbers.map([](const amp::Tensor& x) { return x * 2; });
  const auto [x, target] = part.get(3, generator);
  CHECK(x.item<float>() == 6);
  CHECK(target == 3);
  const auto twice = part.map([](const amp::Tensor& t) { return t + 1; });
  CHECK(twice.get(3, generator).data.item<float>() == 7);
  const auto random =
      numbers.map([](const amp::Tensor& t, data::Generator& g) { return t + g.uniform(); });
  data::Generator first(7), second(7);
  CHECK(random.get(1, first).data.item<float>() == random.get(1, second).data.item<float>());
  CHECK(random.get(1, first).data.item<float>() != random.get(1, generator).data.item<float>());

  const std::vector<std::pair<amp::Tensor, int>> list = {{amp::ones({1}), 4}};
  const data::MapDataset mapped(list, [](const amp::Tensor& t) { return t + 1; });
  CHECK(mapped.get(0, generator).first.item<float>() == 2);
  CHECK(mapped.get(0, generator).second == 4);
}

TEST_CASE("data: Subset and ConcatDataset") {
  data::Generator generator(1);
  const data::Subset subset(Numbers(10), {7, 2});
  CHECK(subset.size() == 2);
  CHECK(subset.get(0, generator).target == 7);
  CHECK_THROWS_AS(subset.get(2, generator), amp::Error);
  CHECK_THAT(error_of([] { data::Subset(Numbers(3), {0, 3}); }), ContainsSubstring("index 3"));
  const data::ConcatDataset both(Numbers(2), subset, Numbers(1));
  CHECK(both.size() == 5);
  Indices targets;
  for (std::int64_t i = 0; i < both.size(); ++i) targets.push_back(both.get(i, generator).target);
  CHECK(targets == Indices{0, 1, 7, 2, 0});
  CHECK_THROWS_AS(both.get(5, generator), amp::Error);
  CHECK_THROWS_AS(both.get(-1, generator), amp::Error);
}

TEST_CASE("data: random_split divides by lengths or fractions") {
  const auto [train, valid] = data::random_split(Numbers(10), {7, 3}, data::Generator(1));
  CHECK(train.size() == 7);
  std::set<std::int64_t> all(train.indices().begin(), train.indices().end());
  all.insert(valid.indices().begin(), valid.indices().end());
  CHECK(all.size() == 10);
  const auto again = data::random_split(Numbers(10), {7, 3}, data::Generator(1));
  CHECK(again[1].indices() == valid.indices());

  const auto thirds = data::random_split(Numbers(11), {0.5, 0.3, 0.2});  // 5, 3, 2, and one over
  CHECK(thirds[0].size() == 6);
  CHECK(thirds[1].size() == 3);
  CHECK(thirds[2].size() == 2);
  CHECK_THAT(error_of([] {
               (void)data::random_split(Numbers(10), {7, 2});
             }),
             ContainsSubstring("add up to 9"));
  CHECK_THAT(error_of([] {
               (void)data::random_split(Numbers(10), {17, -7});
             }),
             ContainsSubstring("17"));
  CHECK_THAT(error_of([] {
               (void)data::random_split(Numbers(10), {0.5, 0.4});
             }),
             ContainsSubstring("0.9"));
}

}  // namespace
}  // namespace data_datasets

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The batches of a DataLoader: their order, their options, its position and its state.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_loader {
namespace {

namespace data = amp::data;
using amp::Tensor;
using amp_test::batches_of;
using amp_test::epoch_of;
using amp_test::error_of;
using amp_test::Indices;
using amp_test::Numbers;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("data: batches in order; the last is smaller, or left out") {
  data::DataLoader loader(Numbers(7), {.batch_size = 3});
  CHECK(loader.size() == 3);
  const std::vector<Indices> all = {{0, 1, 2}, {3, 4, 5}, {6}};
  CHECK(batches_of(loader) == all);
  CHECK(batches_of(loader) == all);
  data::DataLoader even(Numbers(7), {.batch_size = 3, .drop_last = true});
  CHECK(even.size() == 2);
  CHECK(batches_of(even) == std::vector<Indices>{{0, 1, 2}, {3, 4, 5}});
  data::DataLoader none(Numbers(0), {.batch_size = 3, .shuffle = true});
  CHECK(none.size() == 0);
  CHECK(batches_of(none).empty());
  data::DataLoader single(Numbers(2));
  CHECK(batches_of(single) == std::vector<Indices>{{0}, {1}});
}

TEST_CASE("data: each epoch is shuffled anew, by the seed and its number") {
  data::DataLoader loader(Numbers(50), {.batch_size = 8, .shuffle = true, .seed = 3});
  const Indices first = epoch_of(loader), second = epoch_of(loader);
  CHECK(std::set(first.begin(), first.end()).size() == 50);
  CHECK(first != second);
  data::DataLoader same(Numbers(50), {.batch_size = 5, .shuffle = true, .seed = 3});
  CHECK(epoch_of(same) == first);
  CHECK(epoch_of(same) == second);
  same.set_epoch(0);
  CHECK(epoch_of(same) == first);
  data::DataLoader other(Numbers(50), {.batch_size = 8, .shuffle = true, .seed = 4});
  CHECK(epoch_of(other) != first);
  amp::manual_seed(1);
  data::DataLoader unseeded(Numbers(50), {.shuffle = true});
  const Indices drawn = epoch_of(unseeded);
  amp::manual_seed(1);
  data::DataLoader again(Numbers(50), {.shuffle = true});
  CHECK(epoch_of(again) == drawn);
}

TEST_CASE("data: samplers and batch samplers choose the examples") {
  data::DataLoader list(Numbers(9), {.batch_size = 2, .sampler = std::vector{4, 4, 8}});
  CHECK(batches_of(list) == std::vector<Indices>{{4, 4}, {8}});
  CHECK(list.size() == 2);
  const auto by_epoch = [](std::int64_t size, data::Generator& g) {
    return Indices{g.randint(0, size)};
  };
  data::DataLoader one(Numbers(1000), {.sampler = by_epoch, .seed = 1});
  CHECK(one.size() == 1);
  CHECK(epoch_of(one) != epoch_of(one));
  data::DataLoader batches(Numbers(9), {.batch_sampler = [](std::int64_t, data::Generator&) {
                             return std::vector<Indices>{{5}, {1, 2}};
                           }});
  CHECK(batches.size() == 2);
  CHECK(batches_of(batches) == std::vector<Indices>{{5}, {1, 2}});
  data::DataLoader beyond(Numbers(3), {.sampler = std::vector{3}});
  CHECK_THAT(error_of([&] { (void)epoch_of(beyond); }), ContainsSubstring("index 3"));
  data::DataLoader empty(Numbers(3), {.batch_sampler = [](std::int64_t, data::Generator&) {
                           return std::vector<Indices>{{}};
                         }});
  CHECK_THAT(error_of([&] { (void)epoch_of(empty); }), ContainsSubstring("no examples"));
  const data::BatchSampler pairs(data::SequentialSampler(), 2),
      whole(data::SequentialSampler(), 2, true);
  data::Generator g(1);
  CHECK(pairs(5, g) == std::vector<Indices>{{0, 1}, {2, 3}, {4}});
  CHECK(whole(5, g) == std::vector<Indices>{{0, 1}, {2, 3}});
  CHECK_THROWS_AS(data::BatchSampler(data::SequentialSampler(), 0), amp::Error);
  CHECK_THROWS_AS(data::BatchSampler(data::Sampler(), 1), amp::Error);
}

TEST_CASE("data: a collate function of the program's own") {
  const auto sum = [](std::vector<data::Example<Tensor, std::int64_t>> examples) {
    std::int64_t all = 0;
    for (const auto& example : examples) all += example.target;
    return all;
  };
  data::DataLoader loader(Numbers(5), {.batch_size = 2}, sum);
  Indices sums;
  for (const std::int64_t number : loader) sums.push_back(number);
  CHECK(sums == Indices{1, 5, 4});
  const auto noisy = [](std::vector<data::Example<Tensor, std::int64_t>>, data::Generator& g) {
    return g.uniform();
  };
  data::DataLoader random(Numbers(4), {.batch_size = 2, .seed = 1}, noisy);
  std::set<double> numbers;
  for (int epoch = 0; epoch < 2; ++epoch)
    for (const double number : random) numbers.insert(number);
  CHECK(numbers.size() == 4);
}

TEST_CASE("data: data sets by pointer, by reference, and lists") {
  const auto shared = std::make_shared<Numbers>(3);
  data::DataLoader by_pointer(shared, {.batch_size = 3});
  CHECK(epoch_of(by_pointer) == Indices{0, 1, 2});
  const Numbers own(2);
  data::DataLoader by_reference(std::ref(own));
  CHECK(&by_reference.dataset() == &own);
  CHECK(epoch_of(by_reference) == Indices{0, 1});
  data::DataLoader of_list(std::vector<float>{1, 2, 3}, {.batch_size = 2});
  for (const Tensor& batch : of_list) {
    CHECK(batch.to_vector<float>() == std::vector<float>{1, 2});
    break;
  }
  CHECK_THAT(error_of([] { data::DataLoader null(std::shared_ptr<Numbers>{}); }),
             ContainsSubstring("null"));
}

TEST_CASE("data: options that make no sense are refused") {
  const auto refused = [](const data::DataLoaderOptions& options) {
    return error_of([&] { data::DataLoader loader(Numbers(3), options); });
  };
  CHECK_THAT(refused({.batch_size = 0}), ContainsSubstring("`batch_size` is 0"));
  CHECK_THAT(refused({.workers = -1}), ContainsSubstring("`workers` is -1"));
  CHECK_THAT(refused({.workers = 5000}), ContainsSubstring("5000"));
  CHECK_THAT(refused({.prefetch = 0}), ContainsSubstring("`prefetch` is 0"));
  CHECK_THAT(refused({.rank = 2, .ranks = 2}), ContainsSubstring("`rank` is 2 of 2"));
  CHECK_THAT(refused({.shuffle = true, .sampler = std::vector{1}}), ContainsSubstring("`sampler`"));
  CHECK_THAT(refused({.batch_size = 2,
                      .batch_sampler = [](std::int64_t,
                                          data::Generator&) { return std::vector<Indices>(); }}),
             ContainsSubstring("`batch_sampler`"));
}

TEST_CASE("data: one loop at a time; a loop that ended early is over") {
  data::DataLoader loader(Numbers(6), {.batch_size = 2, .shuffle = true, .seed = 9});
  const Indices first = epoch_of(loader), second = epoch_of(loader);
  loader.set_epoch(0);
  for (const auto& batch : loader) {
    CHECK(batch.target.size(0) == 2);
    CHECK_THAT(error_of([&] { (void)loader.begin(); }), ContainsSubstring("under way"));
    CHECK_THROWS_AS(loader.set_epoch(4), amp::Error);
    CHECK_THROWS_AS(loader.load_state_dict(loader.state_dict()), amp::Error);
    break;
  }
  CHECK(epoch_of(loader) == second);
  auto it = loader.begin();
  const auto kept = *it;
  while (it != loader.end()) ++it;
  ++it;
  CHECK_THROWS_AS(*it, amp::Error);
  CHECK(kept.target.size(0) == 2);
  CHECK(loader.epoch() == 2);
  CHECK(loader.position() == 3);
  CHECK(batches_of(loader).size() == 3);
  CHECK_THROWS_AS(loader.set_epoch(-1), amp::Error);
  CHECK_THROWS_AS(loader.set_epoch(0, -1), amp::Error);
  loader.set_epoch(0, 2);
  CHECK(epoch_of(loader) == Indices(first.begin() + 4, first.end()));
  loader.set_epoch(0, 4);
  CHECK_THAT(error_of([&] { (void)epoch_of(loader); }), ContainsSubstring("only 3"));
}

TEST_CASE("data: a state is resumed behind the last batch that was delivered") {
  for (const int workers : {0, 2}) {
    CAPTURE(workers);
    const data::DataLoaderOptions options{
        .batch_size = 3, .shuffle = true, .workers = workers, .seed = 7};
    const auto noisy = Numbers(10).map(
        [](const Tensor& x, data::Generator& g) { return x + g.uniform() + amp::rand({1}); });
    data::DataLoader loader(noisy, options);
    for (const auto& batch : loader) (void)batch;
    std::vector<float> values;  // behind the second batch of epoch 1, and of epoch 2
    amp::NamedTensors state;
    for (int epoch = 1; epoch < 3; ++epoch) {
      for (const auto& batch : loader) {
        if (!state.empty())
          for (const float value : batch.data.to_vector<float>()) values.push_back(value);
        if (epoch == 1 && loader.position() == 2) state = loader.state_dict();
      }
    }
    data::DataLoader resumed(noisy, {.batch_size = 3, .shuffle = true, .workers = workers});
    resumed.load_state_dict(state);
    CHECK(resumed.epoch() == 1);
    std::vector<float> others;
    for (int epoch = 1; epoch < 3; ++epoch)
      for (const auto& batch : resumed)
        for (const float value : batch.data.to_vector<float>()) others.push_back(value);
    CHECK(values == others);
    CHECK(values.size() == 4 + 10);

    resumed.load_state_dict(loader.state_dict());  // at the end of epoch 2
    CHECK(resumed.epoch() == 3);
    CHECK(resumed.position() == 0);
  }
}

TEST_CASE("data: a state that does not fit changes nothing") {
  data::DataLoader loader(Numbers(10), {.batch_size = 3, .shuffle = true, .seed = 1});
  for (const auto& batch : loader) {
    (void)batch;
    break;
  }
  const amp::NamedTensors state = loader.state_dict();
  data::DataLoader other(Numbers(10), {.batch_size = 3, .shuffle = true, .seed = 2});
  const Indices expected = epoch_of(other);
  const auto refused = [&](auto&& change) {
    amp::NamedTensors wrong = state;
    change(wrong);
    return error_of([&] { other.load_state_dict(wrong); });
  };
  CHECK_THAT(refused([](auto& s) { s.pop_back(); }), ContainsSubstring("\"examples\" is missing"));
  CHECK_THAT(refused([](auto& s) { s.emplace_back("x", amp::zeros({1})); }),
             ContainsSubstring("expected 5 tensors, but 6"));
  CHECK_THAT(refused([](auto& s) { s[1].second = amp::zeros({}); }),
             ContainsSubstring("\"epoch\"") && ContainsSubstring("float32"));
  CHECK_THAT(refused([](auto& s) { s[1].second = amp::tensor({-1}, {}); }),
             ContainsSubstring("negative"));
  CHECK_THAT(refused([](auto& s) { s[2].second = amp::tensor({9}, {}); }),
             ContainsSubstring("9 batches were delivered, but an epoch has 4"));
  CHECK_THAT(refused([](auto& s) { s[3].second = amp::tensor({4}, {}); }),
             ContainsSubstring("batches of 4"));
  other.set_epoch(0);
  CHECK(epoch_of(other) == expected);
}

/// torch.utils.data.DistributedSampler without shuffling: its indices of each rank.
TEST_CASE("data: ranks share an epoch as PyTorch's DistributedSampler does") {
  const auto part = [](std::int64_t size, std::int64_t rank, std::int64_t ranks, bool drop) {
    data::DataLoader loader(Numbers(size), {.drop_last = drop, .rank = rank, .ranks = ranks});
    const Indices all = epoch_of(loader);
    CHECK(loader.size() == static_cast<std::int64_t>(all.size()));
    return all;
  };
  CHECK(part(10, 0, 4, false) == Indices{0, 4, 8});
  CHECK(part(10, 1, 4, false) == Indices{1, 5, 9});
  CHECK(part(10, 2, 4, false) == Indices{2, 6, 0});
  CHECK(part(10, 3, 4, false) == Indices{3, 7, 1});
  CHECK(part(10, 0, 4, true) == Indices{0, 4});
  CHECK(part(10, 3, 4, true) == Indices{3, 7});
  CHECK(part(2, 4, 5, false) == Indices{0});  // padding longer than the data set
  CHECK(part(8, 1, 2, false) == Indices{1, 3, 5, 7});

  Indices all;
  for (const int rank : {0, 1, 2}) {
    data::DataLoader loader(Numbers(12), {.shuffle = true, .rank = rank, .ranks = 3});
    const Indices own = epoch_of(loader);
    CHECK(own.size() == 4);
    all.insert(all.end(), own.begin(), own.end());
  }
  CHECK(std::set(all.begin(), all.end()).size() == 12);  // all ranks have one order
}

TEST_CASE("data: ranks divide the batches of a batch sampler; together they are one process") {
  const auto noisy =
      Numbers(41).map([](const Tensor& x, data::Generator& g) { return x + g.uniform(); });
  const data::BatchSampler batches(data::RandomSampler(), 6);
  const auto values_of = [](auto& loader) {
    std::vector<std::vector<float>> values;
    for (const auto& batch : loader) values.push_back(batch.data.template to_vector<float>());
    return values;
  };
  data::DataLoader one(noisy, {.batch_sampler = batches, .seed = 5});
  const auto expected = values_of(one);
  for (const int ranks : {2, 4}) {
    CAPTURE(ranks);
    std::vector<std::vector<float>> together(expected.size());
    for (int rank = 0; rank < ranks; ++rank) {
      data::DataLoader loader(noisy,
                              {.batch_sampler = batches, .seed = 5, .rank = rank, .ranks = ranks});
      const auto parts = values_of(loader);
      REQUIRE(parts.size() == expected.size());
      for (std::size_t b = 0; b < parts.size(); ++b)
        together[b].insert(together[b].end(), parts[b].begin(), parts[b].end());
    }
    CHECK(together == expected);
  }
}

}  // namespace
}  // namespace data_loader

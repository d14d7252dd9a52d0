// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The images of the trainer: what is done to all of them, those that it draws, and their batches.
#include "data/images.hpp"
#include "data/drawn.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace trainer_images {
namespace {

namespace data = amp::data;
using Bytes = std::vector<std::uint8_t>;

TEST_CASE("images are limited, padded and normalised", "[examples][data]") {
  const Bytes pixels = {0, 255, 7, 7, 255, 255, 7, 7};
  const data::ImageDataset set(amp::tensor(pixels, {2, 2, 1, 2}), amp::tensor({3, 4}, {2}));
  const examples::ChannelStats stats = examples::channel_stats(set);
  CHECK(stats.mean[0] == Approx(0.75));
  CHECK(stats.deviation[0] == Approx(std::sqrt(3.0) / 4));
  CHECK(stats.mean[1] == Approx(7 / 255.0));
  CHECK(stats.deviation[1] > 0);
  CHECK(examples::first(set, 5).size() == 2);
  const data::ImageDataset one = examples::first(set, 1);
  CHECK(one.images().to_vector<std::uint8_t>() == Bytes{0, 255, 7, 7});
  const data::ImageDataset padded = examples::pad(one, 4);
  CHECK(padded.targets().item<int>() == 3);
  CHECK(padded.images().shape() == amp::Shape{1, 2, 4, 4});
  CHECK(padded.images().select(1, 0).to_vector<std::uint8_t>() ==
        Bytes{0, 0, 0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0});
}

TEST_CASE("drawn images depend on the seed alone", "[examples][data]") {
  const data::ImageDataset set = examples::draw(40, 3);
  CHECK(set.images().shape() == amp::Shape{40, 3, 32, 32});
  CHECK(amp::equal(examples::draw(40, 3).images(), set.images()));
  CHECK(!amp::equal(examples::draw(40, 4).images(), set.images()));
  CHECK(set.get(23).target == 3);
  CHECK(amp::equal(examples::draw(15, 3).images(), set.images().narrow(0, 0, 15)));
  const auto [train, test] = examples::load_drawn(1);
  CHECK(train.size() == 4000);
  CHECK(test.size() == 1000);
  CHECK(!amp::equal(test.images().select(0, 0), train.images().select(0, 0)));
}

TEST_CASE("ranks share the trainer's batches, and may have none of the last", "[examples][data]") {
  const data::ImageDataset set = examples::draw(9, 1);
  const examples::ChannelStats stats = examples::channel_stats(set);
  const auto loader_of = [&](std::int64_t rank, std::int64_t ranks) {
    return examples::make_loader(set, stats,
                                 {.batch_size = 4, .augment = true, .rank = rank, .ranks = ranks});
  };
  std::vector<amp::Tensor> expected;
  examples::Loader whole = loader_of(0, 1);
  for (const auto& batch : whole) expected.push_back(batch.data);
  REQUIRE(expected.size() == 3);
  examples::Loader first = loader_of(0, 2), second = loader_of(1, 2);
  auto a = first.begin(), b = second.begin();
  for (const amp::Tensor& batch : expected) {
    CHECK(amp::equal(amp::cat({a->data, b->data}, 0), batch));
    CHECK(a->target.size(0) == a->data.size(0));
    ++a;
    ++b;
  }
  const std::vector<double> values = expected[0].to_vector<double>();
  CHECK(*std::max_element(values.begin(), values.end()) < 4);
}

}  // namespace
}  // namespace trainer_images

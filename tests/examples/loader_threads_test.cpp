// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The loader of the examples: every image once, in an order that depends only on the seed, for
// every number of workers. Workers do not inherit their caller's state.
#include "data/loader.hpp"

#include <amp/amp.hpp>

#include "support/catch.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace loader {
namespace {

using examples::Batch;
using examples::Loader;
using examples::LoaderOptions;

/// Identity: (pixel / 255 - 0) / (1 / 255).
const std::vector<examples::ChannelStats> kPixels(3, {0, 1 / 255.0});

/// Images of `size` x `size` whose pixels tell image, channel and place, up to a byte.
examples::Dataset numbered(std::int64_t count, std::int64_t size = 6) {
  examples::Dataset set{3, size, size};
  for (std::int64_t i = 0; i < count; ++i) {
    set.labels.push_back(i);
    for (std::int64_t at = 0; at < set.image_size(); ++at)
      set.pixels.push_back(static_cast<std::uint8_t>((i * 7 + at + 1) % 255 + 1));  // never black
  }
  return set;
}

/// All that an epoch gives, in order.
struct Contents {
  std::vector<std::vector<float>> images = {};
  std::vector<std::int64_t> targets = {};
  std::vector<std::int64_t> sizes = {};
  friend bool operator==(const Contents&, const Contents&) = default;
};

Contents epoch_of(Loader& loader, std::int64_t epoch) {
  Contents contents;
  loader.begin_epoch(epoch);
  while (const auto batch = loader.next()) {
    contents.sizes.push_back(batch->count());
    contents.images.push_back(batch->images.to_vector<float>());
    for (const std::int64_t target : batch->targets.to_vector<std::int64_t>())
      contents.targets.push_back(target);
  }
  CHECK(!loader.next());
  return contents;
}

TEST_CASE("loader: an epoch holds every image once, shuffled anew by seed and number",
          "[examples][loader]") {
  const examples::Dataset set = numbered(50);
  for (const int workers : {0, 1, 3}) {
    CAPTURE(workers);
    Loader loader(set, kPixels, {.batch_size = 8, .seed = 3, .workers = workers});
    CHECK(loader.batches() == 7);
    const Contents first = epoch_of(loader, 1), second = epoch_of(loader, 2);
    CHECK(first.sizes == std::vector<std::int64_t>{8, 8, 8, 8, 8, 8, 2});
    CHECK(std::set(first.targets.begin(), first.targets.end()).size() == 50);
    CHECK(std::set(second.targets.begin(), second.targets.end()).size() == 50);
    CHECK(first.targets != second.targets);
    CHECK(first == epoch_of(loader, 1));
    Loader other(set, kPixels, {.batch_size = 8, .seed = 4, .workers = workers});
    CHECK(epoch_of(other, 1).targets != first.targets);
  }
}

TEST_CASE("loader: without shuffling the images come as they are", "[examples][loader]") {
  const examples::Dataset set = numbered(5);
  Loader loader(set, kPixels, {.batch_size = 5, .shuffle = false});
  loader.begin_epoch(1);
  const Batch batch = *loader.next();
  CHECK(batch.targets.to_vector<std::int64_t>() == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(batch.images.shape() == amp::Shape(5, 3, 6, 6));
  const std::vector<float> values = batch.images.to_vector<float>();
  REQUIRE(values.size() == set.pixels.size());
  for (std::size_t i = 0; i < values.size(); ++i)
    REQUIRE(values[i] == Approx(set.pixels[i]).epsilon(1e-6));
}

/// Whether `image` is image 0 of `set`, moved and mirrored so; places outside are black.
bool shows(const std::vector<float>& image, const examples::Dataset& set, std::int64_t down,
           std::int64_t right, bool mirrored) {
  const std::int64_t n = set.width;
  for (std::int64_t c = 0; c < 3; ++c) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        const std::int64_t row = y + down, column = (mirrored ? n - 1 - x : x) + right;
        const bool inside = row >= 0 && row < n && column >= 0 && column < n;
        const float expected =
            inside ? set.pixels[static_cast<std::size_t>((c * n + row) * n + column)] : 0.0F;
        if (std::abs(image[static_cast<std::size_t>((c * n + y) * n + x)] - expected) > 1e-3F)
          return false;
      }
    }
  }
  return true;
}

TEST_CASE("loader: augmented images are the image moved by up to four and mirrored",
          "[examples][loader]") {
  const examples::Dataset set = numbered(1, 12);
  Loader loader(set, kPixels, {.batch_size = 1, .seed = 9, .augment = true});
  std::set<std::int64_t> downs, rights;
  int mirrored_count = 0;
  for (int epoch = 1; epoch <= 200; ++epoch) {
    loader.begin_epoch(epoch);
    const std::vector<float> image = loader.next()->images.to_vector<float>();
    int found = 0;
    for (std::int64_t down = -4; down <= 4; ++down) {
      for (std::int64_t right = -4; right <= 4; ++right) {
        for (const bool mirrored : {false, true}) {
          if (!shows(image, set, down, right, mirrored)) continue;
          ++found;
          downs.insert(down);
          rights.insert(right);
          mirrored_count += mirrored ? 1 : 0;
        }
      }
    }
    REQUIRE(found == 1);
  }
  CHECK(downs.size() == 9);
  CHECK(rights.size() == 9);
  CHECK(mirrored_count > 70);
  CHECK(mirrored_count < 130);
}

TEST_CASE("loader: the number of workers changes no bit", "[examples][loader]") {
  const examples::Dataset set = numbered(40);
  const auto contents = [&](int workers) {
    Loader loader(set, kPixels, {.batch_size = 6, .seed = 5, .augment = true, .workers = workers});
    return epoch_of(loader, 4);
  };
  const Contents expected = contents(0);
  for (const int workers : {1, 2, 8}) CHECK(contents(workers) == expected);
}

TEST_CASE("loader: ranks share out each batch without overlap", "[examples][loader]") {
  const examples::Dataset set = numbered(41);
  Loader whole(set, kPixels, {.batch_size = 6, .seed = 5, .augment = true, .workers = 2});
  for (const int ranks : {1, 2, 4, 8}) {  // 6 images for 8: two ranks have none
    CAPTURE(ranks);
    std::vector<std::unique_ptr<Loader>> loaders;
    for (int rank = 0; rank < ranks; ++rank) {
      loaders.push_back(std::make_unique<Loader>(set, kPixels,
                                                 LoaderOptions{.batch_size = 6,
                                                               .seed = 5,
                                                               .augment = true,
                                                               .workers = rank % 2,
                                                               .rank = rank,
                                                               .ranks = ranks}));
      loaders.back()->begin_epoch(4);
      CHECK(loaders.back()->batches() == whole.batches());
    }
    whole.begin_epoch(4);
    while (const auto batch = whole.next()) {
      std::vector<float> images;
      std::vector<std::int64_t> targets, counts;
      for (const auto& loader : loaders) {
        const Batch part = *loader->next();
        CHECK(part.total == batch->count());
        for (const float value : part.images.to_vector<float>()) images.push_back(value);
        for (const auto target : part.targets.to_vector<std::int64_t>()) targets.push_back(target);
        counts.push_back(part.count());
      }
      CHECK(targets == batch->targets.to_vector<std::int64_t>());
      CHECK((images == batch->images.to_vector<float>()));
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      CHECK(*most - *least <= 1);
    }
  }
  CHECK_THROWS_AS(Loader(set, kPixels, {.rank = 2, .ranks = 2}), amp::Error);
}

TEST_CASE("loader: batches are made outside the caller's autocast scope and without gradients",
          "[examples][loader]") {
  const examples::Dataset set = numbered(12);
  for (const int workers : {0, 2}) {
    CAPTURE(workers);
    std::atomic<int> wrong{0}, calls{0}, on_caller{0};
    const auto caller = std::this_thread::get_id();
    const amp::Tensor weight = amp::ones({3, 6, 6}, {.requires_grad = true});
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    Loader loader(set, kPixels,
                  {.batch_size = 4, .workers = workers, .transform = [&](Batch& batch) {
                     ++calls;
                     on_caller += std::this_thread::get_id() == caller ? 1 : 0;
                     wrong += amp::is_autocast_enabled(amp::kCPU) ? 1 : 0;
                     batch.images = batch.images * weight;
                     const amp::Tensor flat = batch.images.flatten(1);
                     wrong += amp::matmul(flat, flat.t()).dtype() != amp::kFloat32;
                   }});
    loader.begin_epoch(1);
    while (const auto batch = loader.next()) {
      CHECK(batch->images.dtype() == amp::kFloat32);
      CHECK(!batch->images.requires_grad());
      CHECK(amp::is_autocast_enabled(amp::kCPU));
    }
    CHECK(wrong == 0);
    CHECK(calls == 3);
    CHECK(on_caller == (workers == 0 ? 3 : 0));
  }
}

TEST_CASE("loader: what making a batch throws comes out of next", "[examples][loader]") {
  const examples::Dataset set = numbered(30);
  for (const int workers : {0, 2}) {
    Loader loader(set, kPixels,
                  {.batch_size = 10, .workers = workers, .transform = [](Batch& batch) {
                     if (batch.targets.to_vector<std::int64_t>().front() >= 0)
                       throw std::runtime_error("no such image");
                   }});
    loader.begin_epoch(1);
    CHECK_THROWS_WITH(loader.next(), "no such image");
    CHECK_THROWS_WITH(loader.next(), "no such image");
    loader.begin_epoch(2);
    CHECK_THROWS_WITH(loader.next(), "no such image");
  }
}

TEST_CASE("loader: misuse is named, an empty set has no batches", "[examples][loader]") {
  const examples::Dataset set = numbered(3), none{3, 6, 6};
  CHECK_THROWS_AS(Loader(set, kPixels, {.batch_size = 0}), amp::Error);
  CHECK_THROWS_AS(Loader(set, kPixels, {.workers = -1}), amp::Error);
  Loader loader(set, kPixels);
  CHECK_THROWS_WITH(loader.next(), Catch::Matchers::ContainsSubstring("begin_epoch"));
  Loader empty(none, kPixels);
  empty.begin_epoch(1);
  CHECK(!empty.next());
}

TEST_CASE("loader: an epoch may be left, and a loader dropped, at any time", "[examples][loader]") {
  const examples::Dataset set = numbered(64);
  Loader reference(set, kPixels, {.batch_size = 4, .workers = 0});
  const Contents expected = epoch_of(reference, 100);
  for (int round = 0; round < 50; ++round) {
    Loader loader(set, kPixels, {.batch_size = 4, .workers = 3});
    for (int epoch = 0; epoch < round % 4; ++epoch) {
      loader.begin_epoch(epoch);
      for (int i = 0; i < round % 7; ++i) (void)loader.next();
    }
    if (round % 2 == 0) CHECK(epoch_of(loader, 100) == expected);
  }
}

}  // namespace
}  // namespace loader

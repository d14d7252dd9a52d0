// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The workers of a DataLoader: they change no batch, and end with every loop; errors arrive in
// order.
#include <atomic>
#include <chrono>
#include <exception>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "data/numbers.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace data_loader_threads {
namespace {

namespace data = amp::data;
using amp::Tensor;
using amp_test::batches_of;
using amp_test::epoch_of;
using amp_test::error_of;
using amp_test::Indices;
using amp_test::Numbers;
using Catch::Matchers::ContainsSubstring;

std::int64_t first_of(const Tensor& batch) { return batch.select(0, 0).item<std::int64_t>(); }

TEST_CASE("data: any number of workers gives the same batches") {
  const auto noisy = Numbers(40).map([](const Tensor& x, data::Generator& g) {
    return amp::bernoulli(amp::full({3}, 0.5)) + x * g.normal() + data::Generator().uniform();
  });
  std::vector<std::vector<float>> expected;
  for (const int workers : {0, 1, 2, 5}) {
    CAPTURE(workers);
    amp::manual_seed(static_cast<std::uint64_t>(workers));  // of no influence
    data::DataLoader loader(noisy,
                            {.batch_size = 3, .shuffle = true, .workers = workers, .seed = 1});
    std::vector<std::vector<float>> values;
    for (int epoch = 0; epoch < 3; ++epoch)
      for (const auto& batch : loader) values.push_back(batch.data.to_vector<float>());
    if (workers == 0) expected = values;
    CHECK(values == expected);
  }
  CHECK(expected.size() == 42);
}

/// Fails at some examples, in several ways.
struct Damaged : Numbers {
  using Numbers::Numbers;
  amp::data::Example<Tensor, std::int64_t> get(std::int64_t i) const {
    if (i == 5) throw std::out_of_range("no file");
    if (i == 8) throw 7;
    return Numbers::get(i);
  }
};

TEST_CASE("data: an error names its example, comes in its turn, and leaves the loader usable") {
  for (const int workers : {0, 1, 3}) {
    CAPTURE(workers);
    data::DataLoader loader(Damaged(12), {.batch_size = 2, .workers = workers});
    for (int epoch = 0; epoch < 2; ++epoch) {
      Indices before;
      std::string error;
      try {
        for (const auto& batch : loader) before.push_back(first_of(batch.target));
      } catch (const amp::Error& thrown) {
        error = thrown.what();
        CHECK_THROWS_AS(std::rethrow_if_nested(thrown), std::out_of_range);
      }
      CHECK_THAT(error, ContainsSubstring("example 5") && ContainsSubstring("no file"));
      CHECK(before == Indices{0, 2});
      CHECK(loader.position() == 2);
    }
    Indices rest;  // goes on behind the batches that failed
    auto it = loader.begin();
    while (it != loader.end()) {
      rest.push_back(first_of((*it).target));
      for (bool failed = true; failed;) {
        failed = !error_of([&] { ++it; }).empty();
      }
    }
    CHECK(rest == Indices{0, 2, 6, 10});
  }
}

TEST_CASE("data: an error of the first batch ends the epoch") {
  for (const int workers : {0, 2}) {
    bool fails = true;
    const auto first = Numbers(6).map([&](const Tensor& x) {
      AMP_CHECK(!fails || x.item<float>() > 0, "not yet there");
      return x;
    });
    data::DataLoader loader(first, {.batch_size = 2, .workers = workers});
    for (int i = 0; i < 2; ++i)
      CHECK_THAT(error_of([&] { (void)epoch_of(loader); }),
                 ContainsSubstring("example 0: not yet there"));
    loader.set_epoch(0);
    fails = false;
    CHECK(epoch_of(loader) == Indices{0, 1, 2, 3, 4, 5});
  }
}

TEST_CASE("data: an error of a batch as a whole names its examples") {
  const auto ragged =
      Numbers(4).map([](const Tensor& x) { return x.expand({1 + x.item<std::int64_t>() / 3}); });
  data::DataLoader loader(ragged, {.batch_size = 2, .workers = 1});
  CHECK_THAT(error_of([&] { (void)epoch_of(loader); }),
             ContainsSubstring("batch 1 of epoch 0") && ContainsSubstring("examples 2, 3") &&
                 ContainsSubstring("[1]") && ContainsSubstring("[2]"));
}

TEST_CASE("data: a loop that ends early stops the workers, without waiting for whole batches") {
  std::atomic<int> made = 0;
  const auto slow = Numbers(1000).map([&](const Tensor& x) {
    if (++made > 8) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return x;
  });
  const auto began = std::chrono::steady_clock::now();
  {
    data::DataLoader loader(slow, {.batch_size = 4, .workers = 2});
    for (const auto& batch : loader) {
      CHECK(first_of(batch.target) == 0);
      break;
    }
    const int after = made;
    std::this_thread::sleep_for(std::chrono::milliseconds(60));
    CHECK(made == after);
    auto it = loader.begin();  // outlives nothing: the loader ends within the epoch
  }
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
}

TEST_CASE("data: workers make no more batches ahead than they may") {
  std::atomic<int> made = 0;
  const auto counted = Numbers(100).map([&](const Tensor& x) {
    ++made;
    return x;
  });
  data::DataLoader loader(counted, {.workers = 2, .prefetch = 3});
  auto it = loader.begin();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(made <= 1 + 2 * 3);
  ++it;
}

TEST_CASE("data: workers compute without the scopes of their loop, as the loop itself would") {
  for (const int workers : {0, 1}) {
    const Tensor weight = amp::ones({1, 1}, {.requires_grad = true});
    const auto computed = Numbers(3).map([&](const Tensor& x) {
      return amp::matmul(x.reshape({1, 1}), weight);
    });
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
    data::DataLoader loader(computed, {.workers = workers});
    for (const auto& batch : loader) {
      CHECK(batch.data.dtype() == amp::kFloat32);
      CHECK(!batch.data.requires_grad());
    }
    CHECK(amp::matmul(weight, weight).dtype() == amp::kBFloat16);
  }
}

}  // namespace
}  // namespace data_loader_threads

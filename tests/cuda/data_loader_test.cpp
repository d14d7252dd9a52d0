// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batches that the workers of a DataLoader copy to the device: they are whole when the program's
// stream reads them, the host never waits, and streams and memory are given back.
#include <amp/cuda.hpp>
#include <amp/data.hpp>

#include <cstdint>
#include <vector>

#include "cuda/user_stream.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"
#include "support/error_of.hpp"

namespace cuda_data_loader {
namespace {

namespace data = amp::data;
using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

standin::Toolkit& toolkit() { return standin::toolkit(); }

/// Example i: 300 numbers i, and i.
data::TensorDataset<2> numbers(std::int64_t count) {
  const Tensor targets = amp::arange(count);
  return {targets.to(amp::kFloat32).unsqueeze(1).expand({count, 300}).contiguous(), targets};
}

/// The sums of the batches of three epochs, computed on the device.
template <class Loader>
std::vector<float> sums_of(Loader& loader) {
  std::vector<Tensor> sums;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (const auto& [x, y] : loader) {
      CHECK(x.device() == amp::Device(kCUDA));
      CHECK(y.device() == amp::Device(kCUDA));
      sums.push_back(amp::sum(x * 2 + y.unsqueeze(1)));  // memory of x is reused while this runs
    }
  }
  return amp::stack(sums).to_vector<float>();
}

TEST_CASE("cuda data loader: batches are copied ahead, and the host does not wait", "[cuda]") {
  amp::cuda::shutdown();
  const standin::Live live = toolkit().live;
  std::vector<float> expected;
  for (const int workers : {0, 1, 3}) {
    CAPTURE(workers);
    // The second is no data set that makes whole batches.
    data::DataLoader whole(
        numbers(24),
        {.batch_size = 5, .shuffle = true, .workers = workers, .seed = 1, .device = kCUDA});
    data::DataLoader mapped(
        numbers(24).map([](const Tensor& x) { return x + 0; }),
        {.batch_size = 5, .shuffle = true, .workers = workers, .seed = 1, .device = kCUDA});
    const std::vector<float> first = sums_of(whole);
    if (workers == 0) expected = first;
    CHECK(first == expected);
    CHECK(sums_of(mapped) == expected);
    toolkit().counters = {};
    for (const auto& [x, y] : whole) (void)(x + y.unsqueeze(1));
    CHECK(toolkit().counters.synchronisations == 0);
    CHECK(toolkit().counters.to_device == 2 * 5);
  }
  float all = 0;
  for (const float sum : expected) all += sum;
  CHECK(all == 3 * 3 * 300 * (24 * 23 / 2));
  amp::cuda::shutdown();
  CHECK((toolkit().live == live));
}

TEST_CASE("cuda data loader: the stream of the loop reads whole batches", "[cuda]") {
  amp::cuda::shutdown();
  const amp_test::UserStream mine;
  Tensor last;
  {
    data::DataLoader loader(numbers(64), {.batch_size = 8, .workers = 2, .device = kCUDA});
    const amp::StreamGuard guard(kCUDA, mine.get());
    float first = 0;
    for (const auto& [x, y] : loader) {
      const std::vector<float> values = x.to_vector<float>();
      for (std::size_t i = 0; i < values.size(); ++i)
        REQUIRE(values[i] == first + static_cast<float>(i / 300));
      first += 8;
      last = x;
    }
    amp::cuda::release_stream(mine.get());
  }
  CHECK(last.to_vector<float>()[0] == 56);  // outlives the loader's stream
  last = Tensor();
  amp::cuda::shutdown();
}

TEST_CASE("cuda data loader: a loop that ends early, and a device that is none", "[cuda]") {
  amp::cuda::shutdown();
  const standin::Live live = toolkit().live;
  for (int i = 0; i < 5; ++i) {
    data::DataLoader loader(numbers(64), {.batch_size = 2, .workers = 2, .device = kCUDA});
    for (const auto& batch : loader) {
      (void)batch;
      break;
    }
  }
  amp::cuda::shutdown();
  CHECK((toolkit().live == live));
  CHECK_THAT(amp_test::error_of([] {
               data::DataLoader loader(numbers(4), {.workers = 1, .device = amp::Device(kCUDA, 9)});
             }),
             ContainsSubstring("cuda:9"));
}

}  // namespace
}  // namespace cuda_data_loader

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// DLPack on CUDA: what the streams of producer and consumer do comes in order with amp's work.
#include <amp/cuda.hpp>
#include <amp/device/cuda/context.hpp>
#include <amp/dlpack.hpp>

#include <cstdint>
#include <vector>

#include "cuda/dlpack_peer.hpp"
#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace cuda_dlpack {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("cuda dlpack: amp reads after the producer wrote, and gives back after it read",
          "[cuda]") {
  const UserStream theirs;
  Producer producer;
  for (int round = 0; round < 8; ++round) {
    const auto value = static_cast<float>(round);
    producer.fill(value, theirs.get());
    Tensor x = amp::from_dlpack(producer.managed(), {.stream = theirs.get()});
    const Tensor y = work(x);
    CHECK(producer.deleted == round);
    x = Tensor();
    CHECK(producer.deleted == round + 1);
    producer.fill(-1, theirs.get());
    CHECK(all_are(y, value + 4));
  }
  theirs.synchronize();
  amp::cuda::release_stream(theirs.get());
}

TEST_CASE("cuda dlpack: the consumer reads after amp wrote, and amp reuses after it read",
          "[cuda]") {
  const UserStream theirs;
  for (int round = 0; round < 8; ++round) {
    const auto value = static_cast<float>(round);
    Tensor x = work(amp::full({kCount}, value, {.device = kCUDA}));
    auto* const exported = amp::to_dlpack<Managed>(x, {.stream = theirs.get()});
    x = Tensor();
    CHECK(exported->dl_tensor.device.device_type == 2);
    CHECK(exported->dl_tensor.device.device_id == 0);
    Tensor y;
    {
      const amp::StreamGuard guard(kCUDA, theirs.get());
      y = work(amp::from_blob(exported->dl_tensor.data, {kCount}, {.device = kCUDA}));
    }
    exported->deleter(exported);
    const Tensor next = amp::full({kCount}, -1, {.device = kCUDA});  // may be where x was
    const amp::StreamGuard guard(kCUDA, theirs.get());
    CHECK(all_are(y, value + 8));
    y = Tensor();
  }
  theirs.synchronize();
  amp::cuda::release_stream(theirs.get());
}

TEST_CASE("cuda dlpack: a loop of exports needs no more memory than one", "[cuda]") {
  const UserStream theirs;
  const auto step = [&](float value) {
    Tensor x = amp::full({kCount}, value, {.device = kCUDA});
    auto* const exported = amp::to_dlpack<Managed>(x, {.stream = theirs.get()});
    x = Tensor();
    Tensor sum;
    {
      const amp::StreamGuard guard(kCUDA, theirs.get());
      sum = amp::sum(amp::from_blob(exported->dl_tensor.data, {kCount}, {.device = kCUDA}));
    }
    exported->deleter(exported);  // they may still read it
    return sum;
  };
  const auto value_of = [&](const Tensor& sum) {
    const amp::StreamGuard guard(kCUDA, theirs.get());
    return sum.item<float>();
  };
  for (int i = 0; i < 20; ++i) (void)value_of(step(1));
  const auto before = amp::cuda::memory_stats();
  for (int i = 0; i < 1000; i += 4) {
    std::array<Tensor, 4> sums;
    for (int j = 0; j < 4; ++j) sums[static_cast<std::size_t>(j)] = step(static_cast<float>(i + j));
    for (int j = 0; j < 4; ++j)
      CHECK(value_of(sums[static_cast<std::size_t>(j)]) == static_cast<float>((i + j) * kCount));
  }
  CHECK(amp::cuda::memory_stats().set_aside == before.set_aside);
  CHECK(amp::cuda::memory_stats().reserved <= before.reserved + (1 << 20));
  // The stream may be destroyed once the deleter was called, although amp still has the memory.
  Tensor kept = amp::full({kCount}, 2, {.device = kCUDA});
  {
    const UserStream gone;
    auto* const exported = amp::to_dlpack<Managed>(kept, {.stream = gone.get()});
    exported->deleter(exported);
  }
  CHECK(all_are(kept, 2));
  kept = Tensor();
  CHECK(amp::cuda::memory_stats().set_aside == before.set_aside);
  theirs.synchronize();
  amp::cuda::release_stream(theirs.get());
}

TEST_CASE("cuda dlpack: devices keep their numbers", "[cuda]") {
  if (amp::cuda::detail::device_count() < 2) AMP_TEST_SKIP("there is one device");
  Producer producer(1);
  producer.fill(3, nullptr);
  Managed* const managed = producer.managed();
  const Tensor x = amp::from_dlpack(managed, {.stream = nullptr});
  CHECK(x.device() == amp::Device(kCUDA, 1));
  CHECK(all_are(x, 3));
  auto* const exported = amp::to_dlpack<Managed>(x);
  CHECK(exported->dl_tensor.device.device_id == 1);
  exported->deleter(exported);
}

TEST_CASE("cuda dlpack: managed memory is the device's", "[cuda]") {
  Producer other;
  Managed* const shared = other.managed();
  shared->dl_tensor.device.device_type = 13;
  CHECK(amp::from_dlpack(shared).device() == amp::Device(kCUDA));
}

TEST_CASE("cuda dlpack: memory of a device by pointer alone", "[cuda]") {
  const Tensor x = amp::arange(6.0, {.device = kCUDA});
  const Tensor t = amp::from_blob(x.raw_data(), {2, 3}, {1, 2}, nullptr, {.device = kCUDA});
  CHECK(t.device() == amp::Device(kCUDA));
  CHECK(t.to_vector<float>() == std::vector<float>{0, 2, 4, 1, 3, 5});
}

TEST_CASE("cuda dlpack: a view of an exported tensor is its memory", "[cuda]") {
  const Tensor x = amp::arange(24.0, {.device = kCUDA}).reshape({4, 6});
  const Tensor back = amp::from_dlpack(amp::to_dlpack<Managed>(x.narrow(0, 1, 2).t()));
  CHECK(back.to_vector<float>() == x.narrow(0, 1, 2).t().to_vector<float>());
  back.fill_(-1);
  CHECK(amp::sum(x).item<float>() == 276 - 51 - 87 - 12);
}

TEST_CASE("cuda dlpack: streams are not ordered within a recorded function", "[cuda]") {
  const UserStream theirs;
  Producer producer;
  const Tensor x = amp::ones({2}, {.device = kCUDA});
  CHECK_THAT(error_of([&] {
               const amp::cuda::Graph graph(
                   [&] { (void)amp::from_dlpack(producer.managed(), {.stream = theirs.get()}); });
             }),
             ContainsSubstring("from_dlpack: `stream`") && ContainsSubstring("Graph"));
  CHECK(producer.deleted == 0);
  CHECK_THAT(error_of([&] {
               const amp::cuda::Graph graph(
                   [&] { (void)amp::to_dlpack<Managed>(x, {.stream = theirs.get()}); });
             }),
             ContainsSubstring("to_dlpack: `stream`") && ContainsSubstring("Graph"));
}

}  // namespace
}  // namespace cuda_dlpack

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What device memory costs in calls, and what is there when it was given back: on the stand-in
// toolkit, which counts.
#include <amp/cuda.hpp>
#include <amp/device/cuda/handles.hpp>
#include <amp/device/cuda/memory_pool.hpp>

#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cuda/has_cache.hpp"
#include "support/catch.hpp"
#include "support/cuda/standin.hpp"

namespace cuda_memory_calls {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

standin::Toolkit& toolkit() { return standin::toolkit(); }

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

struct OtherStream {
  cudaStream_t stream = nullptr;
  OtherStream() {
    REQUIRE(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) == cudaSuccess);
  }
  OtherStream(const OtherStream&) = delete;
  OtherStream& operator=(const OtherStream&) = delete;
  ~OtherStream() { (void)cudaStreamDestroy(stream); }
};

Tensor of_bytes(std::int64_t bytes) {
  return amp::empty({bytes}, {.dtype = amp::kUInt8, .device = kCUDA});
}

TEST_CASE("cuda memory calls: large blocks come from the driver's pool without waiting",
          "[cuda][cached]") {
  const auto step = [] {
    Tensor x = of_bytes(3 * kMiB);
    for (int i = 0; i < 3; ++i) x = x + 1;
  };
  step();
  const std::int64_t reserved = amp::cuda::memory_stats().reserved;
  toolkit().reset();
  for (int i = 0; i < 5; ++i) step();
  CHECK(toolkit().calls_of("cudaMalloc") == 0);
  CHECK(toolkit().counters.synchronisations == 0);
  CHECK(toolkit().counters.allocations == toolkit().counters.frees);
  CHECK(amp::cuda::memory_stats().reserved == reserved);
}

TEST_CASE("cuda memory calls: an allocation asks once whether it is captured, no more",
          "[cuda][cached]") {
  const OtherStream other;
  const amp::StreamGuard guard(kCUDA, other.stream);
  (void)of_bytes(700);
  toolkit().reset();
  for (int i = 0; i < 10; ++i) (void)of_bytes(700);
  CHECK(toolkit().calls_of("cudaStreamGetId") == 0);         // once for each guard
  CHECK(toolkit().calls_of("cudaStreamIsCapturing") == 20);  // and when it is given back
  CHECK(toolkit().calls() == 20);
  amp::cuda::release_stream(other.stream);
}

TEST_CASE("cuda memory calls: if memory runs out, all that is unused comes back first", "[cuda]") {
  amp::cuda::empty_cache();
  const OtherStream other;
  std::vector<Tensor> kept;
  kept.push_back(of_bytes(1000));
  for (int i = 0; i < 3; ++i) {
    std::vector<Tensor> some;
    for (int j = 0; j < 8; ++j) some.push_back(of_bytes(kMiB));
    if (i == 1) amp::share(kCUDA, some[0].raw_data());
    const amp::StreamGuard guard(kCUDA, other.stream);
    if (i == 2) some.clear();  // under another stream
  }
  CHECK(amp::cuda::memory_stats().cached >= 7 * kMiB);
  CHECK(amp::cuda::memory_stats().set_aside == kMiB);
  const std::uint64_t before = toolkit().memory.limit;
  toolkit().memory.limit = toolkit().memory.limit - toolkit().memory.left(0) + kMiB;
  const Tensor large = of_bytes(9 * kMiB);  // more than is left
  CHECK(amp::cuda::memory_stats().cached == 0);
  CHECK(amp::cuda::memory_stats().set_aside == 0);
  CHECK_THROWS_WITH(
      of_bytes(9 * kMiB),
      ContainsSubstring("could not give 9.0 MiB: tensors hold ") && ContainsSubstring("set aside"));
  toolkit().memory.limit = before;
  CHECK(of_bytes(9 * kMiB).numel() == 9 * kMiB);
}

TEST_CASE("cuda memory calls: handles of streams that are gone are given back", "[cuda]") {
  amp::cuda::shutdown();
  const Tensor x = amp::ones({4, 4}, {.device = kCUDA});
  (void)amp::matmul(x, x).to_vector<float>();
  const std::int64_t handles = standin::live_blas_handles;
  const auto use = [&](cudaStream_t stream) {
    const amp::StreamGuard guard(kCUDA, stream);
    CHECK(amp::matmul(x, x).to_vector<float>()[0] == 4);
  };
  for (int i = 0; i < 3; ++i) {
    const OtherStream other;
    use(other.stream);
    CHECK(standin::live_blas_handles == handles + 1);
    CHECK(amp::cuda::memory_stats().workspaces == 64 * kMiB);
    amp::cuda::release_stream(other.stream);
    CHECK(standin::live_blas_handles == handles);
    CHECK(amp::cuda::memory_stats().workspaces == 32 * kMiB);
  }
  Tensor y;
  amp::cuda::Graph graph([&] { y = amp::matmul(x, x); });
  for (int i = 0; i < 3; ++i) use(OtherStream().stream);  // a new one each time, never released
  CHECK(standin::live_blas_handles == handles + 4);
  amp::cuda::empty_cache();
  CHECK(standin::live_blas_handles == handles + 1);  // amp's own, and the graph's
  graph.replay();
  CHECK(y.to_vector<float>()[0] == 4);
}

// --- page-locked memory --------------------------------------------------------------------------

std::size_t pinned_bytes() {
  std::size_t sum = 0;
  for (const auto& [memory, bytes] : toolkit().pinned) sum += bytes;
  return sum;
}

TEST_CASE("cuda memory calls: page-locked memory is little for small copies, bounded for large",
          "[cuda][cached]") {
  amp::cuda::shutdown();
  CHECK(pinned_bytes() == 0);
  toolkit().reset();
  for (int i = 0; i < 50; ++i) (void)amp::full({100}, i).to(kCUDA);
  CHECK(pinned_bytes() <= std::size_t{1} << 18);
  CHECK(toolkit().counters.synchronisations == 0);
  const Tensor large = amp::ones({12 * kMiB}, {.dtype = amp::kUInt8});
  std::vector<Tensor> there;
  for (int i = 0; i < 4; ++i) there.push_back(large.to(kCUDA));
  CHECK(pinned_bytes() <= std::size_t{32} << 20);
  for (const Tensor& tensor : there) {
    const auto values = tensor.to_vector<std::uint8_t>();
    CHECK(values.front() + values[std::size_t(8 * kMiB)] + values.back() == 3);
  }
  amp::cuda::empty_cache();
  CHECK(pinned_bytes() == 0);
}

TEST_CASE("cuda memory calls: threads copy through the same ring", "[cuda]") {
  amp::cuda::shutdown();
  std::vector<std::thread> threads;
  std::vector<int> wrong(3);
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([t, &wrong] {
      const OtherStream other;
      const amp::StreamGuard guard(kCUDA, other.stream);
      std::vector<Tensor> there;
      for (int i = 0; i < 60; ++i) {
        const auto count = static_cast<std::int64_t>(1000 + 7919 * i % 40000);
        there.push_back(amp::full({count}, i + static_cast<int>(t)).to(kCUDA));
      }
      for (int i = 0; i < 60; ++i) {
        for (const float value : there[static_cast<std::size_t>(i)].to_vector<float>())
          wrong[t] += value != static_cast<float>(i + static_cast<int>(t));
      }
      there.clear();
      amp::cuda::release_stream(other.stream);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(3));
}

// --- AMP_CUDA_NO_CACHE ---------------------------------------------------------------------------

TEST_CASE("cuda memory calls: without a cache, blocks are exact and go at once", "[cuda]") {
  amp::cuda::shutdown();
  std::optional<cuda_test::NoCache> no_cache(std::in_place);
  amp::cuda::detail::MemoryPool pool(0);
  no_cache.reset();
  const OtherStream other;
  for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{777}, 2 * kMiB + 3}) {
    for (const bool elsewhere : {false, true}) {
      auto* const memory = static_cast<char*>(pool.allocate(bytes));
      CHECK(toolkit().on_device(memory, static_cast<std::size_t>(bytes)));
      CHECK_FALSE(toolkit().on_device(memory, static_cast<std::size_t>(bytes) + 1));
      {
        const amp::StreamGuard guard(kCUDA, elsewhere ? other.stream : amp::cuda::current_stream());
        pool.deallocate(memory);
      }
      if (elsewhere) {  // its home frees it, once the other stream has come to the end
        toolkit().finish();
        pool.deallocate(pool.allocate(1));
      }
      CHECK(toolkit().live_blocks() == 0);
    }
  }
  // A graph's stream keeps its blocks, as a recording has to find them.
  const amp::StreamGuard guard(kCUDA, other.stream);
  pool.make_private(other.stream);
  void* const memory = pool.allocate(777);
  pool.deallocate(memory);
  CHECK(pool.allocate(777) == memory);
  pool.deallocate(memory);
  pool.end_private(other.stream);
  CHECK(toolkit().live_blocks() == 0);
  pool.release();
}

}  // namespace
}  // namespace cuda_memory_calls

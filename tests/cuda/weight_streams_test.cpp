// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Low-precision copies of weights on several streams, and replays of a graph on several streams:
// what one stream writes, another reads after it.
#include <amp/cuda.hpp>

#include <cstdint>
#include <thread>
#include <vector>

#include "cuda/user_stream.hpp"
#include "support/catch.hpp"

namespace cuda_weight_streams {
namespace {

using amp::kCUDA;
using amp::Tensor;
using amp_test::UserStream;

constexpr std::int64_t kWidth = 64;

/// x @ weight in float16, on a stream.
Tensor product_on(cudaStream_t stream, const Tensor& x, const Tensor& weight) {
  const amp::StreamGuard guard(kCUDA, stream);
  const amp::NoGradGuard no_grad;
  const amp::AutocastGuard autocast(kCUDA, {.dtype = amp::kFloat16});
  return amp::matmul(x, weight);
}
std::vector<float> numbers_on(cudaStream_t stream, const Tensor& y) {
  const amp::StreamGuard guard(kCUDA, stream);
  return y.to(amp::kFloat32).to_vector<float>();
}

struct Layer {
  Tensor x = amp::ones({4, kWidth}, {.dtype = amp::kFloat16, .device = kCUDA});
  Tensor weight = amp::ones({kWidth, kWidth}, {.device = kCUDA});
  const std::vector<float> expected = std::vector<float>(4 * kWidth, kWidth);

  Layer() {
    weight.requires_grad_();
    (void)weight.to_vector<float>();  // waits: all streams may read both
  }
};

TEST_CASE("weight copies: a reader on another stream waits for the cast", "[cuda]") {
  const Layer layer;
  const UserStream a, b;
  for (int round = 0; round < 20; ++round) {
    amp::clear_autocast_cache();
    const std::int64_t casts = amp::autocast_cache_stats().refreshes;
    const Tensor first = product_on(a.get(), layer.x, layer.weight);
    Tensor second;
    std::thread([&] { second = product_on(b.get(), layer.x, layer.weight); }).join();
    CHECK(amp::autocast_cache_stats().refreshes == casts + 1);
    CHECK(numbers_on(b.get(), second) == layer.expected);
    CHECK(numbers_on(a.get(), first) == layer.expected);
  }
  amp::clear_autocast_cache();
}

TEST_CASE("weight copies: their memory is not another's while a stream reads it", "[cuda]") {
  const Layer layer;
  const UserStream a, b;
  for (int round = 0; round < 20; ++round) {
    const Tensor first = product_on(a.get(), layer.x, layer.weight);
    Tensor second = product_on(b.get(), layer.x, layer.weight);
    std::vector<Tensor> others;
    {
      const amp::StreamGuard guard(kCUDA, a.get());
      amp::clear_autocast_cache();
      for (int i = 0; i < 4; ++i)  // as large as the copy
        others.push_back(amp::full({kWidth, kWidth}, 7, {.dtype = amp::kFloat16, .device = kCUDA}));
      CHECK(others[0].to(amp::kFloat32).to_vector<float>()[5] == 7);
    }
    CHECK(numbers_on(b.get(), second) == layer.expected);
  }
}

TEST_CASE("weight copies: nor while a stream casts anew, which did not make them", "[cuda]") {
  Layer layer;
  const UserStream a, b;
  for (int round = 0; round < 20; ++round) {
    (void)numbers_on(a.get(), product_on(a.get(), layer.x, layer.weight));
    {
      const amp::NoGradGuard no_grad;
      layer.weight.fill_(1);
      (void)layer.weight.to_vector<float>();
    }
    const Tensor y = product_on(b.get(), layer.x, layer.weight);
    {
      const amp::StreamGuard guard(kCUDA, a.get());
      amp::clear_autocast_cache();
      const Tensor other =
          amp::full({kWidth, kWidth}, 7, {.dtype = amp::kFloat16, .device = kCUDA});
      CHECK(other.to(amp::kFloat32).to_vector<float>()[5] == 7);
    }
    CHECK(numbers_on(b.get(), y) == layer.expected);
  }
}

TEST_CASE("weight copies: a cast that was only captured is not current", "[cuda]") {
  Layer layer;
  const UserStream mine;
  const Tensor y = product_on(mine.get(), layer.x, layer.weight);
  CHECK(numbers_on(mine.get(), y) == layer.expected);
  {
    const amp::NoGradGuard no_grad;
    layer.weight.fill_(2);
    (void)layer.weight.to_vector<float>();
  }
  cudaGraph_t graph = nullptr;
  REQUIRE(cudaStreamBeginCapture(mine.get(), cudaStreamCaptureModeThreadLocal) == cudaSuccess);
  // The cast is captured; the matmul finds no memory for its result.
  CHECK_THROWS_AS(product_on(mine.get(), layer.x, layer.weight), amp::Error);
  REQUIRE(cudaStreamEndCapture(mine.get(), &graph) == cudaSuccess);
  REQUIRE(cudaGraphDestroy(graph) == cudaSuccess);
  const Tensor again = product_on(mine.get(), layer.x, layer.weight);
  CHECK(numbers_on(mine.get(), again) == std::vector<float>(4 * kWidth, 2 * kWidth));
}

TEST_CASE("weight copies: streams come and go", "[cuda]") {
  const Layer layer;
  for (int round = 0; round < 10; ++round) {
    const UserStream stream;
    const Tensor y = product_on(stream.get(), layer.x, layer.weight);
    CHECK(numbers_on(stream.get(), y) == layer.expected);
  }
  amp::clear_autocast_cache();
}

TEST_CASE("graph: replays on two streams run one after the other", "[cuda]") {
  const UserStream streams[2];
  const Tensor ones = amp::ones({kWidth}, {.device = kCUDA});
  const Tensor sum = amp::zeros({kWidth}, {.device = kCUDA});
  amp::cuda::Graph graph([&] { sum.copy_(sum * 0.5 + amp::dropout(ones, 0.5)); }, {.warmup = 1});
  // The sum after eight replays, on the streams in turn or all on the first. CUDA itself orders the
  // replays, but not what amp writes before each: where the random numbers begin.
  const auto replays = [&](std::size_t used) {
    sum.zero_();
    (void)sum.to_vector<float>();
    amp::manual_seed(5);
    for (std::size_t i = 0; i < 8; ++i) {
      const amp::StreamGuard guard(kCUDA, streams[i % used].get());
      graph.replay();
    }
    return numbers_on(streams[7 % used].get(), sum);
  };
  const std::vector<float> expected = replays(1);
  for (int round = 0; round < 10; ++round) CHECK(replays(2) == expected);
}

}  // namespace
}  // namespace cuda_weight_streams

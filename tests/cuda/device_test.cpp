// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors on the CUDA device as their user meets them: they come and go, on the stream that the
// user chose, and what the host may change at once was taken at once.
#include <amp/amp.hpp>
#include <amp/cuda.hpp>
#include <amp/device/cuda/context.hpp>
#include <amp/kernels/backend.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace cuda_device {
namespace {

using amp::kCUDA;
using amp::Tensor;
using Catch::Matchers::ContainsSubstring;

Tensor work(const Tensor& x) { return amp::abs(x * 0.5) + 1; }

TEST_CASE("cuda: what comes back is what went over", "[cuda]") {
  CHECK(amp::is_available(kCUDA));
  const Tensor x = amp::tensor({1.0F, -2.5F, 3.0F}, {3});
  const Tensor there = x.to(kCUDA);
  CHECK(there.device() == amp::Device(kCUDA));
  CHECK(there.to_vector<float>() == x.to_vector<float>());
  CHECK(work(there).to_vector<float>() == work(x).to_vector<float>());
  CHECK(there.to(amp::kCPU).device() == amp::Device());
  CHECK(amp::empty({0, 3}, {.device = kCUDA}).to_vector<float>().empty());
}

TEST_CASE("cuda: the device has every kernel", "[cuda]") {
  const amp::kernels::Backend* const backend = amp::kernels::backend(kCUDA);
  REQUIRE(backend != nullptr);
  amp::kernels::Backend table = *backend;
  auto& functions = table.elementwise;
  const auto some = functions.binary[0];  // functions that have no derivative have no kernel of it
  std::replace(std::begin(functions.derivative), std::end(functions.derivative), decltype(some){},
               some);
  const auto some_gradient = *std::find_if(std::begin(functions.by_a), std::end(functions.by_a),
                                           [](auto kernel) { return kernel != nullptr; });
  for (auto* const table_of : {&functions.by_a, &functions.by_b})
    std::replace(std::begin(*table_of), std::end(*table_of), decltype(some_gradient){},
                 some_gradient);
  void* kernels[sizeof table / sizeof(void*)];
  static_assert(sizeof kernels == sizeof table, "a table is made of pointers");
  std::memcpy(kernels, &table, sizeof table);
  CHECK(std::count(std::begin(kernels), std::end(kernels), nullptr) == 0);
}

TEST_CASE("cuda: the host may change its numbers right after a copy", "[cuda]") {
  constexpr std::size_t kCount = 20000;
  std::vector<float> numbers(kCount);
  std::vector<Tensor> there;
  for (std::size_t round = 0; round < 50; ++round) {
    numbers.assign(kCount, static_cast<float>(round));
    there.push_back(amp::tensor(numbers, {kCount}).to(kCUDA));
  }
  for (std::size_t round = 0; round < there.size(); ++round)
    CHECK((there[round].to_vector<float>() == std::vector<float>(kCount, float(round))));
}

TEST_CASE("cuda: memory goes from one stream to another without being overwritten", "[cuda]") {
  cudaStream_t mine = nullptr;
  REQUIRE(cudaStreamCreateWithFlags(&mine, cudaStreamNonBlocking) == cudaSuccess);
  const cudaStream_t own = amp::cuda::current_stream();
  const Tensor x = amp::ones({100000}, {.device = kCUDA});
  (void)x.to_vector<float>();  // waits: both streams may read it now
  for (std::size_t round = 0; round < 20; ++round) {
    Tensor y = x;
    for (int i = 0; i < 10; ++i) y = work(y);
    {
      const amp::StreamGuard guard(kCUDA, mine);
      CHECK(amp::cuda::current_stream() == mine);
      Tensor z = x;
      for (int i = 0; i < 10; ++i) z = work(z);
      y = Tensor();  // freed here, used there
      z = z + x;
      CHECK(z.to_vector<float>()[99999] > 2.99F);
    }
    const Tensor again = work(x);
    CHECK(again.to_vector<float>()[round] == 1.5F);
  }
  std::thread([&] { CHECK(amp::cuda::current_stream() == own); }).join();
  CHECK_THROWS_AS(amp::StreamGuard(amp::kCPU, mine), amp::Error);
  REQUIRE(cudaStreamSynchronize(mine) == cudaSuccess);
}

TEST_CASE("cuda: more memory than there is throws, and the device goes on", "[cuda]") {
  CHECK_THROWS_WITH(amp::empty({std::int64_t{1} << 41}, {.device = kCUDA}),
                    ContainsSubstring("out of memory: cuda:0 could not give"));
  CHECK(amp::ones({3}, {.device = kCUDA}).to_vector<float>() == std::vector<float>(3, 1));
}

}  // namespace
}  // namespace cuda_device

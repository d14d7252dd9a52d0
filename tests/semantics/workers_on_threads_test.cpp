// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of autocast in worker threads, and its defects there: here a state is carried
// whole, its dtype included, and no thread clears what another uses.
#include <amp/amp.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace workers_on_threads {
namespace {

using amp::AutocastGuard;
using amp::kBFloat16;
using amp::kCPU;
using amp::kFloat16;
using amp::kFloat32;
using amp::Tensor;

struct Linear {
  Tensor weight = amp::full({5, 10}, 1 + 0x1p-9, {.requires_grad = true});
  Tensor bias = amp::full({5}, 0.1, {.requires_grad = true});
  Tensor operator()(const Tensor& x) const { return amp::linear(x, weight, bias); }
};

}  // namespace

// PyTorch's workers take over whether autocast is on, but not its dtype, so that a bfloat16 caller
// has float16 workers. Here the state that is carried holds both.
TEST_CASE("test_parallel_apply_autocast (test_data_parallel.py): workers answer as their caller") {
  for (const amp::DType dtype : {kFloat16, kBFloat16}) {
    const Linear linear;
    const Tensor x = amp::full({2, 10}, 0.3);
    const AutocastGuard autocast(kCPU, {.dtype = dtype});
    const Tensor expected = linear(x);
    const amp::AutocastState state = amp::autocast_state();
    std::array<Tensor, 2> results;
    std::vector<std::thread> workers;
    for (Tensor& result : results) {
      workers.emplace_back([&linear, &x, &state, &result] {
        const AutocastGuard again(state);
        result = linear(x);
      });
    }
    for (std::thread& worker : workers) worker.join();
    for (const Tensor& result : results) {
      CHECK(result.dtype() == dtype);
      CHECK(result.to_vector<float>() == expected.to_vector<float>());
    }
  }
}

// The decorated forward is a callable in a scope here.
TEST_CASE("test_autocast (test_data_parallel.py): a forward with a scope of its own in workers") {
  const Linear linear;
  const Tensor x = amp::full({2, 10}, 0.3);
  const auto forward = amp::autocast(kCPU, {.dtype = kFloat16}, linear);
  std::array<amp::DType, 2> dtypes = {kFloat32, kFloat32};
  std::vector<std::thread> workers;
  for (amp::DType& dtype : dtypes)
    workers.emplace_back([&forward, &x, &dtype] { dtype = forward(x).dtype(); });
  for (std::thread& worker : workers) worker.join();
  CHECK(dtypes == std::array{kFloat16, kFloat16});
}

TEST_CASE("threads: a new one starts with autocast off and the default dtypes") {
  const AutocastGuard autocast(kCPU, {.dtype = kFloat16, .cache_enabled = false});
  bool enabled = true, cached = false;
  amp::DType dtype = kFloat32;
  std::thread([&] {
    enabled = amp::is_autocast_enabled(kCPU);
    dtype = amp::autocast_dtype(kCPU);
    cached = amp::autocast_state().cache_enabled();
  }).join();
  CHECK_FALSE(enabled);
  CHECK(dtype == kBFloat16);
  CHECK(cached);
}

// In PyTorch any thread that leaves its outermost scope empties the cache of all.
TEST_CASE("threads: one that leaves its scopes takes no weight copies from another") {
  const Linear linear;
  const Tensor x = amp::ones({2, 10});
  const AutocastGuard autocast(kCPU);
  (void)linear(x);
  const std::int64_t casts = amp::autocast_cache_stats().refreshes;
  std::thread([] {
    const Tensor a = amp::ones({2, 2}), w = amp::ones({2, 2});
    const AutocastGuard its_own(kCPU);
    (void)amp::matmul(a, w);
  }).join();
  (void)linear(x);
  CHECK(amp::autocast_cache_stats().refreshes == casts);
}

// PyTorch's cache has one copy of a weight, whatever its dtype, for all threads.
TEST_CASE("threads: one weight in scopes of different dtypes answers each in its own") {
  const Tensor w = amp::full({2, 2}, 1 + 0x1p-9, {.requires_grad = true});
  std::atomic<int> wrong = 0;
  const auto work = [&](amp::DType dtype, float expected) {
    const Tensor x = amp::tensor({1.0F, 0.0F}, {1, 2});
    for (int i = 0; i < 100; ++i) {
      const AutocastGuard autocast(kCPU, {.dtype = dtype});
      const Tensor y = amp::matmul(x, w);
      if (y.dtype() != dtype || y.to_vector<float>()[0] != expected) ++wrong;
    }
  };
  std::thread half(work, kFloat16, 1 + 0x1p-9F), bfloat(work, kBFloat16, 1.0F);
  half.join();
  bfloat.join();
  CHECK(wrong == 0);
}

}  // namespace workers_on_threads

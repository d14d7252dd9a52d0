// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Autocast and several threads: scopes belong to their thread, weights and their copies to all.
#include <amp/amp.hpp>

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"

namespace scopes_on_threads {
namespace {

amp::DType dtype_of_product() { return amp::matmul(amp::ones({2, 2}), amp::ones({2, 2})).dtype(); }

/// Runs `body` on a thread of its own, to its end.
template <class Body>
void on_thread(Body body) {
  std::thread(body).join();
}

}  // namespace

TEST_CASE("threads: a new thread starts with autocast off and default dtypes") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  bool enabled = true;
  amp::DType dtype = amp::kFloat64, product = amp::kFloat64;
  on_thread([&] {
    enabled = amp::is_autocast_enabled(amp::kCPU);
    dtype = amp::autocast_dtype(amp::kCPU);
    product = dtype_of_product();
  });
  CHECK_FALSE(enabled);
  CHECK(dtype == amp::kBFloat16);
  CHECK(product == amp::kFloat32);
}

TEST_CASE("threads: a state carried to one makes it compute as here") {
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"exp", amp::OpPolicy::kPassthrough}}});
  amp::DType product = amp::kFloat64, exp = amp::kFloat64;
  bool enabled_after = true;
  on_thread([&, state = amp::autocast_state()] {
    {
      const amp::AutocastGuard again(state);
      product = dtype_of_product();
      exp = amp::exp(amp::ones({1}, {.dtype = amp::kFloat16})).dtype();
    }
    enabled_after = amp::is_autocast_enabled(amp::kCPU);
  });
  CHECK(product == amp::kFloat16);
  CHECK(exp == amp::kFloat16);
  CHECK_FALSE(enabled_after);
}

TEST_CASE("threads: scopes of float16 and bfloat16 at once never cross") {
  std::atomic<int> wrong = 0;
  const auto work = [&](amp::DType dtype) {
    for (int i = 0; i < 300; ++i) {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
      if (dtype_of_product() != dtype) ++wrong;
    }
  };
  std::thread a(work, amp::kFloat16), b(work, amp::kBFloat16);
  a.join();
  b.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads: one wrapped callable is called from two at once") {
  const auto product = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, dtype_of_product);
  std::atomic<int> wrong = 0;
  const auto work = [&] {
    for (int i = 0; i < 200; ++i) {
      if (product() != amp::kFloat16 || amp::is_autocast_enabled(amp::kCPU)) ++wrong;
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  CHECK(wrong == 0);
}

TEST_CASE("threads: a backward pass on another thread computes what it does here") {
  const auto gradient = [](bool elsewhere) {
    const amp::Tensor w = amp::full({2, 2}, 1.3, {.requires_grad = true});
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    const amp::Tensor loss = amp::sum(amp::exp(amp::matmul(w, w)));
    if (elsewhere) {
      on_thread([&] { loss.backward(); });
    } else {
      loss.backward();
    }
    return w.grad().to_vector<float>();
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("threads: one shared weight in two at once is cast once per dtype and right") {
  const amp::Tensor w = amp::full({8, 8}, 0.5, {.requires_grad = true});
  const amp::AutocastCacheStats before = amp::autocast_cache_stats();
  std::atomic<int> wrong = 0;
  const auto work = [&](amp::DType dtype) {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = dtype});
    for (int i = 0; i < 200; ++i) {
      const amp::Tensor y = amp::matmul(amp::ones({1, 8}), w);
      if (y.dtype() != dtype || y.to_vector<float>() != std::vector<float>(8, 4)) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat16, amp::kBFloat16}) {
    threads.emplace_back(work, dtype);
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
  CHECK(amp::autocast_cache_stats().refreshes - before.refreshes == 2);
  CHECK(amp::autocast_cache_stats().entries - before.entries == 2);
}

TEST_CASE("threads: forward and backward of one shared weight in two at once add up") {
  const amp::Tensor w = amp::ones({4, 4}, {.requires_grad = true});
  constexpr int kPasses = 50;
  const auto work = [&] {
    for (int i = 0; i < kPasses; ++i) {
      const amp::Tensor loss = [&] {
        const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
        return amp::sum(amp::matmul(amp::ones({1, 4}), w));
      }();
      loss.backward();
    }
  };
  std::thread a(work), b(work);
  a.join();
  b.join();
  CHECK(w.grad().to_vector<float>() == std::vector<float>(16, 2 * kPasses));
}

TEST_CASE("threads: copies that another one made are cleared, in use or not") {
  const amp::Tensor w = amp::ones({4, 4}, {.requires_grad = true});
  on_thread([&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    (void)amp::matmul(w, w);
  });
  CHECK(amp::autocast_cache_stats().entries == 1);
  amp::clear_autocast_cache();
  CHECK(amp::autocast_cache_stats().entries == 0);

  std::atomic<bool> done = false;
  std::atomic<int> wrong = 0;
  std::thread user([&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    for (int i = 0; i < 300; ++i) {
      const amp::Tensor temporary = amp::full({4, 4}, 2, {.requires_grad = true});
      const amp::Tensor y = amp::matmul(w, temporary);
      if (y.to_vector<float>() != std::vector<float>(16, 8)) ++wrong;
    }
    done = true;
  });
  while (!done) amp::clear_autocast_cache();
  user.join();
  amp::clear_autocast_cache();
  CHECK(wrong == 0);
  CHECK(amp::autocast_cache_stats().entries == 0);
  CHECK(amp::autocast_cache_stats().bytes == 0);
}

TEST_CASE("threads: ops are registered while others look policies up") {
  std::atomic<int> wrong = 0;
  std::thread registers([] {
    for (int i = 0; i < 20; ++i) {
      amp::register_op("test.thread" + std::to_string(i), amp::OpPolicy::kFloat32);
    }
  });
  std::thread looks([&] {
    for (int i = 0; i < 300; ++i) {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      if (amp::op_policy("matmul") != amp::OpPolicy::kLowPrecision) ++wrong;
      if (dtype_of_product() != amp::kFloat16) ++wrong;
    }
  });
  registers.join();
  looks.join();
  CHECK(wrong == 0);
  CHECK(amp::op_policy("test.thread19") == amp::OpPolicy::kFloat32);
}

}  // namespace scopes_on_threads

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Graphs too deep for any recursion, on a thread with a stack of 1 MB.
#include <amp/amp.hpp>

#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <functional>

#include "support/catch.hpp"

namespace depth_threads {

using amp::Tensor;

namespace {

constexpr int kDepth = 200'000;

/// Runs `body` on a thread of its own with little stack.
void on_small_stack(std::function<void()> body) {
  pthread_attr_t attributes;
  REQUIRE(pthread_attr_init(&attributes) == 0);
  REQUIRE(pthread_attr_setstacksize(&attributes, std::size_t{1} << 20) == 0);
  const auto run = [](void* function) -> void* {
    (*static_cast<std::function<void()>*>(function))();
    return nullptr;
  };
  pthread_t thread{};
  REQUIRE(pthread_create(&thread, &attributes, run, &body) == 0);
  REQUIRE(pthread_join(thread, nullptr) == 0);
  pthread_attr_destroy(&attributes);
}

Tensor chain(const Tensor& x) {
  Tensor y = x;
  for (int i = 0; i < kDepth / 2; ++i) y = (y + 1) * 1;
  return y;
}

}  // namespace

TEST_CASE("depth: backward through a chain of 200000 nodes", "[autograd]") {
  float gradient = 0;
  on_small_stack([&] {
    const Tensor x = amp::ones({1}, {.requires_grad = true});
    const Tensor y = chain(x);
    y.backward();
    gradient = x.grad().item<float>();
  });
  CHECK(gradient == 1);
}

TEST_CASE("depth: a chain of 200000 nodes is dropped without backward", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  on_small_stack([] {
    const Tensor x = amp::ones({1}, {.requires_grad = true});
    const Tensor y = chain(x);
  });
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("depth: a chain that saved tensors at each node is dropped", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  on_small_stack([] {
    const Tensor x = amp::ones({1}, {.requires_grad = true});
    Tensor y = x;
    for (int i = 0; i < kDepth / 2; ++i) y = amp::relu(y * x);
  });
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("depth: a chain of views is dropped", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  on_small_stack([] {
    Tensor y = amp::ones({2, 3}, {.requires_grad = true}) * 1;
    for (int i = 0; i < kDepth; ++i) y = y.t();
  });
  CHECK(amp::memory_stats().current_bytes == before);
}

TEST_CASE("depth: many branches of one trunk are dropped in any order", "[autograd]") {
  const std::int64_t before = amp::memory_stats().current_bytes;
  on_small_stack([] {
    const Tensor x = amp::ones({1}, {.requires_grad = true});
    Tensor trunk = x, sum = x;
    for (int i = 0; i < kDepth / 4; ++i) {
      trunk = trunk + 1;
      sum = sum + trunk * 2;
    }
    trunk = Tensor();
    sum = Tensor();
  });
  CHECK(amp::memory_stats().current_bytes == before);
}

}  // namespace depth_threads

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of the cast cache. Here a low-precision copy belongs to its weight and not to the
// scope, so that it outlives scopes and follows the weight.
#include <amp/amp.hpp>

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace cache {
namespace {

using amp::AutocastGuard;
using amp::kBFloat16;
using amp::kCPU;
using amp::kFloat16;
using amp::Tensor;

/// Casts of weights since this was made.
class Casts {
 public:
  std::int64_t count() const { return amp::autocast_cache_stats().refreshes - start_; }

 private:
  std::int64_t start_ = amp::autocast_cache_stats().refreshes;
};

struct Linear {
  Tensor weight, bias;

  Linear(std::int64_t in, std::int64_t out)
      : weight(amp::full({out, in}, 0.5, {.requires_grad = true})),
        bias(amp::full({out}, 0.25, {.requires_grad = true})) {}
  Tensor operator()(const Tensor& x) const { return amp::linear(x, weight, bias); }
};

/// x @ weight^T, whose backward multiplies with the weight again.
Tensor product(const Tensor& x, const Tensor& weight) {
  return amp::custom_function(
      [](const Tensor& input, const Tensor& w) {
        return std::pair{amp::linear(input, w), [input, w](const Tensor& grad) {
                           return std::array{amp::matmul(grad, w), amp::matmul(grad.t(), input)};
                         }};
      },
      x, weight);
}

}  // namespace

// PyTorch keeps the test's scope from clearing the cache; here leaving one clears nothing.
TEST_CASE("test_cast_cache_is_global (test_autocast.py): forward and backward share one cast") {
  const Tensor data = amp::full({2, 3}, 0.5);
  const Tensor weight = amp::full({4, 3}, 2, {.requires_grad = true});
  const Casts casts;
  const Tensor loss = [&] {
    const AutocastGuard autocast(kCPU);
    return amp::sum(product(data, weight));
  }();
  CHECK(casts.count() == 1);
  const std::int64_t hits = amp::autocast_cache_stats().hits;
  loss.backward();
  CHECK(casts.count() == 1);
  CHECK(amp::autocast_cache_stats().hits == hits + 1);
  CHECK(weight.grad().to_vector<float>() == std::vector<float>(12, 1));
}

// The test expects two casts, for a cache that the outermost exit clears. A copy that carries its
// weight's version need not be made again: one.
TEST_CASE("TestAutocastMPS.test_cast_cache_is_global (test_autocast.py): two scopes, one cast") {
  const Tensor data = amp::ones({2, 3}), weight = amp::ones({4, 3}, {.requires_grad = true});
  const Casts casts;
  for (int i = 0; i < 2; ++i) {
    const AutocastGuard autocast(kCPU);
    (void)amp::linear(data, weight);
  }
  CHECK(casts.count() == 1);
}

// PyTorch marks one tensor as a CUDA graph's; here memory whose writes are not seen has no copies.
TEST_CASE("test_cache_disabled (test_autocast.py): a weight in a user's memory is cast each time") {
  std::vector<float> memory(12, 1);
  const Tensor weight = amp::from_blob(memory.data(), {4, 3}, {.requires_grad = true});
  const Tensor data = amp::ones({2, 3});
  const std::int64_t entries = amp::autocast_cache_stats().entries;
  const AutocastGuard autocast(kCPU);
  CHECK(amp::linear(data, weight).to_vector<float>() == std::vector<float>(8, 3));
  memory.assign(12, 2);
  CHECK(amp::linear(data, weight).to_vector<float>() == std::vector<float>(8, 6));
  CHECK(amp::autocast_cache_stats().entries == entries);
}

// There the weight is a graph's output that is zeroed in place.
TEST_CASE("test_amp_cache_disabled (test_cudagraph_trees.py): a weight set to zero is seen") {
  const Tensor weight = amp::ones({3, 3}, {.requires_grad = true}), data = amp::ones({2, 3});
  const AutocastGuard autocast(kCPU);
  CHECK(amp::linear(data, weight).to_vector<float>() == std::vector<float>(6, 3));
  {
    const amp::NoGradGuard no_grad;
    weight.zero_();
  }
  CHECK(amp::linear(data, weight).to_vector<float>() == std::vector<float>(6, 0));
}

TEST_CASE("test_autocast_nograd_caching_issue_158232 (test_autocast.py): first without history") {
  const Linear linear(2, 2);
  const Tensor x = amp::ones({8, 2});
  const AutocastGuard autocast(kCPU);
  {
    const amp::NoGradGuard no_grad;
    CHECK_FALSE(linear(x).requires_grad());
  }
  const Tensor y = linear(x);
  CHECK(y.requires_grad());
  amp::sum(y).backward();
  REQUIRE(linear.weight.grad().defined());
  REQUIRE(linear.bias.grad().defined());
  CHECK(linear.weight.grad().to_vector<float>() == std::vector<float>(4, 8));
  CHECK(linear.bias.grad().to_vector<float>() == std::vector<float>(2, 8));
}

// Of inference mode NoGradGuard is what there is.
TEST_CASE(
    "test_autocast_inference_mode_interaction (test_autocast.py): in a scope and around one") {
  const Linear linear(2, 2);
  const Tensor x = amp::ones({8, 2});
  {
    const AutocastGuard autocast(kCPU);
    {
      const amp::NoGradGuard no_grad;
      CHECK(linear(x).dtype() == kBFloat16);
    }
    CHECK(linear(x).requires_grad());
  }
  const amp::NoGradGuard no_grad;
  const AutocastGuard autocast(kCPU);
  CHECK(linear(x).dtype() == kBFloat16);
  CHECK_FALSE(linear(x).requires_grad());
}

TEST_CASE("test_autocast_caching_still_works_with_gradients (test_autocast.py): three backwards") {
  const Linear linear(2, 2);
  const Tensor x = amp::ones({8, 2});
  const Casts casts;
  const AutocastGuard autocast(kCPU);
  const Tensor a = linear(x), b = linear(x), c = linear(x);
  for (const Tensor& y : {a, b, c}) {
    CHECK(y.requires_grad());
    amp::sum(y).backward();
  }
  CHECK(casts.count() == 2);  // of the weight, and of the bias
  CHECK(linear.weight.grad().to_vector<float>() == std::vector<float>(4, 24));
}

TEST_CASE("test_autocast_mixed_grad_contexts (test_autocast.py): each use by its own mode") {
  const Linear linear(2, 2);
  const Tensor x = amp::ones({8, 2});
  const AutocastGuard autocast(kCPU);
  for (const bool grad : {false, true, false, true}) {
    if (grad) {
      CHECK(linear(x).requires_grad());
    } else {
      const amp::NoGradGuard no_grad;
      CHECK_FALSE(linear(x).requires_grad());
    }
  }
}

TEST_CASE("test_autocast_cache_leak (test_cuda.py): forward passes without history hold nothing") {
  const Linear linear(10, 10);
  const Tensor x = amp::ones({1, 10});
  const AutocastGuard autocast(kCPU);
  const amp::NoGradGuard no_grad;
  (void)linear(x);
  const std::int64_t bytes = amp::memory_stats().current_bytes;
  for (int i = 0; i < 3; ++i) (void)linear(x);
  CHECK(amp::memory_stats().current_bytes == bytes);
}

TEST_CASE("test_autocast_cache_enabled (openreg, test_autocast.py): float16 twice, one cast") {
  const Tensor w = amp::ones({3, 3}, {.requires_grad = true}), x = amp::ones({2, 3});
  const Casts casts;
  {
    const AutocastGuard autocast(kCPU, {.dtype = kFloat16, .cache_enabled = true});
    for (int i = 0; i < 2; ++i) CHECK(amp::matmul(x, w).dtype() == kFloat16);
  }
  CHECK(casts.count() == 1);
}

// The counts of PyTorch 2.6 for three products of one weight, less the casts of the other operand:
// 1 for a float32 leaf; 3 with the cache off, without requires_grad, of a computed tensor, of a
// view. What is cast each time leaves no copy, and so no refresh, behind.
TEST_CASE("cast counts of three products: a float32 leaf is cast once, no other tensor is kept") {
  const Tensor x = amp::ones({2, 2});
  const auto refreshes = [&](const Tensor& w, const amp::AutocastOptions& options) {
    const Casts casts;
    const AutocastGuard autocast(kCPU, options);
    for (int i = 0; i < 3; ++i) (void)amp::matmul(x, w);
    return casts.count();
  };
  const auto leaf = [](amp::DType dtype) {
    return amp::ones({2, 2}, {.dtype = dtype, .requires_grad = true});
  };
  CHECK(refreshes(leaf(amp::kFloat32), {}) == 1);
  CHECK(refreshes(leaf(amp::kFloat32), {.cache_enabled = false}) == 0);
  CHECK(refreshes(amp::ones({2, 2}), {}) == 0);
  CHECK(refreshes(leaf(amp::kFloat32) * 1, {}) == 0);
  CHECK(refreshes(amp::ones({4, 2}, {.requires_grad = true}).narrow(0, 0, 2), {}) == 0);
  CHECK(refreshes(leaf(kBFloat16), {}) == 0);
  CHECK(refreshes(leaf(kFloat16), {}) == 0);
}

}  // namespace cache

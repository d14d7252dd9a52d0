// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of custom_fwd, custom_bwd and of recomputation: amp::custom_function runs both
// passes of a user's function under one autocast state.
#include <amp/amp.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace custom_function {
namespace {

using amp::AutocastGuard;
using amp::kBFloat16;
using amp::kCPU;
using amp::kFloat16;
using amp::kFloat32;
using amp::Tensor;

Tensor random_tensor(const amp::Shape& shape, std::uint64_t seed) {
  amp::manual_seed(seed);
  return amp::randn(shape);
}

/// Three layers of Linear(8, 8), whose activations are computed again in backward where asked.
struct Layers {
  std::array<Tensor, 3> w;

  Layers() {
    for (std::size_t i = 0; i < 3; ++i)
      w[i] = (random_tensor({8, 8}, 10 + i) * 0.5).requires_grad_();
  }
  Tensor plain(const Tensor& x) const {
    return amp::linear(amp::linear(amp::linear(x, w[0]), w[1]), w[2]);
  }
  /// `seen` collects the dtypes of what backward computed again.
  Tensor checkpointed(const Tensor& x, std::vector<amp::DType>& seen) const {
    return amp::custom_function(
        [&seen](const Tensor& input, const Tensor& w0, const Tensor& w1, const Tensor& w2) {
          const auto forward = [=] {
            const Tensor h = amp::linear(input, w0);
            return std::array{h, amp::linear(h, w1)};
          };
          return std::pair{amp::linear(forward()[1], w2), [=, &seen](const Tensor& g2) {
                             const std::array<Tensor, 2> h = forward();
                             seen = {h[0].dtype(), h[1].dtype()};
                             const Tensor g1 = amp::matmul(g2, w2), g0 = amp::matmul(g1, w1);
                             return std::array{amp::matmul(g0, w0), amp::matmul(g0.t(), input),
                                               amp::matmul(g1.t(), h[0]),
                                               amp::matmul(g2.t(), h[1])};
                           }};
        },
        x, w[0], w[1], w[2]);
  }
  /// As float16: an op's own backward gives weights in float32 unrounded gradients.
  std::vector<std::vector<float>> gradients() const {
    const auto of = [](const Tensor& weight) {
      return weight.grad().to(kFloat16).to_vector<float>();
    };
    return {of(w[0]), of(w[1]), of(w[2])};
  }
};

}  // namespace

// The method form of the test is Python's.
TEST_CASE("test_autocast_custom_enabled (test_cuda.py): backward runs in forward's autocast") {
  for (const amp::DType dtype : {kFloat16, kBFloat16}) {
    const Tensor x = random_tensor({8, 8}, 1).requires_grad_(), y = random_tensor({8, 8}, 2);
    std::vector<amp::DType> backward_dtypes;
    const auto product = [&](const Tensor& a, const Tensor& b) {
      CHECK(a.dtype() == kFloat32);
      CHECK(b.dtype() == kFloat32);
      CHECK(amp::is_autocast_enabled(kCPU));
      return std::pair{amp::matmul(a, b), [&backward_dtypes, a, b](const Tensor& grad) {
                         CHECK(amp::is_autocast_enabled(kCPU));
                         std::array gradients{amp::matmul(grad, b.t()), amp::matmul(a.t(), grad)};
                         for (const Tensor& g : gradients) backward_dtypes.push_back(g.dtype());
                         return gradients;
                       }};
    };
    const Tensor loss = [&] {
      const AutocastGuard autocast(kCPU, {.dtype = dtype});
      const Tensor output = amp::custom_function(product, x, y);
      CHECK(output.dtype() == dtype);
      return amp::sum(output);
    }();
    CHECK_FALSE(amp::is_autocast_enabled(kCPU));
    loss.backward();
    CHECK(backward_dtypes == std::vector{dtype, dtype});
    CHECK(x.grad().dtype() == kFloat32);
    CHECK_FALSE(y.grad().defined());
  }
}

// Forward outside of scopes: backward inside one runs without autocast all the same.
TEST_CASE("custom_bwd: forward outside and backward inside of a scope runs without autocast") {
  const Tensor x = random_tensor({8, 8}, 1).requires_grad_();
  bool enabled_in_backward = true;
  const Tensor loss = amp::sum(amp::custom_function(
      [&](const Tensor& a) {
        return std::pair{a * 2, [&](const Tensor& grad) {
                           enabled_in_backward = amp::is_autocast_enabled(kCPU);
                           return std::array{grad * 2};
                         }};
      },
      x));
  const AutocastGuard autocast(kCPU);
  loss.backward();
  CHECK_FALSE(enabled_in_backward);
  CHECK(x.grad().to_vector<float>() == std::vector<float>(64, 2));
}

// The test's operands are a tensor and one in a container of containers, which functions of tensors
// do not take.
TEST_CASE("test_autocast_custom_cast_inputs (test_cuda.py): inputs cast, autocast off in both") {
  const auto check = [](bool in_scope, amp::DType expected) {
    INFO((in_scope ? "in a scope" : "outside"));
    const Tensor x = random_tensor({8, 8}, 1).to(kFloat16).requires_grad_(),
                 y = random_tensor({8, 8}, 2).to(kFloat16);
    int passes = 0;
    const auto product = [&](const Tensor& a, const Tensor& b) {
      ++passes;
      CHECK(a.dtype() == expected);
      CHECK(b.dtype() == expected);
      CHECK_FALSE(amp::is_autocast_enabled(kCPU));
      return std::pair{amp::matmul(a, b), [&passes, a, b](const Tensor& grad) {
                         ++passes;
                         CHECK_FALSE(amp::is_autocast_enabled(kCPU));
                         return std::array{amp::matmul(grad, b.t()), amp::matmul(a.t(), grad)};
                       }};
    };
    const Tensor output = [&] {
      const AutocastGuard autocast(kCPU, {.dtype = kFloat16, .enabled = in_scope});
      return amp::custom_function({.cast_inputs = kFloat32}, product, x, y);
    }();
    CHECK(output.dtype() == expected);
    amp::sum(output).backward();
    CHECK(passes == 2);
    CHECK(x.grad().dtype() == kFloat16);
  };
  check(true, kFloat32);
  check(false, kFloat16);
}

// amp has no checkpoint() yet; a function that computes its activations again is one.
TEST_CASE("test_autocast_checkpointing (test_cuda.py): what is computed again is float16 again") {
  const Tensor x = random_tensor({8, 8}, 3);
  const Layers kept, again;
  std::vector<amp::DType> seen;
  const auto losses = [&] {
    const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
    const Tensor a = kept.plain(x), b = again.checkpointed(x, seen);
    CHECK(a.dtype() == kFloat16);
    CHECK(b.dtype() == kFloat16);
    CHECK(a.to_vector<float>() == b.to_vector<float>());
    return std::array{amp::sum(a), amp::sum(b)};
  }();
  CHECK(seen.empty());
  for (const Tensor& loss : losses) loss.backward();
  CHECK(seen == std::vector{kFloat16, kFloat16});
  CHECK(kept.gradients() == again.gradients());
}

// The hook is the backward of a function here.
TEST_CASE("test_checkpointing_non_reentrant_autocast_cpu (test_autograd.py): on if it was on") {
  for (const bool enabled : {true, false}) {
    const Tensor z = random_tensor({2, 2}, 4).requires_grad_();
    std::vector<amp::DType> seen;
    const auto square = [&seen](const Tensor& a) {
      seen.push_back(amp::matmul(a, a).dtype());
      return std::pair{amp::matmul(a, a), [&seen, a](const Tensor& grad) {
                         seen.push_back(amp::matmul(a, a).dtype());
                         return std::array{grad};
                       }};
    };
    const Tensor loss = [&] {
      const AutocastGuard autocast(kCPU, {.dtype = kBFloat16, .enabled = enabled});
      return amp::sum(amp::custom_function(square, z));
    }();
    loss.backward();
    const amp::DType expected = enabled ? kBFloat16 : kFloat32;
    CHECK(seen == std::vector{expected, expected});
  }
}

// --- backward passes of ops ----------------------------------------------------------------------

// index_put is none of amp's ops; index_select reads what it would write.
TEST_CASE("test_autocast_prioritize (test_autocast.py): forward and backward in one scope") {
  const Tensor t = amp::ones({3, 4, 5}, {.dtype = kBFloat16, .requires_grad = true});
  const AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  const Tensor y = amp::index_select(t, 0, amp::tensor({2, 0, 2}, {3}));
  CHECK(y.dtype() == kBFloat16);
  amp::sum(y).backward();
  CHECK(t.grad().dtype() == kBFloat16);
  CHECK(amp::sum(t.grad().to(kFloat32)).item<float>() == 60);
}

TEST_CASE("test_autocast_autodiff (test_jit_autocast.py): a product and relu, as cast by hand") {
  const auto train = [](bool by_hand) {
    const Tensor a = random_tensor({4, 4}, 5).requires_grad_(),
                 b = random_tensor({4, 4}, 6).requires_grad_();
    const Tensor y = [&] {
      if (by_hand) return amp::relu(amp::matmul(a.to(kFloat16), b.to(kFloat16)));
      const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
      return amp::relu(amp::matmul(a, b));
    }();
    CHECK(y.dtype() == kFloat16);
    amp::sum(y.to(kFloat32)).backward();
    CHECK(a.grad().dtype() == kFloat32);
    CHECK(b.grad().dtype() == kFloat32);
    return std::vector{y.to_vector<float>(), a.grad().to_vector<float>(),
                       b.grad().to_vector<float>()};
  };
  CHECK(train(false) == train(true));
}

TEST_CASE("test_autocast_with_requires_grad (openreg, test_autocast.py): backward in the scope") {
  const Tensor a = random_tensor({2, 3}, 7).requires_grad_(),
               b = random_tensor({3, 3}, 8).requires_grad_();
  const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const Tensor y = amp::matmul(a, b);
  CHECK(y.dtype() == kFloat16);
  CHECK(y.requires_grad());
  amp::sum(y).backward();
  REQUIRE(a.grad().defined());
  REQUIRE(b.grad().defined());
  CHECK(a.grad().dtype() == kFloat32);
  CHECK(b.grad().shape() == b.shape());
}

}  // namespace custom_function

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Backward passes under autocast: each node in the dtypes of its forward, scopes do not reach in.
#include <amp/amp.hpp>

#include <vector>

#include "support/catch.hpp"

namespace backward {
namespace {

/// y = x, whose backward calls `hook`: the user's code inside a backward pass.
template <class Hook>
amp::Tensor with_hook(const amp::Tensor& x, Hook hook) {
  const amp::Tensor y = x.detach().clone();
  amp::autograd::record(
      "with_hook", y,
      [hook](const amp::Tensor& gradient,
             const amp::autograd::Needs<1>&) -> amp::autograd::Gradients<1> {
        hook();
        return {gradient};
      },
      x);
  return y;
}

amp::Tensor leaf(double value) { return amp::full({2, 2}, value, {.requires_grad = true}); }

amp::DType dtype_of_product() { return amp::matmul(amp::ones({2, 2}), amp::ones({2, 2})).dtype(); }

}  // namespace

TEST_CASE("backward: gradients have the dtype of their leaf") {
  const amp::Tensor x = leaf(0.5);
  const amp::Tensor low = amp::full({2, 2}, 2, {.dtype = amp::kBFloat16, .requires_grad = true});
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    amp::sum(amp::matmul(x, low)).backward();
  }
  CHECK(x.grad().dtype() == amp::kFloat32);
  CHECK(low.grad().dtype() == amp::kBFloat16);
  CHECK(x.grad().to_vector<float>() == std::vector<float>(4, 4));
}

TEST_CASE("backward: inside a scope it computes what it computes outside") {
  const auto gradient = [](bool inside) {
    const amp::Tensor x = leaf(0.3), w = leaf(1.7);
    const amp::Tensor loss = [&] {
      const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
      return amp::sum(amp::exp(amp::matmul(amp::relu(amp::matmul(x, w)), w)));
    }();
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16, .enabled = inside});
    loss.backward();
    return w.grad().to_vector<float>();
  };
  CHECK(gradient(true) == gradient(false));
}

TEST_CASE("backward: runs with autocast off, and it is on again after") {
  const amp::Tensor x = leaf(1);
  bool enabled_inside = true;
  amp::DType product_inside = amp::kFloat16;
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  amp::sum(with_hook(x, [&] {
    enabled_inside = amp::is_autocast_enabled(amp::kCPU);
    product_inside = dtype_of_product();
  })).backward();
  CHECK_FALSE(enabled_inside);
  CHECK(product_inside == amp::kFloat32);
  CHECK(dtype_of_product() == amp::kFloat16);
}

TEST_CASE("backward: policies of the scope do not reach in") {
  const amp::Tensor x = leaf(1);
  amp::OpPolicy inside = amp::OpPolicy::kPromote;
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"matmul", amp::OpPolicy::kFloat32}}});
  amp::sum(with_hook(x, [&] { inside = amp::op_policy("matmul"); })).backward();
  CHECK(inside == amp::OpPolicy::kLowPrecision);
}

TEST_CASE("backward: a guard inside one works, and ends there") {
  const amp::Tensor x = leaf(1);
  std::vector<amp::DType> seen;
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  amp::sum(with_hook(x, [&] {
    {
      const amp::AutocastGuard inner(amp::kCPU, {.dtype = amp::kBFloat16});
      seen.push_back(dtype_of_product());
    }
    seen.push_back(dtype_of_product());
  })).backward();
  CHECK(seen == std::vector{amp::kBFloat16, amp::kFloat32});
}

TEST_CASE("backward: a state taken in a forward pass is entered in a backward pass") {
  const amp::Tensor x = leaf(1);
  amp::DType recomputed = amp::kFloat32;
  const amp::Tensor loss = [&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return amp::sum(with_hook(x, [&, state = amp::autocast_state()] {
      const amp::AutocastGuard again(state);
      recomputed = dtype_of_product();
    }));
  }();
  loss.backward();
  CHECK(recomputed == amp::kFloat16);
}

TEST_CASE("backward: a state taken inside one says off, wherever it is entered") {
  const amp::Tensor x = leaf(1);
  amp::AutocastState state;
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    amp::sum(with_hook(x, [&] { state = amp::autocast_state(); })).backward();
  }
  const amp::AutocastGuard again(state);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK(dtype_of_product() == amp::kFloat32);
}

TEST_CASE("backward: one inside another runs with autocast off, also under a guard of the first") {
  const amp::Tensor x = leaf(1), y = leaf(1);
  std::vector<bool> enabled;
  const auto note = [&] { enabled.push_back(amp::is_autocast_enabled(amp::kCPU)); };
  const amp::Tensor inner = amp::sum(with_hook(y, note));
  amp::sum(with_hook(x, [&] {
    const amp::AutocastGuard autocast(amp::kCPU);
    inner.backward();
    note();
  })).backward();
  CHECK(enabled == std::vector{false, true});
  CHECK(y.grad().to_vector<float>() == std::vector<float>(4, 1));
}

TEST_CASE("backward: a pass that throws leaves the scope as it was") {
  const amp::Tensor x = leaf(1);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::Tensor loss = amp::sum(with_hook(x, [] { throw amp::Error("in a hook"); }));
  CHECK_THROWS_AS(loss.backward(), amp::Error);
  CHECK(amp::is_autocast_enabled(amp::kCPU));
  CHECK(amp::is_grad_enabled());
  CHECK_FALSE(x.grad().defined());
}

}  // namespace backward

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Autocast scopes: how they nest, what they inherit, and that they always restore what was.
#include <amp/amp.hpp>

#include <functional>
#include <stdexcept>
#include <string>

#include "support/catch.hpp"

namespace scope {
namespace {

amp::DType dtype_of_product() { return amp::matmul(amp::ones({2, 2}), amp::ones({2, 2})).dtype(); }

}  // namespace

TEST_CASE("scope: off by default") {
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCUDA));
  CHECK(dtype_of_product() == amp::kFloat32);
}

TEST_CASE("scope: default dtypes are float16 on CUDA and bfloat16 on the CPU") {
  CHECK(amp::autocast_dtype(amp::kCUDA) == amp::kFloat16);
  CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
  const amp::AutocastGuard autocast(amp::kCPU);
  CHECK(dtype_of_product() == amp::kBFloat16);
}

TEST_CASE("scope: on inside, off after it") {
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    CHECK(amp::is_autocast_enabled(amp::kCPU));
    CHECK(dtype_of_product() == amp::kFloat16);
  }
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
  CHECK(dtype_of_product() == amp::kFloat32);
}

TEST_CASE("scope: on, off, on, and out again level by level") {
  const amp::AutocastGuard on(amp::kCPU, {.dtype = amp::kFloat16});
  {
    const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    CHECK(dtype_of_product() == amp::kFloat32);
    {
      const amp::AutocastGuard again(amp::kCPU, {.dtype = amp::kBFloat16});
      CHECK(dtype_of_product() == amp::kBFloat16);
    }
    CHECK(dtype_of_product() == amp::kFloat32);
  }
  CHECK(dtype_of_product() == amp::kFloat16);
}

TEST_CASE("scope: an inner scope without dtype inherits the enclosing one's") {
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
  CHECK(amp::autocast_dtype(amp::kCPU) == amp::kFloat16);
  const amp::AutocastGuard inner(amp::kCPU);
  CHECK(dtype_of_product() == amp::kFloat16);
}

TEST_CASE("scope: an exception on the way out restores what was") {
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK_THROWS_AS(
      [] {
        const amp::AutocastGuard inner(
            amp::kCPU,
            {.dtype = amp::kBFloat16, .policies = {{"matmul", amp::OpPolicy::kFloat32}}});
        const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
        throw std::runtime_error("a step that fails");
      }(),
      std::runtime_error);
  CHECK(dtype_of_product() == amp::kFloat16);
  CHECK(amp::op_policy("matmul") == amp::OpPolicy::kLowPrecision);
}

TEST_CASE("scope: an op that throws inside leaves the scope as it is") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK_THROWS_AS(amp::matmul(amp::ones({2, 3}), amp::ones({2, 3})), amp::Error);
  CHECK(dtype_of_product() == amp::kFloat16);
}

TEST_CASE("scope: devices are independent") {
  const amp::AutocastGuard cuda(amp::kCUDA, {.dtype = amp::kBFloat16});
  CHECK(amp::is_autocast_enabled(amp::kCUDA));
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK(dtype_of_product() == amp::kFloat32);
  const amp::AutocastGuard cpu(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(dtype_of_product() == amp::kFloat16);
  CHECK(amp::autocast_dtype(amp::kCUDA) == amp::kBFloat16);
  const amp::AutocastGuard cuda_off(amp::kCUDA, {.enabled = false});
  CHECK(amp::is_autocast_enabled(amp::kCPU));
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCUDA));
}

TEST_CASE("scope: a dtype that cannot be autocast to is refused and changes nothing") {
  for (const amp::DType dtype :
       {amp::kFloat64, amp::kInt64, amp::kBool, amp::kUInt8, amp::kFloat8E4M3, amp::kFloat8E5M2}) {
    INFO(amp::name(dtype));
    CHECK_THROWS_AS(amp::AutocastGuard(amp::kCPU, {.dtype = dtype}), amp::Error);
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
  }
}

TEST_CASE("scope: a disabled scope takes any dtype in silence") {
  CHECK_NOTHROW(amp::AutocastGuard(amp::kCPU, {.dtype = amp::kFloat32, .enabled = false}));
  CHECK_NOTHROW(amp::AutocastGuard(amp::kCPU, {.dtype = amp::kFloat64, .enabled = false}));
}

TEST_CASE("scope: float32 as the scope's dtype keeps products in float32") {
  const amp::AutocastGuard outer(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::AutocastGuard inner(amp::kCPU, {.dtype = amp::kFloat32});
  const amp::Tensor half = amp::ones({2, 2}, {.dtype = amp::kFloat16});
  CHECK(amp::matmul(half, half).dtype() == amp::kFloat32);
}

TEST_CASE("scope: a state taken earlier is entered again") {
  const amp::AutocastState state = [] {
    const amp::AutocastGuard autocast(
        amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"exp", amp::OpPolicy::kPassthrough}}});
    return amp::autocast_state();
  }();
  CHECK(dtype_of_product() == amp::kFloat32);
  {
    const amp::AutocastGuard again(state);
    CHECK(dtype_of_product() == amp::kFloat16);
    CHECK(amp::op_policy("exp") == amp::OpPolicy::kPassthrough);
  }
  CHECK(dtype_of_product() == amp::kFloat32);
  CHECK(amp::op_policy("exp") == amp::OpPolicy::kFloat32);
}

TEST_CASE("scope: entering a state taken outside of scopes switches autocast off") {
  const amp::AutocastState outside = amp::autocast_state();
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const amp::AutocastGuard back(outside);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK(dtype_of_product() == amp::kFloat32);
}

TEST_CASE("autocast(callable): enters the scope at each call and leaves it after") {
  const auto product = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, dtype_of_product);
  CHECK(dtype_of_product() == amp::kFloat32);
  CHECK(product() == amp::kFloat16);
  CHECK(product() == amp::kFloat16);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("autocast(callable): recursion leaves autocast off at the end") {
  std::function<int(int)> recurse;
  int seen_off = 0;
  const auto wrapped = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, [&](int depth) -> int {
    if (dtype_of_product() != amp::kFloat16) ++seen_off;
    return depth == 0 ? 0 : 1 + recurse(depth - 1);
  });
  recurse = wrapped;
  CHECK(wrapped(5) == 5);
  CHECK(seen_off == 0);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
  CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
}

TEST_CASE("autocast(callable): a call that throws leaves autocast off") {
  const auto failing = amp::autocast(amp::kCPU, {}, [](int code) -> int {
    throw std::runtime_error("no" + std::to_string(code));
  });
  CHECK_THROWS_AS(failing(1), std::runtime_error);
  CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("autocast(callable): passes references through") {
  const auto identity =
      amp::autocast(amp::kCPU, {}, [](amp::Tensor& t) -> amp::Tensor& { return t; });
  amp::Tensor t = amp::ones({1});
  CHECK(&identity(t) == &t);
}

TEST_CASE("autocast(callable): an inner guard of the callee wins") {
  const auto product = amp::autocast(amp::kCPU, {.dtype = amp::kFloat16}, [] {
    const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
    return dtype_of_product();
  });
  CHECK(product() == amp::kFloat32);
}

}  // namespace scope

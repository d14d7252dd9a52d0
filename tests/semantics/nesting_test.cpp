// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// PyTorch's tests of scopes: what holds where, and what holds again after them.
#include <amp/amp.hpp>

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace nesting {
namespace {

using amp::AutocastGuard;
using amp::is_autocast_enabled;
using amp::kBFloat16;
using amp::kCPU;
using amp::kFloat16;
using amp::kFloat32;
using amp::kFloat64;
using amp::Tensor;

Tensor product() {
  const Tensor a = amp::ones({2, 2}), b = amp::ones({2, 2});
  return amp::matmul(a, b);
}
amp::DType dtype_here() { return product().dtype(); }

constexpr amp::DType kOff = kFloat32;

}  // namespace

// --- what a scope takes, and its defaults --------------------------------------------------------

TEST_CASE("test_autocast_disabled_with_fp32_dtype (test_autocast.py): constructs in silence") {
  const AutocastGuard autocast(kCPU, {.dtype = kFloat32, .enabled = false});
  CHECK_FALSE(is_autocast_enabled(kCPU));
  CHECK(dtype_here() == kOff);
}

// PyTorch warns and switches the scope off, on the CPU and for MPS; for CUDA it takes float32. Here
// CUDA's rule holds everywhere, and a dtype that cannot work is refused.
TEST_CASE("test_mps_autocast_error_message (test_autocast.py): float32 is taken, float64 refused") {
  CHECK_THAT(amp_test::error_of([] { const AutocastGuard autocast(kCPU, {.dtype = kFloat64}); }),
             Catch::Matchers::ContainsSubstring("float16, bfloat16 or float32"));
  const AutocastGuard autocast(kCPU, {.dtype = kFloat32});
  CHECK(is_autocast_enabled(kCPU));
  CHECK(dtype_here() == kFloat32);
}

TEST_CASE(
    "test_autocast_with_unsupported_type (openreg, test_autocast.py): float32 in, float32 out") {
  const Tensor x = amp::ones({2, 2}, {.dtype = kFloat16});
  const AutocastGuard autocast(kCPU, {.dtype = kFloat32});
  CHECK(amp::matmul(x, x).dtype() == kFloat32);
}

// PyTorch's scope for CUDA takes float64 and multiplies in it; here no scope does, for no policy
// could then say which of its inputs to narrow.
TEST_CASE("test_autocast_float64 (test_ctx_manager.py): a scope of float64 is refused") {
  for (const amp::DeviceType device : {kCPU, amp::kCUDA}) {
    CHECK_THROWS_AS(AutocastGuard(device, {.dtype = kFloat64}), amp::Error);
    CHECK_FALSE(is_autocast_enabled(device));
  }
  CHECK(dtype_here() == kOff);
}

// The test compiles a function; what it computes is the dtype of a product.
TEST_CASE("test_autocast (test_ctx_manager.py): float32 in, the scope's dtype out") {
  const AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(dtype_here() == kBFloat16);
}

TEST_CASE("test_autocast_fast_dtype (test_autocast.py): float16 on CUDA, bfloat16 on the CPU") {
  CHECK(amp::autocast_dtype(amp::kCUDA) == kFloat16);
  CHECK(amp::autocast_dtype(kCPU) == kBFloat16);
}

// A device is a type here: what PyTorch refuses when it runs does not compile.
TEST_CASE("test_invalid_device (test_autocast.py): a device by a name does not compile") {
  STATIC_REQUIRE_FALSE(std::is_constructible_v<AutocastGuard, const char*>);
  STATIC_REQUIRE_FALSE(std::is_constructible_v<AutocastGuard, std::string>);
  STATIC_REQUIRE_FALSE(std::is_invocable_v<decltype(amp::is_autocast_enabled), const char*>);
  STATIC_REQUIRE(std::is_constructible_v<AutocastGuard, amp::DeviceType>);
}

TEST_CASE("test_autocast_default_dtype (openreg, test_autocast.py): without one, the default") {
  const AutocastGuard autocast(kCPU);
  CHECK(dtype_here() == amp::autocast_dtype(kCPU));
  CHECK(dtype_here() == kBFloat16);
}

// There is no free setter, which would hold until someone sets again: a scope sets, to its end.
TEST_CASE("test_autocast_set_dtype (openreg, test_autocast.py): what is set is read back") {
  for (const amp::DType dtype : {kFloat16, kBFloat16, kFloat32}) {
    const AutocastGuard autocast(kCPU, {.dtype = dtype});
    CHECK(amp::autocast_dtype(kCPU) == dtype);
  }
  CHECK(amp::autocast_dtype(kCPU) == kBFloat16);
}

TEST_CASE("test_autocast_disable (openreg, test_autocast.py): a disabled scope leaves float32") {
  const AutocastGuard autocast(kCPU, {.enabled = false});
  CHECK(dtype_here() == kOff);
}

// --- nesting -------------------------------------------------------------------------------------

TEST_CASE("test_generic_autocast (test_autocast.py): two equal scopes give equal results") {
  const Tensor a = amp::full({3, 3}, 0.1), b = amp::full({3, 3}, 0.7);
  const auto in_scope = [&] {
    const AutocastGuard autocast(kCPU);
    return amp::matmul(a, b);
  };
  const Tensor first = in_scope(), second = in_scope();
  CHECK(first.dtype() == second.dtype());
  CHECK(first.to_vector<float>() == second.to_vector<float>());
}

TEST_CASE("test_nested_autocast (test_jit_autocast.py): off, on, off inside each other") {
  const AutocastGuard off(kCPU, {.enabled = false});
  CHECK(dtype_here() == kOff);
  {
    const AutocastGuard on(kCPU, {.dtype = kFloat16});
    CHECK(dtype_here() == kFloat16);
    {
      const AutocastGuard off_again(kCPU, {.enabled = false});
      CHECK(dtype_here() == kOff);
    }
    CHECK(dtype_here() == kFloat16);
  }
  CHECK(dtype_here() == kOff);
}

TEST_CASE("test_implicitly_nested_autocast (test_jit_autocast.py): the inner of two wins") {
  const AutocastGuard off(kCPU, {.enabled = false}), on(kCPU, {.dtype = kFloat16});
  CHECK(dtype_here() == kFloat16);
}

// The object that is entered twice is a callable here, for guards are neither copied nor entered.
// PyTorch's test never asks whether autocast is off afterwards; it is not.
TEST_CASE("test_reused_autocast (test_jit_autocast.py): one object, entered twice, off after it") {
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<AutocastGuard>);
  STATIC_REQUIRE_FALSE(std::is_move_constructible_v<AutocastGuard>);
  const auto reused = amp::autocast(kCPU, {.dtype = kFloat16}, [](auto inner) { return inner(); });
  const std::vector<Tensor> results = reused([&] {
    const Tensor e = product();
    const Tensor f = reused(product);
    CHECK(dtype_here() == kFloat16);
    return std::vector{e, f};
  });
  CHECK(results[0].dtype() == kFloat16);
  CHECK(results[1].dtype() == kFloat16);
  CHECK(amp::matmul(results[0], results[1]).dtype() == kFloat16);  // as both operands are
  CHECK_FALSE(is_autocast_enabled(kCPU));
  CHECK(dtype_here() == kOff);
}

TEST_CASE("test_callees (test_jit_autocast.py): a scope reaches the functions called in it") {
  const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const auto callee = [] { return dtype_here(); };
  CHECK([&] { return callee(); }() == kFloat16);
}

TEST_CASE("test_callees_with_autocast_on (test_jit_autocast.py): a scope of the callee's own") {
  const AutocastGuard off(kCPU, {.enabled = false});
  const auto callee = [] {
    const AutocastGuard on(kCPU, {.dtype = kFloat16});
    return dtype_here();
  };
  CHECK(callee() == kFloat16);
  CHECK(dtype_here() == kOff);
}

TEST_CASE("test_callees_with_autocast_off (test_jit_autocast.py): and one that is off") {
  const AutocastGuard on(kCPU, {.dtype = kFloat16});
  const auto callee = [] {
    const AutocastGuard off(kCPU, {.enabled = false});
    return dtype_here();
  };
  CHECK(callee() == kOff);
  CHECK(dtype_here() == kFloat16);
}

TEST_CASE("test_divergent_autocast (test_jit_autocast.py): the scope is chosen when it runs") {
  for (const bool low : {true, false, true}) {
    const amp::AutocastOptions options =
        low ? amp::AutocastOptions{.dtype = kFloat16} : amp::AutocastOptions{.enabled = false};
    const AutocastGuard autocast(kCPU, options);
    CHECK(dtype_here() == (low ? kFloat16 : kOff));
  }
}

TEST_CASE("test_conditional_autocast (test_jit_autocast.py): whether there is a scope, likewise") {
  for (const bool on : {true, false, true}) {
    std::optional<AutocastGuard> autocast;
    if (on) autocast.emplace(kCPU, amp::AutocastOptions{.dtype = kFloat16});
    CHECK(dtype_here() == (on ? kFloat16 : kOff));
  }
  CHECK(dtype_here() == kOff);
}

// TorchScript must find one dtype for both branches; C++ need not.
TEST_CASE("test_control_flow (test_jit_autocast.py): branches that differ in dtype") {
  for (const bool branch : {true, false}) {
    const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
    const Tensor a = amp::ones({2, 2});
    CHECK((branch ? amp::matmul(a, a) : a + a).dtype() == (branch ? kFloat16 : kFloat32));
  }
}

TEST_CASE("test_divergent_types (test_jit_autocast.py): they meet in float32") {
  const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  const Tensor a = amp::ones({2, 2});
  CHECK((amp::matmul(a, a) + a).dtype() == kFloat32);
}

TEST_CASE("test_eager_and_script (test_jit_autocast.py): switched on and off eight times") {
  for (int i = 0; i < 8; ++i) {
    const bool on = i % 2 == 0;
    const AutocastGuard autocast(kCPU, {.dtype = kFloat16, .enabled = on});
    CHECK(dtype_here() == (on ? kFloat16 : kOff));
  }
}

// The decorated function cannot be scripted; calling it is what remains.
TEST_CASE("test_autocast_decorator_outside_jit (test_jit_autocast.py): float16 at each call") {
  const auto decorated = amp::autocast(kCPU, {.dtype = kFloat16}, dtype_here);
  CHECK(decorated() == kFloat16);
  CHECK(dtype_here() == kOff);
  CHECK(decorated() == kFloat16);
}

// Tensors on CUDA need a GPU; the scope for them is there without one.
TEST_CASE("test_autocast_mixed_dtypes (test_jit_autocast.py): one dtype for each device type") {
  const AutocastGuard cpu(kCPU, {.dtype = kBFloat16}), cuda(amp::kCUDA, {.dtype = kFloat16});
  CHECK(dtype_here() == kBFloat16);
  CHECK(amp::autocast_dtype(kCPU) == kBFloat16);
  CHECK(amp::autocast_dtype(amp::kCUDA) == kFloat16);
}

TEST_CASE("test_jit_executor_under_autocast (test_jit_autocast.py): inside both, then outside") {
  {
    const AutocastGuard cuda(amp::kCUDA, {.dtype = kFloat16}), cpu(kCPU, {.dtype = kBFloat16});
    CHECK(dtype_here() == kBFloat16);
  }
  CHECK(dtype_here() == kOff);
  CHECK_FALSE(is_autocast_enabled(amp::kCUDA));
  {
    const AutocastGuard cuda(amp::kCUDA, {.dtype = kFloat16});
    CHECK(dtype_here() == kOff);
  }
}

TEST_CASE("test_script_autocast_cpu (test_jit_autocast.py): code that asks whether it is on") {
  const auto asks = [] { return is_autocast_enabled(kCPU) ? amp::ones({1}) : amp::zeros({1}); };
  CHECK(asks().item<float>() == 0);
  const AutocastGuard autocast(kCPU);
  CHECK(asks().item<float>() == 1);
}

TEST_CASE("test_script_autocast_cuda (test_jit_autocast.py): each device type for itself") {
  const AutocastGuard autocast(amp::kCUDA);
  CHECK(is_autocast_enabled(amp::kCUDA));
  CHECK_FALSE(is_autocast_enabled(kCPU));
}

TEST_CASE("test_script_autocast_enable_and_check (test_jit_autocast.py): the answer is the dtype") {
  const auto agree = [](bool on) {
    CHECK(is_autocast_enabled(kCPU) == on);
    CHECK((dtype_here() == kFloat32) == !on);
  };
  agree(false);
  {
    const AutocastGuard on(kCPU);
    agree(true);
    {
      const AutocastGuard off(kCPU, {.enabled = false});
      agree(false);
      {
        const AutocastGuard on_again(kCPU);
        agree(true);
      }
      agree(false);
    }
    agree(true);
  }
  agree(false);
}

TEST_CASE("test_autocast_cpu_graph_break (test_ctx_manager.py): on, off, on, and back again") {
  const AutocastGuard on(kCPU, {.dtype = kBFloat16});
  const Tensor low = product();
  {
    const AutocastGuard off(kCPU, {.enabled = false});
    const Tensor wide = product();
    CHECK(wide.dtype() == kFloat32);
    CHECK((wide + low).dtype() == kFloat32);  // unlisted: as without autocast
    const AutocastGuard again(kCPU, {.dtype = kBFloat16});
    CHECK(dtype_here() == kBFloat16);
  }
  CHECK(low.dtype() == kBFloat16);
  CHECK(dtype_here() == kBFloat16);
}

TEST_CASE("test_autocast_cpu_graph_break_2 (test_ctx_manager.py): one scope after another") {
  const Tensor a = amp::ones({2, 2});
  Tensor x = a;
  for (const bool on : {true, false, true}) {
    const AutocastGuard autocast(kCPU, {.dtype = kBFloat16, .enabled = on});
    x = amp::matmul(on ? x : x.to(kFloat32), a);
    CHECK(x.dtype() == (on ? kBFloat16 : kFloat32));
  }
}

TEST_CASE(
    "test_autocast_cpu_graph_break_inner_fn (test_ctx_manager.py): scopes of inner functions") {
  const auto inner = [] {
    const AutocastGuard off(kCPU, {.enabled = false});
    return dtype_here();
  };
  const auto outer = [&] {
    const AutocastGuard on(kCPU, {.dtype = kBFloat16});
    const std::vector before_and_after{dtype_here(), inner(), dtype_here()};
    return before_and_after;
  };
  CHECK(outer() == std::vector{kBFloat16, kFloat32, kBFloat16});
}

TEST_CASE("test_autocast_graph_break_method (test_ctx_manager.py): a scope in a member function") {
  struct Module {
    Tensor bias = amp::ones({2, 2});
    Tensor operator()(const Tensor& x) const {
      const AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
      return amp::matmul(x, bias) + bias;  // unlisted: float32 wins
    }
  };
  CHECK(Module()(amp::ones({2, 2})).dtype() == kFloat32);
  CHECK(Module()(amp::ones({2, 2})).to_vector<float>() == std::vector<float>(4, 3));
  CHECK(dtype_here() == kOff);
}

// The scope for CUDA is one for the CPU here.
TEST_CASE("test_autocast_sdpa (test_ctx_manager.py): float32 inside bfloat16, attention included") {
  const Tensor x = amp::ones({2, 3, 4}, {.dtype = kBFloat16});
  const auto attention = [&] { return amp::scaled_dot_product_attention(x, x, x).dtype(); };
  const AutocastGuard outer(kCPU, {.dtype = kBFloat16});
  CHECK(attention() == kBFloat16);
  {
    const AutocastGuard inner(kCPU, {.dtype = kFloat32});
    CHECK(attention() == kFloat32);
  }
  CHECK(attention() == kBFloat16);
}

TEST_CASE("test_autocast_disable_guard (test_aotdispatch.py): a scope for a composite's insides") {
  const AutocastGuard autocast(kCPU, {.dtype = kFloat16});
  {
    const amp::autocasting::NoCasts none;
    CHECK(dtype_here() == kOff);
  }
  CHECK(dtype_here() == kFloat16);
}

TEST_CASE("test_autocast_nested_context (openreg, test_autocast.py): float16, bfloat16, float16") {
  const Tensor x = amp::ones({2, 3}), plain = amp::ones({3, 3}),
               leaf = amp::ones({3, 3}, {.requires_grad = true});
  for (const Tensor& w : {plain, leaf}) {  // PyTorch's cache would answer in float16 for the leaf
    const AutocastGuard outer(kCPU, {.dtype = kFloat16});
    CHECK(amp::matmul(x, w).dtype() == kFloat16);
    {
      const AutocastGuard inner(kCPU, {.dtype = kBFloat16});
      CHECK(amp::matmul(x, w).dtype() == kBFloat16);
    }
    CHECK(amp::matmul(x, w).dtype() == kFloat16);
  }
}

// PyTorch's test lets one op fall through for its own duration; that is a policy of a scope here.
TEST_CASE("test_register_fallthrough (test_python_dispatch.py): one op is left out, then back") {
  const Tensor a = amp::ones({2, 2}), batch = amp::ones({2, 2, 2});
  const AutocastGuard autocast(kCPU, {.dtype = kBFloat16});
  CHECK(amp::bmm(batch, batch).dtype() == kBFloat16);
  {
    const AutocastGuard without_bmm(kCPU, {.policies = {{"bmm", amp::OpPolicy::kPassthrough}}});
    CHECK(amp::bmm(batch, batch).dtype() == kFloat32);
    CHECK(amp::matmul(a, a).dtype() == kBFloat16);
  }
  CHECK(amp::bmm(batch, batch).dtype() == kBFloat16);
}

}  // namespace nesting

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scopes of the products alone: only_low_precision leaves every other op to its inputs.
#include <amp/amp.hpp>

#include <array>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include "conformance/calls.hpp"
#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace low_precision_only {
namespace {

using amp::AutocastGuard;
using amp::AutocastOptions;
using amp::OpPolicy;
using amp::Tensor;

Tensor values(amp::DType dtype) {
  return amp::tensor({0.1F, 0.7F, 2.3F, 5.9F, 1.3F, 0.25F}, {2, 3}, {.dtype = dtype});
}

AutocastOptions only(amp::DType dtype = amp::kFloat16) {
  return {.dtype = dtype, .only_low_precision = true};
}

}  // namespace

TEST_CASE("only_low_precision: products are cast as ever") {
  const Tensor x = values(amp::kFloat32), image = amp::ones({1, 1, 3, 3});
  const AutocastGuard scope(amp::kCPU, only());
  CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat16);
  CHECK(amp::linear(x, x).dtype() == amp::kFloat16);
  CHECK(amp::conv2d(image, image).dtype() == amp::kFloat16);
  const Tensor q = amp::ones({1, 1, 2, 3});
  CHECK(amp::scaled_dot_product_attention(q, q, q).dtype() == amp::kFloat16);
}

TEST_CASE("only_low_precision: every other op does what it does outside, bit for bit") {
  for (const conformance::Binding& op : conformance::kBindings) {
    if (!conformance::is_listed(op)) continue;
    if (amp::op_policy(conformance::listed_name(op)) == OpPolicy::kLowPrecision) continue;
    const conformance::OpCase& c = conformance::example(op);
    for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32, amp::kFloat64}) {
      INFO(op.op << " of " << amp::name(dtype));
      const auto result = [&] {
        amp::manual_seed(1);
        return op.call(conformance::inexact_inputs(c, dtype), c)[0];
      };
      const Tensor outside = result();
      const AutocastGuard scope(amp::kCPU, only());
      CHECK(amp_test::same_bits(result(), outside));
    }
  }
}

TEST_CASE("only_low_precision: ranges are the inputs' own") {
  const Tensor twelve = amp::full({1}, 12, {.dtype = amp::kFloat16});
  const Tensor large = amp::full({2}, 60000, {.dtype = amp::kFloat16});
  {
    const AutocastGuard listed(amp::kCPU, {.dtype = amp::kFloat16});
    CHECK(amp::exp(twelve).item<float>() == Approx(162754.797));
    CHECK(amp::sum(large).item<float>() == 120000);
  }
  const AutocastGuard scope(amp::kCPU, only());
  CHECK(std::isinf(amp::exp(twelve).item<float>()));
  CHECK(std::isinf(amp::sum(large).item<float>()));
  CHECK(amp::exp(twelve.to(amp::kFloat32)).dtype() == amp::kFloat32);
}

TEST_CASE("only_low_precision: op_policy answers for every listed op, and the list is back after") {
  {
    const AutocastGuard scope(amp::kCPU, only());
    for (const auto& op : amp::autocasting::kOpList) {
      INFO(op.name);
      const bool low = op.policy == OpPolicy::kLowPrecision;
      CHECK(amp::op_policy(op.name) == (low ? OpPolicy::kLowPrecision : OpPolicy::kPassthrough));
    }
  }
  for (const auto& op : amp::autocasting::kOpList) CHECK(amp::op_policy(op.name) == op.policy);
}

TEST_CASE("only_low_precision: ops of the user's own obey it") {
  amp::register_op("test.only.low", OpPolicy::kLowPrecision);
  amp::register_op("test.only.full", OpPolicy::kFloat32);
  amp::register_op("test.only.math", OpPolicy::kFloat32Math);
  amp::register_op("test.only.promote", OpPolicy::kPromote);
  const auto dtype_seen = [](std::string_view name, amp::DType dtype) {
    amp::DType seen = amp::kInt64;
    (void)amp::autocast_call(
        name,
        [&](const Tensor& x) {
          seen = x.dtype();
          return x;
        },
        values(dtype));
    return seen;
  };
  const AutocastGuard scope(amp::kCPU, only(amp::kBFloat16));
  CHECK(dtype_seen("test.only.low", amp::kFloat32) == amp::kBFloat16);
  for (const char* name : {"test.only.full", "test.only.math", "test.only.promote"}) {
    INFO(name);
    CHECK(amp::op_policy(name) == OpPolicy::kPassthrough);
    CHECK(dtype_seen(name, amp::kFloat16) == amp::kFloat16);
    CHECK(dtype_seen(name, amp::kFloat32) == amp::kFloat32);
  }
}

TEST_CASE("only_low_precision: policies of the scope win") {
  const Tensor x = values(amp::kFloat16), y = values(amp::kFloat32);
  const AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16,
                                        .policies = {{"softmax", OpPolicy::kFloat32},
                                                     {"exp", OpPolicy::kFloat32Math},
                                                     {"relu", OpPolicy::kLowPrecision},
                                                     {"matmul", OpPolicy::kFloat32}},
                                        .only_low_precision = true});
  CHECK(amp::softmax(x, 1).dtype() == amp::kFloat32);
  CHECK(amp::exp(x).dtype() == amp::kFloat16);
  CHECK(amp::op_policy("exp") == OpPolicy::kFloat32Math);
  CHECK(amp::relu(y).dtype() == amp::kFloat16);
  CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat32);
  CHECK(amp::linear(y, y).dtype() == amp::kFloat16);
  CHECK(amp::log_softmax(x, 1).dtype() == amp::kFloat16);
}

TEST_CASE("only_low_precision: inherited where unset, switched where set") {
  const auto says = [] { return amp::op_policy("softmax"); };
  const AutocastGuard outer(amp::kCPU, only());
  CHECK(says() == OpPolicy::kPassthrough);
  {
    const AutocastGuard inherits(amp::kCPU, {.dtype = amp::kBFloat16});
    CHECK(says() == OpPolicy::kPassthrough);
    {
      const AutocastGuard off(amp::kCPU, {.only_low_precision = false});
      CHECK(says() == OpPolicy::kFloat32);
      CHECK(amp::exp(values(amp::kFloat16)).dtype() == amp::kFloat32);
      {
        const AutocastGuard on(amp::kCPU, {.only_low_precision = true});
        CHECK(says() == OpPolicy::kPassthrough);
      }
      CHECK(says() == OpPolicy::kFloat32);
    }
    CHECK(says() == OpPolicy::kPassthrough);
  }
  CHECK(says() == OpPolicy::kPassthrough);
}

TEST_CASE("only_low_precision: policies of an outer scope hold in an inner one") {
  const AutocastGuard outer(amp::kCPU,
                            {.dtype = amp::kFloat16, .policies = {{"exp", OpPolicy::kFloat32}}});
  const AutocastGuard inner(amp::kCPU, {.only_low_precision = true});
  CHECK(amp::op_policy("exp") == OpPolicy::kFloat32);
  CHECK(amp::op_policy("log") == OpPolicy::kPassthrough);
  CHECK(amp::exp(values(amp::kFloat16)).dtype() == amp::kFloat32);
}

TEST_CASE("only_low_precision: goes with a state to where it is entered") {
  const amp::AutocastState state = [] {
    const AutocastGuard scope(amp::kCPU, only());
    return amp::autocast_state();
  }();
  CHECK(amp::op_policy("exp") == OpPolicy::kFloat32);
  const AutocastGuard again(state);
  CHECK(amp::op_policy("exp") == OpPolicy::kPassthrough);
  CHECK(amp::exp(values(amp::kFloat16)).dtype() == amp::kFloat16);
}

TEST_CASE("only_low_precision: does not reach into a backward pass, but with custom_function") {
  std::optional<OpPolicy> plain, custom;
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const AutocastGuard scope(amp::kCPU, only());
  const Tensor y = x * 2;
  const Tensor z = y.clone();
  amp::autograd::record(
      "test", z,
      [&](const Tensor& grad, const amp::autograd::Needs<1>&) -> amp::autograd::Gradients<1> {
        plain = amp::op_policy("exp");
        return {grad};
      },
      y);
  const Tensor w = amp::custom_function(
      [&](const Tensor& t) {
        return std::pair{t, [&](const Tensor& grad) {
                           custom = amp::op_policy("exp");
                           return std::array{grad};
                         }};
      },
      z);
  amp::sum(w).backward();
  CHECK(plain == OpPolicy::kFloat32);
  CHECK(custom == OpPolicy::kPassthrough);
}

TEST_CASE("only_low_precision: gradients keep the dtype of their leaf") {
  const Tensor x = values(amp::kFloat32).requires_grad_();
  {
    const AutocastGuard scope(amp::kCPU, only());
    const Tensor y = amp::softmax(amp::matmul(x, x.t()), 1);
    CHECK(y.dtype() == amp::kFloat16);
    amp::sum(y * y).backward();
  }
  CHECK(x.grad().dtype() == amp::kFloat32);
}

}  // namespace low_precision_only

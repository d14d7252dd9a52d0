// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Policies per scope, and ops of the user's own.
#include <amp/amp.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace policies {
namespace {

using amp::OpPolicy;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

amp::Tensor ramp() { return amp::tensor({0.1F, 0.7F, -2.3F, 5.9F, 1.3F, 0.0F}, {2, 3}); }

}  // namespace

TEST_CASE("policies: answered outside of scopes too") {
  CHECK(amp::op_policy("matmul") == OpPolicy::kLowPrecision);
  CHECK(amp::op_policy("softmax") == OpPolicy::kFloat32);
  CHECK(amp::op_policy("relu") == OpPolicy::kPassthrough);
}

TEST_CASE("policies: an unknown name throws and suggests the nearest") {
  CHECK_THAT(error_of([] { (void)amp::op_policy("sofmax"); }), ContainsSubstring("\"softmax\""));
  CHECK_THAT(error_of([] {
               amp::OpPolicies{{"conv2", OpPolicy::kFloat32}};
             }),
             ContainsSubstring("\"conv2d\""));
  CHECK_THAT(error_of([] { (void)amp::op_policy(""); }), ContainsSubstring("register_op"));
}

TEST_CASE("policies: a scope's own hold in it and in inner scopes, and end with it") {
  const amp::Tensor x = ramp();
  {
    const amp::AutocastGuard outer(
        amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"matmul", OpPolicy::kFloat32}}});
    CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat32);
    {
      const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"relu", OpPolicy::kLowPrecision}}});
      CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat32);
      CHECK(amp::relu(x).dtype() == amp::kFloat16);
    }
    CHECK(amp::relu(x).dtype() == amp::kFloat32);
  }
  CHECK(amp::op_policy("matmul") == OpPolicy::kLowPrecision);
  const amp::AutocastGuard after(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat16);
}

TEST_CASE("policies: an inner scope overrides an outer one's, and leaves the rest") {
  const amp::AutocastGuard outer(
      amp::kCPU, {.policies = {{"exp", OpPolicy::kPassthrough}, {"sum", OpPolicy::kPassthrough}}});
  const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"exp", OpPolicy::kFloat32}}});
  CHECK(amp::op_policy("exp") == OpPolicy::kFloat32);
  CHECK(amp::op_policy("sum") == OpPolicy::kPassthrough);
}

TEST_CASE("policies: kFloat32Math gives the first input's dtype, also beside a wider one") {
  const amp::AutocastGuard guard(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"mse_loss", OpPolicy::kFloat32Math}}});
  const amp::Tensor x = amp::tensor({300.0F}, {1}), y = amp::tensor({299.0F}, {1});
  CHECK(amp::mse_loss(x.to(amp::kFloat16), y).dtype() == amp::kFloat16);
  CHECK(amp::mse_loss(x.to(amp::kFloat16), y).item<float>() == 1);
  CHECK(amp::mse_loss(x, y.to(amp::kFloat16)).dtype() == amp::kFloat32);
}

TEST_CASE("policies: kFloat32Math is the float32 op rounded once to the input's dtype") {
  const amp::Tensor x = ramp();
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16,
                                                .policies = {{"softmax", OpPolicy::kFloat32Math},
                                                             {"matmul", OpPolicy::kFloat32Math},
                                                             {"exp", OpPolicy::kFloat32Math}}});
  for (const amp::DType dtype : {amp::kFloat16, amp::kBFloat16, amp::kFloat32}) {
    INFO(amp::name(dtype));
    const amp::Tensor low = x.to(dtype), full = low.to(amp::kFloat32);
    const auto expect = [&](const amp::Tensor& result, const amp::Tensor& float32) {
      CHECK(result.dtype() == dtype);
      CHECK(result.to_vector<float>() == float32.to(dtype).to_vector<float>());
    };
    expect(amp::softmax(low, 1), amp::softmax(full, 1));
    expect(amp::matmul(low, low.t()), amp::matmul(full, full.t()));
    expect(amp::exp(low), amp::exp(full));
  }
  CHECK(amp::softmax(x.to(amp::kFloat64), 1).dtype() == amp::kFloat64);
}

TEST_CASE("policies: kFloat32Math leaves results that are not floating point alone") {
  const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"eq", OpPolicy::kFloat32Math},
                                                             {"argmax", OpPolicy::kFloat32Math}}});
  const amp::Tensor x = ramp().to(amp::kFloat16);
  CHECK(amp::eq(x, x).dtype() == amp::kBool);
  CHECK(amp::argmax(x, 1).dtype() == amp::kInt64);
}

TEST_CASE("policies: kFloat32Math is differentiable, the gradient in the input's dtype") {
  const amp::Tensor x =
      amp::tensor({0.5F, 1.5F}, {2}, {.dtype = amp::kFloat16, .requires_grad = true});
  {
    const amp::AutocastGuard autocast(amp::kCPU, {.policies = {{"exp", OpPolicy::kFloat32Math}}});
    amp::sum(amp::exp(x)).backward();
  }
  CHECK(x.grad().dtype() == amp::kFloat16);
  CHECK(x.grad().to_vector<float>() == amp::exp(x.detach()).to_vector<float>());
}

TEST_CASE("policies: kPromote casts to the widest dtype in any order") {
  const amp::Tensor x = ramp();
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kBFloat16, .policies = {{"matmul", OpPolicy::kPromote}}});
  const auto product = [&](amp::DType a, amp::DType b) {
    return amp::matmul(x.to(a), x.t().to(b)).dtype();
  };
  using amp::kBFloat16, amp::kFloat16, amp::kFloat32;
  for (const auto& [a, b] :
       {std::pair{kFloat16, kFloat32}, {kBFloat16, kFloat32}, {kFloat16, kBFloat16}}) {
    INFO(amp::name(a) << " and " << amp::name(b));
    CHECK(product(a, b) == kFloat32);
    CHECK(product(b, a) == kFloat32);
  }
  CHECK(product(kFloat16, kFloat16) == kFloat16);
}

TEST_CASE("policies: kPassthrough leaves the op to its inputs") {
  const amp::Tensor x = ramp();
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"matmul", OpPolicy::kPassthrough}}});
  CHECK(amp::matmul(x, x.t()).dtype() == amp::kFloat32);
  CHECK_THROWS_AS(amp::matmul(x, x.t().to(amp::kFloat16)), amp::Error);
}

TEST_CASE("policies: a comparison with a number obeys its op's policy") {
  const amp::Tensor x = amp::tensor({1 + 0x1p-20F}, {1});
  CHECK(amp::eq(x, 1).item<bool>() == false);
  const amp::AutocastGuard autocast(
      amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"eq", OpPolicy::kLowPrecision}}});
  CHECK(amp::eq(x, amp::ones({1})).item<bool>());
  CHECK(amp::eq(x, 1).item<bool>());
}

// --- ops of the user's own ----------------------------------------------------------------------

TEST_CASE("register_op: the op is known and can be given another policy") {
  amp::register_op("test.scaled_product", OpPolicy::kLowPrecision);
  CHECK(amp::op_policy("test.scaled_product") == OpPolicy::kLowPrecision);
  amp::register_op("test.scaled_product", OpPolicy::kFloat32);
  CHECK(amp::op_policy("test.scaled_product") == OpPolicy::kFloat32);
  CHECK_THAT(error_of([] { (void)amp::op_policy("test.scaled_produkt"); }),
             ContainsSubstring("test.scaled_product"));
}

TEST_CASE("register_op: a nameless op is refused") {
  CHECK_THAT(error_of([] { amp::register_op("", OpPolicy::kFloat32); }),
             ContainsSubstring("must not be empty"));
}

TEST_CASE("register_op: a listed op gets another default for the process") {
  amp::register_op("tanh", OpPolicy::kFloat32);
  {
    const amp::AutocastGuard autocast(amp::kCPU);
    CHECK(amp::tanh(ramp().to(amp::kBFloat16)).dtype() == amp::kFloat32);
  }
  amp::register_op("tanh", OpPolicy::kPassthrough);
  CHECK(amp::op_policy("tanh") == OpPolicy::kPassthrough);
}

TEST_CASE("autocast_call: casts by the policy, and the ops inside not again") {
  amp::register_op("test.low", OpPolicy::kLowPrecision);
  amp::register_op("test.full", OpPolicy::kFloat32);
  const amp::Tensor x = ramp();
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const auto with_exp = [](const amp::Tensor& t) {
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    return amp::exp(t);  // on the float32 list
  };
  const auto with_product = [](const amp::Tensor& t) { return amp::matmul(t, t.t()); };
  CHECK(amp::autocast_call("test.low", with_exp, x).dtype() == amp::kFloat16);
  CHECK(amp::autocast_call("test.full", with_product, x.to(amp::kFloat16)).dtype() ==
        amp::kFloat32);
  CHECK(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("autocast_call: a passthrough op is cast inside, as if called directly") {
  amp::register_op("test.composite", OpPolicy::kPassthrough);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const auto product = [](const amp::Tensor& t) { return amp::matmul(t, t.t()); };
  CHECK(amp::autocast_call("test.composite", product, ramp()).dtype() == amp::kFloat16);
}

TEST_CASE("autocast_call: leaves float64, integers and absent tensors alone") {
  amp::register_op("test.three", OpPolicy::kLowPrecision);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  std::vector<amp::DType> seen;
  const auto look = [&](const amp::Tensor& a, const amp::Tensor& b, const amp::Tensor& c,
                        const amp::Tensor& d) {
    seen = {a.dtype(), b.dtype(), d.dtype()};
    CHECK_FALSE(c.defined());
    return d;
  };
  (void)amp::autocast_call("test.three", look, ramp().to(amp::kFloat64), amp::tensor({1, 2}, {2}),
                           amp::Tensor{}, ramp());
  CHECK(seen == std::vector{amp::kFloat64, amp::kInt64, amp::kFloat16});
}

TEST_CASE("autocast_call: promotes among its inputs") {
  amp::register_op("test.promote", OpPolicy::kPromote);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const auto add = [](const amp::Tensor& a, const amp::Tensor& b) {
    CHECK(a.dtype() == b.dtype());
    return amp::add(a, b);
  };
  const amp::Tensor x = ramp();
  CHECK(amp::autocast_call("test.promote", add, x.to(amp::kFloat16), x).dtype() == amp::kFloat32);
  CHECK(amp::autocast_call("test.promote", add, x, x.to(amp::kFloat16)).dtype() == amp::kFloat32);
}

TEST_CASE("autocast_call: does nothing outside of scopes") {
  amp::register_op("test.outside", OpPolicy::kLowPrecision);
  const amp::Tensor x = ramp();
  const amp::Tensor y = amp::autocast_call(
      "test.outside", [](const amp::Tensor& t) { return t; }, x);
  CHECK(y.is_same(x));
}

TEST_CASE("autocast_call: an exception inside leaves the scope as it is") {
  amp::register_op("test.throws", OpPolicy::kFloat32);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  const auto failing = [](const amp::Tensor&) -> amp::Tensor { throw std::runtime_error("no"); };
  CHECK_THROWS_AS(amp::autocast_call("test.throws", failing, ramp()), std::runtime_error);
  CHECK(amp::is_autocast_enabled(amp::kCPU));
}

TEST_CASE("autocast_call: an unknown name throws, inside of scopes and outside") {
  const auto same = [](const amp::Tensor& t) { return t; };
  CHECK_THROWS_AS(amp::autocast_call("test.nobody", same, ramp()), amp::Error);
  const amp::AutocastGuard autocast(amp::kCPU);
  CHECK_THROWS_AS(amp::autocast_call("test.nobody", same, ramp()), amp::Error);
}

}  // namespace policies

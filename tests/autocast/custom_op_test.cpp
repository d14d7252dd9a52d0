// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Ops of the user's that are declared at compile time.
#include <amp/amp.hpp>

#include <string>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace custom_op {

using amp::OpPolicy;
using amp::Tensor;

namespace {

amp::DType dtype_under(const amp::CustomOp& op) {
  return amp::autocast_call(
             op, [](const Tensor& x) { return amp::neg(x); }, amp::ones({2}))
      .dtype();
}

}  // namespace

TEST_CASE("custom op: its policy is that of its declaration") {
  static constexpr amp::CustomOp kLow("custom_low", OpPolicy::kLowPrecision);
  static constexpr amp::CustomOp kKeep("custom_keep", OpPolicy::kPassthrough);
  STATIC_REQUIRE(kLow.name() == "custom_low");
  STATIC_REQUIRE(kLow.policy() == OpPolicy::kLowPrecision);
  CHECK(dtype_under(kLow) == amp::kFloat32);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(dtype_under(kLow) == amp::kFloat16);
  CHECK(dtype_under(kKeep) == amp::kFloat32);
  CHECK(dtype_under(amp::CustomOp("custom_temporary", OpPolicy::kLowPrecision)) == amp::kFloat16);
}

TEST_CASE("custom op: it is known by name from its first call on") {
  static constexpr amp::CustomOp kNamed("custom_named", OpPolicy::kPromote);
  CHECK(amp_test::error_of([] { (void)amp::op_policy("custom_named"); }) != "");
  for (int i = 0; i < 200; ++i) (void)dtype_under(kNamed);  // takes one place of 128
  CHECK(amp::op_policy("custom_named") == OpPolicy::kPromote);
}

TEST_CASE("custom op: register_op, and a scope, override its policy") {
  static constexpr amp::CustomOp kChanged("custom_changed", OpPolicy::kLowPrecision);
  amp::register_op("custom_changed", OpPolicy::kPassthrough);
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
  CHECK(dtype_under(kChanged) == amp::kFloat32);
  amp::register_op("custom_changed", OpPolicy::kLowPrecision);
  CHECK(dtype_under(kChanged) == amp::kFloat16);
  const amp::AutocastGuard inner(amp::kCPU, {.policies = {{"custom_changed", OpPolicy::kFloat32}}});
  CHECK(dtype_under(kChanged) == amp::kFloat32);
}

TEST_CASE("custom op: the ops inside it are not cast again") {
  static constexpr amp::CustomOp kExact("custom_exact", OpPolicy::kFloat32);
  const amp::AutocastGuard autocast(amp::kCPU);
  CHECK(amp::autocast_call(
            kExact, [](const Tensor& x) { return amp::matmul(x, x); }, amp::ones({2, 2}))
            .dtype() == amp::kFloat32);
  CHECK(amp::autocast_call(
            kExact, [](const Tensor& x) { return x.dim(); }, amp::ones({2, 2})) == 2);
}

}  // namespace custom_op

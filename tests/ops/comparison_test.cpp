// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Comparisons with a number and with a 0-dimensional tensor, as torch 2.15 answers them.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>

#include "support/catch.hpp"

namespace comparison {
namespace {

using amp::kBFloat16;
using amp::kFloat16;
using amp::kFloat32;
using amp::kFloat64;
using amp::Tensor;

bool is(const Tensor& answer) { return answer.item<bool>(); }
Tensor one(double value, amp::DType dtype) { return amp::full({1}, value, {.dtype = dtype}); }
Tensor single(double value, amp::DType dtype) { return amp::full({}, value, {.dtype = dtype}); }

}  // namespace

TEST_CASE("comparison: a number is rounded to the tensor's dtype") {
  const Tensor x = one(0.1, kBFloat16), most = one(65504, kFloat16);
  CHECK(is(amp::eq(x, 0.1)));
  CHECK_FALSE(is(amp::ne(x, 0.1)));
  CHECK_FALSE(is(amp::lt(x, 0.1)));
  CHECK_FALSE(is(amp::gt(x, 0.1)));
  CHECK(is(amp::ge(x, 0.1)));
  CHECK(is(amp::le(x, 0.1)));
  CHECK_FALSE(is(amp::eq(x.to(kFloat32), 0.1)));
  CHECK(is(amp::eq(one(0.1, kFloat32), 0.1)));
  CHECK(is(amp::eq(most, 65505)));  // an integer, too
  CHECK(is(amp::lt(most, 1e6)));
}

TEST_CASE("comparison: so is a 0-dimensional tensor, on either side") {
  const Tensor x = one(0.1, kBFloat16);
  for (const amp::DType dtype : {kFloat16, kFloat32, kFloat64}) {
    CHECK(is(amp::eq(x, single(0.1, dtype))));
    CHECK(is(amp::eq(single(0.1, dtype), x)));
  }
  CHECK(is(amp::eq(one(0.1, kFloat32), single(0.1, kFloat64))));
  CHECK_FALSE(is(amp::eq(single(0.1, kBFloat16), single(0.1, kFloat32))));  // these promote
  CHECK_FALSE(is(amp::eq(x, one(0.1, kFloat32))));
  CHECK(is(amp::lt(amp::ones({1}), single(2, kFloat64).requires_grad_())));
}

TEST_CASE("comparison: an integer of no dimensions is rounded, too") {
  const Tensor x = one(256, kBFloat16);
  CHECK(is(amp::eq(x, 257)));
  CHECK(is(amp::eq(x, single(257, kFloat32))));
  CHECK(is(amp::eq(x, single(257, amp::kInt64))));
}

TEST_CASE("comparison: what float8_e4m3fn has no number for is compared as it is") {
  const Tensor x = one(1, amp::kFloat8E4M3);
  CHECK(is(amp::lt(x, 1000.0)));
  CHECK(is(amp::lt(x, HUGE_VAL)));
  CHECK(is(amp::gt(x, -HUGE_VAL)));
  CHECK(is(amp::lt(x, single(1000, kFloat32))));
}

TEST_CASE("comparison: integers are compared with numbers as they are") {
  const Tensor byte = one(255, amp::kUInt8);
  CHECK_FALSE(is(amp::eq(byte, -1)));
  CHECK(is(amp::lt(byte, 300)));
  CHECK(is(amp::lt(amp::tensor({2}, {1}), 2.5)));
  CHECK_FALSE(is(amp::eq(amp::tensor({(std::int64_t{1} << 24) + 1}, {1}), 0x1p24)));
  CHECK(is(amp::lt(amp::tensor({2}, {1}), single(2.5, kFloat32))));
}

}  // namespace comparison

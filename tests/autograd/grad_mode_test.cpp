// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// NoGradGuard, detach and requires_grad_.
#include <amp/amp.hpp>

#include <stdexcept>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace grad_mode {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

namespace {

Tensor leaf(double value) { return amp::full({2}, value, {.requires_grad = true}); }

}  // namespace

TEST_CASE("NoGradGuard: nothing is recorded inside", "[autograd]") {
  const Tensor x = leaf(1);
  Tensor y;
  {
    const amp::NoGradGuard guard;
    CHECK_FALSE(amp::is_grad_enabled());
    y = amp::relu(x * 2).reshape({1, 2}).to(amp::kFloat16);
    CHECK(x.requires_grad());
  }
  CHECK(amp::is_grad_enabled());
  CHECK_FALSE(y.requires_grad());
  CHECK(y.is_leaf());
  CHECK_THAT(error_of([&] { return y.backward(y), 0; }), ContainsSubstring("NoGradGuard"));
}

TEST_CASE("NoGradGuard: nests", "[autograd]") {
  {
    const amp::NoGradGuard outer;
    { const amp::NoGradGuard inner; }
    CHECK_FALSE(amp::is_grad_enabled());
  }
  CHECK(amp::is_grad_enabled());
}

TEST_CASE("NoGradGuard: ends with an exception", "[autograd]") {
  try {
    const amp::NoGradGuard guard;
    throw std::runtime_error("inside");
  } catch (const std::runtime_error&) {
  }
  CHECK(amp::is_grad_enabled());
}

TEST_CASE("NoGradGuard: a graph recorded outside can be walked inside", "[autograd]") {
  const Tensor x = leaf(3);
  const Tensor loss = amp::sum(x * x);
  const amp::NoGradGuard guard;
  loss.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{6, 6});
}

TEST_CASE("NoGradGuard: a parameter may be written inside", "[autograd]") {
  const Tensor x = leaf(1);
  {
    const amp::NoGradGuard guard;
    x.fill_(5);
    x.narrow(0, 0, 1).copy_(amp::full({}, 7));
  }
  CHECK(x.to_vector<float>() == std::vector<float>{7, 5});
  CHECK(x.requires_grad());
}

TEST_CASE("detach: the same memory without history", "[autograd]") {
  const Tensor x = leaf(2);
  const Tensor y = (x * 3).detach();
  CHECK_FALSE(y.requires_grad());
  CHECK(y.is_leaf());
  amp::sum(x * y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{6, 6});
}

TEST_CASE("detach: of a leaf is another leaf over its memory", "[autograd]") {
  const Tensor x = leaf(2);
  const Tensor y = x.detach().requires_grad_();
  amp::sum(y * y).backward();
  CHECK_FALSE(x.grad().defined());
  CHECK(y.grad().to_vector<float>() == std::vector<float>{4, 4});
  CHECK(y.const_data<float>() == x.const_data<float>());
}

TEST_CASE("requires_grad_: on and off again", "[autograd]") {
  const Tensor x = amp::ones({2});
  CHECK_FALSE(x.requires_grad());
  CHECK(x.requires_grad_().is_same(x));
  CHECK(x.requires_grad());
  CHECK((x * 2).requires_grad());
  x.requires_grad_(false);
  CHECK_FALSE(x.requires_grad());
  CHECK_FALSE((x * 2).requires_grad());
  x.zero_();
  x.requires_grad_();
  CHECK((x * 2).requires_grad());
}

TEST_CASE("requires_grad_: off keeps the gradient there is", "[autograd]") {
  const Tensor x = leaf(1);
  amp::sum(x).backward();
  x.requires_grad_(false);
  CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("requires_grad_: off after forward, backward adds nothing", "[autograd]") {
  const Tensor x = leaf(1), y = leaf(2);
  const Tensor loss = amp::sum(x * y);
  x.requires_grad_(false);
  loss.backward();
  CHECK_FALSE(x.grad().defined());  // as torch
  CHECK(y.grad().to_vector<float>() == std::vector<float>{1, 1});
}

TEST_CASE("requires_grad_: false on what never required any is nothing", "[autograd]") {
  const Tensor integers = amp::tensor({1, 2}, {2});
  CHECK_NOTHROW(integers.requires_grad_(false));
  CHECK_FALSE(integers.requires_grad());
}

TEST_CASE("requires_grad_: integers and bools are refused", "[autograd]") {
  CHECK_THAT(error_of([] {
               return amp::tensor({1, 2}, {2}).requires_grad_(), 0;
             }),
             ContainsSubstring("int64[2]"));
  CHECK_THROWS_AS(amp::zeros({2}, {.dtype = amp::kBool}).requires_grad_(), amp::Error);
  CHECK_THROWS_AS(amp::zeros({2}, {.dtype = amp::kUInt8}).requires_grad_(), amp::Error);
}

TEST_CASE("requires_grad_: cannot be switched off on a computed tensor", "[autograd]") {
  const Tensor y = leaf(1) * 2;
  CHECK_FALSE(y.is_leaf());
  CHECK_THAT(error_of([&] { return y.requires_grad_(false), 0; }), ContainsSubstring("detach()"));
}

TEST_CASE("requires_grad_: already true on a computed tensor is nothing", "[autograd]") {
  const Tensor y = leaf(1) * 2;
  CHECK_NOTHROW(y.requires_grad_());  // as torch
  CHECK(y.requires_grad());
}

TEST_CASE("is_leaf: made by hand or without history", "[autograd]") {
  const Tensor x = leaf(1);
  CHECK(x.is_leaf());
  CHECK(amp::ones({2}).is_leaf());
  CHECK((amp::ones({2}) * 2).is_leaf());
  CHECK_FALSE((x * 2).is_leaf());
  CHECK_FALSE(x.narrow(0, 0, 1).is_leaf());
}

TEST_CASE("grad: of a computed tensor is undefined", "[autograd]") {
  const Tensor x = leaf(1);
  const Tensor y = x * 2;
  amp::sum(y).backward();
  CHECK_FALSE(y.grad().defined());
}

TEST_CASE("results: integers and comparisons carry no history", "[autograd]") {
  const Tensor x = leaf(1);
  CHECK_FALSE(amp::eq(x, x).requires_grad());
  CHECK_FALSE(amp::lt(x, x).requires_grad());
  CHECK_FALSE(amp::argmax(x, 0).requires_grad());
  CHECK_FALSE(x.to(amp::kInt64).requires_grad());
}

}  // namespace grad_mode

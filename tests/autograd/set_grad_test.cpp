// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gradients that are set by hand.
#include <amp/amp.hpp>

#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace set_grad_by_hand {
namespace {

using amp::Tensor;

std::int64_t bytes() { return amp::memory_stats().current_bytes; }

TEST_CASE("set_grad: a gradient computed from its own leaf is not kept alive by it") {
  const std::int64_t before = bytes();
  {
    const Tensor x = amp::ones({1000}, {.requires_grad = true});
    const Tensor computed = x * 2;
    REQUIRE(computed.requires_grad());
    x.set_grad(computed);
    CHECK(x.grad().to_vector<float>() == std::vector<float>(1000, 2));
    CHECK(x.grad().const_data<float>() == computed.const_data<float>());
    CHECK_FALSE(x.grad().requires_grad());
    x.set_grad(x);
    CHECK_FALSE(x.grad().requires_grad());
  }
  CHECK(bytes() == before);
}

TEST_CASE("set_grad: leaves that are each other's gradients are not kept alive") {
  const std::int64_t before = bytes();
  {
    const Tensor a = amp::ones({1000}, {.requires_grad = true}),
                 b = amp::ones({1000}, {.requires_grad = true});
    a.set_grad(b);
    b.set_grad(a);
  }
  CHECK(bytes() == before);
}

TEST_CASE("set_grad: a gradient without history is kept as it is") {
  const Tensor x = amp::ones({2}, {.requires_grad = true}), g = amp::ones({2});
  x.set_grad(g);
  CHECK(x.grad().is_same(g));
  x.set_grad({});
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("set_grad: a gradient that becomes a leaf later is not kept alive") {
  const std::int64_t before = bytes();
  {
    const Tensor x = amp::ones({1000}, {.requires_grad = true}), g = amp::ones({1000});
    x.set_grad(g);
    g.requires_grad_();
    g.set_grad(x);
  }
  CHECK(bytes() == before);
}

}  // namespace
}  // namespace set_grad_by_hand

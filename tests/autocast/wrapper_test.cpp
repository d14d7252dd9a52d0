// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// autocast(device, options, callable): a callable like the one it holds, of whatever kind.
// autocast_call: results of whatever type.
#include <amp/amp.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/catch.hpp"

namespace wrapper {
namespace {

using amp::OpPolicy;
using amp::Tensor;

constexpr auto kHalf = amp::kFloat16;

bool inside() { return amp::is_autocast_enabled(amp::kCPU); }
amp::DType dtype_here() { return amp::autocast_dtype(amp::kCPU); }

template <class Callable>
auto wrapped(Callable callable) {
  return amp::autocast(amp::kCPU, {.dtype = kHalf}, std::move(callable));
}

Tensor values(amp::DType dtype) { return amp::tensor({0.5F, 1.5F}, {2}, {.dtype = dtype}); }

}  // namespace

TEST_CASE("wrapper: a mutable callable keeps its state from call to call") {
  auto count = wrapped([n = 0]() mutable {
    CHECK(inside());
    return ++n;
  });
  CHECK(count() == 1);
  CHECK(count() == 2);
  auto copy = count;
  CHECK(copy() == 3);
  CHECK(copy() == 4);
  CHECK(count() == 3);  // a copy has a state of its own
  CHECK_FALSE(inside());
}

TEST_CASE("wrapper: a const one calls the const overload, one that is not the other") {
  struct Both {
    std::string operator()() { return "mutable"; }
    std::string operator()() const { return "const"; }
  };
  auto both = wrapped(Both{});
  CHECK(both() == "mutable");
  CHECK(std::as_const(both)() == "const");
}

TEST_CASE("wrapper: a callable that cannot be copied moves with it") {
  auto first = wrapped([owned = std::make_unique<int>(7)] { return inside() ? *owned : 0; });
  STATIC_REQUIRE_FALSE(std::is_copy_constructible_v<decltype(first)>);
  const auto second = std::move(first);
  CHECK(second() == 7);
}

TEST_CASE("wrapper: returns references, values and nothing, as the callable does") {
  int n = 1;
  auto reference = wrapped([&]() -> int& { return n; });
  auto const_reference = wrapped([&]() -> const int& { return n; });
  auto value = wrapped([&] { return n; });
  auto nothing = wrapped([&] { n += inside() ? 5 : 0; });
  auto rvalue = wrapped([&]() -> int&& { return std::move(n); });
  const auto check = [&n](auto& r, auto& c, auto& v, auto& none, auto& moved) {
    STATIC_REQUIRE(std::is_same_v<decltype(r()), int&>);
    STATIC_REQUIRE(std::is_same_v<decltype(c()), const int&>);
    STATIC_REQUIRE(std::is_same_v<decltype(v()), int>);
    STATIC_REQUIRE(std::is_same_v<decltype(none()), void>);
    STATIC_REQUIRE(std::is_same_v<decltype(moved()), int&&>);
    CHECK(&r() == &n);
    CHECK(&c() == &n);
    CHECK(v() == n);
    const int before = n;
    none();
    CHECK(n == before + 5);
    CHECK_FALSE(inside());
  };
  check(reference, const_reference, value, nothing, rvalue);
  check(std::as_const(reference), std::as_const(const_reference), std::as_const(value),
        std::as_const(nothing), std::as_const(rvalue));
}

TEST_CASE("wrapper: passes arguments on as they are") {
  auto take = wrapped([](std::unique_ptr<int> p, int& out, const std::string& text) {
    out = *p;
    return text + "!";
  });
  auto category = wrapped([](auto&& x) { return std::is_lvalue_reference_v<decltype(x)>; });
  int out = 0;
  CHECK(take(std::make_unique<int>(3), out, "so") == "so!");
  CHECK(out == 3);
  CHECK(std::as_const(take)(std::make_unique<int>(4), out, "so") == "so!");
  CHECK(out == 4);
  CHECK(category(out));
  CHECK_FALSE(category(4));
  CHECK(std::as_const(category)(out));
  CHECK_FALSE(std::as_const(category)(4));
}

TEST_CASE("wrapper: of functions, function objects and other wrappers") {
  const auto function = wrapped(dtype_here);
  CHECK(function() == kHalf);
  const auto object = wrapped(std::function<amp::DType()>(dtype_here));
  CHECK(object() == kHalf);
  const auto inner = amp::autocast(amp::kCPU, {.dtype = amp::kBFloat16}, dtype_here);
  const auto outer = wrapped(inner);
  CHECK(outer() == amp::kBFloat16);
  const auto around = amp::autocast(amp::kCPU, {.dtype = amp::kBFloat16}, wrapped(dtype_here));
  CHECK(around() == kHalf);
}

TEST_CASE("wrapper: fits where callables are kept") {
  std::function<int(int)> kept = wrapped([](int x) { return inside() ? x + 1 : 0; });
  CHECK(kept(1) == 2);
  std::function<int()> counts = wrapped([n = 0]() mutable { return ++n; });
  CHECK(counts() + counts() == 3);
  std::vector<std::function<Tensor(const Tensor&)>> layers;
  for (int i = 0; i < 3; ++i)
    layers.emplace_back(wrapped([](const Tensor& x) { return amp::matmul(x, x); }));
  Tensor x = amp::ones({2, 2});
  for (const auto& layer : layers) x = layer(x);
  CHECK(x.dtype() == kHalf);
}

TEST_CASE("wrapper: the scope is entered at the call, in what encloses it there") {
  const auto unset = amp::autocast(amp::kCPU, {}, dtype_here);
  CHECK(unset() == amp::kBFloat16);
  const amp::AutocastGuard enclosing(amp::kCPU, {.dtype = kHalf});
  CHECK(unset() == kHalf);
}

TEST_CASE("wrapper: all options hold") {
  const auto off = amp::autocast(amp::kCPU, {.enabled = false}, inside);
  const auto with_policies =
      amp::autocast(amp::kCPU, {.policies = {{"exp", OpPolicy::kFloat32Math}}},
                    [] { return amp::op_policy("exp"); });
  const auto products =
      amp::autocast(amp::kCPU, {.only_low_precision = true}, [] { return amp::op_policy("exp"); });
  const amp::AutocastGuard enclosing(amp::kCPU, {.dtype = kHalf});
  CHECK_FALSE(off());
  CHECK(with_policies() == OpPolicy::kFloat32Math);
  CHECK(products() == OpPolicy::kPassthrough);
  CHECK(inside());
}

TEST_CASE("wrapper: a dtype that cannot be autocast to throws at the call, which is not made") {
  bool called = false;
  const auto wrong = amp::autocast(amp::kCPU, {.dtype = amp::kFloat64}, [&] { called = true; });
  CHECK_THROWS_AS(wrong(), amp::Error);
  CHECK_FALSE(called);
  CHECK_FALSE(inside());
}

TEST_CASE("wrapper: recursion through itself nests, and ends outside") {
  std::function<int(int)> self;
  auto body = wrapped([&, depth = 0](int n) mutable -> int {
    ++depth;
    CHECK(inside());
    CHECK(dtype_here() == kHalf);
    const int below = n == 0 ? 0 : self(n - 1);
    CHECK(inside());
    return below + depth;
  });
  self = std::ref(body);
  CHECK(body(3) == 4 * 4);  // one state for all: 4 when the innermost returns
  CHECK_FALSE(inside());
}

TEST_CASE("wrapper: an exception ends the scope, also out of a recursion") {
  std::function<void(int)> self;
  const auto body = wrapped([&](int n) {
    if (n == 0) throw std::runtime_error("innermost");
    try {
      self(n - 1);
    } catch (const std::runtime_error&) {
      CHECK(dtype_here() == kHalf);  // the caller's own scope
      throw;
    }
  });
  self = body;
  const amp::AutocastGuard enclosing(amp::kCPU, {.dtype = amp::kBFloat16});
  CHECK_THROWS_AS(body(4), std::runtime_error);
  CHECK(dtype_here() == amp::kBFloat16);
}

TEST_CASE("wrapper: what it computes is what a guard computes, gradients too") {
  const auto run = [](bool wrap) {
    const Tensor w = amp::full({3, 3}, 0.37, {.requires_grad = true});
    const auto model = [&](const Tensor& x) { return amp::sum(amp::exp(amp::matmul(x, w))); };
    Tensor loss;
    if (wrap) {
      loss = wrapped(model)(amp::ones({2, 3}));
    } else {
      const amp::AutocastGuard scope(amp::kCPU, {.dtype = kHalf});
      loss = model(amp::ones({2, 3}));
    }
    loss.backward();
    return std::pair{loss.item<float>(), w.grad().to_vector<float>()};
  };
  CHECK(run(true) == run(false));
}

// --- autocast_call ------------------------------------------------------------------------------

TEST_CASE("autocast_call: results that are no tensors come back as they are") {
  amp::register_op("test.result", OpPolicy::kLowPrecision);
  const Tensor x = values(amp::kFloat32);
  const auto call = [&](auto callable) { return amp::autocast_call("test.result", callable, x); };
  for (const bool scope : {false, true}) {
    INFO("in a scope: " << scope);
    const amp::AutocastGuard guard(amp::kCPU, {.dtype = kHalf, .enabled = scope});
    const amp::DType dtype = scope ? kHalf : amp::kFloat32;
    CHECK(call([](const Tensor& t) { return t.numel(); }) == 2);
    CHECK(call([](const Tensor& t) { return t.dtype(); }) == dtype);
    CHECK(call([](const Tensor& t) { return amp::describe(t); }) == amp::describe(values(dtype)));
    CHECK_FALSE(call([](const Tensor&) { return inside(); }));
    const auto pair = call([](const Tensor& t) { return std::pair{t, amp::max(t).item<float>()}; });
    CHECK(pair.first.dtype() == dtype);
    CHECK(pair.second == 1.5F);
    const std::vector<Tensor> list = call([](const Tensor& t) {
      return std::vector<Tensor>{t, t * 2};
    });
    CHECK(list[1].dtype() == dtype);
    const std::unique_ptr<Tensor> owned =
        call([](const Tensor& t) { return std::make_unique<Tensor>(t); });
    CHECK(owned->dtype() == dtype);
    struct Fixed {
      Fixed() = default;
      Fixed(Fixed&&) = default;  // neither default nor copies needed
      int n = 3;
    };
    CHECK(call([](const Tensor&) { return Fixed(); }).n == 3);
  }
}

TEST_CASE("autocast_call: kFloat32Math rounds a tensor, and leaves what holds tensors") {
  amp::register_op("test.math", OpPolicy::kFloat32Math);
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = kHalf});
  const Tensor x = values(kHalf);
  const auto identity = [](const Tensor& t) { return t; };
  const auto in_pair = [](const Tensor& t) { return std::pair{t, t}; };
  CHECK(amp::autocast_call("test.math", identity, x).dtype() == kHalf);
  CHECK(amp::autocast_call("test.math", in_pair, x).first.dtype() == amp::kFloat32);
}

TEST_CASE("autocast_call: a callable that keeps a state, and one that cannot be copied") {
  amp::register_op("test.state", OpPolicy::kFloat32);
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = kHalf});
  int calls = 0;
  const auto counts = [&calls](const Tensor&) { return ++calls; };
  CHECK(amp::autocast_call("test.state", counts, values(kHalf)) == 1);
  CHECK(amp::autocast_call("test.state", counts, values(kHalf)) == 2);
  CHECK(amp::autocast_call(
            "test.state", [n = 0](const Tensor&) mutable { return ++n; }, values(kHalf)) == 1);
  const auto owns = [p = std::make_unique<int>(7)](const Tensor& t) {
    return t.dtype() == amp::kFloat32 ? *p : 0;
  };
  CHECK(amp::autocast_call("test.state", owns, values(kHalf)) == 7);
}

}  // namespace wrapper

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Differentiable functions of the user's own: their backward runs as their forward did.
#include <amp/amp.hpp>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/gradcheck.hpp"

namespace custom_function {
namespace {

using amp::OpPolicy;
using amp::Tensor;
using amp_test::error_of;
using amp_test::leaf;
using amp_test::Tensors;
using Catch::Matchers::ContainsSubstring;

/// x w, with the backward that the op has.
Tensor product(const Tensor& a, const Tensor& b, const amp::CustomFunctionOptions& options = {}) {
  return amp::custom_function(
      options,
      [](const Tensor& x, const Tensor& w) {
        return std::pair{amp::matmul(x, w), [x, w](const Tensor& grad) {
                           return std::array{amp::matmul(grad, w.t()), amp::matmul(x.t(), grad)};
                         }};
      },
      a, b);
}

/// What autocast is at one point.
struct Seen {
  bool enabled = false;
  amp::DType dtype = amp::kInt64;
  OpPolicy exp = OpPolicy::kPromote;
  bool grad_enabled = true;
  friend bool operator==(const Seen&, const Seen&) = default;
};
Seen look() {
  return {amp::is_autocast_enabled(amp::kCPU), amp::autocast_dtype(amp::kCPU),
          amp::op_policy("exp"), amp::is_grad_enabled()};
}

/// The identity, which notes what it sees in both passes.
struct Witness {
  Seen forward, backward;
  Tensor operator()(const Tensor& input, const amp::CustomFunctionOptions& options = {}) {
    return amp::custom_function(
        options,
        [this](const Tensor& x) {
          forward = look();
          return std::pair{x, [this](const Tensor& grad) {
                             backward = look();
                             return std::array{grad};
                           }};
        },
        input);
  }
};

Tensor values(amp::DType dtype = amp::kFloat32) {
  return amp::tensor({1.25F, -0.7F, 3.1F, 0.0F, 2.3F, -5.9F}, {2, 3}, {.dtype = dtype});
}
Tensor weights() { return amp::tensor({0.3F, -1.7F, 2.9F, 0.11F, -0.6F, 1.3F}, {3, 2}); }

}  // namespace

TEST_CASE("custom_function: values and gradients are the op's, bit for bit, in every scope") {
  const auto run = [](bool custom, bool autocast, amp::DType dtype) {
    const Tensor x = values().requires_grad_(), w = weights().requires_grad_();
    Tensor y;
    {
      const amp::AutocastGuard scope(amp::kCPU, {.dtype = dtype, .enabled = autocast});
      y = custom ? product(x, w) : amp::matmul(x, w);
    }
    CHECK(y.dtype() == (autocast ? dtype : amp::kFloat32));
    amp::sum(y * y).backward();
    CHECK(x.grad().dtype() == amp::kFloat32);
    // The op knows that float32 is wanted behind the cast, and rounds to that only.
    const auto rounded = [&](const Tensor& grad) { return grad.to(y.dtype()).to_vector<float>(); };
    return std::array{y.to_vector<float>(), rounded(x.grad()), rounded(w.grad())};
  };
  for (const amp::DType dtype : {amp::kBFloat16, amp::kFloat16, amp::kFloat32}) {
    for (const bool autocast : {false, true})
      CHECK(run(true, autocast, dtype) == run(false, autocast, dtype));
  }
}

TEST_CASE("custom_function: agrees with finite differences, alone and within a graph") {
  const auto alone = [](const Tensors& x) { return product(x[0], x[1]); };
  CHECK(amp_test::gradcheck(alone, {leaf({2, 3}), leaf({3, 2}, 1)}) == "");
  const auto within = [](const Tensors& x) {
    return amp::tanh(product(amp::sigmoid(x[0]), x[1])) + amp::matmul(x[0], x[1]);
  };
  CHECK(amp_test::gradcheck(within, {leaf({2, 3}), leaf({3, 2}, 1)}) == "");
  const auto twice = [](const Tensors& x) { return product(product(x[0], x[1]), x[0]); };
  CHECK(amp_test::gradcheck(twice, {leaf({2, 3}), leaf({3, 2}, 1)}) == "");
  const auto square = [](const Tensors& x) { return product(x[0], x[0]); };
  CHECK(amp_test::gradcheck(square, {leaf({3, 3})}) == "");
}

TEST_CASE("custom_function: in a scope backward runs in forward's, wherever it is called") {
  Witness witness;
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const auto forward = [&] {
    const amp::AutocastGuard scope(
        amp::kCPU, {.dtype = amp::kFloat16, .policies = {{"exp", OpPolicy::kPassthrough}}});
    return amp::sum(witness(x));
  };
  const Seen expected{true, amp::kFloat16, OpPolicy::kPassthrough, false};
  const auto check = [&] {
    CHECK(witness.forward == expected);
    CHECK(witness.backward == expected);
  };
  SECTION("outside of scopes") {
    const Tensor loss = forward();
    loss.backward();
    check();
    CHECK_FALSE(amp::is_autocast_enabled(amp::kCPU));
    CHECK(amp::is_grad_enabled());
  }
  SECTION("in another scope") {
    const Tensor loss = forward();
    const amp::AutocastGuard other(amp::kCPU, {.dtype = amp::kBFloat16});
    loss.backward();
    check();
    CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
    CHECK(amp::op_policy("exp") == OpPolicy::kFloat32);
  }
  SECTION("in one that switches off") {
    const Tensor loss = forward();
    const amp::AutocastGuard off(amp::kCPU, {.enabled = false});
    loss.backward();
    check();
  }
  SECTION("on another thread") {
    const Tensor loss = forward();
    Seen after;
    std::thread([&] {
      loss.backward();
      after = look();
    }).join();
    check();
    CHECK(after == Seen{false, amp::kBFloat16, OpPolicy::kFloat32, true});
  }
}

TEST_CASE("custom_function: outside of scopes backward runs without autocast, in one as well") {
  Witness witness;
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  const Tensor loss = amp::sum(witness(x));
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
  loss.backward();
  CHECK_FALSE(witness.forward.enabled);
  CHECK_FALSE(witness.backward.enabled);
  CHECK(witness.backward.exp == OpPolicy::kFloat32);
}

TEST_CASE("custom_function: one called in the backward of another has that one's state") {
  Witness inner;
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  Tensor loss;
  {
    const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
    loss = amp::sum(amp::custom_function(
        [&](const Tensor& t) {
          return std::pair{t, [&](const Tensor& grad) {
                             const Tensor p = amp::ones({2}, {.requires_grad = true});
                             CHECK_FALSE(inner(p).requires_grad());
                             return std::array{grad};
                           }};
        },
        x));
  }
  loss.backward();
  CHECK(inner.forward.enabled);
  CHECK(inner.forward.dtype == amp::kFloat16);
}

TEST_CASE("custom_function: no pass records history, and NoGradGuard ends with it") {
  const Tensor x = values().requires_grad_(), w = weights().requires_grad_();
  bool forward_recorded = true, backward_recorded = true;
  const Tensor y = amp::custom_function(
      [&](const Tensor& a, const Tensor& b) {
        const Tensor result = amp::matmul(a, b);
        forward_recorded = result.requires_grad();
        return std::pair{result, [&, a, b](const Tensor& grad) {
                           const Tensor da = amp::matmul(grad, b.t());
                           backward_recorded = da.requires_grad() || amp::is_grad_enabled();
                           return std::array{da, amp::matmul(a.t(), grad)};
                         }};
      },
      x, w);
  CHECK_FALSE(forward_recorded);
  CHECK(amp::is_grad_enabled());
  CHECK(y.requires_grad());
  CHECK_FALSE(y.is_leaf());
  amp::sum(y).backward();
  CHECK_FALSE(backward_recorded);
  CHECK_FALSE(x.grad().requires_grad());
}

TEST_CASE("custom_function: under NoGradGuard, or of inputs without gradients, nothing is kept") {
  const auto token = std::make_shared<int>(0);
  const auto call = [&](const Tensor& x) {
    return amp::custom_function(
        [&](const Tensor& t) {
          return std::pair{amp::exp(t), [token](const Tensor& grad) { return std::array{grad}; }};
        },
        x);
  };
  const Tensor x = amp::ones({2}, {.requires_grad = true});
  {
    const amp::NoGradGuard no_grad;
    const Tensor y = call(x);
    CHECK_FALSE(y.requires_grad());
    CHECK(token.use_count() == 1);
  }
  CHECK_FALSE(call(x.detach()).requires_grad());
  CHECK(token.use_count() == 1);
  const Tensor y = call(x);
  CHECK(y.requires_grad());
  CHECK(token.use_count() == 2);
  amp::sum(y).backward();
  CHECK(token.use_count() == 1);  // backward frees what it kept
}

TEST_CASE("custom_function: may return an input, which stays what it was") {
  const Tensor x = values().requires_grad_();
  const Tensor y = amp::custom_function(
      [](const Tensor& t) {
        return std::pair{t, [](const Tensor& grad) { return std::array{grad * 3}; }};
      },
      x);
  CHECK_FALSE(y.is_same(x));
  CHECK(y.to_vector<float>() == x.to_vector<float>());
  CHECK(x.is_leaf());
  CHECK_FALSE(y.is_leaf());
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(6, 3));

  // And one that was computed: its own history goes on beside.
  const Tensor p = amp::ones({2}, {.requires_grad = true}), q = p * 2;
  const Tensor r = amp::custom_function(
      [](const Tensor& t) {
        return std::pair{t, [](const Tensor& grad) { return std::array{grad * 10}; }};
      },
      q);
  amp::sum(q + r).backward();
  CHECK(p.grad().to_vector<float>() == std::vector<float>(2, 22));
}

TEST_CASE("custom_function: may return a view of an input") {
  const Tensor x = values().requires_grad_();
  const Tensor y = amp::custom_function(
      [](const Tensor& t) {
        return std::pair{t.t(), [](const Tensor& grad) { return std::array{grad.t()}; }};
      },
      x);
  CHECK(y.shape() == amp::Shape{3, 2});
  amp::sum(y * amp::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {3, 2})).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 3, 5, 2, 4, 6});
}

TEST_CASE("custom_function: an input without a gradient gets none") {
  const Tensor x = values().requires_grad_(), w = weights().requires_grad_();
  const Tensor y = amp::custom_function(
      [](const Tensor& a, const Tensor& b) {
        return std::pair{amp::matmul(a, b), [b](const Tensor& grad) {
                           return std::array{amp::matmul(grad, b.t()), Tensor()};
                         }};
      },
      x, w);
  amp::sum(y).backward();
  CHECK(x.grad().defined());
  CHECK_FALSE(w.grad().defined());
}

TEST_CASE("custom_function: gradients of inputs that want none are dropped") {
  const Tensor x = values(), w = weights().requires_grad_();
  amp::sum(product(x, w)).backward();
  CHECK_FALSE(x.grad().defined());
  CHECK(w.grad().defined());
  // Even such as would be wrong.
  const Tensor y = amp::custom_function(
      [](const Tensor& a, const Tensor& b) {
        return std::pair{amp::matmul(a, b), [a](const Tensor& grad) {
                           return std::array{amp::ones({17}), amp::matmul(a.t(), grad)};
                         }};
      },
      x, w);
  CHECK_NOTHROW(amp::sum(y).backward());
}

TEST_CASE("custom_function: takes undefined tensors and integers, as ops do") {
  const Tensor table = weights().requires_grad_();
  const Tensor rows = amp::tensor({2, 0, 2}, {3});
  const Tensor y = amp::custom_function(
      [](const Tensor& t, const Tensor& index, const Tensor& bias) {
        CHECK_FALSE(bias.defined());
        CHECK(index.dtype() == amp::kInt64);
        return std::pair{
            amp::index_select(t, 0, index), [t](const Tensor& grad) {
              return std::array{amp::ones(t.shape()) * amp::sum(grad), Tensor(), Tensor()};
            }};
      },
      table, rows, Tensor());
  CHECK(y.shape() == amp::Shape{3, 2});
  amp::sum(y).backward();
  CHECK(table.grad().to_vector<float>() == std::vector<float>(6, 6));
}

TEST_CASE("custom_function: a result of integers has no history") {
  const Tensor x = values().requires_grad_();
  const Tensor y = amp::custom_function(
      [](const Tensor& t) {
        return std::pair{amp::argmax(t, 1), [](const Tensor& grad) { return std::array{grad}; }};
      },
      x);
  CHECK_FALSE(y.requires_grad());
  CHECK(y.dtype() == amp::kInt64);
}

TEST_CASE("custom_function: a gradient of a wrong shape throws in backward, and changes no leaf") {
  const Tensor x = values().requires_grad_(), other = amp::ones({2, 3}, {.requires_grad = true});
  const Tensor y = amp::custom_function(
      [](const Tensor& t) {
        return std::pair{amp::exp(t), [](const Tensor&) { return std::array{amp::ones({3, 2})}; }};
      },
      x * 1);
  const std::string error = error_of([&] { amp::sum(y * other).backward(); });
  CHECK_THAT(error, ContainsSubstring("custom_function"));
  CHECK_THAT(error, ContainsSubstring("[3, 2]"));
  CHECK_THAT(error, ContainsSubstring("[2, 3]"));
  CHECK_FALSE(x.grad().defined());
  CHECK_FALSE(other.grad().defined());
}

TEST_CASE("custom_function: gradients arrive in the result's dtype, and return in the inputs'") {
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    INFO(amp::name(dtype));
    const Tensor x = values(dtype).requires_grad_();
    amp::DType arrived = amp::kInt64;
    const Tensor y = amp::custom_function(
        [&](const Tensor& t) {
          return std::pair{t.to(amp::kFloat32), [&](const Tensor& grad) {
                             arrived = grad.dtype();
                             return std::array{grad * 1.001};
                           }};
        },
        x);
    CHECK(y.dtype() == amp::kFloat32);
    amp::sum(y).backward();
    CHECK(arrived == amp::kFloat32);
    CHECK(x.grad().dtype() == dtype);
    CHECK(x.grad().to_vector<float>() == (amp::ones({2, 3}) * 1.001).to(dtype).to_vector<float>());
  }
}

TEST_CASE("custom_function: an undefined result throws") {
  const std::string error = error_of([] {
    return amp::custom_function(
        [](const Tensor&) {
          return std::pair{Tensor(), [](const Tensor& grad) { return std::array{grad}; }};
        },
        values());
  });
  CHECK_THAT(error, ContainsSubstring("custom_function"));
  CHECK_THAT(error, ContainsSubstring("undefined"));
}

TEST_CASE("custom_function: an exception in either pass leaves scope and grad mode as they were") {
  const Tensor x = values().requires_grad_();
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
  const Seen before = look();
  for (const bool casts : {false, true}) {
    amp::CustomFunctionOptions options;
    if (casts) options.cast_inputs = amp::kFloat32;
    using Backward = std::function<std::array<Tensor, 1>(const Tensor&)>;
    CHECK_THROWS_AS(amp::custom_function(
                        options,
                        [](const Tensor& t) -> std::pair<Tensor, Backward> {
                          if (t.defined()) throw std::runtime_error("forward");
                          return {};
                        },
                        x),
                    std::runtime_error);
    CHECK(look() == before);
    const Tensor y = amp::custom_function(
        options,
        [](const Tensor& t) {
          return std::pair<Tensor, Backward>{t, [](const Tensor&) -> std::array<Tensor, 1> {
                                               throw std::runtime_error("backward");
                                             }};
        },
        x);
    CHECK_THROWS_AS(amp::sum(y).backward(), std::runtime_error);
    CHECK(look() == before);
    CHECK_FALSE(x.grad().defined());
  }
}

TEST_CASE("custom_function: backward through it a second time throws") {
  const Tensor x = values().requires_grad_();
  const Tensor y = product(x, weights());
  amp::sum(y).backward();
  CHECK_THAT(error_of([&] { amp::sum(y).backward(); }), ContainsSubstring("custom_function"));
}

TEST_CASE("custom_function: passes that own what cannot be copied") {
  const Tensor x = values().requires_grad_();
  auto factor = std::make_unique<float>(4.0F);
  const Tensor y = amp::custom_function(
      [factor = std::move(factor)](const Tensor& t) mutable {
        return std::pair{t * *factor, [factor = std::move(factor)](const Tensor& grad) {
                           return std::array{grad * *factor};
                         }};
      },
      x);
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(6, 4));
}

TEST_CASE("custom_function: carries the loss scale's mark through") {
  const Tensor x = values().requires_grad_();
  amp::SGD sgd({x});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(product(x, weights()))).backward();
  CHECK_THROWS_AS(sgd.step(), amp::Error);
  CHECK_FALSE(scaler.step(sgd).skipped());
}

// --- cast_inputs --------------------------------------------------------------------------------

TEST_CASE("cast_inputs: in a scope inputs are cast, and both passes run without autocast") {
  for (const amp::DType to : {amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    INFO(amp::name(to));
    const Tensor x = values(amp::kFloat16).requires_grad_(), w = weights().requires_grad_();
    std::vector<amp::DType> seen;
    Seen forward, backward;
    Tensor y;
    {
      const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kBFloat16});
      y = amp::custom_function(
          {.cast_inputs = to},
          [&](const Tensor& a, const Tensor& b) {
            seen = {a.dtype(), b.dtype()};
            forward = look();
            return std::pair{
                amp::matmul(a, b), [&, a, b](const Tensor& grad) {
                  seen.push_back(grad.dtype());
                  backward = look();
                  return std::array{amp::matmul(grad, b.t()), amp::matmul(a.t(), grad)};
                }};
          },
          x, w);
      CHECK(amp::autocast_dtype(amp::kCPU) == amp::kBFloat16);
    }
    CHECK(y.dtype() == to);
    {
      const amp::AutocastGuard elsewhere(amp::kCPU, {.dtype = amp::kFloat16});
      amp::sum(y).backward();
    }
    CHECK(seen == std::vector{to, to, to});
    CHECK_FALSE(forward.enabled);
    CHECK_FALSE(backward.enabled);
    CHECK(x.grad().dtype() == amp::kFloat16);
    CHECK(w.grad().dtype() == amp::kFloat32);
    CHECK(w.grad().to_vector<float>() ==
          amp::matmul(values(amp::kFloat16).to(to).t(), amp::ones({2, 2}, {.dtype = to}))
              .to(amp::kFloat32)
              .to_vector<float>());
  }
}

TEST_CASE("cast_inputs: outside of scopes does nothing") {
  for (const bool switched_off : {false, true}) {
    std::optional<amp::AutocastGuard> scope;
    if (switched_off) {
      scope.emplace(amp::kCPU, amp::AutocastOptions{.enabled = false,
                                                    .policies = {{"exp", OpPolicy::kPromote}}});
    }
    const Seen outside = look();
    Seen inside;
    const Tensor x = values(amp::kFloat16).requires_grad_();
    bool same = false;
    const Tensor y = amp::custom_function(
        {.cast_inputs = amp::kFloat32},
        [&](const Tensor& t) {
          same = t.is_same(x);
          inside = look();
          return std::pair{t * 2, [](const Tensor& grad) { return std::array{grad * 2}; }};
        },
        x);
    CHECK(same);
    CHECK(inside.dtype == outside.dtype);
    CHECK(inside.exp == outside.exp);
    CHECK(y.dtype() == amp::kFloat16);
    amp::sum(y).backward();
    CHECK(x.grad().dtype() == amp::kFloat16);
  }
}

TEST_CASE("cast_inputs: float64, integers, bools and absent tensors stay") {
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kFloat16});
  const Tensor d = values(amp::kFloat64).requires_grad_(), i = amp::tensor({1, 2}, {2});
  const Tensor b = amp::ones({2}, {.dtype = amp::kBool});
  std::vector<amp::DType> seen;
  const Tensor y = amp::custom_function(
      {.cast_inputs = amp::kFloat32},
      [&](const Tensor& t, const Tensor& u, const Tensor& v, const Tensor& absent) {
        seen = {t.dtype(), u.dtype(), v.dtype()};
        CHECK_FALSE(absent.defined());
        return std::pair{t * 2, [](const Tensor& grad) {
                           return std::array{grad * 2, Tensor(), Tensor(), Tensor()};
                         }};
      },
      d, i, b, Tensor());
  CHECK(seen == std::vector{amp::kFloat64, amp::kInt64, amp::kBool});
  amp::sum(y).backward();
  CHECK(d.grad().dtype() == amp::kFloat64);
}

TEST_CASE("cast_inputs: the cast is differentiable, and rounds once each way") {
  const amp::AutocastGuard scope(amp::kCPU, {.dtype = amp::kBFloat16});
  const Tensor x = values().requires_grad_();
  const Tensor y = amp::custom_function(
      {.cast_inputs = amp::kFloat16},
      [](const Tensor& t) {
        return std::pair{t.clone(), [](const Tensor& grad) { return std::array{grad * 1.001}; }};
      },
      x);
  CHECK(y.to_vector<float>() == values().to(amp::kFloat16).to_vector<float>());
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() ==
        (amp::ones({2, 3}, {.dtype = amp::kFloat16}) * 1.001).to_vector<float>());
}

TEST_CASE("custom_function: inputs are cast to floating point only") {
  const auto same = [](const amp::Tensor& x) {
    return std::pair{x, [](const amp::Tensor& grad) { return std::array{grad}; }};
  };
  CHECK_THROWS_AS(amp::custom_function({.cast_inputs = amp::kInt64}, same, amp::ones({2})),
                  amp::Error);
}

}  // namespace custom_function

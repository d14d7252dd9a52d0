// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp::grad: gradients by chosen tensors, which changes no leaf and computes nothing beside them.
#include <amp/amp.hpp>

#include <string_view>
#include <utility>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace grad_of {
namespace {

using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;
using Catch::Matchers::ContainsSubstring;
using Numbers = std::vector<float>;

Tensor leaf(const Numbers& values) {
  return amp::tensor(values, {values.size()}, {.requires_grad = true});
}
Numbers numbers(const Tensor& x) { return x.to_vector<float>(); }

/// A network of two layers, and its input.
struct Net {
  Tensor x = amp::randn({5, 4}, {.requires_grad = true});
  Tensor w1 = amp::randn({6, 4}, {.requires_grad = true});
  Tensor w2 = amp::randn({1, 6}, {.requires_grad = true});
  Tensor hidden = amp::tanh(amp::linear(x, w1));
  Tensor loss = amp::mean(amp::linear(hidden, w2));
};

/// Counts the ops that backward visits, and the gradients that they compute.
struct Counter : amp::autograd::Observer {
  void backward_ends(const amp::autograd::Node&, std::span<const Tensor> gradients) override {
    ++ops;
    for (const Tensor& gradient : gradients) computed += gradient.defined();
  }
  int ops = 0, computed = 0;
};

TEST_CASE("grad: what backward gives, in memory of its own, and no leaf changes") {
  const Net net;
  const auto found = amp::grad(net.loss, {net.w2, net.x}, {.retain_graph = true});
  CHECK(!net.x.grad().defined());
  CHECK(!net.w1.grad().defined());
  const auto hidden = amp::grad(net.loss, net.hidden, {.retain_graph = true});
  const auto through =
      amp::grad(net.hidden, {net.x, net.x}, {.grad_outputs = hidden, .retain_graph = true});
  net.loss.backward();
  REQUIRE(found.size() == 2);
  CHECK(same_bits(found[0], net.w2.grad()));
  CHECK(same_bits(found[1], net.x.grad()));
  CHECK(same_bits(through[0], net.x.grad()));
  CHECK(same_bits(through[1], net.x.grad()));
  CHECK(through[0].raw_data() != through[1].raw_data());
  CHECK_FALSE(found[0].requires_grad());
}

TEST_CASE("grad: of several outputs, of an output by itself, of one number for all") {
  const Tensor a = leaf({1, 2, 3}), b = leaf({4, 5, 6});
  const Tensor y = a * b, z = amp::sum(a);
  const Tensor weight = amp::tensor({1.0F, 10.0F, 100.0F}, {3});
  const auto both =
      amp::grad({y, z}, {a, b}, {.grad_outputs = {weight, Tensor()}, .retain_graph = true});
  CHECK(numbers(both[0]) == Numbers{5, 51, 601});
  CHECK(numbers(both[1]) == Numbers{1, 20, 300});
  CHECK(numbers(amp::grad(z, z, {.retain_graph = true})[0]) == Numbers{1});
  CHECK(numbers(amp::grad({z, z}, a)[0]) == Numbers{2, 2, 2});
  const Tensor sum = a + b;
  const Tensor given = amp::ones({1}).expand({3});
  const auto own = amp::grad(sum, {a, b}, {.grad_outputs = given});
  own[0].fill_(7);
  CHECK(numbers(own[1]) == Numbers{1, 1, 1});
  CHECK(numbers(given) == Numbers{1, 1, 1});
}

TEST_CASE("grad: only what leads to the inputs is computed") {
  const Net net;
  const auto visited = [&](const Tensor& by) {
    Counter counter;
    const amp::autograd::ObserverGuard guard(counter);
    (void)amp::grad(net.loss, by, {.retain_graph = true});
    return std::pair{counter.ops, counter.computed};
  };
  CHECK(visited(net.w2) == std::pair{2, 2});      // mean, linear: not the gradient of `hidden`
  CHECK(visited(net.hidden) == std::pair{2, 2});  // not that of the weight
  CHECK(visited(net.x) == std::pair{4, 4});
}

TEST_CASE("grad: the graph is freed, unless it is to be kept") {
  const Tensor x = leaf({2, 3});
  const Tensor y = amp::sum(x * x * x);
  for (int i = 0; i < 3; ++i)
    CHECK(numbers(amp::grad(y, x, {.retain_graph = true})[0]) == Numbers{12, 27});
  CHECK(numbers(amp::grad(y, x)[0]) == Numbers{12, 27});
  CHECK_THAT(error_of([&] { (void)amp::grad(y, x); }), ContainsSubstring("a second time"));
  CHECK_THAT(error_of([&] { y.backward(); }), ContainsSubstring("a second time"));
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("grad: an input on which nothing depends") {
  const Tensor x = leaf({2, 3}), other = leaf({1}), later = x * 2.0;
  const Tensor y = amp::sum(x);
  CHECK_THAT(error_of([&] {
               (void)amp::grad(y, {x, other});
             }),  // before anything is freed

             ContainsSubstring("`inputs`[1], float32[1]"));
  const auto found = amp::grad(y, {other, x, later}, {.retain_graph = true, .allow_unused = true});
  CHECK_FALSE(found[0].defined());
  CHECK(numbers(found[1]) == Numbers{1, 1});
  CHECK_FALSE(found[2].defined());
}

TEST_CASE("grad: through views, checkpoints, casts and hooks") {
  const Tensor x = leaf({1, 2, 3, 4});
  const Tensor first = x.narrow(0, 0, 2), last = x.narrow(0, 2, 2);
  const auto views = amp::grad(amp::sum(first * last) + amp::sum(first), {x, last});
  CHECK(numbers(views[0]) == Numbers{4, 5, 1, 2});
  CHECK(numbers(views[1]) == Numbers{1, 2});

  const Tensor kept = x * 3.0;
  const Tensor again = amp::checkpoint([](const Tensor& t) { return amp::sum(t * t); }, kept);
  for (int i = 0; i < 2; ++i) {
    const auto found = amp::grad(again, {x, kept}, {.retain_graph = i == 0});
    CHECK(numbers(found[0]) == Numbers{18, 36, 54, 72});
    CHECK(numbers(found[1]) == Numbers{6, 12, 18, 24});
  }

  const Tensor half = x.to(amp::kFloat16);
  const Tensor product = amp::matmul(half.reshape({1, 4}), half.reshape({4, 1}));
  const auto cast = amp::grad(product, {half, x});
  CHECK(cast[0].dtype() == amp::kFloat16);
  CHECK(cast[1].dtype() == amp::kFloat32);
  CHECK(numbers(cast[1]) == Numbers{2, 4, 6, 8});

  const Tensor hooked = x * 1.0;
  (void)hooked.register_hook([](const Tensor& gradient) { return gradient * 10.0; });
  CHECK(numbers(amp::grad(amp::sum(hooked), hooked)[0]) == Numbers{10, 10, 10, 10});
}

TEST_CASE("grad: of a scaled loss it is that of the scaled loss") {
  amp::GradScaler scaler({.init_scale = 8});
  const Tensor x = leaf({1, 2});
  const Tensor loss = scaler.scale(amp::sum(x * x));
  CHECK(numbers(amp::grad(loss, x)[0]) == Numbers{16, 32});
  CHECK_FALSE(x.grad().defined());
}

TEST_CASE("grad: what is refused") {
  const Tensor x = leaf({1, 2}), y = x * x, constant = amp::ones({2});
  const auto says = [](const auto& call, std::string_view words) {
    CHECK_THAT(error_of(call), ContainsSubstring(std::string(words)));
  };
  says([&] { (void)amp::grad({}, x); }, "grad: `outputs` must not be empty");
  says([&] { (void)amp::grad(y, {}); }, "grad: `inputs` must not be empty");
  says([&] { (void)amp::grad(y, x); },
       "grad: `outputs`[0] must have one element, but is float32[2]");
  says([&] { (void)amp::grad(Tensor(), x); }, "grad: `outputs`[0] is undefined");
  says([&] { (void)amp::grad(constant, x); }, "requires no gradient");
  says([&] { (void)amp::grad(y, {x, constant}); }, "grad: `inputs`[1], float32[2]");
  says([&] { (void)amp::grad(y, Tensor()); }, "grad: `inputs`[0]");
  says(
      [&] {
        (void)amp::grad(y, x, {.grad_outputs = {constant, constant}});
      },
      "grad: `grad_outputs` must have one tensor for each of the 1 outputs, but has 2");
  says([&] { (void)amp::grad(y, x, {.grad_outputs = amp::ones({3})}); },
       "grad: `grad_outputs`[0] must have the shape");
  CHECK(numbers(amp::grad(y, x, {.grad_outputs = constant})[0]) == Numbers{2, 4});
}

}  // namespace
}  // namespace grad_of

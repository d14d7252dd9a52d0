// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Writes in place and history: what gradients follow, and what is refused. Random programs beside
// PyTorch: tests/differential/programs.py.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace in_place_test {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor leaf(std::vector<float> values) {
  return amp::tensor(values, static_cast<std::int64_t>(values.size()), {.requires_grad = true});
}
std::vector<float> numbers(const Tensor& tensor) { return tensor.to_vector<float>(); }

}  // namespace

TEST_CASE("in place: the result has the history of what was written") {
  const Tensor w = leaf({1, 2, 3});
  const Tensor y = w * 2;
  const Tensor& same = y.mul_(w).add_(1);
  CHECK(same.is_same(y));
  CHECK(numbers(y) == std::vector<float>{3, 9, 19});
  y.sum().backward();
  CHECK(numbers(w.grad()) == std::vector<float>{4, 8, 12});
}

TEST_CASE("in place: slices of constants take the history of what is assigned") {
  const Tensor w = leaf({1, 2});
  const Tensor rows = amp::zeros({3, 2});
  for (int i = 0; i < 3; ++i) rows[i] = w * (i + 1);
  CHECK(rows.requires_grad());
  CHECK_FALSE(rows.is_leaf());
  CHECK(numbers(rows) == std::vector<float>{1, 2, 2, 4, 3, 6});
  rows.square().sum().backward();
  CHECK(numbers(w.grad()) == std::vector<float>{2 * (1 + 4 + 9), 4 * (1 + 4 + 9)});
}

TEST_CASE("in place: a write to a base reaches its views, and one to a view its base") {
  const Tensor w = leaf({1, 2, 3, 4});
  const Tensor base = w * 1;
  const Tensor view = base.view({2, 2}), other = base.narrow(0, 1, 2), wide = base[0].expand({3});
  base.mul_(3);
  view[1] = 0;
  CHECK(numbers(other) == std::vector<float>{6, 0});
  CHECK(numbers(wide) == std::vector<float>{3, 3, 3});
  (other.sum() + wide.sum() + base.sum()).backward();
  CHECK(numbers(w.grad()) == std::vector<float>{12, 6, 0, 0});
}

TEST_CASE("in place: a view that alone holds its base needs no history of it") {
  const Tensor w = leaf({1, 2});
  const Tensor y = (w * 2).reshape({2, 1}).add_(1);
  y.sum().backward();
  CHECK(numbers(w.grad()) == std::vector<float>{2, 2});
}

TEST_CASE("in place: what is overwritten with constants has a gradient of 0") {
  const Tensor w = leaf({1, 2});
  const Tensor y = w * 2;
  y.zero_();
  CHECK(y.requires_grad());
  y.sum().backward();
  CHECK(numbers(w.grad()) == std::vector<float>{0, 0});
}

TEST_CASE("in place: a saved tensor that was overwritten is found in backward") {
  const Tensor w = leaf({1, 2});
  const Tensor y = w * 2;
  const Tensor z = y * y;
  y.add_(1);
  CHECK_THAT(error_of([&] { z.sum().backward(); }),
             ContainsSubstring("was modified in place after the forward pass"));

  const Tensor power = w.exp();
  power.mul_(2);  // needs the result of exp, which is no more
  CHECK_THAT(error_of([&] { power.sum().backward(); }), ContainsSubstring("exp"));
}

TEST_CASE("in place: ops that need what they overwrite keep it") {
  const Tensor w = leaf({1, 2}), v = leaf({3, 5});
  const Tensor y = w * 1;
  y.mul_(v).square_().div_(v);
  CHECK(numbers(y) == std::vector<float>{3, 20});
  y.sum().backward();  // w^2 v
  CHECK(numbers(w.grad()) == std::vector<float>{6, 20});
  CHECK(numbers(v.grad()) == std::vector<float>{1, 4});
}

TEST_CASE("in place: leaves that require gradients, and views of them, are refused") {
  const Tensor w = leaf({1, 2});
  CHECK_THAT(error_of([&] { w.add_(1); }), ContainsSubstring("add_: the leaf float32[2]"));
  CHECK_THAT(error_of([&] { w[0] = 1; }), ContainsSubstring("a view of a leaf"));
  CHECK_THAT(error_of([&] { w.index_put_({0}, 3); }), ContainsSubstring("the leaf"));
  {
    const amp::NoGradGuard no_grad;
    w.add_(1);
    w[1] = 7;
  }
  CHECK(numbers(w) == std::vector<float>{2, 7});
  CHECK(w.is_leaf());
}

TEST_CASE("in place: a view made under NoGradGuard of a tensor with history is refused later") {
  const Tensor w = leaf({1, 2});
  const Tensor y = w * 2;
  const Tensor view = [&] {
    const amp::NoGradGuard no_grad;
    return y[0];
  }();
  CHECK_THAT(error_of([&] { view.mul_(2); }), ContainsSubstring("made under NoGradGuard"));
  y.mul_(2);
  CHECK_THAT(error_of([&] { (void)view.requires_grad(); }),
             ContainsSubstring("make the view again"));
}

TEST_CASE("in place: detach() shares memory, and no history") {
  const Tensor w = leaf({1, 2});
  const Tensor y = w * 2;
  y.detach().add_(5);
  CHECK(numbers(y) == std::vector<float>{7, 9});
  y.sum().backward();
  CHECK(numbers(w.grad()) == std::vector<float>{2, 2});
}

TEST_CASE("in place: the dtype stays, and a higher category is refused") {
  const Tensor low = amp::ones({2}, {.dtype = amp::kBFloat16});
  low += amp::full({2}, 0.25);
  CHECK(low.dtype() == amp::kBFloat16);
  CHECK(low.to_vector<float>() == std::vector<float>{1.25F, 1.25F});
  const Tensor whole = amp::tensor({1, 2}, 2);
  CHECK_THAT(error_of([&] { whole += 0.5; }), ContainsSubstring("the result is float32"));
  CHECK_THAT(error_of([&] { whole.sin_(); }), ContainsSubstring("cannot be written"));
  CHECK_THAT(error_of([&] {
               amp::ones({2}).add_(amp::ones({3, 2}));
             }),
             ContainsSubstring("the result has the shape [3, 2]"));
  CHECK_THAT(error_of([&] {
               amp::ones({2}).expand({3, 2}).add_(1);
             }),
             ContainsSubstring("share memory"));
  CHECK(whole.to_vector<std::int64_t>() == std::vector<std::int64_t>{1, 2});
}

TEST_CASE("in place: operands that share memory with the tensor") {
  const Tensor x = amp::arange(5).to(amp::kFloat32);
  x.narrow(0, 1, 4).add_(x.narrow(0, 0, 4));
  CHECK(numbers(x) == std::vector<float>{0, 1, 3, 5, 7});
  x.mul_(x);
  CHECK(numbers(x) == std::vector<float>{0, 1, 9, 25, 49});
  x.copy_(x.flip(0));
  CHECK(numbers(x) == std::vector<float>{49, 25, 9, 1, 0});
}

TEST_CASE("in place: autocast does not cast") {
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  const Tensor x = amp::full({2}, 1.001953125);  // not a bfloat16
  x.mul_(amp::ones({2})).exp_().log_();
  CHECK(x.dtype() == amp::kFloat32);
  CHECK(numbers(x)[0] == Approx(1.001953125F).epsilon(1e-6));
}

TEST_CASE("in place: activations that lie channels-last stay so") {
  const Tensor image = amp::randn({2, 3, 5, 5}), weight = amp::randn({4, 3, 3, 3});
  const Tensor x = amp::conv2d(image, weight), y = x.clone();
  x.relu_().add_(y).mul_(2);
  CHECK(amp::allclose(x, (amp::relu(y) + y) * 2));
  const Tensor z = x.clone();
  CHECK(z.version() == 0);
  CHECK(
      amp::equal(amp::conv2d(x, amp::ones({1, 4, 1, 1})), amp::conv2d(z, amp::ones({1, 4, 1, 1}))));
}

TEST_CASE("in place: a version rises with each write") {
  const Tensor x = amp::zeros({4});
  const auto before = x.version();
  x[0] = 1;
  CHECK(x.version() > before);
  const auto after = x.version();
  CHECK_THROWS_AS(x.index_put_({4}, 1), amp::Error);
  CHECK(x.version() == after);
}

TEST_CASE("in place: a temporary that is no view is not assigned to") {
  const Tensor x = amp::zeros({3});
  CHECK_THAT(error_of([&] { x.index({x > -1}) = 1; }), ContainsSubstring("index_put_"));
  x.index({amp::indexing::Slice(1)}) = 1;
  CHECK(numbers(x) == std::vector<float>{0, 1, 1});
}

TEST_CASE("in place: two threads may ask for the history of one view") {
  for (int round = 0; round < 20; ++round) {
    const Tensor w = leaf({1, 2, 3, 4});
    const Tensor base = w * 1;
    const Tensor view = base.view({2, 2});
    base.mul_(2);
    Tensor results[2];
    std::thread first([&] { results[0] = view * 1; });
    std::thread second([&] { results[1] = view * 1; });
    first.join();
    second.join();
    (results[0] + results[1]).sum().backward();
    CHECK(numbers(w.grad()) == std::vector<float>{4, 4, 4, 4});
  }
}

TEST_CASE("in place: random numbers") {
  amp::manual_seed(1);
  const Tensor x = amp::zeros({1000});
  x.normal_(3, 2);
  CHECK(std::abs(x.mean().item() - 3) < 0.3);
  CHECK(std::abs(x.std().item() - 2) < 0.3);
  x.uniform_(-1, 3);
  CHECK((x.min)().item() >= -1);
  CHECK((x.max)().item() < 3);
  CHECK(std::abs(x.mean().item() - 1) < 0.2);
  x.bernoulli_(0.25);
  CHECK(std::abs(x.mean().item() - 0.25) < 0.06);
  x.exponential_(2);
  CHECK(std::abs(x.mean().item() - 0.5) < 0.08);
  x.random_(3, 6);
  CHECK((x.min)().item() == 3);
  CHECK((x.max)().item() == 5);
  const Tensor columns = amp::zeros({4, 6});
  columns.T().normal_();
  CHECK(columns.count_nonzero().item<std::int64_t>() == 24);
  CHECK_THROWS_AS(x.normal_(0, -1), amp::Error);
  CHECK_THROWS_AS(amp::zeros({2}, {.dtype = amp::kInt64}).normal_(), amp::Error);
}

TEST_CASE("in place: an operand that no gradient needs is not saved") {
  const Tensor frozen = amp::ones({2, 2}), kernel = amp::ones({1, 1, 1, 1});
  const Tensor w = amp::ones({1, 2}, {.requires_grad = true});
  const Tensor x = w * 1;
  const Tensor y = amp::linear(x, frozen) + x.matmul(frozen) +
                   amp::addmm(amp::ones({2}), x, frozen) + x * amp::ones({2});
  const Tensor image = x.reshape({1, 1, 1, 2}).clone();
  const Tensor z = amp::conv2d(image, kernel) + amp::conv_transpose2d(image, kernel);
  x.zero_();
  image.zero_();
  (y.sum() + z.sum()).backward();
  CHECK(numbers(w.grad()) == std::vector<float>{9, 9});
}

}  // namespace in_place_test

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors without elements, and of extreme extents, through every op.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace {

amp::Tensor nothing(const amp::Shape& shape) { return amp::zeros(shape, {.requires_grad = true}); }

}  // namespace

TEST_CASE("empty: elementwise ops keep the shape", "[tensor]") {
  const amp::Tensor x = nothing({2, 0, 3});
  const amp::Tensor row = amp::ones({3});
  for (const amp::Tensor& y :
       {amp::add(x, row), amp::sub(row, x), amp::mul(x, x), amp::div(x, row), x + 1, 2 * x, 1 / x,
        amp::neg(x), amp::relu(x), amp::exp(x), amp::abs(x), amp::pow(x, 2), amp::eq(x, row)}) {
    CHECK(y.shape() == amp::Shape(2, 0, 3));
  }
}

TEST_CASE("empty: sums are zero, means and variances NaN", "[tensor]") {
  const amp::Tensor x = nothing({0, 3});
  CHECK(amp::sum(x).item<float>() == 0);
  CHECK(amp::sum(x, 0).to_vector<float>() == std::vector<float>(3, 0.0F));
  CHECK(amp::sum(x, 1).shape() == amp::Shape(0));
  CHECK(std::isnan(amp::mean(x).item<float>()));
  CHECK(std::isnan(amp::mean(x, 0).to_vector<float>()[2]));
  CHECK(amp::mean(x, 1).numel() == 0);
  CHECK(std::isnan(amp::var(x, 0, -1).to_vector<float>()[2]));
  CHECK(amp::var(x, 1).numel() == 0);
}

TEST_CASE("empty: argmax has nothing to find", "[tensor]") {
  CHECK_THROWS_AS((void)amp::argmax(nothing({0, 3}), 0), amp::Error);
  CHECK_THROWS_AS((void)amp::argmax(nothing({0})), amp::Error);
  CHECK(amp::argmax(nothing({0, 3}), 1).shape() == amp::Shape(0));
}

TEST_CASE("empty: gradients are zero or empty", "[tensor]") {
  const amp::Tensor x = nothing({0, 3}), row = amp::ones({3}, {.requires_grad = true});
  amp::sum(amp::relu(x * row)).backward();
  CHECK(x.grad().shape() == amp::Shape(0, 3));
  CHECK(row.grad().to_vector<float>() == std::vector<float>(3, 0.0F));
}

TEST_CASE("empty: matrix products", "[tensor]") {
  CHECK(amp::matmul(nothing({0, 3}), nothing({3, 2})).shape() == amp::Shape(0, 2));
  CHECK(amp::matmul(nothing({2, 3}), nothing({3, 0})).shape() == amp::Shape(2, 0));
  CHECK(amp::matmul(nothing({2, 0}), nothing({0, 2})).to_vector<float>() ==
        std::vector<float>(4, 0.0F));
  CHECK(amp::matmul(nothing({0}), nothing({0})).item<float>() == 0);
  CHECK(amp::bmm(nothing({0, 2, 3}), nothing({0, 3, 4})).shape() == amp::Shape(0, 2, 4));
  CHECK(amp::matmul(nothing({0, 2, 3}), nothing({3, 4})).shape() == amp::Shape(0, 2, 4));
  CHECK(amp::matmul(nothing({1, 2, 3}), nothing({0, 3, 4})).shape() == amp::Shape(0, 2, 4));
}

TEST_CASE("empty: a product over nothing is zero at any size", "[tensor]") {
  for (const std::int64_t n : {1, 300, 1000}) {
    const amp::Tensor a = nothing({n, 0}), b = nothing({0, n});
    const amp::Tensor c = amp::matmul(a, b);
    CHECK(amp::eq(c, 0).to_vector<int>() == std::vector<int>(static_cast<std::size_t>(n * n), 1));
    amp::sum(c).backward();
    CHECK(a.grad().shape() == a.shape());
    CHECK(b.grad().shape() == b.shape());
  }
}

TEST_CASE("empty: linear without rows", "[tensor]") {
  const amp::Tensor x = nothing({0, 3}), w = nothing({4, 3}), b = nothing({4});
  const amp::Tensor y = amp::linear(x, w, b);
  CHECK(y.shape() == amp::Shape(0, 4));
  amp::sum(y).backward();
  CHECK(w.grad().to_vector<float>() == std::vector<float>(12, 0.0F));
  CHECK(b.grad().to_vector<float>() == std::vector<float>(4, 0.0F));
}

TEST_CASE("empty: linear without features is its bias", "[tensor]") {
  const amp::Tensor x = nothing({2, 0}), w = nothing({3, 0});
  const amp::Tensor b = amp::tensor({1.0F, 2.0F, 3.0F}, {3}, {.requires_grad = true});
  const amp::Tensor y = amp::linear(x, w, b);
  CHECK(y.to_vector<float>() == std::vector<float>{1, 2, 3, 1, 2, 3});
  amp::sum(y).backward();
  CHECK(b.grad().to_vector<float>() == std::vector<float>(3, 2.0F));
}

TEST_CASE("empty: linear without outputs", "[tensor]") {
  const amp::Tensor x = nothing({2, 3});
  const amp::Tensor y = amp::linear(x, nothing({0, 3}), nothing({0}));
  CHECK(y.shape() == amp::Shape(2, 0));
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(6, 0.0F));
}

TEST_CASE("empty: convolution of no images", "[tensor]") {
  const amp::Tensor x = nothing({0, 2, 5, 5}), w = nothing({3, 2, 3, 3}), b = nothing({3});
  const amp::Tensor y = amp::conv2d(x, w, b);
  CHECK(y.shape() == amp::Shape(0, 3, 3, 3));
  amp::sum(y).backward();
  CHECK(x.grad().shape() == x.shape());
  CHECK(w.grad().to_vector<float>() == std::vector<float>(54, 0.0F));
  CHECK(b.grad().to_vector<float>() == std::vector<float>(3, 0.0F));
}

TEST_CASE("empty: convolution of no channels is its bias", "[tensor]") {
  const amp::Tensor x = nothing({1, 0, 3, 3}), w = nothing({2, 0, 3, 3});
  const amp::Tensor b = amp::tensor({1.0F, 2.0F}, {2}, {.requires_grad = true});
  const amp::Tensor y = amp::conv2d(x, w, b);
  CHECK(y.to_vector<float>() == std::vector<float>{1, 2});
  amp::sum(y).backward();
  CHECK(b.grad().to_vector<float>() == std::vector<float>{1, 1});
  CHECK(x.grad().shape() == x.shape());
}

TEST_CASE("empty: convolution to no filters", "[tensor]") {
  const amp::Tensor x = nothing({1, 2, 3, 3});
  const amp::Tensor y = amp::conv2d(x, nothing({0, 2, 3, 3}), nothing({0}));
  CHECK(y.shape() == amp::Shape(1, 0, 1, 1));
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(18, 0.0F));
}

TEST_CASE("empty: convolution of planes without rows sees padding or throws", "[tensor]") {
  const amp::Tensor w = nothing({1, 1, 2, 2});
  CHECK_THROWS_AS((void)amp::conv2d(nothing({1, 1, 0, 4}), w), amp::Error);
  const amp::Tensor x = nothing({1, 1, 0, 4});
  const amp::Tensor y = amp::conv2d(x, w, {}, {.padding = 1});
  CHECK(y.to_vector<float>() == std::vector<float>(5, 0.0F));
  amp::sum(y).backward();
  CHECK(x.grad().shape() == x.shape());
}

TEST_CASE("empty: pooling of no images and no channels", "[tensor]") {
  const amp::Tensor x = nothing({0, 2, 4, 4});
  const amp::Tensor y = amp::max_pool2d(x, 2);
  CHECK(y.shape() == amp::Shape(0, 2, 2, 2));
  amp::sum(y).backward();
  CHECK(x.grad().shape() == x.shape());
  CHECK(amp::max_pool2d(nothing({2, 0, 4, 4}), 2).shape() == amp::Shape(2, 0, 2, 2));
}

TEST_CASE("empty: pooling of planes without rows or columns throws", "[tensor]") {
  CHECK_THROWS_AS((void)amp::max_pool2d(nothing({1, 1, 0, 4}), 2), amp::Error);
  CHECK_THROWS_AS((void)amp::max_pool2d(nothing({1, 1, 0, 4}), 2, 2, 1), amp::Error);
  CHECK_THROWS_AS((void)amp::max_pool2d(nothing({1, 1, 4, 0}), 2, 2, 1), amp::Error);
}

TEST_CASE("empty: softmax", "[tensor]") {
  for (const std::int64_t dim : {0, 1, 2}) {
    const amp::Tensor x = nothing({2, 0, 3});
    amp::sum(amp::softmax(x, dim)).backward();
    CHECK(x.grad().shape() == x.shape());
    CHECK(amp::log_softmax(nothing({2, 0, 3}), dim).shape() == amp::Shape(2, 0, 3));
  }
}

TEST_CASE("empty: cross-entropy of no rows", "[tensor]") {
  const amp::Tensor x = nothing({0, 3});
  const amp::Tensor targets = amp::zeros({0}, {.dtype = amp::kInt64});
  CHECK(std::isnan(amp::cross_entropy(x, targets).item<float>()));
  CHECK(amp::cross_entropy(x, targets, {.reduction = amp::kSum}).item<float>() == 0);
  CHECK(amp::cross_entropy(x, targets, {.reduction = amp::kNone}).shape() == amp::Shape(0));
  amp::cross_entropy(x, targets).backward();
  CHECK(x.grad().shape() == x.shape());
}

TEST_CASE("empty: cross-entropy of no classes throws", "[tensor]") {
  const amp::Tensor targets = amp::zeros({2}, {.dtype = amp::kInt64});
  CHECK_THROWS_AS((void)amp::cross_entropy(nothing({2, 0}), targets), amp::Error);
}

TEST_CASE("empty: index_select of nothing, and from nothing", "[tensor]") {
  const amp::Tensor none = amp::zeros({0}, {.dtype = amp::kInt64});
  const amp::Tensor x = nothing({3, 2});
  const amp::Tensor y = amp::index_select(x, 0, none);
  CHECK(y.shape() == amp::Shape(0, 2));
  amp::sum(y).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>(6, 0.0F));
  CHECK_THROWS_AS((void)amp::index_select(nothing({0, 2}), 0, amp::tensor({0}, {1})), amp::Error);
  CHECK(amp::index_select(nothing({3, 0}), 0, amp::tensor({2, 1}, {2})).shape() ==
        amp::Shape(2, 0));
}

TEST_CASE("extremes: strides, paddings and dilations as large as they come", "[tensor]") {
  const amp::Tensor x = amp::ones({1, 1, 3, 3}), w = amp::ones({1, 1, 2, 2});
  constexpr std::int64_t kMost = std::int64_t{1} << 30;
  CHECK(amp::conv2d(x, w, {}, {.stride = kMost}).to_vector<float>() == std::vector<float>{4});
  CHECK(amp::max_pool2d(x, 2, kMost).to_vector<float>() == std::vector<float>{1});
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.stride = kMost + 1}), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.stride = INT64_MAX}), amp::Error);
  CHECK_THROWS_AS((void)amp::max_pool2d(x, 2, INT64_MAX), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.dilation = INT64_MAX}), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.padding = INT64_MAX}), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.stride = 0}), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.padding = -1}), amp::Error);
  CHECK_THROWS_AS((void)amp::conv2d(x, w, {}, {.groups = 0}), amp::Error);
  CHECK_THROWS_AS((void)amp::max_pool2d(x, INT64_MAX, 1, INT64_MAX / 2), amp::Error);
  CHECK_THROWS_AS((void)amp::max_pool2d(x, 2, 0), amp::Error);
}

TEST_CASE("extremes: one element is enough for every op", "[tensor]") {
  const amp::Tensor x = amp::full({1, 1, 1, 1}, 2, {.requires_grad = true});
  const amp::Tensor w = amp::full({1, 1, 1, 1}, 3, {.requires_grad = true});
  const amp::Tensor y = amp::max_pool2d(amp::relu(amp::conv2d(x, w)), 1).flatten(1);
  const amp::Tensor loss =
      amp::cross_entropy(amp::linear(y, w.reshape({1, 1})), amp::tensor({0}, {1}));
  CHECK(loss.item<float>() == 0);
  loss.backward();
  CHECK(x.grad().item<float>() == 0);
  CHECK(amp::softmax(amp::full({}, 5), 0).item<float>() == 1);
  CHECK(amp::argmax(amp::full({}, 5)).item<int>() == 0);
  CHECK(amp::argmax(amp::full({}, 5), -1).item<int>() == 0);
  CHECK(amp::sum(amp::full({}, 5), 0).item<float>() == 5);
  CHECK(amp::mean(amp::full({}, 5), -1).item<float>() == 5);
}

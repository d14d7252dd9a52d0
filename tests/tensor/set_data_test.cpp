// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// set_data: a leaf takes over other memory under the same handles; what was computed before keeps
// its values and its gradients.
#include <amp/amp.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Floats = std::vector<float>;

Tensor leaf(double value = 2) { return amp::full({2}, value, {.requires_grad = true}); }

}  // namespace

TEST_CASE("set_data: every handle sees memory, shape, strides and dtype", "[tensor]") {
  const Tensor p = leaf(), handle = p;
  const Tensor data = amp::arange(6).to(amp::kFloat64).reshape({2, 3}).t();
  p.set_data(data);
  CHECK(handle.is_same(p));
  CHECK(handle.dtype() == amp::kFloat64);
  CHECK(handle.shape() == amp::Shape(3, 2));
  CHECK_FALSE(handle.is_contiguous());
  CHECK(handle.to_vector<float>() == Floats{0, 3, 1, 4, 2, 5});
  CHECK(handle.raw_data() == data.raw_data());
  CHECK(handle.requires_grad());
  CHECK(handle.is_leaf());
}

TEST_CASE("set_data: the memory is shared, with its version", "[tensor]") {
  const Tensor p = leaf(), data = amp::full({3}, 5);
  p.set_data(data);
  CHECK(p.version() == data.version());
  data.fill_(7);
  CHECK(p.to_vector<float>() == Floats(3, 7));
  CHECK(p.version() == data.version());
  const amp::NoGradGuard no_grad;
  const std::uint64_t version = data.version();
  p.fill_(8);
  CHECK(data.version() > version);
  CHECK(data.to_vector<float>() == Floats(3, 8));
  CHECK_FALSE(data.requires_grad());
}

TEST_CASE("set_data: views and detached handles of before keep the old memory", "[tensor]") {
  const Tensor p = leaf(2), detached = p.detach(), part = p.detach().narrow(0, 0, 1);
  p.set_data(amp::full({2}, 9));
  CHECK(detached.to_vector<float>() == Floats{2, 2});
  CHECK(part.to_vector<float>() == Floats{2});
  CHECK(p.detach().to_vector<float>() == Floats{9, 9});
}

TEST_CASE("set_data: its own memory, even converted, is data too", "[tensor]") {
  const Tensor p = leaf(2.5);
  p.set_data(p.detach());
  CHECK(p.to_vector<float>() == Floats(2, 2.5F));
  p.set_data(p.detach().to(amp::kFloat16));
  CHECK(p.dtype() == amp::kFloat16);
  CHECK(p.to_vector<float>() == Floats(2, 2.5F));
  p.set_data(amp::tensor({1.0F, 2.0F, 3.0F}, {3}).narrow(0, 1, 2));
  CHECK(p.to_vector<float>() == Floats{2, 3});
  p.set_data(p.detach().narrow(0, 1, 1));
  CHECK(p.to_vector<float>() == Floats{3});
}

TEST_CASE("set_data: the gradient is dropped, the next has the new shape and dtype", "[tensor]") {
  const Tensor p = leaf();
  amp::sum(p * p).backward();
  CHECK(p.grad().defined());
  p.set_data(amp::full({3}, 2, {.dtype = amp::kFloat64}));
  CHECK_FALSE(p.grad().defined());
  amp::sum(p * p).backward();
  CHECK(p.grad().dtype() == amp::kFloat64);
  CHECK(p.grad().to_vector<float>() == Floats(3, 4));
}

TEST_CASE("set_data: the mark of a scaled gradient goes with it", "[tensor]") {
  const Tensor p = leaf();
  amp::SGD sgd({p}, {.lr = 1});
  amp::GradScaler scaler({.init_scale = 8});
  scaler.scale(amp::sum(p)).backward();
  CHECK_THROWS_AS(sgd.step(), amp::Error);
  p.set_data(amp::full({2}, 1));
  p.set_grad(amp::ones({2}));
  CHECK_NOTHROW(sgd.step());
  CHECK(p.to_vector<float>() == Floats(2, 0));
}

TEST_CASE("set_data: what was computed before keeps its values and gradients", "[tensor]") {
  const Tensor p = leaf(3), x = leaf(5);
  const Tensor y = amp::sum(p * x), z = amp::sum(p * p);
  const Tensor view = p.reshape({1, 2});
  p.set_data(amp::full({2}, 100));
  {
    const amp::NoGradGuard no_grad;
    p.fill_(200);  // of the new memory: what was saved is the old
  }
  CHECK(y.item<float>() == 30);
  CHECK(view.to_vector<float>() == Floats{3, 3});
  y.backward();
  CHECK(x.grad().to_vector<float>() == Floats{3, 3});
  CHECK_NOTHROW(z.backward());
  CHECK_FALSE(p.grad().defined());  // d/d(old p): the new one took no part
  amp::sum(p * x).backward();
  CHECK(p.grad().to_vector<float>() == Floats{5, 5});
  CHECK(x.grad().to_vector<float>() == Floats{203, 203});
}

TEST_CASE("set_data: a write to the old memory is still noticed by a graph of before", "[tensor]") {
  const Tensor p = leaf(3), x = leaf(5), old = p.detach();
  const Tensor y = amp::sum(p * x);
  p.set_data(amp::full({2}, 100));
  old.fill_(4);
  CHECK_THAT(error_of([&] { y.backward(); }), ContainsSubstring("modified in place"));
}

TEST_CASE("set_data: low-precision copies are of the new memory", "[tensor]") {
  const Tensor p = amp::ones({2, 2}, {.requires_grad = true});
  const auto use = [&] {
    const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kFloat16});
    return amp::matmul(amp::ones({1, 2}), p).to_vector<float>()[0];
  };
  CHECK(use() == 2);
  for (const double value : {3.0, 4.0}) {
    p.set_data(amp::full({2, 2}, value));
    CHECK(use() == static_cast<float>(2 * value));
    CHECK(use() == static_cast<float>(2 * value));
  }
  const Tensor shared = amp::full({2, 2}, 5);
  p.set_data(shared);
  CHECK(use() == 10);
  shared.fill_(6);
  CHECK(use() == 12);
}

TEST_CASE("set_data: what requires no gradient may take any dtype, and stays so", "[tensor]") {
  const Tensor t = amp::ones({2});
  t.set_data(amp::arange(3));
  CHECK(t.dtype() == amp::kInt64);
  CHECK_FALSE(t.requires_grad());
  const Tensor frozen = leaf().requires_grad_(false);
  frozen.set_data(amp::ones({4}));
  CHECK_FALSE(frozen.requires_grad());
  CHECK(frozen.requires_grad_().requires_grad());
  const Tensor none = leaf();
  none.set_data(amp::empty({0, 3}));
  CHECK(none.numel() == 0);
}

TEST_CASE("set_data: misuse throws, says why, and changes nothing", "[tensor]") {
  const Tensor p = leaf(), computed = p * 2;
  CHECK_THAT(error_of([&] { computed.set_data(amp::ones({2})); }), ContainsSubstring("computed"));
  CHECK_THAT(error_of([&] { p.set_data(Tensor()); }), ContainsSubstring("undefined"));
  CHECK_THAT(error_of([&] { p.set_data(p * 3); }), ContainsSubstring("detach"));
  CHECK_THAT(error_of([&] { p.set_data(leaf()); }), ContainsSubstring("detach"));
  CHECK_THAT(error_of([&] { p.set_data(amp::arange(2)); }),
             ContainsSubstring("requires gradients"));
  CHECK_THROWS_AS(Tensor().set_data(amp::ones({2})), amp::Error);
  CHECK(p.to_vector<float>() == Floats{2, 2});
  CHECK(computed.to_vector<float>() == Floats{4, 4});
  amp::sum(computed).backward();
  CHECK(p.grad().to_vector<float>() == Floats{2, 2});
}

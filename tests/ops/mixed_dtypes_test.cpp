// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Class weights and attention masks of another dtype than the input's: the same values as of one.
#include <amp/amp.hpp>

#include <vector>

#include "support/catch.hpp"

namespace mixed_dtypes {
namespace {

using amp::Tensor;

constexpr amp::DType kFloats[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16};

}  // namespace

TEST_CASE("cross_entropy, nll_loss: class weights of every floating-point dtype") {
  amp::manual_seed(3);
  const Tensor targets = amp::tensor({2, 0, 1}, {3}), w = amp::tensor({0.5F, 2.0F, 1.5F}, {3});
  for (const amp::DType dtype : kFloats) {
    const Tensor x = amp::randn({3, 3}).to(dtype);
    const double plain = amp::cross_entropy(x, targets, {.weight = w.to(dtype)}).item<double>();
    const double nll = amp::nll_loss(x, targets, {.weight = w.to(dtype)}).item<double>();
    for (const amp::DType other : kFloats) {
      INFO(name(dtype) << ", weight " << name(other));
      const Tensor loss = amp::cross_entropy(x, targets, {.weight = w.to(other)});
      CHECK(loss.dtype() == dtype);
      CHECK(loss.item<double>() == plain);
      CHECK(amp::nll_loss(x, targets, {.weight = w.to(other)}).item<double>() == nll);
    }
  }
}

TEST_CASE("scaled_dot_product_attention: masks of every floating-point dtype") {
  amp::manual_seed(4);
  const Tensor mask = amp::tensor({0.0F, -1.5F, 2.0F, 0.25F}, {2, 2});
  for (const amp::DType dtype : kFloats) {
    const Tensor q = amp::randn({2, 4}).to(dtype);
    const auto attend = [&](amp::DType other) {
      const Tensor y = amp::scaled_dot_product_attention(q, q, q, mask.to(other));
      CHECK(y.dtype() == dtype);
      return y.to_vector<double>();
    };
    const std::vector<double> plain = attend(dtype);
    for (const amp::DType other : kFloats) {
      INFO(name(dtype) << ", mask " << name(other));
      CHECK(attend(other) == plain);
    }
  }
}

}  // namespace mixed_dtypes

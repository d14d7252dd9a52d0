// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Embedding: the row for padding, and weights from elsewhere.
#include <amp/amp.hpp>

#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace embedding_layer {
namespace {

namespace nn = amp::nn;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

Tensor indices() { return amp::tensor({1, 0, 2, 1}, {2, 2}); }

}  // namespace

TEST_CASE("Embedding: the row for padding starts as 0 and is not trained", "[nn]") {
  for (const std::int64_t padding : {1, -2}) {
    const nn::Embedding layer(3, 2, {.padding_idx = padding});
    CHECK(layer.weight.select(0, 1).to_vector<double>() == Values(2, 0));
    CHECK(nn::to_string(layer) == "Embedding(3, 2, padding_idx=1)");
    for (int i = 0; i < 2; ++i) amp::sum(layer(indices()) * 3).backward();
    CHECK(layer.weight.grad().to_vector<double>() == Values{6, 6, 0, 0, 6, 6});
  }
}

TEST_CASE("Embedding: the row for padding is looked up as the others are", "[nn]") {
  const nn::Embedding layer(3, 2, {.padding_idx = 0});
  nn::init::constant_(layer.weight, 4);
  CHECK(layer(indices()).to_vector<double>() == Values(8, 4));
  const nn::Embedding plain(3, 2);
  amp::sum(plain(indices())).backward();
  CHECK(plain.weight.grad().to_vector<double>() == Values{1, 1, 2, 2, 1, 1});
  const amp::AutocastGuard autocast(amp::kCPU, {.dtype = amp::kBFloat16});
  amp::sum(layer(indices())).backward();
  CHECK(layer.weight.grad().to_vector<double>() == Values{0, 0, 2, 2, 1, 1});
  CHECK(layer.clone().weight.defined());
}

TEST_CASE("Embedding: from_pretrained takes the tensor itself", "[nn]") {
  const Tensor rows = amp::tensor({1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F}, {3, 2});
  const nn::Embedding frozen = nn::Embedding::from_pretrained(rows);
  CHECK(frozen.weight.is_same(rows));
  CHECK_FALSE(frozen.weight.requires_grad());
  CHECK(frozen(indices()).to_vector<double>() == Values{3, 4, 1, 2, 5, 6, 3, 4});
  const nn::Embedding trained =
      nn::Embedding::from_pretrained(rows, {.freeze = false, .padding_idx = 2});
  CHECK(trained.weight.requires_grad());
  CHECK(trained.weight.to_vector<double>() == Values{1, 2, 3, 4, 5, 6});
  amp::sum(trained(indices())).backward();
  CHECK(rows.grad().to_vector<double>() == Values{1, 1, 2, 2, 0, 0});
}

TEST_CASE("Embedding: what cannot be throws", "[nn]") {
  CHECK_THAT(error_of([] { nn::Embedding(3, 2, {.padding_idx = 3}); }),
             ContainsSubstring("`padding_idx`") && ContainsSubstring("3 rows"));
  CHECK_THROWS_AS(nn::Embedding(3, 2, {.padding_idx = -4}), amp::Error);
  CHECK_THROWS_AS(nn::Embedding(-1, 2), amp::Error);
  CHECK_THAT(error_of([] { (void)nn::Embedding::from_pretrained(amp::ones({3})); }),
             ContainsSubstring("matrix"));
  CHECK_THROWS_AS(nn::Embedding::from_pretrained(Tensor()), amp::Error);
}

}  // namespace embedding_layer

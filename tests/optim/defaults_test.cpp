// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Defaults that depend on the optimizer, and ways to name parameters.
#include <amp/amp.hpp>

#include "support/catch.hpp"

namespace defaults {

TEST_CASE("AdamW decays weights by default, Adam does not", "[optim]") {
  const amp::Tensor w = amp::ones({1}, {.requires_grad = true});
  w.set_grad(amp::zeros({1}));
  amp::Adam({w}, {.lr = 0.1}).step();
  CHECK(w.item<float>() == 1);
  amp::AdamW({w}, {.lr = 0.1}).step();
  CHECK(w.item<float>() == Approx(1 - 0.1 * 0.01));
  amp::AdamW({w}, amp::AdamOptions{.lr = 0.1, .weight_decay = 0}).step();
  CHECK(w.item<float>() == Approx(1 - 0.1 * 0.01));
}

TEST_CASE("clip_grad_norm_: takes a list of tensors", "[optim]") {
  const amp::Tensor w = amp::zeros({2}, {.requires_grad = true});
  w.set_grad(amp::tensor({3.0F, 4.0F}, {2}));
  CHECK(amp::clip_grad_norm_({w}, 1.0).item<float>() == 5);
  CHECK(w.grad().to_vector<float>()[0] == Approx(0.6));
}

}  // namespace defaults

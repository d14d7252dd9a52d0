// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// amp::grad, if memory runs out: an error, and the graph can be differentiated again.
#include <amp/amp.hpp>

#include <vector>

#include "out_of_memory/each_fails.hpp"
#include "support/catch.hpp"

namespace grad_out_of_memory {

using amp::Tensor;

TEST_CASE("out of memory: amp::grad throws and loses nothing", "[autograd]") {
  const Tensor x = amp::ones({3}, {.requires_grad = true}), w = amp::ones({3, 3});
  const Tensor y = amp::sum(amp::tanh(amp::linear(x, w)) * x);
  const amp::TensorList outputs = y, inputs = x;
  const amp::GradOptions options{.retain_graph = true};
  CHECK(amp_test::each_fails([&] { (void)amp::grad(outputs, inputs, options); }) > 5);
  CHECK(amp::grad(outputs, inputs, options)[0].defined());
}

}  // namespace grad_out_of_memory

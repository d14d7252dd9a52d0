// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gradients of index_select and embedding: what an index names several times adds up, rounded once.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace index_gradient {

using amp::Tensor;

TEST_CASE("index_select: gradients of slices named never, once and often", "[ops]") {
  const std::vector<std::int64_t> index = {3, 0, 3, 5, 3, 5};
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
    for (const int inner : {1, 3, 40}) {
      INFO(to_string(dtype) << ", slices of " << inner);
      const Tensor x = amp::rand({2, 7, inner}, {.dtype = dtype, .requires_grad = true});
      const Tensor grad = amp::randn({2, 6, inner}, {.dtype = dtype});
      amp::index_select(x, 1, amp::tensor(index, {6})).backward(grad);
      Tensor expected = amp::zeros({2, 7, inner}, {.dtype = amp::kFloat32});
      if (dtype == amp::kFloat64) expected = expected.to(dtype);
      for (std::int64_t i = 0; i < 6; ++i) {
        const Tensor slice = expected.select(1, index[static_cast<std::size_t>(i)]);
        slice.copy_(slice + grad.select(1, i).to(slice.dtype()));
      }
      CHECK(x.grad().to_vector<double>() == expected.to(dtype).to_vector<double>());
    }
  }
}

TEST_CASE("index_select: a gradient of -0 becomes 0, as a sum does", "[ops]") {
  for (const amp::DType dtype :
       {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16, amp::kFloat8E4M3}) {
    const Tensor x = amp::ones({3, 4}).to(dtype).requires_grad_();
    const Tensor grad = (amp::ones({2, 4}) * -0.0).to(dtype);
    amp::index_select(x, 0, amp::tensor({2, 0}, {2})).backward(grad);
    for (const double element : x.grad().to_vector<double>()) {
      CHECK(element == 0);
      CHECK(!std::signbit(element));
    }
  }
}

TEST_CASE("embedding: the gradient is rounded once, after all additions", "[ops]") {
  const Tensor weight = amp::zeros({3, 2}, {.dtype = amp::kBFloat16, .requires_grad = true});
  const std::vector<float> each = {256, 256, 1, 1, 1, 1};  // 256 + 1 is no bfloat16
  amp::embedding(amp::tensor({1, 1, 1}, {3}), weight)
      .backward(amp::tensor(each, {3, 2}, {.dtype = amp::kBFloat16}));
  CHECK(weight.grad().to_vector<int>() == std::vector<int>{0, 0, 258, 258, 0, 0});
}

}  // namespace index_gradient

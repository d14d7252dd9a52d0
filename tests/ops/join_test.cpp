// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// cat with empty 1-dimensional tensors, which join tensors of any rank.
#include <amp/amp.hpp>

#include <vector>

#include "support/catch.hpp"

namespace join_test {
namespace {

using amp::Tensor;

amp::DType dtype_beside(amp::DType of_nothing, amp::DType other, int dim) {
  const Tensor nothing = amp::zeros({0}, {.dtype = of_nothing});
  const Tensor some = amp::ones({2, 3}, {.dtype = other});
  const Tensor first = amp::cat({nothing, some}, dim), last = amp::cat({some, nothing}, dim);
  CHECK(first.shape() == amp::Shape(2, 3));
  CHECK(last.to_vector<int>() == std::vector<int>(6, 1));
  CHECK(first.dtype() == last.dtype());
  return first.dtype();
}

TEST_CASE("cat: the dtype of nothing counts", "[ops]") {
  // torch 2.15
  CHECK(dtype_beside(amp::kFloat64, amp::kFloat32, 0) == amp::kFloat64);
  CHECK(dtype_beside(amp::kFloat32, amp::kInt64, 1) == amp::kFloat32);
  CHECK(dtype_beside(amp::kFloat32, amp::kFloat16, 0) == amp::kFloat32);
  CHECK(dtype_beside(amp::kFloat16, amp::kBFloat16, 1) == amp::kFloat32);
  CHECK(dtype_beside(amp::kInt64, amp::kBool, -1) == amp::kInt64);
}

TEST_CASE("cat: the gradient of nothing is empty, and there", "[ops]") {
  const Tensor nothing = amp::zeros({0}, {.dtype = amp::kFloat16, .requires_grad = true});
  const Tensor some = amp::ones({2, 3}, {.requires_grad = true});
  amp::sum(amp::cat({some, nothing, some}, 1)).backward();
  REQUIRE(nothing.grad().defined());
  CHECK(nothing.grad().shape() == amp::Shape(0));
  CHECK(nothing.grad().dtype() == amp::kFloat16);
  CHECK(some.grad().to_vector<int>() == std::vector<int>(6, 2));

  const Tensor alone = amp::cat({nothing, amp::ones({2, 3})});
  CHECK(alone.requires_grad());
  nothing.set_grad({});
  amp::sum(alone).backward();
  CHECK(nothing.grad().defined());
  CHECK(amp::cat({nothing, nothing}).shape() == amp::Shape(0));
}

}  // namespace
}  // namespace join_test

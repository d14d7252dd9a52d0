// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Subscripts as libtorch writes them.
#include <amp/amp.hpp>

#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace subscript_test {
namespace {

using amp::Shape;
using amp::Tensor;
using namespace amp::indexing;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

std::vector<std::int64_t> numbers(const Tensor& tensor) { return tensor.to_vector<std::int64_t>(); }
using Numbers = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("subscript: numbers, slices, None and Ellipsis give views") {
  const Tensor x = amp::arange(24).reshape({2, 3, 4});
  CHECK(numbers(x[1][2]) == Numbers{20, 21, 22, 23});
  CHECK(numbers(x[-1][-1]) == Numbers{20, 21, 22, 23});
  CHECK(x[0][1][2].item<std::int64_t>() == 6);
  CHECK(numbers(x.index({0, Slice(), 1})) == Numbers{1, 5, 9});
  CHECK(numbers(x.index({Ellipsis, 0})) == Numbers{0, 4, 8, 12, 16, 20});
  CHECK(numbers(x.index({1, Slice(1, None), Slice(None, None, 2)})) == Numbers{16, 18, 20, 22});
  CHECK(numbers(x.index({0, -1, Slice(-3, -1)})) == Numbers{9, 10});
  CHECK(x.index({None, Ellipsis, None}).shape() == Shape(1, 2, 3, 4, 1));
  CHECK(x.index({Slice(), None, 0}).shape() == Shape(2, 1, 4));
  CHECK(x.index({Slice(5, 9)}).shape() == Shape(0, 3, 4));
  x.index({0, 0}).fill_(-1);
  CHECK(numbers(x[0][0]) == Numbers{-1, -1, -1, -1});
}

TEST_CASE("subscript: tensors of indices and masks") {
  const Tensor x = amp::arange(12).reshape({3, 4});
  const Tensor rows = amp::tensor({2, 0}, 2), columns = amp::tensor({1, -1}, 2);
  CHECK(numbers(x[rows]) == Numbers{8, 9, 10, 11, 0, 1, 2, 3});
  CHECK(numbers(x.index({rows, columns})) == Numbers{9, 3});
  CHECK(numbers(x.index({Slice(), columns})) == Numbers{1, 3, 5, 7, 9, 11});
  CHECK(numbers(x.index({Ellipsis, columns})) == Numbers{1, 3, 5, 7, 9, 11});
  CHECK(numbers(x.index({1, columns})) == Numbers{5, 7});
  CHECK(numbers(x[x > 8]) == Numbers{9, 10, 11});
  CHECK(numbers(x.index({amp::tensor({1, 0, 1}, 3) > 0, 0})) == Numbers{0, 8});
  CHECK(numbers(x[amp::tensor({1}, Shape())]) == Numbers{4, 5, 6, 7});
  CHECK(x.index({rows, None}).shape() == Shape(2, 1, 4));
}

TEST_CASE("subscript: index_put_ writes to what index names") {
  const Tensor x = amp::zeros({3, 4}, {.dtype = amp::kInt64});
  x.index_put_({0}, 1);
  x.index_put_({Slice(1), Slice(None, None, 2)}, amp::tensor({5, 6}, 2));
  CHECK(numbers(x) == Numbers{1, 1, 1, 1, 5, 0, 6, 0, 5, 0, 6, 0});
  x.index_put_({x == 0}, 9);
  CHECK(numbers(x[1]) == Numbers{5, 9, 6, 9});
  const Tensor rows = amp::tensor({2, 2}, 2), columns = amp::tensor({0, 0}, 2);
  x.index_put_({rows, columns}, amp::tensor({1, 2}, 2), true);
  CHECK(x[2][0].item<std::int64_t>() == 8);
  x.index_put_({Ellipsis, 3}, amp::tensor({7, 8, 9}, {1, 3}));
  CHECK(numbers(x.index({Slice(), 3})) == Numbers{7, 8, 9});
}

TEST_CASE("subscript: gradients") {
  const Tensor w = amp::ones({3, 4}, {.requires_grad = true});
  const Tensor rows = amp::tensor({0, 0, 2}, 3);
  (w[rows].sum() + w.index({Slice(), 1}).sum() * 10 + w[1][2]).backward();
  CHECK(w.grad().to_vector<float>() == std::vector<float>{2, 12, 2, 2, 0, 10, 1, 0, 1, 11, 1, 1});

  const Tensor v = amp::ones({2}, {.requires_grad = true});
  const Tensor y = amp::zeros({4});
  y.index_put_({amp::tensor({3, 1}, 2)}, v * amp::tensor({5, 7}, 2));
  y.index_put_({amp::tensor({3}, 1)}, v.narrow(0, 0, 1), true);
  y.square().sum().backward();
  CHECK(v.grad().to_vector<float>() == std::vector<float>{72, 98});
}

TEST_CASE("subscript: what is out of range or too much is refused") {
  const Tensor x = amp::arange(6).reshape({2, 3});
  CHECK_THAT(error_of([&] { (void)x[2]; }), ContainsSubstring("must lie in [-2, 2), but is 2"));
  CHECK_THAT(error_of([&] { (void)x.index({0, 0, 0}); }), ContainsSubstring("has 2"));
  CHECK_THAT(error_of([&] {
               (void)x.index({Ellipsis, Ellipsis});
             }),
             ContainsSubstring("one Ellipsis"));
  CHECK_THAT(error_of([&] { (void)x.index({Slice(None, None, -1)}); }),
             ContainsSubstring("`step` must be positive"));
  CHECK_THAT(error_of([&] { (void)x.index({amp::ones({2})}); }), ContainsSubstring("int64"));
  CHECK_THAT(error_of([&] { (void)x.index({Tensor()}); }), ContainsSubstring("indices"));
  CHECK_THAT(error_of([&] { (void)x[0][0][0]; }), ContainsSubstring("0-dimensional"));
  CHECK_THAT(error_of([&] { (void)Tensor()[0]; }), ContainsSubstring("undefined"));
  CHECK_THAT(error_of([&] { x.index_put_({0}, amp::arange(4)); }), ContainsSubstring("`value`"));
  CHECK_THAT(error_of([&] { x.index_put_({amp::tensor({5}, 1)}, 1); }), ContainsSubstring("5"));
  CHECK(numbers(x) == Numbers{0, 1, 2, 3, 4, 5});
}

}  // namespace subscript_test

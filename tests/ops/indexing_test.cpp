// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moving elements by indices and masks: inputs that several threads share, the order of what meets
// in one place, and what is refused.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace indexing {
namespace {

using amp::ScatterReduce;
using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

Tensor random_index(const amp::Shape& shape, std::int64_t below) {
  return (amp::rand(shape) * static_cast<double>(below)).to(amp::kInt64);
}

/// scatter_add of a matrix in double, element by element.
std::vector<double> added(const Tensor& x, int dim, const Tensor& index, const Tensor& src) {
  auto sums = x.to_vector<double>();
  const auto places = index.to_vector<std::int64_t>();
  const auto values = src.to_vector<double>();
  const std::int64_t columns = index.size(1), width = x.size(1);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i);
    const std::int64_t row = dim == 0 ? places[i] : at / columns;
    const std::int64_t column = dim == 0 ? at % columns : places[i];
    sums[static_cast<std::size_t>(row * width + column)] += values[i];
  }
  return sums;
}

void check_near(const Tensor& actual, const std::vector<double>& expected, double limit) {
  const auto values = actual.to_vector<double>();
  REQUIRE(values.size() == expected.size());
  double worst = 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::fmax(worst, std::fabs(values[i] - expected[i]) / (1 + std::fabs(expected[i])));
  CHECK(worst <= limit);
}

}  // namespace

TEST_CASE("scatter_add: many lines, few long ones, lines side by side, one place", "[ops]") {
  amp::manual_seed(1);
  struct Size {
    amp::Shape x, index;
    int dim;
  };
  for (const Size& size : {Size{{700, 90}, {700, 200}, 1}, Size{{3, 5000}, {3, 70'000}, 1},
                           Size{{90, 700}, {200, 700}, 0}, Size{{5000, 3}, {60'000, 3}, 0},
                           Size{{2, 2}, {50'000, 2}, 0}, Size{{60, 40'000}, {1, 40'000}, 0},
                           Size{{40'000, 20}, {40'000, 1}, 1}}) {
    INFO(to_string(size.x) << ", " << to_string(size.index));
    const Tensor index = random_index(size.index, size.x[size.dim]);
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
      const Tensor x = amp::randn(size.x).to(dtype), src = amp::randn(size.index).to(dtype);
      const Tensor y = amp::scatter_add(x, size.dim, index, src);
      const double limit = dtype == amp::kFloat64 ? 1e-12 : dtype == amp::kFloat32 ? 2e-4 : 0x1p-7;
      check_near(y, added(x, size.dim, index, src), limit);
      CHECK(amp::scatter_add(x, size.dim, index, src).to_vector<double>() == y.to_vector<double>());
    }
  }
}

TEST_CASE("index_add: slices of many places, and of one that many go to", "[ops]") {
  amp::manual_seed(2);
  for (const std::int64_t places : {1, 3, 500}) {
    for (const std::int64_t width : {2, 33, 200}) {
      const Tensor index = random_index({3000}, places);
      for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
        const Tensor x = amp::randn({places, width}).to(dtype),
                     source = amp::randn({3000, width}).to(dtype);
        const Tensor all = index.reshape({3000, 1}).expand({3000, width});
        const double limit = dtype == amp::kFloat64   ? 1e-12
                             : dtype == amp::kFloat32 ? 2e-4
                                                      : 0x1p-7;
        check_near(amp::index_add(x, 0, index, source), added(x, 0, all, source), limit);
        const Tensor weight = amp::zeros({places, width}, {.dtype = dtype, .requires_grad = true});
        amp::embedding(index, weight).backward(source);
        check_near(weight.grad(), added(weight.detach(), 0, all, source), limit);
      }
    }
  }
}

TEST_CASE("scatter: the last of several stays; index_put, index_copy too", "[ops]") {
  const Tensor x = amp::zeros({2}), index = amp::tensor({1, 0, 1, 1}, {4});
  const Tensor src = amp::tensor({1.0, 2.0, 3.0, 4.0}, {4});
  const std::vector<double> expected = {2, 4};
  CHECK(amp::scatter(x, 0, index, src).to_vector<double>() == expected);
  CHECK(amp::index_put(x, {index}, src).to_vector<double>() == expected);
  CHECK(amp::index_copy(x, 0, index, src).to_vector<double>() == expected);
  const Tensor rows =
      amp::index_copy(amp::zeros({2, 3}), 0, index, src.reshape({4, 1}).expand({4, 3}));
  CHECK(rows.to_vector<double>() == std::vector<double>{2, 2, 2, 4, 4, 4});
}

TEST_CASE("scatter_reduce: NaN is the extremum, and has the gradient", "[ops]") {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  for (const ScatterReduce reduce : {ScatterReduce::kAmax, ScatterReduce::kAmin}) {
    const Tensor x = amp::tensor({1.0, 2.0}, {2}).requires_grad_();
    const Tensor src = amp::tensor({kNaN, 3.0, 5.0}, {3}).requires_grad_();
    const Tensor y = amp::scatter_reduce(x, 0, amp::tensor({0, 0, 1}, {3}), src, reduce);
    CHECK(std::isnan(y.to_vector<double>()[0]));
    amp::sum(y).backward();
    const bool larger = reduce == ScatterReduce::kAmax;
    CHECK(x.grad().to_vector<double>() == std::vector<double>{0, larger ? 0.0 : 1.0});
    CHECK(src.grad().to_vector<double>() == std::vector<double>{1, 0, larger ? 1.0 : 0.0});
  }
}

TEST_CASE("scatter_reduce: what is not included has no share of a gradient", "[ops]") {
  const Tensor x = amp::tensor({3.0, 1.0}, {2}).requires_grad_();
  const Tensor src = amp::tensor({3.0, 3.0}, {2}).requires_grad_();
  const Tensor index = amp::tensor({0, 0}, {2});
  amp::sum(amp::scatter_reduce(x, 0, index, src, ScatterReduce::kAmax, false)).backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>{0, 1});
  CHECK(src.grad().to_vector<double>() == std::vector<double>{0.5, 0.5});
}

TEST_CASE("scatter: a part of the source has a gradient, the rest 0", "[ops]") {
  for (const bool adds : {false, true}) {
    const Tensor x = amp::zeros({2, 3}), src = amp::ones({2, 3}, {.requires_grad = true});
    const Tensor index = amp::tensor({1, 1}, {1, 2});
    amp::sum(adds ? amp::scatter_add(x, 0, index, src) : amp::scatter(x, 0, index, src)).backward();
    CHECK(src.grad().to_vector<double>() == std::vector<double>{1, 1, 0, 0, 0, 0});
  }
}

TEST_CASE("scatter: integers wrap around, means are rounded down, bools are joined", "[ops]") {
  const Tensor index = amp::tensor({0, 0}, {2});
  const auto reduced = [&](const Tensor& x, const Tensor& src, ScatterReduce reduce) {
    return amp::scatter_reduce(x, 0, index, src, reduce).to_vector<std::int64_t>();
  };
  const Tensor bytes = amp::tensor({250, 7}, {2}).to(amp::kUInt8);
  CHECK(reduced(bytes, amp::tensor({4, 5}, {2}).to(amp::kUInt8), ScatterReduce::kSum) ==
        std::vector<std::int64_t>{3, 7});
  const Tensor x = amp::tensor({-1, 7}, {2});
  CHECK(reduced(x, amp::tensor({-3, 0}, {2}), ScatterReduce::kMean) ==
        std::vector<std::int64_t>{-2, 7});
  const Tensor truth = amp::tensor({false, true}, {2});
  CHECK(reduced(truth, amp::tensor({true, true}, {2}), ScatterReduce::kSum) ==
        std::vector<std::int64_t>{1, 1});
  CHECK(amp::scatter(truth, 0, index, 0.5).to_vector<std::int64_t>() ==
        std::vector<std::int64_t>{1, 1});
}

TEST_CASE("masks: of many chunks", "[ops]") {
  amp::manual_seed(3);
  for (const double share : {0.0, 0.01, 0.5, 1.0}) {
    const Tensor x = amp::rand({123, 457});
    const Tensor mask = amp::lt(x, share);
    std::vector<double> chosen;
    std::vector<std::int64_t> places;
    const auto values = x.to_vector<double>();
    const auto is_true = mask.to_vector<std::int64_t>();
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (is_true[i] == 0) continue;
      chosen.push_back(values[i]);
      places.push_back(static_cast<std::int64_t>(i) / 457);
      places.push_back(static_cast<std::int64_t>(i) % 457);
    }
    CHECK(amp::masked_select(x, mask).to_vector<double>() == chosen);
    CHECK(amp::nonzero(mask).to_vector<std::int64_t>() == places);
    CHECK(amp::index(x, {mask}).to_vector<double>() == chosen);
    const Tensor spread =
        amp::masked_scatter(amp::zeros_like(x), mask, amp::tensor(chosen, {chosen.size()}));
    CHECK(spread.to_vector<double>() == amp::where(mask, x, 0).to_vector<double>());
  }
}

TEST_CASE("masked_scatter: a gradient that is one number for all", "[ops]") {
  const Tensor source = amp::ones({3000}).requires_grad_();
  const Tensor mask = amp::lt(amp::arange(4000), 2500);
  amp::sum(amp::masked_scatter(amp::zeros({4000}), mask, source) * 3.0).backward();
  std::vector<float> expected(3000, 0);
  std::fill_n(expected.begin(), 2500, 3.0F);
  CHECK(source.grad().to_vector<float>() == expected);
  source.set_grad(Tensor());
  amp::masked_scatter(amp::zeros({4000}), mask, source).backward(amp::full({1}, 3).expand({4000}));
  CHECK(source.grad().to_vector<float>() == expected);
}

TEST_CASE("gather: in many blocks, of every size of element", "[ops]") {
  amp::manual_seed(4);
  const Tensor index = random_index({300, 401}, 457).to(amp::kInt32);
  const auto places = index.to_vector<std::int64_t>();
  auto far = places;
  far.back() = 457;
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kUInt8}) {
    const Tensor x = (amp::rand({300, 457}) * 200.0).to(dtype);
    const auto values = x.to_vector<double>();
    std::vector<double> expected;
    for (std::size_t i = 0; i < places.size(); ++i)
      expected.push_back(values[i / 401 * 457 + static_cast<std::size_t>(places[i])]);
    CHECK(amp::gather(x, 1, index).to_vector<double>() == expected);
    CHECK(amp::gather(x.t(), 0, index.t()).t().to_vector<double>() == expected);
    CHECK_THAT(error_of([&] {
                 return amp::gather(x, 1, amp::tensor(far, {300, 401}));
               }),
               ContainsSubstring("number 120299 is 457"));
  }
}

TEST_CASE("index: backward refuses indices that were written since", "[ops]") {
  const Tensor x = amp::rand({4, 4}, {.requires_grad = true});
  const Tensor rows = amp::tensor({1, 2}, {2}), columns = amp::tensor({0, 3}, {2});
  const Tensor y = amp::index(x, {rows, columns});
  rows.fill_(3);
  CHECK_THAT(error_of([&] { amp::sum(y).backward(); }), ContainsSubstring("index"));
}

TEST_CASE("indices: what is refused, and what the message says", "[ops]") {
  const Tensor x = amp::rand({2, 3}), wide = amp::rand({2, 4});
  const auto ints = [](const std::vector<int>& values, const amp::Shape& shape) {
    return amp::tensor(values, shape);
  };
  const Tensor one = ints({1}, {1}), corner = ints({1}, {1, 1}), far = ints({0, 7}, {1, 2});
  const Tensor mask = amp::gt(x, 0.5), none;
  struct Refused {
    std::string says;
    std::string parts[2];
  };
  const Refused all[] = {
      {error_of([&] { return amp::gather(x, 0, far); }),
       {"gather: `index` must lie in [0, 2), the extent of dimension 0", "number 1 is 7"}},
      {error_of([&] {
         return amp::gather(x, 1, ints({-1}, {1, 1}));
       }),
       {"gather:", "is -1"}},
      {error_of([&] { return amp::gather(x, 0, one); }), {"gather: `index`", "int32[1]"}},
      {error_of([&] {
         return amp::gather(x, 0, ints({0, 0, 0, 0}, {1, 4}));
       }),
       {"gather: `index`", "int32[1, 4]"}},
      {error_of([&] { return amp::gather(x, 2, corner); }), {"gather:", "`dim`"}},
      {error_of([&] { return amp::take(x, ints({-7}, {1})); }), {"take: `index`", "[-6, 6)"}},
      {error_of([&] { return amp::take_along_dim(x, one, 0); }), {"take_along_dim:", "`indices`"}},
      {error_of([&] { return amp::scatter(x, 0, far, wide); }), {"scatter: `index`", "is 7"}},
      {error_of([&] { return amp::scatter(x, 0, corner, one); }), {"scatter: `index`", "`src`"}},
      {error_of([&] {
         return amp::scatter(amp::ones({2, 0}), 1, corner, 1.0);
       }),
       {"scatter: `index` must be empty", "dimension 1"}},
      {error_of([&] {
         return amp::scatter_add(amp::ones({2, 0}), 1, corner, x);
       }),
       {"scatter_add: `index` must be empty", "float32[2, 0]"}},
      {error_of([&] { return amp::scatter(x.to(amp::kFloat16), 0, corner, 1e30); }),
       {"scatter:", "`value`"}},
      {error_of([&] { return amp::scatter_add(x, 0, far, wide); }), {"scatter_add:", "is 7"}},
      {error_of([&] { return amp::scatter_reduce(x, 0, far, wide, ScatterReduce::kMean); }),
       {"scatter_reduce:", "is 7"}},
      {error_of([&] { return amp::index_add(x, 0, one, wide); }),
       {"index_add: `source` must be [1, 3]", "float32[2, 4]"}},
      {error_of([&] {
         return amp::index_add(x, 0, ints({2}, {1}), amp::rand({1, 3}));
       }),
       {"index_add: `index`", "is 2"}},
      {error_of([&] { return amp::index_add(one, 0, ints({0}, {1}), one, {.alpha = 0.5}); }),
       {"index_add: `alpha`", "0.5"}},
      {error_of([&] { return amp::index_copy(x, 0, corner, x); }),
       {"index_copy: `index`", "[1, 1]"}},
      {error_of([&] { return amp::index_fill(x, 1, ints({-4}, {1}), 0); }),
       {"index_fill: `index` must lie in [-3, 3)", "is -4"}},
      {error_of([&] { return amp::index(x, {}); }), {"index: `indices`", "at least one"}},
      {error_of([&] { return amp::index(x, {none}); }), {"index: `indices`", "at least one"}},
      {error_of([&] {
         return amp::index(x, {one, one, one});
       }),
       {"index: `indices`", "float32[2, 3]"}},
      {error_of([&] {
         return amp::index(x, {ints({0, 1}, {2}), ints({0, 1, 2}, {3})});
       }),
       {"index: `indices`", "int32[3]"}},
      {error_of([&] { return amp::index(x, {ints({2}, {1})}); }),
       {"index: `indices` must lie in [-2, 2)", "is 2"}},
      {error_of([&] {
         return amp::index(x, {one, ints({-4}, {1})});
       }),
       {"index: `indices` must lie in [-3, 3), the extent of dimension 1", "is -4"}},
      {error_of([&] { return amp::index(x, {mask.t()}); }), {"index: the mask", "bool[3, 2]"}},
      {error_of([&] { return amp::index(x, {x}); }), {"index: `indices`[0]", "float32[2, 3]"}},
      {error_of([&] { return amp::index_put(x, {one}, wide); }),
       {"index_put: `values` must broadcast to [1, 3]", "float32[2, 4]"}},
      {error_of([&] { return amp::masked_select(x, x); }),
       {"masked_select: `mask`", "float32[2, 3]"}},
      {error_of([&] { return amp::masked_scatter(x, amp::ge(x, 0), amp::rand({5})); }),
       {"masked_scatter: `source` must have at least 6", "float32[5]"}},
      {error_of([&] {
         return amp::repeat_interleave(x, ints({1, -1}, {2}), 0);
       }),
       {"repeat_interleave: `repeats`", "-1"}},
      {error_of([&] {
         return amp::repeat_interleave(x, ints({1, 1}, {2}), 1);
       }),
       {"repeat_interleave: `repeats`", "int32[2]"}},
      {error_of([&] {
         return amp::bincount(ints({1, -1}, {2}));
       }),
       {"bincount: `input`", "-1"}},
      {error_of([&] {
         return amp::bincount(amp::tensor({std::numeric_limits<std::int64_t>::max()}, {1}));
       }),
       {"bincount: the largest element of `input`"}},
      {error_of([&] { return amp::bincount(x); }), {"bincount: `input`", "float32[2, 3]"}},
      {error_of([&] { return amp::bincount(one, wide); }), {"bincount: `weights`", "[2, 4]"}},
  };
  for (const Refused& refused : all) {
    for (const std::string& part : refused.parts) CHECK_THAT(refused.says, ContainsSubstring(part));
  }
}

}  // namespace indexing

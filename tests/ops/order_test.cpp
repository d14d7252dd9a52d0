// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Orders, scans, searches and counts: what the golden cases are too small for, and bad calls.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"

namespace order_test {
namespace {

using amp::Tensor;
using amp_test::error_of;
using Catch::Matchers::ContainsSubstring;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Numbers with many ties, both zeros and some NaN.
Tensor tied(const amp::Shape& shape, amp::DType dtype, bool nans = true) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i * 7919 % 101) / 4 - 12;
    if (values[i] == 0 && i % 2 == 0) values[i] = -0.0;
    if (nans && i % 97 == 5) values[i] = kNan;
  }
  return amp::tensor(values, shape, {.dtype = dtype});
}

/// The positions of a line in order, as the standard library sorts.
std::vector<std::int64_t> places(const std::vector<double>& line, bool descending) {
  std::vector<std::int64_t> result(line.size());
  std::iota(result.begin(), result.end(), std::int64_t{0});
  const auto less = [](double a, double b) {
    return std::isnan(b) ? !std::isnan(a) : !std::isnan(a) && a < b;
  };
  std::stable_sort(result.begin(), result.end(), [&](std::int64_t i, std::int64_t j) {
    const double a = line[static_cast<std::size_t>(i)], b = line[static_cast<std::size_t>(j)];
    return descending ? less(b, a) : less(a, b);
  });
  return result;
}

TEST_CASE("sort: the stable order, of lines of any length and dtype", "[order]") {
  for (const std::int64_t length : {1, 17, 64, 65, 300, 5000}) {
    for (const auto dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16, amp::kFloat8E4M3,
                             amp::kInt64, amp::kInt32, amp::kUInt8}) {
      const bool real = amp::is_floating_point(dtype);
      const Tensor x = dtype == amp::kUInt8
                           ? tied({3, length}, amp::kFloat32, false).to(amp::kInt64).to(dtype)
                           : tied({3, length}, real ? dtype : amp::kFloat32, real).to(dtype);
      for (const bool descending : {false, true}) {
        INFO(length << " " << amp::name(dtype) << " " << descending);
        const auto [values, indices] = amp::sort(x, 1, descending);
        const auto [columns, of_columns] = amp::sort(x.t().contiguous(), 0, descending);
        CHECK(of_columns.t().to_vector<std::int64_t>() == indices.to_vector<std::int64_t>());
        CHECK(amp::argsort(x, 1, descending).to_vector<std::int64_t>() ==
              indices.to_vector<std::int64_t>());
        for (std::int64_t line = 0; line < 3; ++line) {
          const auto expected = places(x.select(0, line).to_vector<double>(), descending);
          CHECK(indices.select(0, line).to_vector<std::int64_t>() == expected);
          for (const std::int64_t k : {std::int64_t{1}, (length + 9) / 10, length}) {
            const auto first = amp::topk(x, k, 1, descending).indices.select(0, line);
            CHECK(first.to_vector<std::int64_t>() ==
                  std::vector(expected.begin(), expected.begin() + k));
          }
          const std::int64_t k = (length + 1) / 2;
          if (!descending)
            CHECK(amp::kthvalue(x, k, 1).indices.select(0, line).item<std::int64_t>() ==
                  expected[static_cast<std::size_t>(k - 1)]);
        }
      }
    }
  }
}

TEST_CASE("scans: as one after another, of lines of several panels", "[order]") {
  for (const amp::Shape& shape :
       {amp::Shape{9, 1000}, amp::Shape{1000, 300}, amp::Shape{2, 700, 3}, amp::Shape{3, 2101}}) {
    for (int dim = 0; dim < shape.dims(); ++dim) {
      const Tensor x = amp::randn(shape);
      Tensor sum = amp::zeros_like(x.select(dim, 0)).to(amp::kFloat64), most = x.select(dim, 0);
      const Tensor sums = amp::cumsum(x, dim), maxima = amp::cummax(x, dim).values;
      double error = 0;
      bool same = true;
      for (std::int64_t i = 0; i < shape[dim]; ++i) {
        sum = sum + x.select(dim, i).to(amp::kFloat64);
        most = amp::maximum(most, x.select(dim, i));
        const Tensor off = amp::abs(sums.select(dim, i) - sum);
        error = std::max(error, amp::max(off).item<double>());
        same = same && amp::all(amp::eq(most, maxima.select(dim, i))).item<bool>();
      }
      CHECK(error < 1e-5);
      CHECK(same);
    }
  }
}

/// Tells zeros by their signs, and NaN is 0.
std::vector<double> reciprocals(const Tensor& x) {
  return amp::nan_to_num(1 / x).to_vector<double>();
}

TEST_CASE("cummax, cummin: ties, zeros of both signs and NaN, of rows of any length", "[order]") {
  for (const std::int64_t length : {1, 3, 15, 16, 33, 97, 1024, 1030, 2100}) {
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kFloat16}) {
      for (const std::int64_t first_nan : {std::int64_t{0}, std::int64_t{40}, length}) {
        INFO(length << " " << amp::name(dtype) << " " << first_nan);
        auto row = tied({length}, dtype, false).to_vector<double>();
        for (std::int64_t i = first_nan; i < length; i += 30)
          row[static_cast<std::size_t>(i)] = kNan;
        const Tensor x = amp::tensor(row, {1, length}, {.dtype = dtype}).expand({2, length});
        const auto most = amp::cummax(x, 1), least = amp::cummin(-x, 1);
        std::vector<std::int64_t> places(row.size());
        std::size_t best = 0;
        for (std::size_t i = 0; i < row.size(); ++i) {
          if (row[i] >= row[best] || std::isnan(row[i])) best = i;
          places[i] = static_cast<std::int64_t>(best);
        }
        for (const std::int64_t line : {0, 1}) {
          CHECK(most.indices.select(0, line).to_vector<std::int64_t>() == places);
          CHECK(least.indices.select(0, line).to_vector<std::int64_t>() == places);
        }
        const Tensor values = amp::gather(x, 1, most.indices);
        CHECK(reciprocals(most.values) == reciprocals(values));
        CHECK(reciprocals(-least.values) == reciprocals(values));
      }
    }
  }
}

TEST_CASE("cumprod: the gradient beside zeros", "[order]") {
  // Of x = 2, 0, 3, 0, 5: the products are 2, 0, 0, 0, 0.
  const Tensor x = amp::tensor({2.0, 0.0, 3.0, 0.0, 5.0}, {5}, {.requires_grad = true});
  amp::sum(amp::cumprod(x, 0)).backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{1, 2 + 2 * 3, 0, 0, 0});
}

TEST_CASE("median, quantile: one NaN is enough", "[order]") {
  const Tensor x = amp::tensor({1.0, kNan, 3.0, kNan, 5.0, 6.0}, {2, 3});
  CHECK(std::isnan(amp::median(x).item<float>()));
  CHECK(amp::median(x, 1).indices.to_vector<int>() == std::vector{1, 0});
  CHECK(std::isnan(amp::quantile(x, 0.0, 1).select(0, 0).item<float>()));
  CHECK(amp::kthvalue(x, 3, 1).indices.to_vector<int>() == std::vector{1, 0});
}

TEST_CASE("quantile: of an infinite element, which torch gives as NaN", "[order]") {
  const Tensor x = amp::tensor({1.0, 2.0, std::numeric_limits<double>::infinity()}, {3});
  CHECK(std::isinf(amp::quantile(x, 1.0).item<float>()));
  CHECK(std::isinf(amp::quantile(x, amp::tensor({1.0f}, {1})).item<float>()));
  CHECK(amp::quantile(x, 0.5).item<float>() == 2);
}

TEST_CASE("unique: of many elements", "[order]") {
  const Tensor x = (amp::rand({40, 1000}) * 500).to(amp::kInt64);
  const amp::UniqueResult found = amp::unique(x, true, true, true);
  CHECK(amp::sum(found.counts).item<std::int64_t>() == 40000);
  CHECK(amp::index_select(found.values, 0, found.inverse.reshape({40000}))
            .to_vector<std::int64_t>() == x.to_vector<std::int64_t>());
  CHECK(amp::all(amp::lt(found.values.narrow(0, 0, found.values.numel() - 1),
                         found.values.narrow(0, 1, found.values.numel() - 1)))
            .item<bool>());
  CHECK_FALSE(amp::unique(x).inverse.defined());
}

TEST_CASE("searchsorted, bucketize, isin: of two dtypes", "[order]") {
  using Integers = std::vector<std::int64_t>;
  const Tensor line = amp::tensor({1, 3, 5}, {3}), halves = amp::tensor({2.5f, 3.0f}, {2});
  CHECK(amp::searchsorted(line, halves).to_vector<std::int64_t>() == Integers{1, 1});
  CHECK(amp::searchsorted(line, 3.5).item<std::int64_t>() == 2);
  CHECK(amp::searchsorted(line, INFINITY).item<std::int64_t>() == 3);
  const Tensor timesteps = amp::tensor({999.0f, 500.0f, 0.5f}, {3});
  CHECK(amp::bucketize(timesteps.to(amp::kFloat16), amp::tensor({0, 500, 1000}, {3}))
            .to_vector<std::int64_t>() == Integers{2, 1, 1});
  CHECK(amp::isin(line, halves).to_vector<bool>() == std::vector<bool>{false, true, false});
}

TEST_CASE("histc: every element of many counts once", "[order]") {
  const Tensor x = amp::rand({300, 1000});
  CHECK(amp::sum(amp::histc(x, 7, 0, 1)).item<float>() == 300000);
  CHECK(amp::sum(amp::histc(x, 1000)).item<float>() == 300000);
}

TEST_CASE("order: bad calls say what is wrong", "[order]") {
  const Tensor x = amp::ones({2, 3}), integers = x.to(amp::kInt64);
  const auto says = [](auto&& call, const char* text) {
    CHECK_THAT(error_of(call), ContainsSubstring(text));
  };
  says([&] { (void)amp::sort(x, 2); }, "sort: ");
  says([&] { (void)amp::topk(x, 4); }, "topk: `k` must be between 0 and 3");
  says([&] { (void)amp::topk(x, -1); }, "topk: `k`");
  says([&] { (void)amp::topk(x.select(0, 0).select(0, 0), 0); },
       "topk: `k` must be between 1 and 1");
  says([&] { (void)amp::kthvalue(x, 0); }, "kthvalue: `k` must be between 1 and 3");
  says([&] { (void)amp::kthvalue(x, 4, 1); }, "kthvalue: `k`");
  says([&] { (void)amp::median(amp::ones({2, 0}), 1); }, "median: dimension 1 of `input`");
  says([&] { (void)amp::median(amp::ones({0}).to(amp::kInt64)); }, "median: `input`");
  says([&] { (void)amp::quantile(x, 1.5); }, "quantile: `q` must be between 0 and 1");
  says([&] { (void)amp::quantile(x, kNan); }, "quantile: `q` must be between 0 and 1");
  says([&] { (void)amp::quantile(x, amp::tensor({0.5f, -1.0f}, {2})); }, "quantile: `q` must be");
  says([&] { (void)amp::quantile(x, amp::ones({1, 1})); }, "must have at most 1 dimension");
  says([&] { (void)amp::quantile(x, amp::tensor({0.5}, {1}, {.dtype = amp::kFloat64})); },
       "must have one dtype");
  says([&] { (void)amp::quantile(amp::ones({0, 3}), 0.5, 1); }, "has no elements");
  says([&] { (void)amp::quantile(integers, 0.5); }, "quantile: `input` must be floating point");
  says([&] { (void)amp::cumsum(x, 2); }, "cumsum: ");
  says([&] { (void)amp::cummax(x, -3); }, "cummax: ");
  says([&] { (void)amp::logcumsumexp(integers, 0); },
       "logcumsumexp: `input` must be floating point");
  says([&] { (void)amp::searchsorted(x, amp::ones({3, 1})); }, "searchsorted: `sorted_sequence`");
  says([&] { (void)amp::bucketize(x, x); }, "bucketize: `boundaries` must be [N]");
  says([&] { (void)amp::histc(x, 0); }, "histc: `bins` must be at least 1");
  says([&] { (void)amp::histc(x, 3, 2, 1); }, "histc: `min` and `max`");
  says([&] { (void)amp::histc(x * kNan, 3); }, "histc: the elements of `input`");
  says([&] { (void)amp::histc(integers, 3); }, "histc: `input` must be floating point");
  says([&] { (void)amp::argmin(amp::ones({0})); }, "argmin: `input`");
  says([&] { (void)amp::aminmax(amp::ones({2, 0}), 1); }, "aminmax: ");
  says([&] { (void)amp::any(x, {0, 0}); }, "any: `dim` names dimension 0 twice");
}

}  // namespace
}  // namespace order_test

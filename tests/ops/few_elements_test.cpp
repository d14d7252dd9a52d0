// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of rows that are shorter than a vector, or hardly longer: the bits that the same
// elements give within one long row.
#include <amp/amp.hpp>

#include <cstdint>

#include "support/catch.hpp"
#include "support/numbers.hpp"

namespace {

using amp::Tensor;
using amp_test::same_bits;

constexpr std::int64_t kRows = 5, kLong = 64;

/// Whether f gives the same for the first n columns of x and y as for all.
template <class F>
bool agrees(const F& f, const Tensor& x, const Tensor& y, std::int64_t n) {
  return same_bits(f(x.narrow(1, 0, n), y.narrow(1, 0, n)), f(x, y).narrow(1, 0, n));
}

}  // namespace

TEST_CASE("functions of few elements: as within a long row", "[ops]") {
  amp::manual_seed(3);
  for (const amp::DType dtype :
       {amp::kFloat32, amp::kBFloat16, amp::kFloat16, amp::kFloat8E4M3, amp::kFloat64}) {
    const Tensor x = amp::randn({kRows, kLong}).to(dtype), y = amp::randn({kRows, kLong}).to(dtype);
    const Tensor first = x.select(0, 0);
    const Tensor p = amp::gt(x, 0.0), q = amp::gt(y, 0.0);
    for (std::int64_t n = 1; n < 40; ++n) {
      CAPTURE(dtype, n);
      CHECK(agrees([](const Tensor& a, const Tensor& b) { return a + b; }, x, y, n));
      CHECK(agrees([](const Tensor& a, const Tensor& b) { return amp::maximum(a, b); }, x, y, n));
      CHECK(agrees([](const Tensor& a, const Tensor&) { return amp::gelu(a); }, x, y, n));
      CHECK(agrees([](const Tensor& a, const Tensor&) { return amp::relu(a); }, x, y, n));
      CHECK(agrees([](const Tensor& a, const Tensor&) { return a * 0.3; }, x, y, n));
      CHECK(agrees([](const Tensor& a, const Tensor& b) { return amp::lt(a, b); }, x, y, n));
      CHECK(
          agrees([](const Tensor& a, const Tensor& b) { return amp::logical_and(a, b); }, p, q, n));
      CHECK(agrees([](const Tensor& a, const Tensor&) { return amp::logical_not(a); }, p, q, n));
      CHECK(same_bits(x.narrow(1, 0, n) * first.narrow(0, 0, n), (x * first).narrow(1, 0, n)));
    }
  }
}

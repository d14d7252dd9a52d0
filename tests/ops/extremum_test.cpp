// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima of views: read where they lie, and not copied.
#include <amp/amp.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "support/catch.hpp"

namespace extremum_test {
namespace {

using amp::Tensor;

/// The most bytes of tensors that live at a time during a call, beside those from before.
template <class Call>
std::int64_t bytes_of(const Call& call) {
  amp::reset_peak_memory();
  const std::int64_t before = amp::memory_stats().current_bytes;
  (void)call();
  return amp::memory_stats().peak_bytes - before;
}

TEST_CASE("max, min: of a column and of an expanded number, with their gradients", "[ops]") {
  const Tensor x = amp::tensor({1, 9, 2, 8, 3, 7}, {3, 2}, {.dtype = amp::kFloat32});
  x.requires_grad_();
  const Tensor column = x.select(1, 0), best = (amp::max)(column);
  CHECK(best.item<float>() == 3);
  CHECK((amp::min)(column).item<float>() == 1);
  CHECK(amp::argmax(column).item<int>() == 2);
  best.backward();
  CHECK(x.grad().to_vector<float>() == std::vector<float>{0, 0, 0, 0, 1, 0});

  const Tensor one = amp::full({1}, 5, {.requires_grad = true});
  (amp::max)(one.expand({1000})).backward();
  CHECK(one.grad().item<float>() == Approx(1));
}

TEST_CASE("max, min: lines of several blocks, of every stride", "[ops]") {
  constexpr std::int64_t kLong = 5000;  // blocks of host kernels have 1,024 elements
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kInt64}) {
    const Tensor x = amp::zeros({kLong, 3}, {.dtype = dtype});
    for (const std::int64_t row : {3200, 4100}) x.select(0, row).fill_(2);  // the first counts
    x.select(0, 1500).fill_(-2);
    for (const Tensor& rows : {x, x.t().contiguous().t()}) {
      CHECK((amp::max)(rows, 0).indices.to_vector<int>() == std::vector<int>(3, 3200));
      CHECK((amp::min)(rows, 0).indices.to_vector<int>() == std::vector<int>(3, 1500));
      CHECK(amp::argmax(rows.t(), 1).to_vector<int>() == std::vector<int>(3, 3200));
      CHECK(amp::argmax(rows).item<int>() == 3 * 3200);
      CHECK(amp::argmax(rows.t()).item<int>() == 3200);
      CHECK(amp::argmax(rows.select(1, 2)).item<int>() == 3200);
      CHECK((amp::max)(rows.t()).item<int>() == 2);
    }
  }
  const Tensor x = amp::zeros({2, kLong});
  x.narrow(1, 2000, 3000).fill_(NAN);
  CHECK(amp::argmax(x.t()).item<int>() == 2 * 2000);
  CHECK(std::isnan((amp::min)(x.t()).item<float>()));
}

TEST_CASE("max, min: views are not copied", "[ops]") {
  const Tensor wide = amp::zeros({300, 400}, {.dtype = amp::kUInt8}), x = wide.t();
  constexpr std::int64_t kResult = 64;  // a number and its position
  CHECK(bytes_of([&] { return amp::argmax(x); }) <= kResult);
  CHECK(bytes_of([&] { return (amp::max)(x); }) <= kResult);
  CHECK(bytes_of([&] { return (amp::max)(x.select(1, 7)); }) <= kResult);
  CHECK(bytes_of([&] { return amp::argmax(x.select(1, 7), 0); }) <= kResult);
  CHECK(bytes_of([&] { return amp::argmax(x, 0); }) == 300 * 8);
  CHECK(bytes_of([&] { return (amp::max)(x, 0); }) == 300 * 9);
}

TEST_CASE("extremum: of lines side by side, in groups and alone", "[ops]") {
  amp::manual_seed(3);
  for (const std::int64_t columns : {1, 2, 256, 257, 600}) {
    INFO(columns << " columns");
    Tensor x = amp::randn({3, 70, columns});
    x.select(1, 69).copy_(x.select(1, 5));  // equal elements: the first one counts
    x.select(2, columns - 1).select(1, 9).fill_(std::numeric_limits<double>::quiet_NaN());
    x.select(2, 0).select(0, 1).fill_(-std::numeric_limits<double>::infinity());
    for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16, amp::kFloat64}) {
      const Tensor a = x.to(dtype), b = a.transpose(1, 2).contiguous();
      CHECK(amp::argmax(a, 1).to_vector<int>() == amp::argmax(b, 2).to_vector<int>());
      CHECK(amp::min(a, 1).indices.to_vector<int>() == amp::min(b, 2).indices.to_vector<int>());
    }
  }
}

}  // namespace
}  // namespace extremum_test

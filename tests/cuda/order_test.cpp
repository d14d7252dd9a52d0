// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Orders, scans, searches and counts on the device: lines of every length that takes a way of its
// own, bit by bit as on the host where nothing is rounded.
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "cuda/device.hpp"
#include "cuda/on_both.hpp"

namespace cuda_order {
namespace {

using amp::Tensor;
using cuda_test::compare;
using cuda_test::Tensors;

/// Numbers with ties, both zeros and NaN.
Tensor tied(const amp::Shape& shape, amp::DType dtype) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i * 7919 % 101) / 4 - 12;
    if (i % 19 == 3) values[i] = -0.0;
    if (i % 97 == 5 && amp::is_floating_point(dtype))
      values[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return amp::tensor(values, shape).to(dtype);
}
void check_same(const Tensor& found, const Tensor& expected) {
  const auto a = found.to(amp::kCPU).to_vector<double>(), b = expected.to_vector<double>();
  REQUIRE(a.size() == b.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    different += !(a[i] == b[i] || (a[i] != a[i] && b[i] != b[i]));
  CHECK(different == 0);
}
void check_same(const amp::ValuesAndIndices& found, const amp::ValuesAndIndices& expected) {
  check_same(found.values, expected.values);
  check_same(found.indices, expected.indices);
}

TEST_CASE("order: sorted as on the host", "[cuda]") {
  for (const amp::Shape& shape : {amp::Shape{3, 1}, amp::Shape{70, 17}, amp::Shape{5, 512},
                                  amp::Shape{3, 513}, amp::Shape{18, 600}, amp::Shape{1, 3000}}) {
    for (const auto dtype :
         {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kInt64, amp::kUInt8}) {
      const Tensor x = tied(shape, dtype), y = x.to(amp::kCUDA);
      for (const bool descending : {false, true}) {
        INFO(amp::describe(x) << " " << descending);
        check_same(amp::sort(y, 1, descending), amp::sort(x, 1, descending));
        check_same(amp::sort(y.t(), 0, descending), amp::sort(x.t(), 0, descending));
        const std::int64_t k = (shape[1] + 3) / 4;
        check_same(amp::topk(y, k, 1, descending), amp::topk(x, k, 1, descending));
        check_same(amp::kthvalue(y, k, 1), amp::kthvalue(x, k, 1));
      }
      check_same(amp::median(y, 1), amp::median(x, 1));
      check_same(amp::median(y.narrow(1, 0, 1), 1), amp::median(x.narrow(1, 0, 1), 1));
    }
  }
}

TEST_CASE("order: gradients go to the chosen elements", "[cuda]") {
  compare({amp::randn({20, 40})}, 0, [](const Tensors& t) { return amp::topk(t[0], 5, 1).values; });
  compare({amp::randn({700, 4})}, 0, [](const Tensors& t) { return amp::sort(t[0], 0).values; });
  compare({amp::randn({20, 40})}, 0, [](const Tensors& t) { return amp::median(t[0], 0).values; });
  compare({amp::randn({20, 40})}, 1e-6,
          [](const Tensors& t) { return amp::quantile(t[0], 0.3, 0); });
}

TEST_CASE("scans: as on the host, by threads, blocks and parts of lines", "[cuda]") {
  for (const auto& [shape, dim] : std::vector<std::pair<amp::Shape, int>>{{{5, 30}, 1},
                                                                          {{3, 100}, 1},
                                                                          {{4, 1500}, 1},
                                                                          {{1, 20000}, 1},
                                                                          {{40, 4100}, 0},
                                                                          {{300, 7}, 0}}) {
    const int d = dim;
    INFO(shape[0] << " x " << shape[1] << " along " << d);
    compare({amp::randn(shape)}, 1e-5, [d](const Tensors& t) { return amp::cumsum(t[0], d); });
    compare({amp::randn(shape)}, 1e-5,
            [d](const Tensors& t) { return amp::logcumsumexp(t[0], d); });
    compare({amp::randn(shape)}, 1e-5,
            [d](const Tensors& t) { return amp::cumprod(t[0] * 0.1 + 1.0, d); });
    compare({amp::randn(shape)}, 1e-5,
            [d](const Tensors& t) { return amp::cummax(t[0], d).values; });
    compare({amp::randn(shape)}, 1e-5,
            [d](const Tensors& t) { return amp::cummin(t[0], d).values; });
    for (const auto dtype : {amp::kFloat32, amp::kInt64, amp::kBFloat16}) {
      const Tensor x = tied(shape, dtype), y = x.to(amp::kCUDA);
      check_same(amp::cummax(y, d), amp::cummax(x, d));
      check_same(amp::cummin(y, d), amp::cummin(x, d));
    }
    const Tensor x = tied(shape, amp::kInt64), y = x.to(amp::kCUDA);
    check_same(amp::cumsum(y, d), amp::cumsum(x, d));
    check_same(amp::cumprod(y, d), amp::cumprod(x, d));
  }
}

TEST_CASE("scans: the gradient of a product that a zero ends is finite", "[cuda]") {
  std::vector<float> values(128, 10);  // the product of all but the first overflows
  values[0] = 0;
  const auto gradient = [&](const amp::Device& device) {
    const Tensor x = amp::tensor(values, {128}).to(device).requires_grad_();
    amp::cumprod(x, 0).select(0, 1).backward();
    return x.grad();
  };
  const Tensor expected = gradient(amp::kCPU);
  CHECK(expected.select(0, 0).item<float>() == 10);
  check_same(gradient(amp::kCUDA), expected);
}

TEST_CASE("scans: infinite and undefined factors of gradients, as on the host", "[cuda]") {
  const float inf = std::numeric_limits<float>::infinity(),
              nan = std::numeric_limits<float>::quiet_NaN();
  for (const float odd : {inf, nan, 0.0F}) {
    for (const std::size_t at : {1U, 70U, 199U}) {
      for (const bool zero_upstream : {false, true}) {
        std::vector<float> values(200, 0.5F), upstream(200, zero_upstream ? 0.0F : 1.0F);
        values[at] = odd;
        values[at / 2] = 0;
        upstream[0] = 1;
        const auto gradient = [&](const amp::Device& device, auto scan) {
          const Tensor x = amp::tensor(values, {200}).to(device).requires_grad_();
          scan(x).backward(amp::tensor(upstream, {200}).to(device));
          return x.grad();
        };
        const auto product = [](const Tensor& x) { return amp::cumprod(x, 0); };
        const auto logsumexp = [](const Tensor& x) { return amp::logcumsumexp(x, 0); };
        INFO(odd << " at " << at);
        check_same(gradient(amp::kCUDA, product), gradient(amp::kCPU, product));
        const Tensor a = gradient(amp::kCUDA, logsumexp), b = gradient(amp::kCPU, logsumexp);
        CHECK(cuda_test::difference(b, a) <= 1e-5);
      }
    }
  }
}

TEST_CASE("search: places, counts and different elements as on the host", "[cuda]") {
  const Tensor x = tied({30, 50}, amp::kFloat32), y = x.to(amp::kCUDA);
  const Tensor line = amp::arange(-12.0, 12.0, 0.75),
               lines = amp::sort(tied({30, 20}, amp::kFloat32)).values;
  for (const bool right : {false, true}) {
    check_same(amp::bucketize(y, line.to(amp::kCUDA), {.right = right}),
               amp::bucketize(x, line, {.right = right}));
    check_same(amp::searchsorted(lines.to(amp::kCUDA), y, {.right = right}),
               amp::searchsorted(lines, x, {.right = right}));
  }
  check_same(amp::histc(y, 9, -5, 7), amp::histc(x, 9, -5, 7));
  const Tensor finite = amp::randn({20, 100});
  check_same(amp::histc(finite.to(amp::kCUDA), 12), amp::histc(finite, 12));
  const Tensor numbers = tied({30, 50}, amp::kInt32);
  const amp::UniqueResult found = amp::unique(numbers.to(amp::kCUDA), true, true, true),
                          expected = amp::unique(numbers, true, true, true);
  check_same(found.values, expected.values);
  check_same(found.inverse, expected.inverse);
  check_same(found.counts, expected.counts);
}

}  // namespace
}  // namespace cuda_order

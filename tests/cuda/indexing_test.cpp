// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moving elements by indices and masks on the CUDA device: what the host computes; sums of many
// numbers up to their order.
#include <cmath>
#include <cstdint>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_indexing {
namespace {

using amp::ScatterReduce;
using amp::Tensor;
using cuda_test::compare;
using cuda_test::Tensors;

Tensor random_index(const amp::Shape& shape, std::int64_t below) {
  return (amp::rand(shape) * static_cast<double>(below)).to(amp::kInt64);
}

TEST_CASE("cuda gather: what the host gathers", "[cuda]") {
  amp::manual_seed(1);
  for (const int d : {0, 1, 2}) {
    const amp::Shape shape{7, 6, 5};
    amp::Shape of_index = shape;
    of_index[d] = 9;
    const Tensor index = random_index(of_index, shape[d]);
    for (const amp::DType dtype : cuda_test::kFloats) {
      const auto gathered = [&](const Tensors& t) -> Tensors {
        return {amp::gather(t[0], d, t[1])};
      };
      const double limit = cuda_test::tolerance(dtype);  // of gradients, which are sums
      compare({amp::randn(shape).to(dtype), index}, limit, gathered);
      compare({amp::randn(shape).to(dtype), index.to(amp::kInt32)}, limit, gathered);
    }
    for (const amp::DType dtype : cuda_test::kIntegers)
      compare({amp::abs(amp::randn(shape) * 9).to(dtype), index}, 0,
              [&](const Tensors& t) -> Tensors { return {amp::gather(t[0], d, t[1])}; });
  }
}

TEST_CASE("cuda scatter: what few elements meet, in every way", "[cuda]") {
  amp::manual_seed(2);
  for (const int d : {0, 1}) {
    const amp::Shape shape{8, 40};
    const Tensor index = random_index(shape, shape[d]);
    for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kInt32}) {
      const Tensors inputs{(amp::randn(shape) * 3).to(dtype), index,
                           (amp::randn(shape) * 3).to(dtype)};
      const double limit =
          cuda_test::tolerance(amp::is_floating_point(dtype) ? dtype : amp::kFloat64);
      compare(inputs, 0,
              [&](const Tensors& t) -> Tensors { return {amp::scatter(t[0], d, t[1], t[2])}; });
      compare(inputs, limit,
              [&](const Tensors& t) -> Tensors { return {amp::scatter_add(t[0], d, t[1], t[2])}; });
      for (const ScatterReduce reduce :
           {ScatterReduce::kSum, ScatterReduce::kProd, ScatterReduce::kMean, ScatterReduce::kAmax,
            ScatterReduce::kAmin}) {
        for (const bool include_self : {true, false}) {
          INFO(static_cast<int>(reduce) << " " << include_self);
          compare(inputs, 4 * limit, [&](const Tensors& t) -> Tensors {
            return {amp::scatter_reduce(t[0], d, t[1], t[2], reduce, include_self)};
          });
        }
      }
    }
  }
}

TEST_CASE("cuda scatter_add: to few places, by several launches; the same bits each time",
          "[cuda]") {
  amp::manual_seed(3);
  for (const std::int64_t places : {1, 3, 100}) {
    for (const std::int64_t width : {1, 8, 11}) {
      const Tensor x = amp::randn({places, width}), index = random_index({3001}, places);
      const Tensor source = amp::randn({3001, width});
      const auto add = [](const Tensors& t) -> Tensors {
        return {amp::index_add(t[0], 0, t[1], t[2])};
      };
      compare({x, index, source}, 1e-5, add);
      const Tensors inputs{x.to(amp::kCUDA), index.to(amp::kCUDA), source.to(amp::kCUDA)};
      CHECK(cuda_test::same_bits(add(inputs)[0].to(amp::kCPU), add(inputs)[0]));
    }
  }
}

TEST_CASE("cuda scatter: an index out of range spoils the result, and nothing else", "[cuda]") {
  const Tensor index = amp::tensor({1, 5, 0, -1}, {2, 2}, {.device = amp::kCUDA});
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16, amp::kInt64}) {
    const Tensor x = amp::ones({2, 2}, {.dtype = dtype, .device = amp::kCUDA});
    for (const Tensor& y : {amp::scatter_add(x, 0, index, x), amp::scatter(x, 0, index, x),
                            amp::scatter(x, 1, index.narrow(1, 1, 1), 3)}) {
      for (const double element : y.to_vector<double>())
        CHECK((amp::is_floating_point(dtype) ? std::isnan(element) : element == 0));
    }
    const auto gathered = amp::gather(x, 0, index).to_vector<double>();
    CHECK(gathered[0] == 1);
    CHECK((amp::is_floating_point(dtype) ? std::isnan(gathered[1]) : gathered[1] == 0));
    const auto pairs = amp::index(x, {index.select(0, 0), index.select(0, 1)}).to_vector<double>();
    CHECK(pairs[0] == 1);
    CHECK((amp::is_floating_point(dtype) ? std::isnan(pairs[1]) : pairs[1] == 0));
  }
}

TEST_CASE("cuda index, index_put: the host's bits", "[cuda]") {
  amp::manual_seed(4);
  const Tensor i = random_index({5, 1}, 12) - 6, j = random_index({5, 7}, 18) - 9, none;
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16}) {
    const Tensor x = amp::randn({6, 9, 4}).to(dtype);
    compare({x, i, j}, 0, [&](const Tensors& t) -> Tensors {
      return {amp::index(t[0], {t[1], t[2]})};
    });
    compare({amp::randn({6, 4, 9}).to(dtype), i, j}, 0, [&](const Tensors& t) -> Tensors {
      return {amp::index(t[0], {t[1], none, t[2]})};
    });
    for (const bool accumulate : {false, true}) {
      compare({x, i, j, amp::randn({5, 7, 4}).to(dtype)}, 0, [&](const Tensors& t) -> Tensors {
        return {amp::index_put(t[0], {t[1], t[2]}, t[3], {.accumulate = accumulate})};
      });
    }
  }
}

TEST_CASE("cuda masks: the host's bits", "[cuda]") {
  amp::manual_seed(5);
  for (const double share : {0.0, 0.03, 0.6, 1.0}) {
    const Tensor x = amp::rand({3, 1000, 2});
    const Tensor mask = amp::lt(x, share);
    compare({mask}, 0, [](const Tensors& t) -> Tensors { return {amp::nonzero(t[0])}; });
    compare({x.to(amp::kFloat16), mask}, 0,
            [](const Tensors& t) -> Tensors { return {amp::masked_select(t[0], t[1])}; });
    compare({x, mask, amp::randn({6000})}, 0,
            [](const Tensors& t) -> Tensors { return {amp::masked_scatter(t[0], t[1], t[2])}; });
  }
  const Tensor x = amp::zeros({3}, {.device = amp::kCUDA}),
               one = amp::ones({1}, {.device = amp::kCUDA});
  const auto spread = amp::masked_scatter(x, amp::eq(x, 0), one).to_vector<double>();
  CHECK(spread[0] == 1);
  CHECK(std::isnan(spread[1]));
}

}  // namespace
}  // namespace cuda_indexing

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Products, extrema, log-sum-exp, norms and deviations on the CUDA device against the host, results
// and gradients, over one dimension, several and all.
#include <cstdint>
#include <iterator>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_fold {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Around the sizes of warps and blocks, and beyond what one block folds.
const std::vector<amp::Shape> kShapes = {{},        {0},       {31},      {9001},       {3, 0, 5},
                                         {33, 300}, {600, 24}, {2, 4104}, {2, 3, 4, 5}, {5, 40, 3}};

/// Near 1, so that no product overflows; some are equal.
amp::Tensor numbers(const amp::Shape& shape, amp::DType dtype) {
  const amp::Tensor x = amp::randn(shape);
  return (amp::is_floating_point(dtype) ? 1 + 0.03125 * (x * 2).to(amp::kInt32) : amp::abs(x * 50))
      .to(dtype);
}

/// Each dimension, two of them, and all.
std::vector<amp::Dims> lists(int dims) {
  std::vector<amp::Dims> result{{}};
  for (int d = 0; d < dims; ++d) result.push_back(d);
  if (dims > 2) result.push_back({0, 2});
  if (dims > 2) result.push_back({-1, 1});
  return result;
}

template <class View>
void check_folds(const amp::Tensor& x, const View& view) {
  const amp::DType dtype = x.dtype();
  const double limit = 2 * tolerance(dtype);
  const auto on = [&](double bound, const auto& op) {
    compare({x}, bound, [&](const Tensors& t) -> Tensors { return {op(view(t[0]))}; });
  };
  const amp::Tensor seen = view(x);
  if (seen.numel() > 0) {
    for (const amp::Dims& dims : lists(seen.dim())) {
      on(0, [&](const amp::Tensor& t) { return amp::amax(t, dims).detach(); });
      on(0, [&](const amp::Tensor& t) { return amp::amin(t, dims, true).detach(); });
      if (amp::is_floating_point(dtype))  // the share of a gradient is rounded
        on(limit, [&](const amp::Tensor& t) { return amp::amax(t, dims); });
    }
  }
  for (int d = 0; d < seen.dim(); ++d)
    on(amp::is_floating_point(dtype) ? limit : 0,
       [&](const amp::Tensor& t) { return amp::prod(t, d); });
  if (!amp::is_floating_point(dtype)) return;
  for (const amp::Dims& dims : lists(seen.dim())) {
    on(limit, [&](const amp::Tensor& t) { return amp::logsumexp(t, dims); });
    on(limit, [&](const amp::Tensor& t) { return amp::std(t, dims, 0); });
    for (const double p : {1.0, 2.0, 2.5})
      on(limit, [&](const amp::Tensor& t) { return amp::norm(t, p, dims, p == 1); });
    if (seen.numel() > 0) on(limit, [&](const amp::Tensor& t) { return amp::norm(t, kInf, dims); });
  }
  on(limit, [](const amp::Tensor& t) { return amp::normalize(t, 2, t.dim() > 1 ? 1 : -1); });
}

amp::Tensor whole(const amp::Tensor& x) { return x; }

}  // namespace

TEST_CASE("cuda folds: the host's, over every dimension, several and all", "[cuda][values]") {
  amp::manual_seed(1);
  std::vector<amp::DType> dtypes(std::begin(cuda_test::kFloats), std::end(cuda_test::kFloats));
  dtypes.insert(dtypes.end(), std::begin(cuda_test::kIntegers), std::end(cuda_test::kIntegers));
  for (const amp::Shape& shape : kShapes) {
    for (const amp::DType dtype : dtypes) {
      if (cuda_test::worth_while(shape, dtype)) check_folds(numbers(shape, dtype), whole);
    }
  }
}

TEST_CASE("cuda folds: long lines of wide types, whole and in parts", "[cuda]") {
  amp::manual_seed(3);
  for (const amp::DType dtype : {amp::kInt64, amp::kFloat64, amp::kFloat32}) {
    const double limit = amp::is_floating_point(dtype) ? 2 * tolerance(dtype) : 0;
    for (const amp::Shape& shape : {amp::Shape(3, 333), amp::Shape(9001)}) {
      const Tensors x{numbers(shape, dtype)};
      compare(x, limit, [](const Tensors& t) { return amp::amax(t[0], -1); });
      compare(x, limit, [](const Tensors& t) { return amp::amin(t[0], -1); });
      compare(x, limit, [](const Tensors& t) { return amp::prod(t[0], -1); });
    }
  }
}

TEST_CASE("cuda folds: views of any strides are read in place", "[cuda]") {
  amp::manual_seed(2);
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16}) {
    const auto check = [&](const amp::Shape& shape, const auto& view) {
      check_folds(numbers(shape, dtype), view);
    };
    check({20, 30}, [](const amp::Tensor& x) { return x.transpose(0, 1); });
    check({6, 10, 7}, [](const amp::Tensor& x) { return x.permute({1, 2, 0}); });
    check({6, 16, 7}, [](const amp::Tensor& x) { return x.narrow(1, 3, 11); });
    check({5, 1, 24}, [](const amp::Tensor& x) { return x.expand({5, 8, 24}); });
    check({20, 40}, [](const amp::Tensor& x) { return x.narrow(1, 8, 24); });
  }
  const amp::Tensor wide = amp::randn({2, 9001}).to(amp::kCUDA);  // 72,008 bytes
  const auto bytes = [](const auto& call) {
    amp::reset_peak_memory(amp::kCUDA);
    const std::int64_t before = amp::memory_stats(amp::kCUDA).current_bytes;
    (void)call();
    return amp::memory_stats(amp::kCUDA).peak_bytes - before;
  };
  CHECK(bytes([&] { return amp::norm(wide.t()); }) < 1000);
  CHECK(bytes([&] { return amp::amax(wide.t(), {0, 1}); }) < 1000);
  CHECK(bytes([&] { return amp::logsumexp(wide.t(), 0); }) < 1000);
}

TEST_CASE("cuda folds: equal elements have no deviation, and no gradient of it", "[cuda]") {
  for (const amp::DType dtype : cuda_test::kFloats) {
    for (const amp::Shape& shape : {amp::Shape(3, 40), amp::Shape(33, 8), amp::Shape(7)}) {
      const amp::Tensor x = amp::full(shape, 0.1, {.dtype = dtype});
      for (int d = 0; d < shape.dims(); ++d)
        compare({x}, 0, [&](const Tensors& t) { return amp::std(t[0], d); });
      for (const double value : amp::std(x.to(amp::kCUDA)).to_vector<double>()) CHECK(value == 0);
    }
  }
}

TEST_CASE("cuda folds: NaN and infinities", "[cuda]") {
  for (const std::int64_t n : {3, 40, 704}) {
    for (const auto& [everywhere, once] : std::vector<std::pair<double, double>>{{1, kNaN},
                                                                                 {1, kInf},
                                                                                 {1, -kInf},
                                                                                 {-kInf, -kInf},
                                                                                 {-kInf, 2},
                                                                                 {kInf, -kInf},
                                                                                 {0, kNaN},
                                                                                 {0, 2},
                                                                                 {1, 0}}) {
      CAPTURE(n, everywhere, once);
      for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32}) {
        if (dtype == amp::kFloat64 && n != 40) continue;
        const amp::Tensor x = amp::full({n, 8}, everywhere, {.dtype = dtype});
        x.narrow(0, n / 2, 1).fill_(once);
        for (const amp::Tensor& lines : {x, x.t().contiguous().t()}) {
          compare({lines}, 2e-6, [](const Tensors& t) { return amp::amax(t[0], 0); });
          compare({lines}, 2e-6, [](const Tensors& t) { return amp::amin(t[0], 0); });
          compare({lines}, 2e-6, [](const Tensors& t) { return amp::prod(t[0], 0); });
          compare({lines}, 2e-6, [](const Tensors& t) { return amp::logsumexp(t[0], 0); });
          for (const double p : {-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, kInf, -kInf})
            compare({lines}, 2e-6, [&](const Tensors& t) { return amp::norm(t[0], p, 0); });
        }
      }
    }
  }
}

}  // namespace cuda_fold

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums, means, maxima and minima on the CUDA device against the host, results and gradients.
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_reduce {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

/// Around the sizes of warps and blocks, and beyond what one block sums.
const std::vector<amp::Shape> kShapes = {{},        {1},       {0},          {31},      {257},
                                         {9001},    {3, 0, 5}, {33, 300},    {300, 33}, {2, 4500},
                                         {4500, 2}, {600, 70}, {2, 3, 4, 5}, {5, 40, 3}};

amp::Tensor numbers(const amp::Shape& shape, amp::DType dtype) {
  const amp::Tensor x = amp::randn(shape);
  return (amp::is_floating_point(dtype) ? x : amp::abs(x * 50)).to(dtype);
}

TEST_CASE("cuda sum: the host's, over every dimension and all", "[cuda]") {
  amp::manual_seed(1);
  for (const amp::Shape& shape : kShapes) {
    for (const amp::DType dtype : cuda_test::kFloats) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      const Tensors x{numbers(shape, dtype)};
      compare(x, tolerance(dtype), [](const Tensors& t) -> Tensors { return {amp::sum(t[0])}; });
      compare(x, tolerance(dtype), [](const Tensors& t) -> Tensors { return {amp::mean(t[0])}; });
      for (int d = 0; d < shape.dims(); ++d) {
        compare(x, tolerance(dtype),
                [&](const Tensors& t) -> Tensors { return {amp::sum(t[0], d)}; });
        compare(x, tolerance(dtype),
                [&](const Tensors& t) -> Tensors { return {amp::mean(t[0], d, true)}; });
      }
    }
    for (const amp::DType dtype : cuda_test::kIntegers) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      const Tensors x{numbers(shape, dtype)};
      compare(x, 0, [](const Tensors& t) -> Tensors { return {amp::sum(t[0])}; });
      for (int d = 0; d < shape.dims(); ++d)
        compare(x, 0, [&](const Tensors& t) -> Tensors { return {amp::sum(t[0], d)}; });
    }
  }
}

TEST_CASE("cuda sum: views of any strides", "[cuda]") {
  amp::manual_seed(2);
  for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kBFloat16, amp::kInt64}) {
    const double limit = amp::is_floating_point(dtype) ? tolerance(dtype) : 0;
    const auto check = [&](const amp::Shape& shape, const auto& view) {
      const Tensors x{numbers(shape, dtype)};
      compare(x, limit, [&](const Tensors& t) -> Tensors { return {amp::sum(view(t[0]))}; });
      const int dims = view(x[0]).dim();
      for (int d = 0; d < dims; ++d)
        compare(x, limit, [&](const Tensors& t) -> Tensors { return {amp::sum(view(t[0]), d)}; });
    };
    check({70, 90}, [](const amp::Tensor& x) { return x.transpose(0, 1); });
    check({6, 50, 7}, [](const amp::Tensor& x) { return x.permute({1, 2, 0}); });
    check({6, 50, 7}, [](const amp::Tensor& x) { return x.narrow(1, 3, 41); });
    check({6, 50, 70}, [](const amp::Tensor& x) { return x.select(2, 5); });
    check({5, 1, 60}, [](const amp::Tensor& x) { return x.expand({5, 40, 60}); });
    check({1, 1}, [](const amp::Tensor& x) { return x.expand({30, 500}); });
  }
}

TEST_CASE("cuda sum: gradients of what was broadcast", "[cuda]") {
  amp::manual_seed(3);
  for (const amp::Shape& small :
       std::vector<amp::Shape>{{}, {1}, {37, 1}, {5, 1, 61}, {1, 37, 1}}) {
    compare({numbers({5, 37, 61}, amp::kFloat32), numbers(small, amp::kFloat32)},
            tolerance(amp::kFloat32), [](const Tensors& t) -> Tensors { return {t[0] * t[1]}; });
  }
}

TEST_CASE("cuda sum: in vectors along lines and across them", "[cuda]") {
  // Every sum of integers is exact: no element is skipped, and none is counted twice.
  const auto exact = [](const amp::Shape& shape, amp::DType dtype) {
    std::vector<float> values(static_cast<std::size_t>(shape.numel()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<float>(static_cast<int>(i * 7919 % 13) - 5);
    return amp::tensor(values, shape).to(dtype);
  };
  const auto check = [&](const amp::Shape& shape, const auto& view) {
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat16, amp::kBFloat16}) {
      const Tensors x{exact(shape, dtype)};
      compare(x, 0, [&](const Tensors& t) -> Tensors { return {amp::sum(view(t[0]))}; });
      for (int d = 0; d < view(x[0]).dim(); ++d)
        compare(x, 0, [&](const Tensors& t) -> Tensors { return {amp::sum(view(t[0]), d)}; });
    }
  };
  const auto whole = [](const amp::Tensor& x) { return x; };
  for (const amp::Shape& shape : std::vector<amp::Shape>{{8},
                                                         {70003},
                                                         {64, 512},
                                                         {3000, 24},
                                                         {700, 8},
                                                         {5, 4104},
                                                         {600, 264},
                                                         {2, 6, 40, 8},
                                                         {3, 2056},
                                                         {1, 16}})
    check(shape, whole);
  check({50, 80}, [](const amp::Tensor& x) { return x.narrow(1, 8, 64); });
  check({50, 80}, [](const amp::Tensor& x) { return x.narrow(1, 4, 64); });
  check({50, 80}, [](const amp::Tensor& x) { return x.narrow(1, 8, 61); });
  check({72, 200}, [](const amp::Tensor& x) { return x.t(); });
  // Over several dimensions that do not lie behind one another.
  for (const amp::Shape& small : std::vector<amp::Shape>{{6, 1}, {4, 1, 16}, {1, 16}, {4, 6, 1}}) {
    compare({exact({4, 6, 16}, amp::kFloat32), exact(small, amp::kFloat32)},
            tolerance(amp::kFloat32), [](const Tensors& t) -> Tensors { return {t[0] * t[1]}; });
  }
}

TEST_CASE("cuda sum: rounded once, integers wrap, no number stays none", "[cuda]") {
  const auto same = [](const amp::Tensor& x) {
    compare({x}, 0, [](const Tensors& t) -> Tensors { return {amp::sum(t[0])}; });
  };
  same(amp::ones({40001}, {.dtype = amp::kBFloat16}));
  same(amp::ones({4097}, {.dtype = amp::kFloat16}));
  same(amp::ones({70000}, {.dtype = amp::kFloat16}));  // infinite
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  same(amp::tensor({kLargest, kLargest, std::int64_t{7}}, {3}));
  same(amp::tensor({kLargest, std::int64_t{1}}, {2, 1}).expand({2, 5000}));
  constexpr float kInf = std::numeric_limits<float>::infinity();
  same(amp::tensor({1.0F, kInf, 2.0F}, {3}));
  compare({amp::tensor({1.0F, kInf, -kInf}, {3})}, 1,
          [](const Tensors& t) -> Tensors { return {amp::sum(t[0])}; });
}

void compare_extrema(const Tensors& x, int dim) {
  compare(x, 0, [&](const Tensors& t) -> Tensors {
    const auto [values, indices] = (amp::max)(t[0], dim);
    return {values, indices};
  });
  compare(x, 0, [&](const Tensors& t) -> Tensors {
    const auto [values, indices] = (amp::min)(t[0], dim, true);
    return {values, indices};
  });
}

TEST_CASE("cuda max, min: the host's bits, the first of equal ones", "[cuda][values]") {
  amp::manual_seed(4);
  std::vector<amp::DType> dtypes(std::begin(cuda_test::kFloats), std::end(cuda_test::kFloats));
  dtypes.insert(dtypes.end(), std::begin(cuda_test::kIntegers), std::end(cuda_test::kIntegers));
  for (const amp::Shape& shape : kShapes) {
    if (shape.numel() == 0) continue;
    for (const amp::DType dtype : dtypes) {
      if (!cuda_test::worth_while(shape, dtype)) continue;
      const double limit = amp::is_floating_point(dtype) ? tolerance(dtype) : 0;
      const Tensors x{(amp::randn(shape) * 2).to(amp::kInt64).to(dtype)};  // many are equal
      compare(x, limit, [](const Tensors& t) -> Tensors { return {(amp::max)(t[0])}; });
      compare(x, limit, [](const Tensors& t) -> Tensors { return {(amp::min)(t[0])}; });
      if (dtype == amp::kBool) continue;
      compare(x, 0, [](const Tensors& t) -> Tensors { return {amp::argmax(t[0])}; });
      for (int d = 0; d < shape.dims(); ++d) {
        compare_extrema(x, d);
        compare(x, 0, [&](const Tensors& t) -> Tensors { return {amp::argmax(t[0], d)}; });
      }
    }
  }
}

TEST_CASE("cuda max, min: the widest and the narrowest types", "[cuda]") {
  amp::manual_seed(6);
  for (const amp::DType dtype : {amp::kInt64, amp::kFloat64, amp::kFloat8E4M3}) {
    for (const amp::Shape& shape : {amp::Shape(3, 5), amp::Shape(3, 16), amp::Shape(2, 5, 16),
                                    amp::Shape(3, 333), amp::Shape(1, 9001)}) {
      compare_extrema({(amp::randn(shape) * 2).to(amp::kInt64).to(dtype)}, 1);
    }
  }
}

TEST_CASE("cuda max, min: one long line, of any strides, is cut and not copied", "[cuda]") {
  amp::manual_seed(5);
  const amp::Tensor wide = amp::randn({2, 9001});
  const auto bytes = [](const auto& call) {
    amp::reset_peak_memory(amp::kCUDA);
    const std::int64_t before = amp::memory_stats(amp::kCUDA).current_bytes;
    (void)call();
    return amp::memory_stats(amp::kCUDA).peak_bytes - before;
  };
  using View = amp::Tensor (*)(const amp::Tensor&);
  for (const View view : {View([](const amp::Tensor& x) { return x; }),
                          View([](const amp::Tensor& x) { return x.t(); }),
                          View([](const amp::Tensor& x) { return x.select(0, 1); }),
                          View([](const amp::Tensor& x) { return x.t().select(1, 1); }),
                          View([](const amp::Tensor& x) { return x.t().narrow(0, 1, 8999); })}) {
    compare({wide}, 0, [=](const Tensors& t) -> Tensors { return {amp::argmax(view(t[0]))}; });
    compare({wide}, 0, [=](const Tensors& t) -> Tensors { return {(amp::min)(view(t[0]))}; });
    compare({wide}, 0, [=](const Tensors& t) -> Tensors { return {amp::argmax(view(t[0]), 0)}; });
  }
  const amp::Tensor on_device = wide.to(amp::kCUDA);  // 72,008 bytes
  CHECK(bytes([&] { return amp::argmax(on_device.t()); }) < 100);
  CHECK(bytes([&] { return amp::argmax(on_device.t(), 0); }) < 100);
  CHECK(bytes([&] { return (amp::max)(on_device.t()); }) < 100);
}

TEST_CASE("cuda max, min: NaN, infinities and zeros", "[cuda]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
  for (const int n : {3, 40, 700}) {
    for (const std::vector<float>& special : std::vector<std::vector<float>>{{kNaN, kInf, kNaN},
                                                                             {-kInf, -kInf, -kInf},
                                                                             {-0.0F, 0.0F, -0.0F},
                                                                             {0.0F, -0.0F, 0.0F},
                                                                             {kInf, -kInf, kNaN}}) {
      std::vector<float> row(static_cast<std::size_t>(n), special[0]);
      row[1] = special[1];
      row.back() = special[2];
      for (const amp::DType dtype : {amp::kFloat64, amp::kFloat32, amp::kFloat16}) {
        const Tensors x{amp::tensor(row, {n}).to(dtype)};
        compare(x, 0, [](const Tensors& t) -> Tensors {
          const auto [values, indices] = (amp::max)(t[0], 0);
          return {values, indices};
        });
        compare(x, 0, [](const Tensors& t) -> Tensors {
          const auto [values, indices] = (amp::min)(t[0], 0);
          return {values, indices};
        });
      }
    }
  }
}

}  // namespace
}  // namespace cuda_reduce

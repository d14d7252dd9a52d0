// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Functions of several operands, distances, and sums of products on the CUDA device against the
// host, results and gradients: of several blocks, odd sizes, many lines, strided and broadcast.
#include <cstdint>
#include <limits>
#include <vector>

#include "cuda/on_both.hpp"

namespace cuda_combination {
namespace {

using cuda_test::compare;
using cuda_test::Tensors;
using cuda_test::tolerance;

constexpr amp::DType kDtypes[] = {amp::kFloat64, amp::kFloat32, amp::kFloat16, amp::kBFloat16};
constexpr double kInf = std::numeric_limits<double>::infinity();

amp::Tensor random(const amp::Shape& shape, amp::DType dtype) {
  return amp::randn(shape).to(dtype);
}

}  // namespace

TEST_CASE("combinations: functions of three tensors") {
  for (const amp::DType dtype : kDtypes) {
    const double limit = 2 * tolerance(dtype);
    const Tensors shapes[] = {
        {random({3001}, dtype), random({3001}, dtype), random({3001}, dtype)},
        {random({31, 1, 5}, dtype), random({9, 5}, dtype), random({1}, dtype)},
        {random({40, 33}, dtype).t(), random({33, 40}, dtype), random({}, dtype)},
        {random({0, 3}, dtype), random({3}, dtype), random({}, dtype)}};
    for (const Tensors& x : shapes) {
      compare(
          x, limit,
          [](const Tensors& t) { return amp::addcmul(t[0], t[1], t[2], {.value = -0.5}); }, 30);
      compare(
          x, limit, [](const Tensors& t) { return amp::lerp(t[0], t[1], t[2]); }, 30);
      compare(
          {x[0], x[1]}, limit, [](const Tensors& t) { return amp::lerp(t[0], t[1], 0.7); }, 30);
      compare(
          {x[0], x[1], (amp::abs(x[2].to(amp::kFloat32)) + 1).to(dtype)}, limit,
          [](const Tensors& t) { return amp::addcdiv(t[0], t[1], t[2], {.value = 2}); }, 30);
    }
  }
  const amp::Tensor n = (amp::randn({2050}) * 100).to(amp::kInt64);
  compare({n, n, n}, 0,
          [](const Tensors& t) { return amp::addcmul(t[0], t[1], t[2], {.value = 3}); });
  compare({n.narrow(0, 0, 2049).reshape({683, 3}), n.narrow(0, 1, 3).reshape({1, 3})}, 0,
          [](const Tensors& t) { return amp::cross(t[0], t[1], 1); });
}

TEST_CASE("combinations: cross products, and what is added to products") {
  for (const amp::DType dtype : kDtypes) {
    const double limit = 2 * tolerance(dtype);
    compare(
        {random({700, 3}, dtype), random({1, 3}, dtype)}, limit,
        [](const Tensors& t) { return amp::cross(t[0], t[1], 1); }, 100);
    compare(
        {random({3, 40, 9}, dtype), random({3, 40, 9}, dtype)}, limit,
        [](const Tensors& t) { return amp::cross(t[0], t[1], 0); }, 10);
    compare(
        {random({9}, dtype), random({17, 5}, dtype), random({5, 9}, dtype)}, limit,
        [](const Tensors& t) { return amp::addmm(t[0], t[1], t[2]); }, 10);
    compare(
        {random({17, 1}, dtype), random({17, 5}, dtype), random({5, 9}, dtype)}, limit,
        [](const Tensors& t) { return amp::addmm(t[0], t[1], t[2], {.beta = 2, .alpha = 0.5}); },
        10);
    compare(
        {random({6, 4, 5}, dtype), random({5, 3}, dtype)}, limit,
        [](const Tensors& t) { return amp::einsum("aij,jk->kia", t[0], t[1]); }, 10);
    compare(
        {random({17, 5}, dtype), random({17, 4}, dtype), random({3, 5, 4}, dtype)}, limit,
        [](const Tensors& t) { return amp::bilinear(t[0], t[1], t[2]); }, 100);
    compare(
        {random({19, 70}, dtype), random({19, 70}, dtype)}, limit,
        [](const Tensors& t) { return amp::cosine_similarity(t[0], t[1]); }, 1);
    compare(
        {random({19, 7}, dtype)}, limit,
        [](const Tensors& t) { return amp::renorm(t[0], 2, 0, 1.5); }, 1);
    compare(
        {random({19, 7}, dtype)}, limit,
        [](const Tensors& t) { return amp::linalg_matrix_norm(t[0], 1); }, 1);
  }
}

TEST_CASE("distances: every order, of short and long points, of several blocks") {
  for (const double p : {2.0, 1.0, 0.0, 3.0, 1.5, kInf}) {
    for (const std::int64_t width : {1, 3, 8, 33, 130}) {
      for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kBFloat16}) {
        if (dtype != amp::kFloat32 && width > 8) continue;
        const double limit = 8 * tolerance(dtype);
        compare(
            {random({21, width}, dtype), random({19, width}, dtype)}, limit,
            [p](const Tensors& t) { return amp::cdist(t[0], t[1], p); }, 1);
        compare(
            {random({24, width}, dtype)}, limit,
            [p](const Tensors& t) { return amp::pdist(t[0], p); }, 1);
      }
    }
  }
  compare(
      {random({3, 1, 30, 40}, amp::kFloat32), random({2, 28, 40}, amp::kFloat32)}, 1e-5,
      [](const Tensors& t) { return amp::cdist(t[0], t[1]); }, 10);
  compare(
      {random({3, 9, 4}, amp::kFloat32), random({7, 4}, amp::kFloat32)}, 1e-6,
      [](const Tensors& t) { return amp::cdist(t[0], t[1], 3); }, 10);
  const amp::Tensor same = amp::ones({5, 3});
  compare({same, same}, 0, [](const Tensors& t) { return amp::cdist(t[0], t[1]); });
  compare({amp::tensor({NAN, 1.0F, 2.0F, 3.0F}, {2, 2}), amp::zeros({2, 2})}, 1e-6,
          [](const Tensors& t) { return amp::cdist(t[0], t[1], 1); });
}

}  // namespace cuda_combination

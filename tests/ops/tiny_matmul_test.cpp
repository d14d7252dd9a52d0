// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Small products: the same bits as large ones, and one node each.
#include <amp/amp.hpp>

#include <array>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace tiny_matmul {

using amp::Tensor;

namespace {

/// The product as a part of one that is neither tiny nor thin, nor enough work for oneDNN.
std::vector<double> part_of_large(const Tensor& a, const Tensor& b) {
  const Tensor rows = amp::zeros({17 - a.size(0), a.size(1)}, {.dtype = a.dtype()}),
               columns = amp::zeros({b.size(0), 10 - b.size(1)}, {.dtype = a.dtype()});
  return amp::matmul(amp::cat({a, rows}, 0), amp::cat({b, columns}, 1))
      .narrow(0, 0, a.size(0))
      .narrow(1, 0, b.size(1))
      .to_vector<double>();
}

/// How many nodes `op` records.
template <class Op>
std::uint64_t nodes_of(const Op& op) {
  const auto sequence = [&] { return amp::autograd::node_of(op())->sequence(); };
  const std::uint64_t first = sequence();
  return sequence() - first;
}

}  // namespace

TEST_CASE("matmul: tiny matrices give the bits of large ones", "[ops]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
    // Instructions for bfloat16 add in another order.
    if (dtype == amp::kBFloat16 && amp::cpu_capabilities().bfloat16) continue;
    for (const auto& [m, k, n] : {std::array{4, 4, 4}, {1, 7, 9}, {16, 5, 1}, {3, 16, 8}}) {
      const Tensor a = amp::randn({m, k}, {.dtype = dtype}),
                   b = amp::randn({k, n}, {.dtype = dtype});
      CAPTURE(amp::to_string(dtype), m, k, n);
      const std::vector<double> expected = part_of_large(a, b);
      CHECK(amp::matmul(a, b).to_vector<double>() == expected);
      CHECK(amp::matmul(a.t().contiguous().t(), b.t().contiguous().t()).to_vector<double>() ==
            expected);
      const Tensor wide = amp::cat({b, b}, 1);
      CHECK(amp::matmul(a, wide.narrow(1, n, n)).to_vector<double>() == expected);
    }
  }
}

TEST_CASE("matmul: tiny ones in batches, of expanded rows, with a bias, of nothing", "[ops]") {
  const Tensor a = amp::tensor({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}, {.dtype = amp::kFloat32});
  const Tensor b = amp::tensor({1, 0, 1, 1}, {2, 2}, {.dtype = amp::kFloat32});
  CHECK(amp::bmm(a, a).to_vector<int>() == std::vector{7, 10, 15, 22, 67, 78, 91, 106});
  CHECK(amp::matmul(b, a).to_vector<int>() == std::vector{1, 2, 4, 6, 5, 6, 12, 14});
  const Tensor row = amp::tensor({1, 2}, {2}, {.dtype = amp::kBFloat16});
  CHECK(amp::linear(b.to(amp::kBFloat16), b.to(amp::kBFloat16), row).to_vector<int>() ==
        std::vector{2, 3, 2, 4});
  CHECK(amp::matmul(amp::ones({3, 0}), amp::ones({0, 2})).to_vector<int>() ==
        std::vector<int>(6, 0));
}

TEST_CASE("matmul: a product of matrices records one node, a cast weight one more", "[ops]") {
  const Tensor x = amp::randn({4, 4}), w = amp::randn({4, 4}, {.requires_grad = true}),
               b = amp::randn({4}, {.requires_grad = true});
  CHECK(nodes_of([&] { return amp::matmul(x, w); }) == 1);
  CHECK(nodes_of([&] { return amp::linear(x, w, b); }) == 1);
  const amp::AutocastGuard autocast(amp::kCPU);
  CHECK(nodes_of([&] { return amp::matmul(x, w); }) == 2);
}

}  // namespace tiny_matmul

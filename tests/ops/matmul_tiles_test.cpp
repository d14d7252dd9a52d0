// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How amp's own matmul divides its output among the threads.
#include <amp/amp.hpp>
#include <amp/kernels/matmul/host/gemm_matmul.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "support/catch.hpp"
#include "support/child.hpp"

namespace {

/// The elements that the busiest thread computes. A thread begins with its share of the tiles, which
/// lie one after another.
std::int64_t most_of(std::int64_t m, std::int64_t n, std::int64_t threads) {
  const amp::kernels::host::gemm::TileSize size(m, n, 6, 16, threads);
  const std::int64_t across = amp::ceil_div(n, size.columns);
  const std::int64_t tiles = amp::ceil_div(m, size.rows) * across;
  std::int64_t most = 0;
  for (std::int64_t thread = 0; thread < threads; ++thread) {
    std::int64_t elements = 0;
    for (std::int64_t t = thread * tiles / threads; t < (thread + 1) * tiles / threads; ++t) {
      elements += (std::min)(size.rows, m - t / across * size.rows) *
                  (std::min)(size.columns, n - t % across * size.columns);
    }
    most = (std::max)(most, elements);
  }
  return most;
}

/// n integers from -4 to 4, whose sums of products are exact in any order.
std::vector<double> small_integers(std::int64_t n, std::int64_t step) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::int64_t next = 0;
  for (double& value : values) value = static_cast<double>((next += step) % 9 - 4);
  return values;
}

}  // namespace

TEST_CASE("matmul: each thread computes an equal part of the output", "[matmul]") {
  struct Size {
    std::int64_t m, n;
  };
  for (const Size s : {Size{384, 700}, Size{400, 200}, Size{512, 512}, Size{700, 1000},
                       Size{1000, 1000}, Size{1024, 1024}, Size{64, 1024}, Size{8192, 64}}) {
    for (const std::int64_t threads : {1, 2, 4, 8}) {
      CAPTURE(s.m, s.n, threads);
      const double equal = static_cast<double>(s.m * s.n) / static_cast<double>(threads);
      CHECK(static_cast<double>(most_of(s.m, s.n, threads)) < 1.11 * equal);
    }
  }
}

TEST_CASE("matmul: values of tiles that do not divide the output evenly", "[matmul]") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const Size s :
       {Size{1, 1, 70000}, Size{1, 4099, 65}, Size{4099, 1, 65}, Size{289, 33, 257},
        Size{97, 515, 300}, Size{577, 577, 17}, Size{129, 131, 5}, Size{70, 64, 1}}) {
    CAPTURE(s.m, s.n, s.k);
    const std::vector<double> x = small_integers(s.m * s.k, 7), y = small_integers(s.k * s.n, 5);
    const std::vector<double> c =
        amp::matmul(amp::tensor(x, {s.m, s.k}), amp::tensor(y, {s.k, s.n})).to_vector<double>();
    std::vector<double> expected(c.size());
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t k = 0; k < s.k; ++k) {
        for (std::int64_t j = 0; j < s.n; ++j)
          expected[static_cast<std::size_t>(i * s.n + j)] +=
              x[static_cast<std::size_t>(i * s.k + k)] * y[static_cast<std::size_t>(k * s.n + j)];
      }
    }
    CHECK(c == expected);
  }
}

// Their engine computes transposes of the outputs, and reads the weights in place.
TEST_CASE("linear: few rows by wide weights, with a bias, in each format", "[matmul]") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const Size s :
       {Size{64, 600, 300}, Size{61, 403, 517}, Size{128, 1024, 1024}, Size{300, 403, 3}}) {
    const std::vector<double> x = small_integers(s.m * s.k, 7), w = small_integers(s.n * s.k, 5),
                              bias = small_integers(s.n, 2);
    std::vector<double> expected;
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        double sum = bias[static_cast<std::size_t>(j)];
        for (std::int64_t k = 0; k < s.k; ++k)
          sum +=
              x[static_cast<std::size_t>(i * s.k + k)] * w[static_cast<std::size_t>(j * s.k + k)];
        expected.push_back(sum);
      }
    }
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
      CAPTURE(s.m, s.n, s.k, dtype);
      const amp::Tensor rows = amp::tensor(x, {s.m, s.k}).to(dtype),
                        weight = amp::tensor(w, {s.n, s.k}).to(dtype),
                        added = amp::tensor(bias, {s.n}).to(dtype),
                        rounded = amp::tensor(expected, {s.m, s.n}).to(dtype);
      const std::vector<double> once = rounded.to_vector<double>();
      CHECK(amp::linear(rows, weight, added).to_vector<double>() == once);
      // The same rows, but with their elements k apart.
      CHECK(amp::linear(rows.t().contiguous().t(), weight, added).to_vector<double>() == once);
      const auto twice = [](const amp::Tensor& one) { return amp::stack({one, one * 2}, 0); };
      CHECK(amp::bmm(twice(rows), twice(weight.t())).select(0, 1).to_vector<double>() ==
            (amp::bmm(rows.unsqueeze(0), weight.t().unsqueeze(0)).select(0, 0) * 4)
                .to_vector<double>());
    }
  }
}

// Long sums are computed in parts, which are added in order.
TEST_CASE("matmul: values of long sums, as in gradients of weights", "[matmul]") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const Size s : {Size{64, 64, 8192}, Size{10, 100, 2049}, Size{100, 10, 4097}}) {
    const std::vector<double> x = small_integers(s.k * s.m, 7), y = small_integers(s.k * s.n, 5);
    std::vector<double> expected(static_cast<std::size_t>(s.m * s.n));
    for (std::int64_t k = 0; k < s.k; ++k) {
      for (std::int64_t i = 0; i < s.m; ++i) {
        for (std::int64_t j = 0; j < s.n; ++j)
          expected[static_cast<std::size_t>(i * s.n + j)] +=
              x[static_cast<std::size_t>(k * s.m + i)] * y[static_cast<std::size_t>(k * s.n + j)];
      }
    }
    for (const amp::DType dtype : {amp::kFloat32, amp::kFloat64, amp::kFloat16, amp::kBFloat16}) {
      CAPTURE(s.m, s.n, s.k, dtype);
      const amp::Tensor a = amp::tensor(x, {s.k, s.m}).to(dtype),
                        b = amp::tensor(y, {s.k, s.n}).to(dtype);
      const std::vector<double> once =
          amp::tensor(expected, {s.m, s.n}).to(dtype).to_vector<double>();
      CHECK(amp::matmul(a.t(), b).to_vector<double>() == once);
      CHECK(amp::matmul(a.t().contiguous(), b.t().contiguous().t()).to_vector<double>() == once);
    }
  }
}

TEST_CASE("matmul: the same bits from any number of threads", "[matmul]") {
  struct Size {
    std::int64_t m, n, k;
  };
  for (const Size s : {Size{60, 70, 5000}, Size{64, 600, 300}, Size{600, 600, 600}}) {
    for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
      CAPTURE(s.m, s.n, s.k, dtype);
      const amp::Tensor a = amp::randn({s.k, s.m}).to(dtype).t(),
                        b = amp::randn({s.n, s.k}).to(dtype).t();
      const auto bits = [&] { return amp::matmul(a, b).to_vector<float>(); };
      const std::vector<float> here = bits();
      for (const char* const threads : {"1", "2", "5"}) {
        CHECK(amp_test::status_of_child([&] {
                ::setenv("AMP_NUM_THREADS", threads, 1);  // the child starts threads of its own
                return amp::num_threads() == std::atoi(threads) && bits() == here ? 0 : 1;
              }) == 0);
      }
    }
  }
}

TEST_CASE("feed_forward: few rows by wide weights, with relu's bits", "[matmul]") {
  constexpr std::int64_t kBatch = 64, kInputs = 300, kHidden = 603;
  const auto leaf = [](std::int64_t rows, std::int64_t columns, std::int64_t step) {
    return amp::tensor(small_integers(rows * columns, step), {rows, columns})
        .to(amp::kFloat32)
        .requires_grad_();
  };
  amp::Tensor x = leaf(kBatch, kInputs, 7), w1 = leaf(kHidden, kInputs, 5),
              w2 = leaf(5, kHidden, 2);
  const amp::Tensor hidden = amp::relu(amp::linear(x, w1)), composed = amp::linear(hidden, w2);
  const amp::Tensor ours = amp::feed_forward(x, w1, {}, w2, {}, amp::Activation::kRelu);
  CHECK(ours.to_vector<double>() == composed.to_vector<double>());
  std::vector<std::vector<double>> gradients;
  for (const amp::Tensor& y : {composed, ours}) {
    amp::sum(y).backward();
    for (amp::Tensor* const factor : {&x, &w1, &w2}) {
      gradients.push_back(factor->grad().to_vector<double>());
      factor->set_grad({});
    }
  }
  for (std::size_t i = 0; i < 3; ++i) CHECK(gradients[i] == gradients[i + 3]);
}

TEST_CASE("matmul: a subnormal sum is the same in every tile, full or partial", "[matmul]") {
  for (const amp::DType dtype : {amp::kFloat32, amp::kBFloat16}) {
    CAPTURE(dtype);
    const amp::Tensor y =
        amp::linear(amp::zeros({13, 32}, {.dtype = dtype}), amp::zeros({33, 32}, {.dtype = dtype}),
                    amp::full({33}, 1e-39).to(dtype));
    const std::vector<double> values = y.to_vector<double>();
    CHECK(values == std::vector<double>(values.size(), values[0]));
  }
}

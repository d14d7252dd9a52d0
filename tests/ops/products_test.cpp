// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums of products, distances, and functions of three tensors: what small golden cases do not show.
// Inputs that threads share, equations that are wrong, matrices that lie unusually.
#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "support/catch.hpp"
#include "support/error_of.hpp"
#include "support/numbers.hpp"

namespace products {
namespace {

using amp::Tensor;
using amp_test::error_of;
using amp_test::same_bits;

double largest(const Tensor& x) { return (amp::max)(amp::abs(x)).item<double>(); }
double distance(const Tensor& a, const Tensor& b) {
  REQUIRE(to_string(a.shape()) == to_string(b.shape()));
  return largest(a.detach().to(amp::kFloat64) - b.detach().to(amp::kFloat64));
}
Tensor leaf(const amp::Shape& shape) {
  return amp::randn(shape, {.dtype = amp::kFloat64, .requires_grad = true});
}
/// The message has all parts, which | divides.
void refuses(const std::string& error, const std::string& parts) {
  INFO(error);
  for (std::size_t at = 0; at <= parts.size();) {
    const std::size_t end = (std::min)(parts.find('|', at), parts.size());
    INFO(parts.substr(at, end - at));
    CHECK(error.find(parts.substr(at, end - at)) != error.npos);
    at = end + 1;
  }
}

}  // namespace

TEST_CASE("products: one matrix without a dense dimension, for a whole batch") {
  const Tensor x = amp::randn({1, 20, 24, 2}).select(3, 1), y = amp::randn({3, 24, 21});
  const Tensor expected = amp::matmul(x.contiguous().expand({3, 20, 24}).contiguous(), y);
  CHECK(distance(amp::matmul(x, y), expected) < 1e-5);
}

TEST_CASE("products: large sums with a matrix, and their gradients") {
  const Tensor c = leaf({70, 90}), a = leaf({70, 40}), b = leaf({40, 90});
  const Tensor y = amp::addmm(c, a, b, {.beta = 0.5, .alpha = -2});
  CHECK(distance(y, 0.5 * c.detach() - 2 * amp::matmul(a.detach(), b.detach())) < 1e-12);
  const Tensor grad = amp::randn({70, 90}, {.dtype = amp::kFloat64});
  y.backward(grad);
  CHECK(distance(c.grad(), 0.5 * grad) == 0);
  CHECK(distance(a.grad(), -2 * amp::matmul(grad, b.detach().t())) < 1e-12);
  CHECK(distance(b.grad(), -2 * amp::matmul(a.detach().t(), grad)) < 1e-12);
}

TEST_CASE("products: a sum with a 16-bit matrix is rounded once") {
  // 257 - 256.5 = 0.5, but 257 is no bfloat16.
  const Tensor a = amp::tensor({256.0F, 1.0F}, {1, 2}, {.dtype = amp::kBFloat16});
  const Tensor b = amp::ones({2, 1}, {.dtype = amp::kBFloat16});
  const Tensor c = amp::full({1, 1}, -256, {.dtype = amp::kBFloat16});
  CHECK(amp::addmm(c, a, b).item<double>() == 1);
  CHECK(amp::addmm(c, a, b, {.alpha = 2}).item<double>() == 258);
  CHECK(amp::baddbmm(c, a.unsqueeze(0), b.unsqueeze(0)).item<double>() == 1);
}

TEST_CASE("products: einsum of large tensors by matmuls") {
  const Tensor q = leaf({3, 33, 4, 16}), k = leaf({3, 35, 4, 16});
  const Tensor y = amp::einsum("bqhd,bkhd->bhqk", q, k);
  const Tensor rows = q.detach().permute({0, 2, 1, 3}), columns = k.detach().permute({0, 2, 3, 1});
  CHECK(distance(y, amp::matmul(rows, columns)) < 1e-12);
  y.backward(amp::ones(y.shape(), {.dtype = amp::kFloat64}));
  CHECK(distance(q.grad().select(1, 5), amp::sum(k.detach(), 1)) < 1e-12);
}

TEST_CASE("products: einsum of many tensors multiplies the cheapest pair first") {
  // From the left, the first product alone would have 10^12 elements.
  const Tensor a = amp::ones({1'000'000, 1}), b = amp::ones({1, 1'000'000});
  const Tensor c = amp::ones({1'000'000, 1});
  CHECK(amp::einsum("ij,jk,kl->il", a, b, c).select(0, 9).item<double>() == 1e6);
  CHECK(amp::chain_matmul(a, b, c).select(0, 9).item<double>() == 1e6);
}

TEST_CASE("products: einsum refuses equations by name") {
  const Tensor m = amp::ones({3, 3});
  refuses(error_of([&] { return amp::einsum("i", m); }),
          "einsum:|1 letters|operand 0|float32[3, 3]");
  refuses(error_of([&] { return amp::einsum("ij,jk", m); }), "einsum:|2 operands|1 were given");
  refuses(error_of([&] { return amp::einsum("ij->k", m); }), "einsum:|behind the arrow");
  refuses(error_of([&] { return amp::einsum("ij->ii", m); }), "einsum:|twice");
  refuses(error_of([&] { return amp::einsum("i.j", m); }), "einsum:|'.'");
  refuses(error_of([&] { return amp::einsum("1j", m); }), "einsum:|'1'");
  refuses(error_of([&] { return amp::einsum("......", m); }), "einsum:|'.'");
  refuses(error_of([&] {
            return amp::einsum("ii", amp::ones({2, 3}));
          }),
          "einsum:|repeated|2 and 3");
  refuses(error_of([&] {
            return amp::einsum("ij,jk", m, amp::ones({2, 3}));
          }),
          "einsum:|extents|[2, 3]");
  refuses(error_of([&] { return amp::einsum("ij", std::vector<Tensor>()); }), "einsum:|empty");
}

TEST_CASE("products: refusals of single ops") {
  const Tensor m = amp::ones({2, 3}), v = amp::ones({3});
  refuses(error_of([&] { return amp::addmm(amp::ones({4}), m, m.t()); }), "addmm:|`input`|[2, 2]");
  refuses(error_of([&] { return amp::addmm(amp::ones({1, 2, 2}), m, m.t()); }), "addmm:|`input`");
  refuses(error_of([&] { return amp::tensordot(m, m, -1); }), "tensordot:|`dims`|-1");
  refuses(error_of([&] {
            return amp::tensordot(m, m, {0, 0}, {0, 1});
          }),
          "tensordot:|`dims_a`|twice");
  refuses(error_of([&] {
            return amp::tensordot(amp::ones({3, 3}), m.t(), {0, 1}, {0, 0});
          }),
          "tensordot:|`dims_b`|twice");
  refuses(error_of([&] {
            return amp::tensordot(m, m, {0, 1}, {1});
          }),
          "tensordot:|one length|2 and 1");
  refuses(error_of([&] { return amp::cross(m, m, 0); }), "cross:|extent 3|[2, 3]");
  refuses(error_of([&] { return amp::cross(amp::ones({2}), amp::ones({2})); }), "cross:|extent 3");
  refuses(error_of([&] { return amp::cdist(m, m, -1); }), "cdist:|`p`|-1");
  refuses(error_of([&] { return amp::cdist(v, v); }), "cdist:|[..., P, M]|float32[3]");
  refuses(error_of([&] { return amp::pdist(v); }), "pdist:|[N, M]|float32[3]");
  refuses(error_of([&] { return amp::renorm(v, 2, 0, 1); }), "renorm:|2 dimensions|float32[3]");
  refuses(error_of([&] { return amp::renorm(m, 0, 0, 1); }), "renorm:|`p`|0");
  refuses(error_of([&] { return amp::renorm(m, 2, 0, -1); }), "renorm:|`maxnorm`|-1");
  refuses(error_of([&] { return amp::linalg_matrix_norm(m, 2); }), "linalg_matrix_norm:|singular");
  refuses(error_of([&] { return amp::linalg_matrix_norm(m, "nuc"); }),
          "linalg_matrix_norm:|singular");
  refuses(error_of([&] { return amp::linalg_matrix_norm(m, 3); }), "linalg_matrix_norm:|`ord`|3");
  refuses(error_of([&] { return amp::linalg_matrix_norm(v, 1); }),
          "linalg_matrix_norm:|2 dimensions");
  refuses(error_of([&] {
            return amp::linalg_matrix_norm(m, 1, {0, -2});
          }),
          "linalg_matrix_norm:|twice");
  refuses(error_of([&] {
            return amp::linalg_vector_norm(m.to(amp::kFloat64), 2, {}, false, amp::kFloat32);
          }),
          "linalg_vector_norm:|`dtype`|float64[2, 3]|float32");
  refuses(error_of([&] { return amp::linalg_multi_dot(m); }), "linalg_multi_dot:|at least 2|1");
  refuses(error_of([&] { return amp::chain_matmul(m, v); }), "chain_matmul:|matrices|float32[3]");
  refuses(error_of([&] {
            return amp::chain_matmul(m, amp::ones({3, 2}, {.dtype = amp::kFloat64}));
          }),
          "chain_matmul:|one dtype|number 0 is float32[2, 3]|number 1 is float64[3, 2]");
  refuses(error_of([&] { return amp::dist(amp::ones({0}), amp::ones({0}), INFINITY); }),
          "dist:|norm");
}

TEST_CASE("products: a norm in a wider dtype") {
  const Tensor x = amp::full({3}, 300, {.dtype = amp::kFloat16, .requires_grad = true});
  const Tensor y = amp::linalg_vector_norm(x, 1, {}, false, amp::kFloat64);
  CHECK(y.dtype() == amp::kFloat64);
  CHECK(y.item<double>() == 900);
  y.backward();
  CHECK(x.grad().to_vector<double>() == std::vector<double>(3, 1));
  const Tensor widest = amp::linalg_vector_norm(x, INFINITY, {}, false, amp::kFloat32);
  CHECK(widest.dtype() == amp::kFloat32);
  CHECK(amp::linalg_matrix_norm(x.detach().reshape({1, 3}), 1, {0, 1}, false, amp::kFloat32)
            .dtype() == amp::kFloat32);
}

TEST_CASE("products: distances of many points, by a matmul and directly, and their gradients") {
  for (const std::int64_t width : {3, 32, 37}) {
    for (const double p : {2.0, 1.0, 3.0, static_cast<double>(INFINITY)}) {
      INFO("order " << p << ", width " << width);
      const Tensor x = leaf({2, 150, width}), y = leaf({40, width});
      const Tensor d = amp::cdist(x, y, p);
      const Tensor differences = x.detach().unsqueeze(2) - y.detach().unsqueeze(0);
      CHECK(distance(d, amp::norm(differences, p, -1)) < 1e-12);
      const Tensor grad = amp::randn({2, 150, 40}, {.dtype = amp::kFloat64});
      d.backward(grad);
      const Tensor by_hand = differences.clone().requires_grad_();
      amp::norm(by_hand, p, -1).backward(grad);
      CHECK(distance(x.grad(), amp::sum(by_hand.grad(), 2)) < 1e-11);
      CHECK(distance(y.grad(), -amp::sum(by_hand.grad(), {0, 1})) < 1e-11);
    }
  }
}

TEST_CASE("products: distances of float32 in vectors, wide and narrow") {
  for (const std::int64_t width : {1, 5, 31, 32, 70, 2100}) {
    for (const double p : {1.0, 2.0, 2.5, 0.5, static_cast<double>(INFINITY)}) {
      INFO("order " << p << ", width " << width);
      const Tensor x = amp::randn({9, width}, {.requires_grad = true}), y = amp::randn({23, width});
      const Tensor wide = x.detach().to(amp::kFloat64).requires_grad_();
      const Tensor d = amp::cdist(x, y, p), expected = amp::cdist(wide, y.to(amp::kFloat64), p);
      CHECK(distance(d, expected) < 3e-6 * largest(expected.detach()));
      const Tensor grad = amp::randn({9, 23});
      d.backward(grad);
      expected.backward(grad.to(amp::kFloat64));
      CHECK(distance(x.grad(), wide.grad()) < 1e-5 * largest(wide.grad()));
      const Tensor pairs = amp::pdist(x.detach(), p);
      const Tensor square = amp::cdist(x.detach(), x.detach(), p, amp::EuclideanMode::kDirect);
      std::int64_t at = 0;
      for (std::int64_t i = 0; i < 9; ++i) {
        for (std::int64_t j = i + 1; j < 9; ++j)
          REQUIRE(pairs.select(0, at++).item<float>() ==
                  Approx(square.select(0, i).select(0, j).item<float>()));
      }
    }
  }
}

TEST_CASE("products: gradients of distances have the same bits every time") {
  const Tensor x = amp::randn({300, 40}, {.requires_grad = true});
  Tensor first;
  for (int i = 0; i < 3; ++i) {
    x.set_grad(Tensor());
    amp::sum(amp::cdist(x, x, 1) + amp::cdist(x, x)).backward();
    if (i == 0) first = x.grad().clone();
    CHECK(same_bits(first, x.grad()));
  }
}

TEST_CASE("products: a point makes no pair with itself") {
  const float inf = std::numeric_limits<float>::infinity();
  const Tensor x = amp::tensor({inf, 1.0F, 0.0F, 2.0F, 3.0F, 5.0F}, {3, 2});
  const Tensor leaf = x.clone().requires_grad_();
  amp::pdist(leaf, 1).backward(amp::ones({3}));
  CHECK(leaf.grad().to_vector<float>() == std::vector<float>{2, -2, -2, 0, 0, 2});
}

TEST_CASE("products: a NaN among points is a NaN in distances and gradients") {
  for (const double p : {1.0, 2.0, 3.0, static_cast<double>(INFINITY)}) {
    const Tensor x = amp::tensor({NAN, 1.0F}, {1, 2}, {.requires_grad = true});
    const Tensor d = amp::cdist(x, amp::zeros({3, 2}), p);
    CHECK(std::isnan(d.detach().select(1, 0).item<float>()));
    d.backward(amp::ones({1, 3}));
    CHECK(std::isnan(x.grad().select(1, 0).item<float>()));
  }
}

TEST_CASE("products: a number that no integer is, beside integers") {
  const Tensor x = amp::ones({3}, {.dtype = amp::kInt32});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  refuses(error_of([&] { return amp::addcmul(x, x, x, {.value = nan}); }),
          "addcmul:|`value`|int64|nan");
  refuses(error_of([&] { return amp::addr(x, x, x, {.beta = 0x1p63}); }), "addr:|`beta`|int64|9.2");
  refuses(error_of([&] { return amp::hardtanh(x, -1, INFINITY); }),
          "hardtanh:|`max_val`|int64|inf");
  refuses(error_of([&] { return amp::threshold(x, -1e300, 0); }),
          "threshold:|`threshold`|int64|-1e+300");
  refuses(error_of([&] { return amp::hardtanh(x, 2, 1); }), "hardtanh:|`min_val`|2|1");
  CHECK(amp::hardtanh(x, -0x1p63, 0.5).to_vector<float>() == std::vector<float>{0, 0, 0});
}

TEST_CASE("products: integers wrap in functions of three tensors") {
  const Tensor x = amp::full({70'000}, 0x1p62, {.dtype = amp::kInt64});
  const Tensor y = amp::addcmul(x, x, amp::ones({70'000}, {.dtype = amp::kInt64}), {.value = 3});
  CHECK(y.dtype() == amp::kInt64);
  CHECK(y.select(0, 69'999).item<std::int64_t>() == 0);
}

}  // namespace products

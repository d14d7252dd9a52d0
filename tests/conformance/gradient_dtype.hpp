// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The gradient of a float32 tensor that a product read in 16 bits: written in float32, not rounded
// to 16 bits before.
#pragma once

#include <amp/amp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/catch.hpp"

namespace conformance::properties {

/// Sums of as many ones as neither 16-bit dtype can count to.
inline void gradients_behind_casts(const amp::Device& device, amp::DType dtype) {
  using amp::Tensor;
  constexpr std::int64_t kRows = 4099;
  const amp::DType low = amp::is_low_precision(dtype) ? dtype : amp::kFloat32;
  const auto leaf = [&](const amp::Shape& shape) {
    return amp::ones(shape, {.device = device, .requires_grad = true});
  };
  const auto is_all = [](const Tensor& x, double value) {
    INFO("of shape " << x.shape());
    CHECK(x.grad().dtype() == amp::kFloat32);
    CHECK(x.grad().to_vector<double>() ==
          std::vector<double>(static_cast<std::size_t>(x.numel()), value));
  };
  const auto in_scope = [&](const auto& function) {
    const Tensor y = [&] {
      const amp::AutocastGuard scope(device.type, {.dtype = low});
      return function();
    }();
    CHECK(y.dtype() == low);
    y.backward(amp::ones(y.shape(), {.dtype = low, .device = device}));
  };

  const Tensor rows = leaf({kRows, 3}), weight = leaf({2, 3}), bias = leaf({2});
  in_scope([&] { return amp::linear(rows, weight, bias); });
  is_all(rows, 2);
  is_all(weight, kRows);
  is_all(bias, kRows);

  const Tensor matrix = leaf({3, 2}), row = leaf({3});
  in_scope([&] { return amp::matmul(rows, matrix); });
  is_all(matrix, kRows);
  in_scope([&] { return amp::matmul(rows, row); });
  is_all(row, kRows);

  const Tensor batch = leaf({2, kRows, 3}), matrices = leaf({2, 3, 2}), shared = leaf({1, 3, 2});
  in_scope([&] { return amp::bmm(batch, matrices); });
  is_all(matrices, kRows);
  in_scope([&] { return amp::matmul(batch, shared); });
  is_all(shared, 2 * kRows);

  const Tensor image = leaf({1, 1, 1, kRows}), filters = leaf({2, 1, 1, 1}), offset = leaf({2});
  in_scope([&] { return amp::conv2d(image, filters, offset); });
#if defined(AMP_TEST_GPU)
  // cuDNN rounds this one: it writes the dtype of the arrays that it reads.
  CHECK(filters.grad().dtype() == amp::kFloat32);
  for (const double value : filters.grad().to_vector<double>())
    CHECK(std::fabs(value - kRows) <= 0x1p-8 * kRows);
#else
  is_all(filters, kRows);
#endif
  is_all(offset, kRows);

  for (const amp::Activation f : {amp::Activation::kRelu, amp::Activation::kGelu}) {
    const Tensor w1 = leaf({1, 3}), w2 = leaf({2, 1}), b2 = leaf({2});
    in_scope([&] { return amp::feed_forward(rows, w1, {}, w2, b2, f); });
    is_all(b2, kRows);
    if (f == amp::Activation::kGelu) continue;
    is_all(w1, 2 * kRows);
    is_all(w2, 3 * kRows);
  }

  // One use of a cast gives float32, the other 16 bits; whichever comes first.
  for (const bool product_first : {false, true}) {
    const Tensor used_twice = leaf({3, 2});
    in_scope([&] {
      const Tensor copy = used_twice.to(low);
      const auto product = [&] { return amp::sum(amp::matmul(rows, copy)); };
      const auto twice = [&] { return amp::sum(copy * 2); };
      if (product_first) {
        const Tensor first = product();
        return (first + twice()).to(low);
      }
      const Tensor first = twice();
      return (first + product()).to(low);
    });
    is_all(used_twice, kRows + 2);
  }
}

}  // namespace conformance::properties

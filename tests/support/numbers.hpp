// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Tensors of numbers to compute with, and how far two results are apart.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace amp_test {

/// 0, 1, 2 and so on.
inline amp::Tensor counting(const amp::Shape& shape, amp::DType dtype = amp::kFloat32) {
  return amp::arange(shape.numel()).to(dtype).reshape(shape);
}

/// Multiples of 1/32 in [-1.5, 1.5] in an order that the salt chooses, which every format but those
/// of 8 bits holds. The scripts in goldens/ have the same formula.
inline amp::Tensor numbers(const amp::Shape& shape, std::int64_t salt,
                           amp::DType dtype = amp::kFloat64) {
  std::vector<double> values(static_cast<std::size_t>(shape.numel()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto n = static_cast<std::int64_t>(i) * 37 + salt * 101;
    values[i] = static_cast<double>(n * 53 % 97 - 48) / 32;
  }
  return amp::tensor(values, shape, {.dtype = dtype});
}

/// The largest difference, relative where what is expected is above 1; NaN if there is one.
inline double difference(const std::vector<double>& actual, const std::vector<double>& expected) {
  if (actual.size() != expected.size()) return HUGE_VAL;
  double largest = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double d = std::abs(actual[i] - expected[i]) / std::max(1.0, std::abs(expected[i]));
    largest = d <= largest ? largest : d;
  }
  return largest;
}

/// Whether dtype, shape and all bits of the elements are equal, whatever their strides.
inline bool same_bits(const amp::Tensor& a, const amp::Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const amp::Tensor x = a.detach().contiguous(), y = b.detach().contiguous();
  const auto bytes = static_cast<std::size_t>(x.numel() * amp::item_size(x.dtype()));
  return bytes == 0 || std::memcmp(x.raw_data(), y.raw_data(), bytes) == 0;
}

}  // namespace amp_test

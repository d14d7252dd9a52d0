// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What results of oneDNN are compared with: the same op in float64, which amp's own kernels
// compute.
#pragma once

#include <amp/amp.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace amp_test {

/// The largest difference of two tensors, as a part of the largest element of the second.
inline double difference(const amp::Tensor& a, const amp::Tensor& b) {
  const std::vector<double> x = a.to_vector<double>(), y = b.to_vector<double>();
  if (x.size() != y.size()) return 1e30;
  double most = 0, largest = 1e-30;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) return 1e30;
    most = std::max(most, std::abs(x[i] - y[i]));
    largest = std::max(largest, std::abs(y[i]));
  }
  return most / largest;
}

/// How far a result in the dtype may be from the exact one: its rounding, and that of float32 sums.
inline double tolerance(amp::DType dtype) {
  if (dtype == amp::kBFloat16) return 0x1p-7;
  return dtype == amp::kFloat16 ? 0x1p-10 : 4e-6;
}

inline constexpr amp::DType kEngineDTypes[] = {amp::kFloat32, amp::kBFloat16, amp::kFloat16};

}  // namespace amp_test

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// torch and Catch2 in one file: both define CHECK.
#pragma once

#include <torch/torch.h>

#include <amp/libtorch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#undef CHECK
#undef FAIL
#include "support/catch.hpp"

namespace libtorch_test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// sin(a * row + b * column): numbers that a Python program can make too.
inline torch::Tensor waves(std::int64_t rows, std::int64_t columns, double a, double b) {
  const auto row = torch::arange(rows, torch::kDouble).reshape({-1, 1});
  const auto column = torch::arange(columns, torch::kDouble);
  return torch::sin(a * row + b * column).to(torch::kFloat);
}

inline torch::Tensor parameter(const torch::Tensor& values) {
  return values.clone().set_requires_grad(true);
}

/// A parameter that has this gradient.
inline torch::Tensor with_gradient(const torch::Tensor& gradient) {
  torch::Tensor p = torch::zeros(gradient.sizes(), gradient.options().layout(torch::kStrided));
  p.set_requires_grad(true);
  p.mutable_grad() = gradient;
  return p;
}

inline bool same(const torch::Tensor& a, const torch::Tensor& b) { return torch::equal(a, b); }

}  // namespace libtorch_test

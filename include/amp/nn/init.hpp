// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Initial values of parameters, as torch's modules draw them, from the process' generator.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/ops/arithmetic.hpp"

namespace amp::inline v0::nn::init {

/// Uniform in +-bound.
[[nodiscard]] inline Tensor uniform(const Shape& shape, double bound) {
  const NoGradGuard no_grad;
  return rand(shape) * (2 * bound) - bound;
}

/// Uniform in +-1 / sqrt(fan_in): what He et al. 2015 (arXiv 1502.01852) become with torch's slope
/// of sqrt(5), for weights; torch draws biases from the same range.
[[nodiscard]] inline Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in) {
  return uniform(shape, fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0);
}

}  // namespace amp::inline v0::nn::init

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/autograd/grad_mode.hpp"
#include "amp/nn/init.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0::nn::init {

AMP_COLD Tensor uniform(const Shape& shape, double bound) {
  const NoGradGuard no_grad;
  return rand(shape) * (2 * bound) - bound;
}

AMP_COLD Tensor fan_in_uniform(const Shape& shape, std::int64_t fan_in) {
  return uniform(shape, fan_in > 0 ? 1 / std::sqrt(static_cast<double>(fan_in)) : 0);
}

}  // namespace amp::inline v0::nn::init

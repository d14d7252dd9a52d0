// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor celu(const Tensor& input, double alpha) {
  AMP_CHECK(alpha != 0, "celu: `alpha` must not be 0");
  return detail::unary_op<kernels::functions::Celu>(input, {alpha});
}

}  // namespace amp::inline v0

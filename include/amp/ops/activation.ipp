// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/ops/activation.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/tensor/factory.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor celu(const Tensor& input, double alpha) {
  AMP_CHECK(alpha != 0, "celu: `alpha` must not be 0");
  return detail::unary_op<kernels::functions::Celu>(input, {alpha});
}

AMP_LAZY_DEFINITION Tensor softshrink(const Tensor& input, double lambd) {
  detail::check_floating("softshrink", "input", input);
  AMP_CHECK(lambd >= 0 && is_finite(lambd),
            "softshrink: `lambd` must be finite and not negative, but is ", lambd);
  detail::check_holds("softshrink", "lambd", lambd, input.dtype());
  return detail::unary_op<kernels::functions::Softshrink>(input, {lambd});
}

}  // namespace amp::inline v0

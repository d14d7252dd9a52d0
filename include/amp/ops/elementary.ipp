// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstdlib>
#include <utility>

#include "amp/kernels/functions.hpp"
#include "amp/ops/arithmetic.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/elementary.hpp"
#include "amp/ops/elementwise.hpp"

namespace amp::inline v0 {

AMP_LAZY_DEFINITION Tensor atan2(const Tensor& input, const Tensor& other) {
  return detail::binary_op<kernels::functions::Atan2>("atan2", input, other, "input", "other");
}

AMP_LAZY_DEFINITION Tensor round(const Tensor& input, std::int64_t decimals) {
  detail::check_floating("round", "input", input);
  const double power = kernels::functions::pow(10.0, static_cast<double>(std::abs(decimals)));
  return decimals < 0 ? round(input / power) * power : round(input * power) / power;
}

AMP_LAZY_DEFINITION Tensor pow(const Tensor& input, const Tensor& exponent) {
  return detail::binary_op<kernels::functions::Pow>("pow", input, exponent, "input", "exponent");
}

namespace detail {

AMP_LAZY_DEFINITION Tensor pow_number(const Tensor& input, kernels::Operand&& exponent,
                                      bool is_signed_integer) {
  check_defined("pow", "input", input);
  AMP_CHECK(!is_signed_integer || exponent.integer >= 0 || is_floating_point(input.dtype()),
            "pow: `exponent` must not be negative for the integers of `input` ", describe(input),
            ", but is ", exponent.integer, "; convert `input` with to()");
  return scalar_op("pow", input, std::move(exponent),
                   {.kernel = kernels::binary<functions::Pow>,
                    .backward = scalar_derivative<functions::Pow, false>,
                    .saves = true});
}

AMP_LAZY_DEFINITION Tensor number_pow(kernels::Operand&& input, const Tensor& exponent) {
  check_defined("pow", "exponent", exponent);
  return scalar_op("pow", exponent, std::move(input),
                   {.kernel = kernels::binary<functions::Pow>,
                    .backward = scalar_derivative<functions::Pow, true>,
                    .scalar_first = true,
                    .saves = true});
}

}  // namespace detail
}  // namespace amp::inline v0

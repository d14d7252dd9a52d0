// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementary functions.
#pragma once

#include <concepts>

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// |x|; the gradient at 0 is 0. Not of bool.
[[nodiscard]] Tensor abs(const Tensor& input);

/// e^x. On the host, results in float32 below 2.4e-38 may be 0.
[[nodiscard]] Tensor exp(const Tensor& input);

/// The natural logarithm.
[[nodiscard]] Tensor log(const Tensor& input);

/// log(1 + x), with all digits of an x near 0, which 1 + x would lose; -infinity at -1, NaN below.
/// The derivative is 1 / (1 + x). Integers and bools give float32.
[[nodiscard]] Tensor log1p(const Tensor& input);

/// The derivative is 1 / (2 sqrt(x)).
[[nodiscard]] Tensor sqrt(const Tensor& input);

/// 1 / sqrt(x); the derivative is -y^3 / 2.
[[nodiscard]] Tensor rsqrt(const Tensor& input);

// --- powers --------------------------------------------------------------------------------------

namespace detail {

Tensor pow_number(const Tensor& input, kernels::Operand&& exponent, bool is_signed_integer);
Tensor number_pow(kernels::Operand&& input, const Tensor& exponent);

}  // namespace detail

/// input^exponent. Integers give integers modulo 2^64, and a negative exponent of a tensor then
/// what truncation leaves of the reciprocal.
///   d/dx = e x^(e - 1), 0 where e is 0;   d/de = x^e log x, 0 where x is 0 and e >= 0
[[nodiscard]] Tensor pow(const Tensor& input, const Tensor& exponent);

/// A negative integer power of integers throws: it is no integer.
///
/// The number is rounded to the dtype in which the power is computed, float64 for float64 and
/// float32 for all others. Where float32 does not hold it (1.7, not 0.5) this alone moves the
/// result by up to abs(exponent log(input)) / 2 units in the last place; torch's float32 powers are
/// off by as much. Powers of float64 tensors are not.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(const Tensor& input, Number exponent) {
  return detail::pow_number(input, detail::number_operand(exponent), std::signed_integral<Number>);
}

/// A number to the powers of a tensor.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(Number input, const Tensor& exponent) {
  return detail::number_pow(detail::number_operand(input), exponent);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/elementary.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementary functions, elementwise.
#pragma once

#include <concepts>

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// |x|, elementwise, in the dtype of `input`, which may be any but bool. The gradient at 0 is 0.
/// Under autocast: unchanged.
[[nodiscard]] Tensor abs(const Tensor& input);

/// e^x, elementwise. Integers and bools give float32. On the CPU, float32 results below 2.4e-38 may
/// be 0. Under autocast: float32.
[[nodiscard]] Tensor exp(const Tensor& input);

/// The natural logarithm, elementwise: -infinity at 0, NaN below. The derivative is 1 / x. Integers
/// and bools give float32. Under autocast: float32.
[[nodiscard]] Tensor log(const Tensor& input);

/// log(1 + x), elementwise, with all digits of an x near 0, which 1 + x would lose: -infinity at
/// -1, NaN below. The derivative is 1 / (1 + x). Integers and bools give float32. Under autocast:
/// float32.
[[nodiscard]] Tensor log1p(const Tensor& input);

/// The square root, elementwise: NaN below 0. The derivative is 1 / (2 sqrt(x)). Integers and bools
/// give float32. Under autocast: unchanged.
[[nodiscard]] Tensor sqrt(const Tensor& input);

/// 1 / sqrt(x), elementwise: infinity at 0, NaN below. The derivative is -y^3 / 2. Integers and
/// bools give float32. Under autocast: float32.
[[nodiscard]] Tensor rsqrt(const Tensor& input);

// --- powers --------------------------------------------------------------------------------------

namespace detail {

Tensor pow_number(const Tensor& input, kernels::Operand&& exponent, bool is_signed_integer);
Tensor number_pow(kernels::Operand&& input, const Tensor& exponent);

}  // namespace detail

/// input^exponent, elementwise. Shapes broadcast, dtypes promote. Two tensors of integers give
/// integers, which wrap around; a negative exponent gives the reciprocal, truncated to an integer.
/// Under autocast: float32.
///   d/dx = e x^(e - 1), 0 if e is 0;   d/de = x^e log x, 0 if x is 0 and e >= 0
[[nodiscard]] Tensor pow(const Tensor& input, const Tensor& exponent);

/// The same for an exponent that is a number. Throws if it is a negative integer and `input` holds
/// integers: the powers are no integers.
///
/// The number is rounded to the dtype in which the power is computed: float64 for float64, and
/// float32 for all others. If float32 does not hold it (1.7, but not 0.5), this alone moves the
/// result by up to abs(exponent log(input)) / 2 units in the last place; torch's float32 powers are
/// off by as much. Powers of float64 tensors are not.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(const Tensor& input, Number exponent) {
  return detail::pow_number(input, detail::number_operand(exponent), std::signed_integral<Number>);
}

/// The same for a base that is a number.
template <Arithmetic Number>
[[nodiscard]] Tensor pow(Number input, const Tensor& exponent) {
  return detail::number_pow(detail::number_operand(input), exponent);
}

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/elementary.ipp"
#endif

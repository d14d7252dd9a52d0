// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elementary functions, elementwise.
#pragma once

#include <concepts>
#include <cstdint>

#include "amp/ops/number.hpp"
#include "amp/ops/unary_op.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// |x|, elementwise, in the dtype of `input`, which may be any but bool. The gradient at 0 is 0.
/// Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor abs(const Tensor& input) {
  return detail::unary_op<kernels::functions::Abs>(input);
}

/// 1, 0 or -1: the sign of x, elementwise, in the dtype of `input`, which may be any but bool. NaN
/// gives 0, as in torch. The gradient is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor sign(const Tensor& input) {
  return detail::unary_op<kernels::functions::Sign>(input);
}

/// x^2, elementwise, in the dtype of `input`, which may be any but bool; integers wrap around.
/// Under autocast: float32, as pow.
AMP_LAZY [[nodiscard]] inline Tensor square(const Tensor& input) {
  return detail::unary_op<kernels::functions::Square>(input);
}

/// The square root, elementwise: NaN below 0. The derivative is 1 / (2 sqrt(x)). Integers and
/// bools give float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor sqrt(const Tensor& input) {
  return detail::unary_op<kernels::functions::Sqrt>(input);
}

/// 1 / sqrt(x), elementwise: infinity at 0, NaN below. The derivative is -y^3 / 2. Integers and
/// bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor rsqrt(const Tensor& input) {
  return detail::unary_op<kernels::functions::Rsqrt>(input);
}

/// 1 / x, elementwise; integers and bools give float32. The derivative is -1 / x^2. Under autocast:
/// float32.
AMP_LAZY [[nodiscard]] inline Tensor reciprocal(const Tensor& input) {
  return detail::unary_op<kernels::functions::Reciprocal>(input);
}

// --- exponentials and logarithms -----------------------------------------------------------------

/// e^x, elementwise. Integers and bools give float32. On the CPU, float32 results below 2.4e-38
/// may be 0. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor exp(const Tensor& input) {
  return detail::unary_op<kernels::functions::Exp>(input);
}

/// e^x - 1, elementwise, with all digits near 0. Integers and bools give float32. Under autocast:
/// float32.
AMP_LAZY [[nodiscard]] inline Tensor expm1(const Tensor& input) {
  return detail::unary_op<kernels::functions::Expm1>(input);
}

/// The natural logarithm, elementwise: -infinity at 0, NaN below. The derivative is 1 / x.
/// Integers and bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor log(const Tensor& input) {
  return detail::unary_op<kernels::functions::Log>(input);
}

/// log(1 + x), elementwise, with all digits of an x near 0, which 1 + x would lose: -infinity at
/// -1, NaN below. The derivative is 1 / (1 + x). Integers and bools give float32. Under autocast:
/// float32.
AMP_LAZY [[nodiscard]] inline Tensor log1p(const Tensor& input) {
  return detail::unary_op<kernels::functions::Log1p>(input);
}

/// The logarithm to base 2, elementwise. Integers and bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor log2(const Tensor& input) {
  return detail::unary_op<kernels::functions::Log2>(input);
}

/// The logarithm to base 10, elementwise. Integers and bools give float32. Under autocast:
/// float32.
AMP_LAZY [[nodiscard]] inline Tensor log10(const Tensor& input) {
  return detail::unary_op<kernels::functions::Log10>(input);
}

// --- trigonometry and the error function ---------------------------------------------------------

/// sin x, elementwise, of radians. Integers and bools give float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor sin(const Tensor& input) {
  return detail::unary_op<kernels::functions::Sin>(input);
}

/// cos x, elementwise, of radians. Integers and bools give float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor cos(const Tensor& input) {
  return detail::unary_op<kernels::functions::Cos>(input);
}

/// tan x, elementwise, of radians. The derivative is 1 + y^2. Integers and bools give float32.
/// Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor tan(const Tensor& input) {
  return detail::unary_op<kernels::functions::Tan>(input);
}

/// The angle in [-pi/2, pi/2] with the sine x, elementwise: NaN beyond -1 and 1. Integers and
/// bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor asin(const Tensor& input) {
  return detail::unary_op<kernels::functions::Asin>(input);
}

/// The angle in [0, pi] with the cosine x, elementwise: NaN beyond -1 and 1. Integers and bools
/// give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor acos(const Tensor& input) {
  return detail::unary_op<kernels::functions::Acos>(input);
}

/// The angle in (-pi/2, pi/2) with the tangent x, elementwise. Integers and bools give float32.
/// Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor atan(const Tensor& input) {
  return detail::unary_op<kernels::functions::Atan>(input);
}

/// The angle of the point (other, input) in [-pi, pi], elementwise. Shapes broadcast, dtypes
/// promote, integers and bools give float32. Under autocast: the widest dtype of both.
///   d/da = b / (a^2 + b^2), d/db = -a / (a^2 + b^2), 0 at (0, 0)
AMP_LAZY [[nodiscard]] Tensor atan2(const Tensor& input, const Tensor& other);

/// (e^x - e^-x) / 2, elementwise. Integers and bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor sinh(const Tensor& input) {
  return detail::unary_op<kernels::functions::Sinh>(input);
}

/// (e^x + e^-x) / 2, elementwise. Integers and bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor cosh(const Tensor& input) {
  return detail::unary_op<kernels::functions::Cosh>(input);
}

/// The error function, 2 / sqrt(pi) times the integral of e^(-t^2) from 0 to x, elementwise.
/// Integers and bools give float32. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor erf(const Tensor& input) {
  return detail::unary_op<kernels::functions::Erf>(input);
}

/// The inverse of erf, elementwise: infinite at -1 and 1, NaN beyond. The derivative is sqrt(pi) /
/// 2 e^(y^2). Integers and bools give float32. Under autocast: float32.
AMP_LAZY [[nodiscard]] inline Tensor erfinv(const Tensor& input) {
  return detail::unary_op<kernels::functions::Erfinv>(input);
}

// --- rounding ------------------------------------------------------------------------------------

/// The largest integer that is not above x, elementwise, in the dtype of `input`, which may be any
/// but bool. The gradient is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor floor(const Tensor& input) {
  return detail::unary_op<kernels::functions::Floor>(input);
}

/// The smallest integer that is not below x, elementwise, in the dtype of `input`, which may be
/// any but bool. The gradient is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor ceil(const Tensor& input) {
  return detail::unary_op<kernels::functions::Ceil>(input);
}

/// x without its fraction, elementwise, in the dtype of `input`, which may be any but bool. The
/// gradient is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor trunc(const Tensor& input) {
  return detail::unary_op<kernels::functions::Trunc>(input);
}

/// The nearest integer, elementwise, of two that are equally near the even one; in the dtype of
/// `input`, which may be any but bool. The gradient is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor round(const Tensor& input) {
  return detail::unary_op<kernels::functions::Round>(input);
}

/// x rounded to `decimals` places after the point, or before it if negative: to a multiple of
/// 10^-decimals. Of floating point.
AMP_LAZY [[nodiscard]] Tensor round(const Tensor& input, std::int64_t decimals);

// --- powers --------------------------------------------------------------------------------------

namespace detail {

AMP_LAZY Tensor pow_number(const Tensor& input, kernels::Operand&& exponent,
                           bool is_signed_integer);
AMP_LAZY Tensor number_pow(kernels::Operand&& input, const Tensor& exponent);

}  // namespace detail

/// input^exponent, elementwise. Shapes broadcast, dtypes promote. Two tensors of integers give
/// integers, which wrap around; a negative exponent gives the reciprocal, truncated to an integer.
/// Under autocast: float32.
///   d/dx = e x^(e - 1), 0 if e is 0;   d/de = x^e log x, 0 if x is 0 and e >= 0
AMP_LAZY [[nodiscard]] Tensor pow(const Tensor& input, const Tensor& exponent);

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

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Comparisons, and the choice between two tensors.
#pragma once

#include "amp/ops/number.hpp"
#include "amp/ops/unary_op.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

namespace detail {

/// A function of two operands that gives bool, of tensors; and of a tensor and a number.
template <class Function>
Tensor comparison(const Tensor& a, const Tensor& b);
template <class Function>
Tensor comparison(const Tensor& a, kernels::Operand&& b);

}  // namespace detail

/// Comparisons, elementwise: a == b, a != b, a < b, a <= b, a > b and a >= b. The result is bool;
/// shapes broadcast. NaN is unequal to everything, and neither less nor greater. Not
/// differentiable. Under autocast: unchanged. Beside a floating-point tensor, a number or a
/// 0-dimensional tensor is rounded to the dtype of the tensor first, as in torch, so that x = 0.1
/// in bfloat16 is equal to 0.1. Beside integers and float8_e4m3fn, numbers are compared as they
/// are: 255 of uint8 is not -1, which it is in torch.
// clang-format off
AMP_LAZY [[nodiscard]] inline Tensor eq(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Eq>(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor ne(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Ne>(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor lt(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Lt>(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor le(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Le>(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor gt(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Gt>(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor ge(const Tensor& a, const Tensor& b) { return detail::comparison<kernels::functions::Ge>(a, b); }

/// The same with a number.
template <Arithmetic N> [[nodiscard]] Tensor eq(const Tensor& a, N b) { return detail::comparison<kernels::functions::Eq>(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor ne(const Tensor& a, N b) { return detail::comparison<kernels::functions::Ne>(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor lt(const Tensor& a, N b) { return detail::comparison<kernels::functions::Lt>(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor le(const Tensor& a, N b) { return detail::comparison<kernels::functions::Le>(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor gt(const Tensor& a, N b) { return detail::comparison<kernels::functions::Gt>(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor ge(const Tensor& a, N b) { return detail::comparison<kernels::functions::Ge>(a, detail::number_operand(b)); }

AMP_LAZY [[nodiscard]] inline Tensor operator==(const Tensor& a, const Tensor& b) { return eq(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor operator!=(const Tensor& a, const Tensor& b) { return ne(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor operator<(const Tensor& a, const Tensor& b) { return lt(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor operator<=(const Tensor& a, const Tensor& b) { return le(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor operator>(const Tensor& a, const Tensor& b) { return gt(a, b); }
AMP_LAZY [[nodiscard]] inline Tensor operator>=(const Tensor& a, const Tensor& b) { return ge(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator==(const Tensor& a, N b) { return eq(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator!=(const Tensor& a, N b) { return ne(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator<(const Tensor& a, N b) { return lt(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator<=(const Tensor& a, N b) { return le(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator>(const Tensor& a, N b) { return gt(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator>=(const Tensor& a, N b) { return ge(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator==(N a, const Tensor& b) { return eq(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator!=(N a, const Tensor& b) { return ne(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator<(N a, const Tensor& b) { return gt(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator<=(N a, const Tensor& b) { return ge(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator>(N a, const Tensor& b) { return lt(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator>=(N a, const Tensor& b) { return le(b, a); }
// clang-format on

// --- conditions ----------------------------------------------------------------------------------

/// Whether each element is NaN; infinite; neither; 0. The result is bool, and not differentiable.
/// Integers are finite. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] inline Tensor isnan(const Tensor& input) {
  return detail::unary_op<kernels::functions::IsNan>(input);
}
AMP_LAZY [[nodiscard]] inline Tensor isinf(const Tensor& input) {
  return detail::unary_op<kernels::functions::IsInf>(input);
}
AMP_LAZY [[nodiscard]] inline Tensor isfinite(const Tensor& input) {
  return detail::unary_op<kernels::functions::IsFinite>(input);
}
AMP_LAZY [[nodiscard]] inline Tensor logical_not(const Tensor& input) {
  return detail::unary_op<kernels::functions::LogicalNot>(input);
}

/// Of numbers that are not 0: whether both are (and), at least one (or), one alone (xor). NaN is
/// not 0. Elementwise; the result is bool; shapes broadcast. Not differentiable. Under autocast:
/// unchanged.
AMP_LAZY [[nodiscard]] Tensor logical_and(const Tensor& input, const Tensor& other);
AMP_LAZY [[nodiscard]] Tensor logical_or(const Tensor& input, const Tensor& other);
AMP_LAZY [[nodiscard]] Tensor logical_xor(const Tensor& input, const Tensor& other);

/// Whether |input - other| <= atol + rtol |other|, elementwise; the result is bool; shapes broadcast.
/// Infinities are close if they are equal, and NaN is close to NaN if `equal_nan`. Throws unless
/// both have one dtype. 16 bits are compared in float32, integers in float64. Not differentiable. Under autocast:
/// unchanged.
AMP_LAZY [[nodiscard]] Tensor isclose(const Tensor& input, const Tensor& other, double rtol = 1e-5,
                                      double atol = 1e-8, bool equal_nan = false);
/// Whether all elements are close. Synchronises.
AMP_LAZY [[nodiscard]] bool allclose(const Tensor& input, const Tensor& other, double rtol = 1e-5,
                                     double atol = 1e-8, bool equal_nan = false);
/// Whether both have one shape and equal elements; NaN equals nothing. Synchronises.
AMP_LAZY [[nodiscard]] bool equal(const Tensor& input, const Tensor& other);

/// Of two masks (bool): logical_and(), logical_or(), logical_xor() and logical_not(). Throws for
/// other dtypes, of which these operators would be bitwise.
AMP_LAZY [[nodiscard]] Tensor operator&(const Tensor& a, const Tensor& b);
AMP_LAZY [[nodiscard]] Tensor operator|(const Tensor& a, const Tensor& b);
AMP_LAZY [[nodiscard]] Tensor operator^(const Tensor& a, const Tensor& b);
AMP_LAZY [[nodiscard]] Tensor operator!(const Tensor& a);
AMP_LAZY [[nodiscard]] Tensor operator~(const Tensor& a);

// --- a choice ------------------------------------------------------------------------------------

/// condition ? a : b, elementwise. All three broadcast; `condition` is bool; the dtypes of a and b
/// promote. The gradient of an element that is not chosen is 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

namespace detail {

/// One choice is a number: the second, unless `scalar_first`.
AMP_LAZY Tensor where_number(const Tensor& condition, const Tensor& tensor,
                             kernels::Operand&& number, bool scalar_first);

}  // namespace detail

/// The same with a number. Throws if the dtype of the result does not hold it: an integer
/// beyond its range, or a finite number that it would round to an infinity, as float16 does -1e30.
template <Arithmetic N>
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, N b) {
  return detail::where_number(condition, a, detail::number_operand(b), false);
}
template <Arithmetic N>
[[nodiscard]] Tensor where(const Tensor& condition, N a, const Tensor& b) {
  return detail::where_number(condition, b, detail::number_operand(a), true);
}

namespace detail {

// For the ops that choose between two values. None checks; `where` records history.
AMP_LAZY Tensor where(const Tensor& condition, const Tensor& tensor, const kernels::Operand& number,
                      bool scalar_first);
AMP_LAZY Tensor where_kernel(const Tensor& condition, const kernels::Operand& a,
                             const kernels::Operand& b, const Shape& shape, DType dtype);
AMP_LAZY kernels::Operand zero_on(Device device);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/comparison.ipp"
#endif

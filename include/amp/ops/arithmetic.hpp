// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// + - * / and negation, of tensors and of a tensor and a number on either side. Elementwise; shapes
// broadcast; integers wrap around. Dtypes promote as in torch: a 0-dimensional tensor or a number
// changes the dtype of the other operand only if it is of a higher category (bool, integers,
// floating point). So a floating-point number beside integers gives float32.
#pragma once

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// --- two tensors ---------------------------------------------------------------------------------

/// a + b, elementwise. Shapes broadcast, dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor add(const Tensor& a, const Tensor& b);

/// a - b, elementwise, but not of two bools. Shapes broadcast, dtypes promote. Under autocast:
/// unchanged.
AMP_LAZY [[nodiscard]] Tensor sub(const Tensor& a, const Tensor& b);

/// a * b, elementwise. Shapes broadcast, dtypes promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor mul(const Tensor& a, const Tensor& b);

/// a / b, elementwise, in floating point: integers and bools give float32. Shapes broadcast, dtypes
/// promote. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor div(const Tensor& a, const Tensor& b);

// --- a tensor and a number -----------------------------------------------------------------------

namespace detail {

// The names give the order of the operands.
AMP_LAZY Tensor add_number(const Tensor& a, kernels::Operand&& b);
AMP_LAZY Tensor sub_number(const Tensor& a, kernels::Operand&& b);
AMP_LAZY Tensor mul_number(const Tensor& a, kernels::Operand&& b);
AMP_LAZY Tensor div_number(const Tensor& a, kernels::Operand&& b);
AMP_LAZY Tensor number_sub(kernels::Operand&& a, const Tensor& b);
AMP_LAZY Tensor number_div(kernels::Operand&& a, const Tensor& b);

// The same in place, of a.
AMP_LAZY const Tensor& add_(const Tensor& a, const Tensor& b);
AMP_LAZY const Tensor& sub_(const Tensor& a, const Tensor& b);
AMP_LAZY const Tensor& mul_(const Tensor& a, const Tensor& b);
AMP_LAZY const Tensor& div_(const Tensor& a, const Tensor& b);
AMP_LAZY const Tensor& add_number_(const Tensor& a, const kernels::Operand& b);
AMP_LAZY const Tensor& sub_number_(const Tensor& a, const kernels::Operand& b);
AMP_LAZY const Tensor& mul_number_(const Tensor& a, const kernels::Operand& b);
AMP_LAZY const Tensor& div_number_(const Tensor& a, const kernels::Operand& b);

}  // namespace detail

// As with two tensors; the number is not differentiated. It is not rounded itself, so that it may lie
// beyond the range of the dtype; the result is, and may be an infinity.
// clang-format off
/// a + b, a - b, a * b and a / b with a number b.
template <Arithmetic N> [[nodiscard]] Tensor add(const Tensor& a, N b) { return detail::add_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor sub(const Tensor& a, N b) { return detail::sub_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor mul(const Tensor& a, N b) { return detail::mul_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor div(const Tensor& a, N b) { return detail::div_number(a, detail::number_operand(b)); }
// clang-format on
/// a - b for a number a.
template <Arithmetic N>
[[nodiscard]] Tensor sub(N a, const Tensor& b) {
  return detail::number_sub(detail::number_operand(a), b);
}
/// a / b for a number a, rounded once. Under autocast: float32, the policy of reciprocal, as in
/// torch.
template <Arithmetic N>
[[nodiscard]] Tensor div(N a, const Tensor& b) {
  return detail::number_div(detail::number_operand(a), b);
}

AMP_LAZY [[nodiscard]] inline Tensor operator+(const Tensor& a, const Tensor& b) {
  return add(a, b);
}
AMP_LAZY [[nodiscard]] inline Tensor operator-(const Tensor& a, const Tensor& b) {
  return sub(a, b);
}
AMP_LAZY [[nodiscard]] inline Tensor operator*(const Tensor& a, const Tensor& b) {
  return mul(a, b);
}
AMP_LAZY [[nodiscard]] inline Tensor operator/(const Tensor& a, const Tensor& b) {
  return div(a, b);
}
// clang-format off
template <Arithmetic N> [[nodiscard]] Tensor operator+(const Tensor& a, N b) { return add(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator-(const Tensor& a, N b) { return sub(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator*(const Tensor& a, N b) { return mul(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator/(const Tensor& a, N b) { return div(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator+(N a, const Tensor& b) { return add(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator-(N a, const Tensor& b) { return sub(a, b); }
template <Arithmetic N> [[nodiscard]] Tensor operator*(N a, const Tensor& b) { return mul(b, a); }
template <Arithmetic N> [[nodiscard]] Tensor operator/(N a, const Tensor& b) { return div(a, b); }
// clang-format on

// --- remainders ----------------------------------------------------------------------------------

/// a - b trunc(a / b), with the sign of `input`, elementwise. Shapes broadcast, dtypes promote; not
/// of two bools. Integers by 0 give `input` itself, on every device; floating point gives NaN.
/// Under autocast: unchanged.
///   d/da = 1, d/db = -trunc(a / b)
AMP_LAZY [[nodiscard]] Tensor fmod(const Tensor& input, const Tensor& other);
/// a - b floor(a / b), with the sign of `other`, as % of Python. The rest as fmod.
AMP_LAZY [[nodiscard]] Tensor remainder(const Tensor& input, const Tensor& other);
AMP_LAZY [[nodiscard]] inline Tensor operator%(const Tensor& a, const Tensor& b) {
  return remainder(a, b);
}

namespace detail {

AMP_LAZY Tensor fmod_number(const Tensor& input, kernels::Operand&& other);
AMP_LAZY Tensor remainder_number(const Tensor& input, kernels::Operand&& other);

}  // namespace detail

/// The same for a number `other`. Throws if integers are divided by 0.
template <Arithmetic N>
[[nodiscard]] Tensor fmod(const Tensor& input, N other) {
  return detail::fmod_number(input, detail::number_operand(other));
}
template <Arithmetic N>
[[nodiscard]] Tensor remainder(const Tensor& input, N other) {
  return detail::remainder_number(input, detail::number_operand(other));
}
template <Arithmetic N>
[[nodiscard]] Tensor operator%(const Tensor& a, N b) {
  return remainder(a, b);
}

// --- negation ------------------------------------------------------------------------------------

/// -x, elementwise, in the dtype of `input`, which may be any but bool. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor neg(const Tensor& input);
AMP_LAZY [[nodiscard]] inline Tensor operator-(const Tensor& input) { return neg(input); }

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/arithmetic.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Comparisons, and the choice between two tensors.
#pragma once

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// Comparisons, elementwise: a == b, a != b, a < b, a <= b, a > b and a >= b. The result is bool;
/// shapes broadcast. NaN is unequal to everything, and neither less nor greater. Not
/// differentiable. Under autocast: unchanged. Beside a floating-point tensor, a number or a
/// 0-dimensional tensor is rounded to the dtype of the tensor first, as in torch, so that x = 0.1
/// in bfloat16 is equal to 0.1. Beside integers and float8_e4m3fn, numbers are compared as they
/// are: 255 of uint8 is not -1, which it is in torch.
[[nodiscard]] Tensor eq(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor ne(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor lt(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor le(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor gt(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor ge(const Tensor& a, const Tensor& b);

/// condition ? a : b, elementwise. All three broadcast; `condition` is bool; the dtypes of a and b
/// promote. The gradient of an element that is not chosen is 0. Under autocast: unchanged.
[[nodiscard]] Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b);

namespace detail {

Tensor eq_number(const Tensor& a, kernels::Operand&& b);
Tensor ne_number(const Tensor& a, kernels::Operand&& b);
Tensor lt_number(const Tensor& a, kernels::Operand&& b);
Tensor le_number(const Tensor& a, kernels::Operand&& b);
Tensor gt_number(const Tensor& a, kernels::Operand&& b);
Tensor ge_number(const Tensor& a, kernels::Operand&& b);

/// One choice is a number: the second, unless `scalar_first`.
Tensor where_number(const Tensor& condition, const Tensor& tensor, kernels::Operand&& number,
                    bool scalar_first);

}  // namespace detail

/// The same with a number. where() throws if the dtype of the result does not hold it: an integer
/// beyond its range, or a finite number that it would round to an infinity, as float16 does -1e30.
// clang-format off
template <Arithmetic N> [[nodiscard]] Tensor eq(const Tensor& a, N b) { return detail::eq_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor ne(const Tensor& a, N b) { return detail::ne_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor lt(const Tensor& a, N b) { return detail::lt_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor le(const Tensor& a, N b) { return detail::le_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor gt(const Tensor& a, N b) { return detail::gt_number(a, detail::number_operand(b)); }
template <Arithmetic N> [[nodiscard]] Tensor ge(const Tensor& a, N b) { return detail::ge_number(a, detail::number_operand(b)); }
// clang-format on
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
Tensor where(const Tensor& condition, const Tensor& tensor, const kernels::Operand& number,
             bool scalar_first);
Tensor where_kernel(const Tensor& condition, const kernels::Operand& a, const kernels::Operand& b,
                    const Shape& shape, DType dtype);
kernels::Operand zero_on(Device device);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/comparison.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements kept within bounds, or replaced by a value.
#pragma once

#include "amp/ops/number.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The elements, those below `min` replaced by it, and then those above `max` by that, as
/// min(max(x, min), max). One of the bounds may be absent: clamp(x, {}, 1). NaN stays NaN, and a
/// bound that is NaN makes all elements NaN. The result has the dtype of `input`; integers with a
/// bound that is no integer give float32. Not of bool. The gradient is 0 at the bounds and
/// outside of them, as in torch.
/// Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor clamp(const Tensor& input, const Bound& min, const Bound& max = {});
/// The same with a bound for each element: shapes broadcast, dtypes promote. The gradient of an
/// element that was replaced goes to its bound, and half of it if they are equal.
AMP_LAZY [[nodiscard]] Tensor clamp(const Tensor& input, const Tensor& min, const Tensor& max = {});
/// One of the bounds alone.
AMP_LAZY [[nodiscard]] inline Tensor clamp_min(const Tensor& input, const Bound& min) {
  return clamp(input, min, Bound());
}
AMP_LAZY [[nodiscard]] inline Tensor clamp_max(const Tensor& input, const Bound& max) {
  return clamp(input, Bound(), max);
}
/// clamp() under the name that NumPy gave it.
AMP_LAZY [[nodiscard]] inline Tensor clip(const Tensor& input, const Bound& min,
                                          const Bound& max = {}) {
  return clamp(input, min, max);
}

namespace detail {

AMP_LAZY Tensor masked_fill_number(const Tensor& input, const Tensor& mask,
                                   kernels::Operand&& value);

}  // namespace detail

/// The elements, those of which `mask` is true replaced by `value`, in the dtype of `input`. `mask`
/// is bool; shapes broadcast. The gradient of an element that is replaced is 0. Throws if the dtype
/// does not hold the value: a finite number that it would round to an infinity, as float16 does
/// -1e30, or an integer beyond its range. Under autocast: unchanged.
template <Arithmetic N>
[[nodiscard]] Tensor masked_fill(const Tensor& input, const Tensor& mask, N value) {
  return detail::masked_fill_number(input, mask, detail::number_operand(value));
}
/// The same with a 0-dimensional tensor, which gets the sum of the gradients that it replaces. It
/// is converted to the dtype of `input`.
AMP_LAZY [[nodiscard]] Tensor masked_fill(const Tensor& input, const Tensor& mask,
                                          const Tensor& value);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/clamp.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Numbers in place of those that are not finite.
#pragma once

#include <optional>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The input with `nan` for NaN, `posinf` for infinity and `neginf` for minus infinity, by default
/// the largest number of the dtype and its negative. The result has the input's dtype; integers and
/// bool stay as they are. The gradient of an element that is replaced is 0. Throws if the dtype
/// does not hold one of the numbers. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor nan_to_num(const Tensor& input, double nan = 0,
                                         std::optional<double> posinf = {},
                                         std::optional<double> neginf = {});
/// The same in place: the member of this name. Returns the tensor. Before an optimizer's step it
/// makes gradients finite: the scaler then sees no overflow, and does not lower the scale.
AMP_LAZY const Tensor& nan_to_num_(const Tensor& input, double nan = 0,
                                   std::optional<double> posinf = {},
                                   std::optional<double> neginf = {});

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/nan_to_num.ipp"
#endif

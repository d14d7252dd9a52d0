// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima, minima, and where they lie. NaN counts as both.
#pragma once

#include <cstdint>
#include <tuple>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// The names stand in parentheses, here and in calls, for the sake of programs that define macros
// max and min.

/// The largest element, 0-dimensional. Those that equal it share the gradient.
[[nodiscard]] Tensor(max)(const Tensor& input);
[[nodiscard]] Tensor(min)(const Tensor& input);

/// The largest elements over `dim` and their positions (int64), the first where several are equal;
/// the gradient goes to those.
[[nodiscard]] std::tuple<Tensor, Tensor>(max)(const Tensor& input, std::int64_t dim,
                                              bool keepdim = false);
[[nodiscard]] std::tuple<Tensor, Tensor>(min)(const Tensor& input, std::int64_t dim,
                                              bool keepdim = false);

/// The larger of each pair; equal ones take half the gradient each.
[[nodiscard]] Tensor(max)(const Tensor& a, const Tensor& b);
[[nodiscard]] Tensor(min)(const Tensor& a, const Tensor& b);

/// The index (int64) of the first maximum over `dim`. Not of bool. Not differentiable.
[[nodiscard]] Tensor argmax(const Tensor& input, std::int64_t dim, bool keepdim = false);
/// The position of the first maximum in row-major order.
[[nodiscard]] Tensor argmax(const Tensor& input);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/extremum.ipp"
#endif

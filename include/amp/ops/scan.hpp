// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scans: each element of the result is made of the elements up to its place along `dim`.
#pragma once

#include <cstdint>

#include "amp/ops/values_and_indices.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The sums x[0] + ... + x[i] along `dim`. Floating-point ones have the dtype of `input`: they are
/// computed in float64 and rounded once. Integers and bools give int64, modulo 2^64. Under
/// autocast: float32.
AMP_LAZY [[nodiscard]] Tensor cumsum(const Tensor& input, std::int64_t dim);
/// The products x[0] ... x[i] along `dim`, in the dtypes of cumsum(). Under autocast: float32. No
/// gradient divides by an element, which may be 0.
AMP_LAZY [[nodiscard]] Tensor cumprod(const Tensor& input, std::int64_t dim);
/// log(exp(x[0]) + ... + exp(x[i])) along `dim`, of floating point, in the dtype of `input`: no
/// exponential overflows. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor logcumsumexp(const Tensor& input, std::int64_t dim);

/// The largest (smallest) element up to each place along `dim`, in the dtype of `input`, and its
/// position (int64): the last one if several are equal. NaN counts as the extremum. The gradient
/// goes to the elements at these positions. Any dtype. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] ValuesAndIndices cummax(const Tensor& input, std::int64_t dim);
AMP_LAZY [[nodiscard]] ValuesAndIndices cummin(const Tensor& input, std::int64_t dim);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/scan.ipp"
#endif

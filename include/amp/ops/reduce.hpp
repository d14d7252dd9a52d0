// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums, means and variances.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The sum of all elements, 0-dimensional; 0 for an empty tensor. Floating-point sums have the
/// dtype of `input`: they accumulate in float32 or wider and are rounded once. Integers and bools
/// give int64, modulo 2^64. Under autocast: float32.
[[nodiscard]] Tensor sum(const Tensor& input);
/// The sums along `dim`. The result lacks `dim`, or has extent 1 there if `keepdim`.
[[nodiscard]] Tensor sum(const Tensor& input, std::int64_t dim, bool keepdim = false);

/// The mean of all elements, 0-dimensional; NaN for an empty tensor. Of floating point, in the
/// dtype of `input`: the sum is divided before it is rounded. Under autocast: unchanged.
[[nodiscard]] Tensor mean(const Tensor& input);
/// The means along `dim`. The result lacks `dim`, or has extent 1 there if `keepdim`.
[[nodiscard]] Tensor mean(const Tensor& input, std::int64_t dim, bool keepdim = false);

/// The variance of the n elements along `dim`, sum((x - mean)^2) / (n - correction): an unbiased
/// estimate from a sample by default, the variance of the elements themselves with a correction of
/// 0. The result lacks `dim`, or has extent 1 there if `keepdim`. Of floating point, in the dtype
/// of `input`, computed in float64 and rounded once. Under autocast: unchanged. If n <= correction
/// it is infinite, or NaN if the sum is 0; over an empty dimension it is NaN. The derivative is
/// 2 (x - mean) / (n - correction).
[[nodiscard]] Tensor var(const Tensor& input, std::int64_t dim, double correction = 1,
                         bool keepdim = false);

namespace detail {

/// The input's shape after a reduction over one dimension, or all: `kept` has extent 1 there, and
/// `squeezed` lacks these dimensions.
struct ReducedShape {
  Shape kept, squeezed;
  ReducedShape(std::string_view name, const Tensor& input, std::optional<std::int64_t> dim);
};

/// scale_by * sum over one dimension, or all, in the dtype `wanted`, or that of the input if unset;
/// integers and bool give int64.
Tensor reduce(std::string_view name, const Tensor& input, std::optional<std::int64_t> dim,
              bool keepdim, double scale_by, std::optional<DType> wanted = {});

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/reduce.ipp"
#endif

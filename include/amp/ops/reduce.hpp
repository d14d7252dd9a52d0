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

/// The sum of all elements, 0-dimensional.
[[nodiscard]] Tensor sum(const Tensor& input);
/// Sums over `dim`.
[[nodiscard]] Tensor sum(const Tensor& input, std::int64_t dim, bool keepdim = false);

/// The mean of all elements, in the dtype of the input: the division happens before rounding. NaN
/// for an empty tensor.
[[nodiscard]] Tensor mean(const Tensor& input);
[[nodiscard]] Tensor mean(const Tensor& input, std::int64_t dim, bool keepdim = false);

/// The variance of the n elements along `dim`, sum((x - mean)^2) / (n - correction): by default
/// that of what they are a sample of, with 0 their own. Of floating-point inputs; in the dtype of
/// `input`, computed in float64 and rounded once. If n <= correction it is infinite, or NaN if the
/// sum is 0; over an empty dimension NaN. The derivative is 2 (x - mean) / (n - correction).
[[nodiscard]] Tensor var(const Tensor& input, std::int64_t dim, double correction = 1,
                         bool keepdim = false);

namespace detail {

/// The input's shape after a reduction over one dimension, or all: with extent 1 there, and without
/// these dimensions.
struct ReducedShape {
  Shape kept, squeezed;
  ReducedShape(std::string_view name, const Tensor& input, std::optional<std::int64_t> dim);
};

/// scale * sum over one dimension, or all, in the dtype wanted, else the input's; integers and bool
/// sum to int64.
Tensor reduce(std::string_view name, const Tensor& input, std::optional<std::int64_t> dim,
              bool keepdim, double scale_by, std::optional<DType> wanted = {});

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/reduce.ipp"
#endif

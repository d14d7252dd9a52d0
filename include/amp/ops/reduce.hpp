// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Sums, means, variances, standard deviations, products and log-sum-exp.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

// `dim` is one dimension, or several: {0, 2}, a vector, or any range of integers. Negative ones count
// from the end, and an empty list means all. No dimension may be named twice.

/// The sum of all elements, 0-dimensional; 0 for an empty tensor. Floating-point sums have the
/// dtype of `input`: they accumulate in float32 or wider and are rounded once. Integers and bools
/// give int64, modulo 2^64. Under autocast: float32.
AMP_LAZY [[nodiscard]] Tensor sum(const Tensor& input);
/// The sums over `dim`. The result lacks these dimensions, or has extent 1 there if `keepdim`.
AMP_LAZY [[nodiscard]] Tensor sum(const Tensor& input, const Dims& dim, bool keepdim = false);

/// The mean of all elements, 0-dimensional; NaN for an empty tensor. Of floating point, in the
/// dtype of `input`: the sum is divided before it is rounded. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor mean(const Tensor& input);
/// The means over `dim`. The result lacks these dimensions, or has extent 1 there if `keepdim`.
AMP_LAZY [[nodiscard]] Tensor mean(const Tensor& input, const Dims& dim, bool keepdim = false);

/// The variance of the n elements over `dim`, sum((x - mean)^2) / (n - correction): an unbiased
/// estimate from a sample by default, the variance of the elements themselves with a correction of
/// 0. The result lacks `dim`, or has extent 1 there if `keepdim`. Of floating point, in the dtype
/// of `input`, computed in float64 and rounded once. Under autocast: unchanged. If n <= correction
/// it is infinite, or NaN if the sum is 0; over an empty dimension it is NaN. The derivative is
/// 2 (x - mean) / (n - correction).
AMP_LAZY [[nodiscard]] Tensor var(const Tensor& input, const Dims& dim, double correction = 1,
                                  bool keepdim = false);
/// The variance of all elements, 0-dimensional, with a correction of 1.
AMP_LAZY [[nodiscard]] Tensor var(const Tensor& input);

/// The standard deviation, sqrt(var(input, dim, correction, keepdim)), rounded once. Under autocast:
/// unchanged. The derivative is (x - mean) / (std (n - correction)), 0 if the deviation is 0.
AMP_LAZY [[nodiscard]] Tensor std(const Tensor& input, const Dims& dim, double correction = 1,
                                  bool keepdim = false);
/// The standard deviation of all elements, 0-dimensional, with a correction of 1.
AMP_LAZY [[nodiscard]] Tensor std(const Tensor& input);

/// What var_mean() and std_mean() return.
struct VarAndMean {
  Tensor var = {}, mean = {};
};
struct StdAndMean {
  Tensor std = {}, mean = {};
};
/// var() or std(), and the mean from the same pass. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] VarAndMean var_mean(const Tensor& input, const Dims& dim,
                                           double correction = 1, bool keepdim = false);
AMP_LAZY [[nodiscard]] StdAndMean std_mean(const Tensor& input, const Dims& dim,
                                           double correction = 1, bool keepdim = false);
/// The same over all elements, 0-dimensional.
AMP_LAZY [[nodiscard]] VarAndMean var_mean(const Tensor& input);
AMP_LAZY [[nodiscard]] StdAndMean std_mean(const Tensor& input);

/// Whether any (all) elements over `dim` are not 0; NaN is not. The result is bool, or uint8 if
/// `input` is; over nothing, any is false and all true. It lacks these dimensions, or has extent 1
/// there if `keepdim`. Any dtype. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor any(const Tensor& input, const Dims& dim, bool keepdim = false);
AMP_LAZY [[nodiscard]] Tensor all(const Tensor& input, const Dims& dim, bool keepdim = false);
/// The same over all elements, 0-dimensional.
AMP_LAZY [[nodiscard]] Tensor any(const Tensor& input);
AMP_LAZY [[nodiscard]] Tensor all(const Tensor& input);
/// How many elements over `dim` (int64), or of all, are not 0. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor count_nonzero(const Tensor& input, const Dims& dim = {});

/// The product of all elements, 0-dimensional; 1 for an empty tensor. Floating-point products have
/// the dtype of `input`: they are computed in float64 and rounded once. Integers and bools give
/// int64, modulo 2^64. Under autocast: float32. The gradient of an element is the product of the
/// others, also if some are zero.
AMP_LAZY [[nodiscard]] Tensor prod(const Tensor& input);
/// The products along `dim`. The result lacks `dim`, or has extent 1 there if `keepdim`.
AMP_LAZY [[nodiscard]] Tensor prod(const Tensor& input, std::int64_t dim, bool keepdim = false);

/// log(sum(exp(x))) over `dim`, with the maximum m as m + log(sum(exp(x - m))): no exponential
/// overflows. The result lacks `dim`, or has extent 1 there if `keepdim`. In the dtype of `input`,
/// computed in float32 or wider and rounded once; integers and bools give float32. Under autocast:
/// float32. Over nothing, and of nothing but -infinity, it is -infinity. The derivative is
/// softmax(x): exp(x - y).
AMP_LAZY [[nodiscard]] Tensor logsumexp(const Tensor& input, const Dims& dim, bool keepdim = false);

namespace detail {

/// scale_by * sum over `dim`, in the dtype `wanted`, or that of the input if unset; integers and
/// bool give int64.
AMP_LAZY Tensor reduce(std::string_view name, const Tensor& input, const Dims& dim, bool keepdim,
                       double scale_by, std::optional<DType> wanted = {});

/// The variance, or its square root; and the mean, if there is room for it.
AMP_LAZY Tensor var(std::string_view name, const Tensor& input, const Dims& dim, double correction,
                    bool keepdim, bool root, Tensor* with_mean = nullptr);

}  // namespace detail

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/reduce.ipp"
#endif

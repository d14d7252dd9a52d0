// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements in order: sort, topk, medians and quantiles.
//
// NaN counts as the largest number, and -0 equals 0. Equal elements keep the order of their
// positions, also in a descending order, so that results do not depend on threads or devices.
// Gradients go to the elements that were chosen. Of 0 dimensions, `dim` is 0 or -1.
#pragma once

#include <cstdint>
#include <optional>

#include "amp/ops/values_and_indices.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The elements in ascending order along `dim`, or descending, in the dtype of `input`, and their
/// positions before (int64). It is always stable, whatever `stable` says. Any dtype. On CUDA, `dim`
/// has at most 2^31 - 1 elements. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] ValuesAndIndices sort(const Tensor& input, std::int64_t dim = -1,
                                             bool descending = false, bool stable = false);
/// The positions (int64) that sort() returns. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor argsort(const Tensor& input, std::int64_t dim = -1,
                                      bool descending = false, bool stable = false);
/// The elements in ascending order along the first dimension. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor msort(const Tensor& input);

/// The k largest elements along `dim` (the k smallest unless `largest`), and their positions
/// (int64); of equal ones, those with the lowest positions. They are in order, whatever `sorted`
/// says: the largest (smallest) first. Throws unless k is between 0 and the extent of `dim`. Any
/// dtype. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] ValuesAndIndices topk(const Tensor& input, std::int64_t k,
                                             std::int64_t dim = -1, bool largest = true,
                                             bool sorted = true);

/// The k-th smallest element along `dim`, and its position (int64), as sort() places equal ones.
/// The results lack `dim`, or have extent 1 there if `keepdim`. Throws unless k is between 1 and
/// the extent of `dim`. Any dtype. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] ValuesAndIndices kthvalue(const Tensor& input, std::int64_t k,
                                                 std::int64_t dim = -1, bool keepdim = false);

/// The median of all elements, 0-dimensional: the lower one of the middle two if their number is
/// even, NaN if any is NaN. Over nothing it is NaN, or an error of a dtype without NaN. Those that
/// equal it share the gradient evenly. Any dtype. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor median(const Tensor& input);
/// The medians along `dim`, and their positions (int64): that of the first NaN of a line that has
/// one. The results lack `dim`, or have extent 1 there if `keepdim`. Throws if `dim` is empty.
AMP_LAZY [[nodiscard]] ValuesAndIndices median(const Tensor& input, std::int64_t dim,
                                               bool keepdim = false);

/// What quantile() returns between two elements a and b, its place being a + t (b - a).
enum class QuantileInterpolation : std::uint8_t {
  kLinear,    ///< a + t (b - a)
  kLower,     ///< a
  kHigher,    ///< b
  kNearest,   ///< the nearer one; the one at an even place if t is 1 / 2
  kMidpoint,  ///< (a + b) / 2
};

/// The elements at place q (n - 1) of the n elements in ascending order along `dim`, or of all, for
/// a q between 0 and 1; NaN if one of the n is NaN. The result lacks `dim` (all dimensions), or has
/// extent 1 there if `keepdim`. Of floating point, in the dtype of `input`: computed in float32 or
/// wider, and rounded once. Throws if there are no elements. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor quantile(
    const Tensor& input, double q, std::optional<std::int64_t> dim = {}, bool keepdim = false,
    QuantileInterpolation interpolation = QuantileInterpolation::kLinear);
/// The same for one q, 0-dimensional, or several, [Q]: then the result has them as a new first
/// dimension. q has the dtype and device of `input`, and a gradient. On CUDA, a q outside of [0, 1]
/// gives NaN.
AMP_LAZY [[nodiscard]] Tensor quantile(
    const Tensor& input, const Tensor& q, std::optional<std::int64_t> dim = {},
    bool keepdim = false, QuantileInterpolation interpolation = QuantileInterpolation::kLinear);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/order.ipp"
#endif

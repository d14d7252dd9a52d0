// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements that a mask chooses, and ops whose shape depends on values. On CUDA each of them
// synchronises once, to know how many elements there are, unless its comment says otherwise.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The elements of `input`, of any dtype, that are not 0: int64 [n, input.dim()], a row of
/// coordinates for each, in row-major order. NaN is not 0. Not differentiable. Synchronises.
AMP_LAZY [[nodiscard]] Tensor nonzero(const Tensor& input);
/// The same.
AMP_LAZY [[nodiscard]] Tensor argwhere(const Tensor& input);
/// The same as one tensor of indices [n] for each dimension, as index() takes them. A
/// 0-dimensional condition counts as [1]. Synchronises.
AMP_LAZY [[nodiscard]] std::vector<Tensor> where(const Tensor& condition);

/// The elements of `input` that `mask` (bool) chooses, in row-major order: 1-dimensional. Both
/// broadcast to each other. The gradient of the others is 0. Under autocast: unchanged.
/// Synchronises.
AMP_LAZY [[nodiscard]] Tensor masked_select(const Tensor& input, const Tensor& mask);

/// `input` with its elements that `mask` (bool) chooses replaced by those of `source`, one after
/// the other in row-major order. `input` and `mask` broadcast to each other; the dtypes promote.
/// Throws on the CPU if `source` has too few elements; on CUDA the rest becomes NaN (0 for
/// integers), and nothing synchronises. Under autocast: unchanged.
AMP_LAZY [[nodiscard]] Tensor masked_scatter(const Tensor& input, const Tensor& mask,
                                             const Tensor& source);

/// The slices of `input` along `dim`, each as often as `repeats` says: int64 or int32, one number
/// for each slice, or one for all. Without `dim` the input is flattened. The gradients of a slice
/// add up in float32 (float64). Under autocast: unchanged. Synchronises.
AMP_LAZY [[nodiscard]] Tensor repeat_interleave(const Tensor& input, const Tensor& repeats,
                                                std::optional<std::int64_t> dim = {});
/// 0 as often as repeats[0] says, 1 as often as repeats[1], and so on: the indices of the above.
AMP_LAZY [[nodiscard]] Tensor repeat_interleave(const Tensor& repeats);

/// How often each number occurs in `input`, integers [n] that are not negative: int64, with at
/// least `minlength` elements. With `weights` [n] their sums instead: float32 for float32, else
/// float64. Not differentiable. Synchronises.
AMP_LAZY [[nodiscard]] Tensor bincount(const Tensor& input, const Tensor& weights = {},
                                       std::int64_t minlength = 0);

namespace detail {

/// nonzero() of a mask, without checks.
AMP_LAZY Tensor places_of(const Tensor& mask);

}  // namespace detail
}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/masking.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gathering slices by index.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The slices of `input` along `dim` that `index` (1-dimensional or 0-dimensional, int64 or int32)
/// names, in its order: the shape of `input`, with the number of indices as extent of `dim`. In the
/// dtype of `input`. Under autocast: unchanged. The gradients of a slice that is named several
/// times are summed in float32 (float64) and rounded once. An index outside [0, extent) throws on
/// the CPU; on CUDA its slice is NaN (0 for integers), and so is the whole gradient of `input`.
AMP_LAZY [[nodiscard]] Tensor index_select(const Tensor& input, std::int64_t dim,
                                           const Tensor& index);

/// Row input[...] of weight [V, D] for each index, with the result [..., D]. `input` is int64 or
/// int32; the result has the dtype of `weight`. Under autocast: unchanged. The gradient of `weight`
/// is summed in float32 (float64) and rounded once. An index outside [0, V) throws on the CPU; on
/// CUDA its row is NaN, and so is the whole gradient of `weight`.
AMP_LAZY [[nodiscard]] Tensor embedding(const Tensor& input, const Tensor& weight);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/indexing.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Gathering slices by index.
#pragma once

#include <cstdint>

#include "amp/tensor/tensor.hpp"

namespace amp::inline v0 {

/// The slices of `input` along `dim` that `index` (1-dimensional, or one number; int64 or int32)
/// names, in its order; repeated ones add up in the gradient, in float32. An index out of range
/// throws on the host.
[[nodiscard]] Tensor index_select(const Tensor& input, std::int64_t dim, const Tensor& index);

/// Row input[...] of weight [V, D] for each index: [..., D]. `input` is int64 or int32. The
/// gradient of weight is summed in float32 and rounded once. An index outside [0, V) throws on the
/// host.
[[nodiscard]] Tensor embedding(const Tensor& input, const Tensor& weight);

}  // namespace amp::inline v0

#if AMP_HEADER_ONLY
#include "amp/ops/indexing.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sum over ranks of values in host memory.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/types/dtype.hpp"

namespace amp::inline v0::detail {

/// Sets sums[i] to the sum of parts[r][i] over all r, in order, for i < numel. Elements of 16 bits
/// are added in float32, and the sum is rounded once. `sums` may be one of the parts. Does nothing
/// for dtypes of one byte.
void add_ranks(const std::vector<const void*>& parts, DType dtype, void* sums, std::int64_t numel);

}  // namespace amp::inline v0::detail

#if AMP_HEADER_ONLY
#include "amp/distributed/add_ranks.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The arguments of the kernels that find the true elements of a mask, and move those beside them. A
// mask is dense and bool; each true element has a rank: the number of true elements before it.
#pragma once

#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Elements of a mask whose first one's rank is kept.
inline constexpr std::int64_t kMaskChunk = 2048;

/// How many ranks are kept of a mask: of each chunk, and the number of all true elements.
inline std::int64_t ranks_of(const Operand& mask) { return ceil_div(mask.numel(), kMaskChunk) + 1; }

/// ranks[c] = how many elements of the mask are true before chunk c; int64.
struct MaskRanksArgs {
  Operand mask, ranks;
};

/// output[r, d] = coordinate d of the true element of rank r; int64, dense.
struct MaskPlacesArgs {
  Operand mask, ranks, output;
};

/// output[r] = input[i] of the true element i of rank r. Both are dense and of one dtype.
struct MaskedSelectArgs {
  Operand mask, ranks, input, output;
};

/// output[i] = source[r] of the true element i of rank r; other elements stay. Both are
/// dense and of one dtype. A source that is too short gives NaN (0 for integers).
struct MaskedScatterArgs {
  Operand mask, ranks, source, output;
};

}  // namespace amp::inline v0::kernels

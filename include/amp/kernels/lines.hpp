// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A contiguous array along one of its dimensions.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// The lines of a contiguous array along one dimension: line l starts at start(l), its elements
/// `stride` apart.
struct Lines {
  std::int64_t count = 1, length = 1, stride = 1;
  Lines(const Operand& array, int dim) {
    for (int d = 0; d < array.dims; ++d) (d == dim ? length : count) *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) stride *= array.sizes[d];
  }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const {
    return line / stride * length * stride + line % stride;
  }
};

}  // namespace amp::inline v0::kernels

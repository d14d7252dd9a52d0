// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of elements in which convolutions read activations best: N, H, W, C for arrays
// [N, C, H, W], and likewise with one or three dimensions beside N and C.
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Gives an operand of three to five dimensions channels-last strides.
inline void set_channels_last(Operand& operand) {
  std::int64_t stride = operand.sizes[1];
  operand.strides[1] = 1;
  for (int d = operand.dims - 1; d > 1; stride *= operand.sizes[d--]) operand.strides[d] = stride;
  operand.strides[0] = stride;
}

/// Whether an operand has channels-last strides.
inline bool lies_channels_last(const Operand& operand) {
  if (operand.dims < 3 || operand.dims > 5) return false;
  Operand other = operand;
  set_channels_last(other);
  for (int d = 0; d < operand.dims; ++d) {
    if (operand.strides[d] != other.strides[d]) return false;
  }
  return true;
}

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of elements in which convolutions read activations best: N, H, W, C for arrays
// [N, C, H, W].
#pragma once

#include <cstdint>

#include "amp/kernels/operand.hpp"

namespace amp::inline v0::kernels {

/// Gives an operand of four dimensions channels-last strides.
inline void set_channels_last(Operand& operand) {
  const std::int64_t* const sizes = operand.sizes;
  operand.strides[1] = 1;
  operand.strides[3] = sizes[1];
  operand.strides[2] = sizes[1] * sizes[3];
  operand.strides[0] = sizes[1] * sizes[3] * sizes[2];
}

/// Whether an operand has channels-last strides.
inline bool lies_channels_last(const Operand& operand) {
  if (operand.dims != 4) return false;
  Operand other = operand;
  set_channels_last(other);
  for (int d = 0; d < 4; ++d) {
    if (operand.strides[d] != other.strides[d]) return false;
  }
  return true;
}

}  // namespace amp::inline v0::kernels

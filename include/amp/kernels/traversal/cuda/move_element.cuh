// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// An element that a kernel moves without knowing its dtype.
#pragma once

#include <cstdint>

#include "amp/device/cuda/launch.cuh"

namespace amp::inline v0::kernels::cuda {

/// Copies the bits of an element, so a NaN keeps its payload.
__device__ inline void move_element(const void* from, std::int64_t i, void* to, std::int64_t j,
                                    int size) {
  switch (size) {
    case 1:
      static_cast<std::uint8_t*>(to)[j] = static_cast<const std::uint8_t*>(from)[i];
      break;
    case 2:
      static_cast<std::uint16_t*>(to)[j] = static_cast<const std::uint16_t*>(from)[i];
      break;
    case 4:
      static_cast<std::uint32_t*>(to)[j] = static_cast<const std::uint32_t*>(from)[i];
      break;
    default:
      static_cast<std::uint64_t*>(to)[j] = static_cast<const std::uint64_t*>(from)[i];
  }
}

}  // namespace amp::inline v0::kernels::cuda

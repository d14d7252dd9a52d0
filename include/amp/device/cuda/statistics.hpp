// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Statistics of a device's memory.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::cuda {

/// Bytes of one device. `allocated` is what tensors requested; the others count whole blocks.
struct DeviceMemoryStats {
  std::int64_t allocated = 0, peak_allocated = 0;
  /// The bytes that amp holds of the device, in use or not: the size of the driver's pool.
  std::int64_t reserved = 0, peak_reserved = 0;
  std::int64_t cached = 0;      ///< free small blocks, cached for their stream
  std::int64_t graphs = 0;      ///< used by no tensor now, but by the replays of a Graph
  std::int64_t workspaces = 0;  ///< workspaces of cuBLAS, one for each stream
  std::int64_t set_aside = 0;   ///< given back, but free only after the device has been waited for
};

namespace detail {

/// Throws an amp::Error that describes the memory of the current device.
[[noreturn]] void raise_out_of_memory(int device, std::int64_t bytes,
                                      const DeviceMemoryStats& stats);

}  // namespace detail
}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/statistics.ipp"
#endif

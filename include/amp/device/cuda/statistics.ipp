// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>
#include <string>

#include "amp/core/error.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/statistics.hpp"

namespace amp::inline v0::cuda::detail {

/// Returns text such as "3.5 GiB".
inline std::string readable(std::int64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  for (; value >= 1000 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", value < 100 ? 1 : 0, value, kUnits[unit]);
  return text;
}

inline std::string to_string(const DeviceMemoryStats& stats) {
  return "tensors hold " + readable(stats.allocated) + " (at most " +
         readable(stats.peak_allocated) + " so far), graphs " + readable(stats.graphs) +
         ", workspaces " + readable(stats.workspaces) + "; " + readable(stats.cached) +
         " are kept for reuse, " + readable(stats.set_aside) + " are set aside; amp has reserved " +
         readable(stats.reserved);
}

AMP_CUDA_INLINE void raise_out_of_memory(int device, std::int64_t bytes,
                                         const DeviceMemoryStats& stats) {
  std::size_t free = 0, total = 0;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess) (void)cudaGetLastError();
  amp::detail::fail("out of memory: cuda:", device, " could not give ", readable(bytes), ": ",
                    to_string(stats), " of the device, which has ",
                    readable(static_cast<std::int64_t>(free)), " of ",
                    readable(static_cast<std::int64_t>(total)),
                    " free. Let fewer tensors live at a time (a smaller batch, 16-bit formats, "
                    "NoGradGuard in evaluation)");
}

}  // namespace amp::inline v0::cuda::detail

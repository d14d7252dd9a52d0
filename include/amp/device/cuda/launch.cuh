// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The one place that launches kernels.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/definitions.hpp"

/// Declares a kernel. Kernels are not exported from a program. All of them are templates, even for
/// one type: nvcc takes no inline kernels, and several files of a program may include them.
#define AMP_KERNEL __global__ AMP_HIDDEN

/// Precedes a loop over registers: they have no addresses, so the loop must be unrolled.
#if defined(__CUDACC__)
#define AMP_UNROLL _Pragma("unroll")
#else
#define AMP_UNROLL
#endif

namespace amp::inline v0::cuda {

inline constexpr unsigned kThreads = 256;  // threads of a block, unless a kernel says otherwise

/// Enqueues kernel(arguments...) for a grid of `blocks` blocks on the current stream of the device.
/// Does nothing if `blocks` is 0.
template <class... Parameters>
void launch(Device device, std::int64_t blocks, unsigned threads, void (*kernel)(Parameters...),
            std::type_identity_t<Parameters>... arguments) {
  static_assert((round_up(std::int64_t{sizeof(Parameters)}, 8) + ... + 0) <= 4096,
                "every GPU takes 4 KiB of parameters, not all take more");
  if (blocks == 0) return;
  const detail::DeviceGuard guard(device.index);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(threads);
  config.stream = current_stream(device.index);
  detail::require_recorded(device.index, config.stream);
  detail::require(cudaLaunchKernelEx(&config, kernel, arguments...), "cudaLaunchKernelEx");
}

/// Returns the number of blocks for `count` elements, one a thread. It is bounded: kernels loop
/// over more.
inline std::int64_t grid_for(std::int64_t count, unsigned threads = kThreads) {
  constexpr std::int64_t kMostBlocks = 1 << 16;
  return (std::min)(ceil_div(count, static_cast<std::int64_t>(threads)), kMostBlocks);
}

}  // namespace amp::inline v0::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A call of an algorithm of CUB on the current stream.
#pragma once

#include <cstddef>
#include <cstdint>

#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/device_guard.hpp"
#include "amp/device/cuda/error.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

/// Calls algorithm(storage, bytes, stream) twice, as CUB wants it: without storage, to learn how
/// many bytes it needs, and with these. Does not synchronise.
template <class Algorithm>
void cub_call(Device device, const Algorithm& algorithm) {
  const amp::cuda::detail::DeviceGuard guard(device.index);
  const auto stream = amp::cuda::current_stream(device.index);
  std::size_t bytes = 0;
  amp::cuda::detail::require(algorithm(nullptr, bytes, stream), "cub");
  const Scratch<char> storage(device, static_cast<std::int64_t>(bytes));
  amp::cuda::detail::require_recorded(device.index, stream);
  amp::cuda::detail::require(algorithm(storage.data(), bytes, stream), "cub");
}

}  // namespace amp::inline v0::kernels::cuda

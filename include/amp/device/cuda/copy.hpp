// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Copies to, from and between devices. The host waits only if it must read the result.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>

#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/staging.hpp"

namespace amp::inline v0::cuda::detail {

/// Copies from one device to another. The copy comes after all earlier work on this thread's
/// current streams of both devices, and before all later work on them.
inline void copy_between(int to_device, void* to, int from_device, const void* from,
                         std::size_t bytes) {
  const Stream target = current(to_device), source = current(from_device);
  require_recorded(to_device, target.handle);
  require_recorded(from_device, source.handle);
  AMP_CHECK(!is_capturing(to_device, target.handle) && !is_capturing(from_device, source.handle),
            "a copy from cuda:", from_device, " to cuda:", to_device,
            " cannot be part of a CUDA graph: the stream of the other device would become part of "
            "it; copy before the capture");
  const DeviceGuard guard(to_device);
  Event(from_device, source.handle).let_wait(target.handle);
  AMP_CUDA_CALL(cudaMemcpyPeerAsync, to, to_device, from, from_device, bytes, target.handle);
  try {
    const Event copied(to_device, target.handle);
    const DeviceGuard source_guard(from_device);  // each device has its own default stream
    copied.let_wait(source.handle);
  } catch (...) {
    (void)cudaStreamSynchronize(target.handle);  // the source may be freed when this returns
    throw;
  }
}

/// Throws if the copy would become part of a graph, but involves the host.
inline void require_no_capture(Device to_device, int device, cudaStream_t stream,
                               std::int64_t bytes) {
  if (amp::detail::in_recording()) {
    if (to_device.type == kCPU)
      amp::detail::refuse(
          "Graph: a copy of ", bytes,
          " bytes to the host (item, to_vector, to(kCPU), a scaler's numbers) waits "
          "for the device, which a graph cannot; read results after replay()");
    amp::detail::refuse("Graph: a copy of ", bytes,
                        " bytes from the host would bring the same values at each replay; make "
                        "constants before, and copy_ batches to tensors that exist before, ahead "
                        "of replay()");
  }
  AMP_CHECK(!is_capturing(device, stream), "a copy of ", bytes, " bytes ",
            to_device.type == kCPU ? "to" : "from",
            " the host cannot be part of the CUDA graph "
            "into which the current stream of cuda:",
            device, " is captured: ",
            to_device.type == kCPU ? "it waits for the device, which a graph cannot"
                                   : "amp reuses the host memory that it would read");
}

/// Copies between any two places. Synchronises only if the copy goes to the host.
inline void copy(Device to_device, void* to, Device from_device, const void* from,
                 std::int64_t bytes) {
  const bool from_host = from_device.type == kCPU, to_host = to_device.type == kCPU;
  const auto size = static_cast<std::size_t>(bytes);
  if (!from_host && !to_host && from_device != to_device) {
    copy_between(to_device.index, to, from_device.index, from, size);
    return;
  }
  const int device = to_host ? from_device.index : to_device.index;
  const DeviceGuard guard(device);
  const cudaStream_t stream = current_stream(device);
  require_recorded(device, stream);
  if (from_host || to_host) require_no_capture(to_device, device, stream, bytes);
  if (from_host) {
    staging(device).copy(device, to, from, size, stream);
  } else {
    AMP_CUDA_CALL(cudaMemcpyAsync, to, from, size, cudaMemcpyDefault, stream);
    if (to_host) AMP_CUDA_CALL(cudaStreamSynchronize, stream);
  }
}

}  // namespace amp::inline v0::cuda::detail

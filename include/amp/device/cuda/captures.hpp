// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Whether a call that waits for a whole device would destroy a capture.
#pragma once

#include <cuda_runtime.h>

#include "amp/device/cuda/context.hpp"
#include "amp/device/guarded_streams.hpp"

namespace amp::inline v0::cuda::detail {

/// Whether a stream of the device is known to be captured, by any thread and in any mode. While one
/// is, no call may wait for the device: it would fail and make the capture invalid (CUDA
/// Programming Guide, "CUDA Graphs", prohibited operations). Such calls are cudaDeviceSynchronize,
/// cudaFree, cublasDestroy and cudnnDestroy, and cudaFreeHost, which waits for all devices.
///
/// Known are the streams that are ordered with the legacy default stream, amp's own, those of the
/// StreamGuards of all threads, and what set_stream_source() gives this thread. Unknown are the
/// captures of other streams that were made with cudaStreamNonBlocking, as of another library, and
/// those that begin after the question.
inline bool is_any_captured(int device) noexcept {
  if (!has_context(device)) return false;
  try {
    const DeviceGuard guard(device);
    const auto captures = [](void* handle) {
      const auto stream = static_cast<cudaStream_t>(handle);
      try {
        return !is_default_stream(stream) && is_capturing(stream);
      } catch (...) {
        return false;  // no stream any more
      }
    };
    const StreamSource source = process_state<amp::detail::CurrentStreamSource>().source.load();
    return is_capturing(cudaStreamLegacy) || captures(OwnStreams::instance().find(device).handle) ||
           amp::detail::any_guarded_stream(device, captures) ||
           (source != nullptr && captures(source(device)));
  } catch (...) {
    return false;  // the device is lost, and so are its captures
  }
}
/// Whether a stream of any device is.
inline bool is_any_captured() noexcept {
  for (int device = 0; device < device_count(); ++device) {
    if (is_any_captured(device)) return true;
  }
  return false;
}

/// Waits for the current device, which has no captured stream. Returns false if it failed.
inline bool wait_for_device() noexcept {
  const cudaError_t status = cudaDeviceSynchronize();
  if (status != cudaSuccess) (void)cudaGetLastError();
  return status == cudaSuccess;
}

}  // namespace amp::inline v0::cuda::detail

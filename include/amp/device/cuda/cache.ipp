// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/cuda/cache.hpp"
#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/host_copy.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/device/cuda/staging.hpp"
#include "amp/device/cuda/stream_handles.hpp"

namespace amp::inline v0::cuda {
namespace detail {

inline void require_device(const char* function, int device) {
  AMP_CHECK(device >= 0 && device < device_count(), function, ": `device` must be one of the ",
            device_count(), " of this machine, but is ", device);
}
inline bool is_own(int device, StreamId id) {
  return id == OwnStreams::instance().of(device).id || IdleStreams::instance().contains(device, id);
}

}  // namespace detail

AMP_CUDA_INLINE DeviceMemoryStats memory_stats(int device) {
  detail::require_device("memory_stats", device);
  return detail::memory_pool(device).statistics();
}

AMP_CUDA_INLINE void reset_peak_memory(int device) {
  detail::require_device("reset_peak_memory", device);
  detail::memory_pool(device).reset_peak();
}

AMP_CUDA_INLINE void empty_cache() {
  AMP_CHECK(!amp::detail::in_recording(),
            "empty_cache: this thread records a Graph, and cannot wait for the device");
  for (int device = 0; device < detail::device_count(); ++device) {
    detail::MemoryPool& pool = detail::memory_pool(device);
    if (!pool.is_used()) continue;
    AMP_CHECK(!pool.is_recording(), "empty_cache: another thread records a Graph on cuda:", device,
              ", and what that uses cannot be told from the rest before it is done");
    AMP_CHECK(!detail::is_any_captured(device), "empty_cache: a stream of cuda:", device,
              " is captured into a graph; to wait for the device would end the capture");
    const detail::DeviceGuard guard(device);
    const detail::RelaxedCapture relaxed;
    AMP_CUDA_CALL(cudaDeviceSynchronize);
    detail::drop_handles(device, [&](detail::StreamId id) { return !detail::is_own(device, id); });
    detail::staging(device).release(device);
    pool.give_back_unused();
    detail::event_pool(device).release(device);
  }
  detail::PinnedBlocks::instance().release();
}

AMP_CUDA_INLINE void release_stream(cudaStream_t stream, int device) {
  detail::require_device("release_stream", device);
  const detail::DeviceGuard guard(device);
  const detail::StreamId id = detail::id_of(stream);
  AMP_CHECK(!detail::is_own(device, id), "release_stream: `stream` is one of amp's own");
  AMP_CHECK(!detail::is_capturing(device, stream), "release_stream: `stream` is being captured");
  AMP_CHECK(!detail::memory_pool(device).is_recording() && !detail::is_any_captured(device),
            "release_stream: work of cuda:", device, " is being captured into a graph");
  detail::memory_pool(device).release_stream({stream, id});
  detail::drop_handles(device, [&](detail::StreamId other) { return other == id; });
  detail::StreamIds::instance().forget(stream);
}

}  // namespace amp::inline v0::cuda

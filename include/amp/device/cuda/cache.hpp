// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a program can ask of the memory that amp holds of a device, and make it give back.
#pragma once

#include <cuda_runtime.h>

#include "amp/core/error.hpp"
#include "amp/device/capture.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/device/cuda/statistics.hpp"
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

/// The memory of one device. amp::memory_stats(kCUDA) counts the tensors of all of them. Does not
/// synchronise.
inline DeviceMemoryStats memory_stats(int device = 0) {
  detail::require_device("memory_stats", device);
  return detail::memory_pool(device).statistics();
}

/// Starts a new measurement of both peaks. Does not synchronise.
inline void reset_peak_memory(int device = 0) {
  detail::require_device("reset_peak_memory", device);
  detail::memory_pool(device).reset_peak();
}

/// Gives back what amp holds of each device but no tensor and no Graph uses: free blocks, handles
/// of cuBLAS and cuDNN for streams that are not amp's own, page-locked buffers. Others can use that
/// memory then; a program that goes on alone gets slower for a while and no larger. Synchronises
/// with the devices. Handles whose stream was captured, other than by a Graph, stay until
/// shutdown(): the graph uses their workspace. Throws amp::Error while a Graph is recorded, and if
/// CUDA fails.
inline void empty_cache() {
  AMP_CHECK(amp::detail::current_recording() == nullptr,
            "empty_cache: this thread records a Graph, and cannot wait for the device");
  for (int device = 0; device < detail::device_count(); ++device) {
    detail::MemoryPool& pool = detail::memory_pool(device);
    if (!pool.is_used()) continue;
    AMP_CHECK(!pool.is_recording(), "empty_cache: another thread records a Graph on cuda:", device,
              ", and what that uses cannot be told from the rest before it is done");
    const detail::DeviceGuard guard(device);
    AMP_CUDA_CALL(cudaDeviceSynchronize);
    detail::drop_handles(device, [&](detail::StreamId id) { return !detail::is_own(device, id); });
    detail::staging(device).release(device);
    pool.give_back_unused();
    detail::event_pool(device).release();
  }
}

/// Call it before you destroy a stream on which amp has worked (StreamGuard), when nothing more
/// will be enqueued there: amp gives back the library handles that it has for it (a workspace of 32
/// MiB each), and can reuse its free blocks. Without the call these stay until empty_cache(),
/// shutdown() or until memory runs out; no harm comes of it. Waits for the device if there is a
/// handle. Throws amp::Error if the stream is amp's own, if it or amp's own is being captured,
/// while a Graph is recorded on the device, and if CUDA fails.
inline void release_stream(cudaStream_t stream, int device = 0) {
  detail::require_device("release_stream", device);
  const detail::DeviceGuard guard(device);
  const detail::StreamId id = detail::id_of(stream);
  AMP_CHECK(!detail::is_own(device, id), "release_stream: `stream` is one of amp's own");
  AMP_CHECK(!detail::is_capturing(device, stream), "release_stream: `stream` is being captured");
  AMP_CHECK(!detail::is_capturing(device, detail::OwnStreams::instance().of(device).handle) &&
                !detail::memory_pool(device).is_recording(),
            "release_stream: work of cuda:", device, " is being captured into a graph");
  detail::memory_pool(device).release_stream({stream, id});
  detail::drop_handles(device, [&](detail::StreamId other) { return other == id; });
}

}  // namespace amp::inline v0::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Queries and releases the memory that amp holds of a device.
#pragma once

#include <cuda_runtime.h>

#include "amp/device/cuda/statistics.hpp"

namespace amp::inline v0::cuda {

/// Returns the memory of one device. amp::memory_stats(kCUDA) counts the tensors of all devices.
/// Does not synchronise.
DeviceMemoryStats memory_stats(int device = 0);

/// Starts a new measurement of both peaks. Does not synchronise.
void reset_peak_memory(int device = 0);

/// Gives back the memory that amp holds of each device and that no tensor and no Graph uses: free
/// blocks, handles of cuBLAS and cuDNN for streams that are not amp's own, page-locked buffers.
/// Other programs can then use it. This program gets slower for a while until it has allocated
/// again what it needs. Synchronises with the devices. Handles whose stream was captured, other
/// than by a Graph, stay until shutdown(): the graph uses their workspace. Throws amp::Error while
/// a Graph is recorded or another stream of a device is captured, and if CUDA fails.
///
/// To wait for a device would end a capture. amp knows of the captures of Graphs, of its own
/// streams, of those that StreamGuards direct work to, in any thread, and of all streams that are
/// ordered with the legacy default stream. It cannot know of others: do not call this, nor
/// release_stream() or shutdown(), while another library captures a stream that was made with
/// cudaStreamNonBlocking. The same is true of an allocation for which memory has run out.
void empty_cache();

/// Call it before you destroy a stream on which amp has worked (StreamGuard), when nothing more
/// will be enqueued there. amp gives back its library handles for the stream (a workspace of 32 MiB
/// each) and can reuse the stream's free blocks. Without the call they stay until empty_cache(),
/// shutdown() or until memory runs out, which does no other harm. Waits for the device if there is
/// a handle. Throws amp::Error if the stream is amp's own, while it or another stream of the device
/// is captured (see empty_cache), and if CUDA fails.
void release_stream(cudaStream_t stream, int device = 0);

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/cache.ipp"
#endif

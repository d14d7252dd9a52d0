// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What a program's .cpp files use of CUDA: graphs, streams and memory. Any C++ compiler compiles
// it, with the CUDA toolkit's headers; the kernels come from <amp/cuda.cuh>, in one .cu file.
#pragma once

#include "amp/amp.hpp"
#include "amp/device/cuda/graph.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/kernels/backend.hpp"

namespace amp::inline v0::cuda {

/// Gives back what amp holds of every device: free memory, staging buffers, handles of cuBLAS and
/// cuDNN, its own streams. Call it when no tensor and no graph exists and no work is under way; it
/// may be called several times. Synchronises.
inline void shutdown() noexcept {
  if (detail::is_forked()) return;
  const kernels::Backend* const backend = kernels::backend(kCUDA);
  for (int device = 0; device < detail::device_count(); ++device) {
    if (backend != nullptr) backend->release(device);
    detail::memory_pool(device).release(device);
    detail::staging(device).release();
    detail::event_pool(device).release();
  }
  detail::OwnStreams::instance().release();
  detail::IdleStreams::instance().release();
}

}  // namespace amp::inline v0::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device: include this in one .cu file of a program, and its .cpp files can create tensors
// on Device{kCUDA}. Needs nvcc, and links cudart and cublas; with AMP_USE_CUDNN=1, cudnn too.
#pragma once

#include "amp/amp.hpp"
#include "amp/device/cuda/graph.cuh"
#include "amp/device/cuda/handles.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/kernels/cuda/backend.cuh"

namespace amp::inline v0 {

namespace cuda {

/// Gives back what amp holds of every device: free memory, staging buffers, handles of cuBLAS and
/// cuDNN, its own streams. To be called when no tensor or graph is there and no work is under
/// way; legal several times. Synchronises.
inline void shutdown() noexcept {
  if (detail::is_forked()) return;
  for (int device = 0; device < detail::device_count(); ++device) {
#if AMP_USE_CUDNN
    kernels::cuda::detail::conv_plans(device).release();
    detail::dnn_handles(device).release(device);
#endif
    kernels::cuda::detail::lt_plans(device).release();
    detail::blas_handles(device).release(device);
    detail::memory_pool(device).release(device);
    detail::staging(device).release();
  }
  detail::OwnStreams::instance().release();
  detail::IdleStreams::instance().release();
}

}  // namespace cuda

// Weak: several files of a program may include this header. Defined here, called there: where this
// object lies in a static archive, the call is what brings it into the program.
__attribute__((weak)) void enable_cuda() {
  static const kernels::Backend backend = kernels::cuda::make_backend();
  register_device_memory(kCUDA, &cuda::detail::kDeviceMemory);
  kernels::register_backend(kCUDA, &backend);
}

namespace cuda::detail {
inline const bool enabled = (enable_cuda(), true);
}

}  // namespace amp::inline v0

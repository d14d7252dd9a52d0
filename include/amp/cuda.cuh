// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device: include this in one .cu file of a program, and its .cpp files can create tensors
// on Device{kCUDA}. Needs nvcc, and links cudart and cublas; with AMP_USE_CUDNN=1, cudnn too. With
// AMP_LOAD_CUDA_LIBRARIES=1, cudart alone: the others are loaded when they are first needed.
// Includes <amp/cuda.hpp>, which has graphs, streams and memory for .cpp files.
#pragma once

#include "amp/device/cuda/loaded_libraries.hpp"  // before the headers that call what is in it

#include "amp/cuda.hpp"
#include "amp/cuda.ipp"
#include "amp/device/cuda/cache.ipp"
#include "amp/device/cuda/current_stream.ipp"
#include "amp/device/cuda/graph.ipp"
#include "amp/device/cuda/handles.hpp"
#include "amp/device/cuda/libraries.ipp"
#include "amp/device/cuda/statistics.ipp"
#include "amp/kernels/backend.cuh"
#include "amp/kernels/conv/cuda/cudnn.cuh"

#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {

/// Registers the CUDA device. Weak, because several files of a program may include this header. If
/// the object of this file lies in a static archive, a call of this function links it into the
/// program.
__attribute__((weak)) void enable_cuda() {
#if AMP_LOAD_CUDA_LIBRARIES
  cuda::detail::libraries().load = cuda::detail::load_blas;
#endif
#if AMP_USE_CUDNN
  cuda::detail::enable_cudnn();
#endif
  register_device_memory(kCUDA, &cuda::detail::kDeviceMemory);
  kernels::register_backend(kCUDA, &kernels::cuda::kBackend);
}

namespace cuda::detail {
inline const bool enabled = (enable_cuda(), true);
}

// The state of the headers without an .ipp.
AMP_PROCESS_STATE(cuda::detail::DeviceUse);
AMP_PROCESS_STATE(cuda::detail::StreamIds);
AMP_PROCESS_STATE(cuda::detail::OwnStreams);
AMP_PROCESS_STATE(cuda::detail::IdleStreams);
AMP_PROCESS_STATE(cuda::detail::EventPools);
AMP_PROCESS_STATE(cuda::detail::MemoryPools);
AMP_PROCESS_STATE(cuda::detail::StagingBuffers);
AMP_PROCESS_STATE(cuda::detail::HandleCaches);
AMP_PROCESS_STATE(cuda::detail::AllBlasHandles);
AMP_PROCESS_STATE(kernels::cuda::detail::LinkedConvLibrary);
AMP_THREAD_STATE(cuda::detail::LentBlasHandles);

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// CUDA for the .cpp files of a program: graphs, streams and memory. It needs the headers of the
// CUDA toolkit, but not nvcc; the kernels come from <amp/cuda.cuh>, in one .cu file.
//
// amp leaves the device current that a thread chose with cudaSetDevice(). A thread that chose none
// begins with device 0; if amp works on another one for it, that one is current afterwards, unless
// the process has a context on device 0. To make device 0 current again would create one, which
// takes memory of that device for the rest of the process. So choose a device before CUDA calls of
// your own, as with PyTorch.
#pragma once

#include <cuda_runtime.h>

#include "amp/amp.hpp"
#include "amp/device/cuda/blas_handle_guard.hpp"
#include "amp/device/cuda/cache.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/graph.hpp"
#include "amp/device/cuda/libraries.hpp"

namespace amp::inline v0::cuda {

/// Says that `stream` reads or writes the tensor's memory, which amp allocated under another
/// stream. When the tensor is destroyed, its memory is not reused before the work that `stream` has
/// at that time is done. So a tensor may be destroyed while another stream still works with it. The
/// stream must exist until then, unless release_stream() was called; cudaStreamPerThread is not
/// supported. Views share their memory. Does nothing on the memory's own stream, or if the memory
/// is not amp's. Does not synchronise.
///
/// Source: torch.Tensor.record_stream.
void record_stream(const Tensor& tensor, cudaStream_t stream);

/// Gives back what amp holds of every device: free memory, staging buffers, handles of cuBLAS and
/// cuDNN, its own streams. Call it when no tensor and no graph exists and no work is under way; it
/// may be called several times. Does nothing with a device while a stream of it is captured, as far
/// as amp can know (see empty_cache). Synchronises.
void shutdown() noexcept;

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/cuda.ipp"
#endif

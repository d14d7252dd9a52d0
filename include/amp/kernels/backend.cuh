// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device of a program: the table of its kernels, made of the parts in backend/, and what
// registers it. A host compiler takes this file: it has no kernels in it.
#pragma once

#include "amp/core/globals.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/handles.hpp"
#include "amp/device/cuda/libraries.hpp"
#include "amp/device/cuda/loaded_libraries.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/device/cuda/staging.hpp"
#include "amp/device/memory.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/conv/cuda/conv_library.hpp"

#if !AMP_HEADER_ONLY
#include "amp/core/globals.ipp"
#endif

namespace amp::inline v0 {

namespace kernels::cuda {
/// The table. It is made when it is first needed: parts of other files cannot be constants.
AMP_HIDDEN inline const Backend& all_kernels() {
  static const Backend table = [] {
    Backend all{};
    add_activations(all);
    add_elementary_functions(all);
    add_binary_functions(all);
    add_combinations(all);
    add_losses(all);
    add_products(all);
    add_folds(all);
    add_lines(all);
    add_order(all);
    add_scans(all);
    add_moves(all);
    add_indexing(all);
    add_resampling(all);
    add_recurrent(all);
    add_training(all);
    return all;
  }();
  return table;
}
}  // namespace kernels::cuda

/// Registers the CUDA device. Weak, because several files of a program may include this header. If
/// the object of this file lies in a static archive, a call of this function links it into the
/// program.
__attribute__((weak)) void enable_cuda() {
#if AMP_LOAD_CUDA_LIBRARIES
  cuda::detail::libraries().load = cuda::detail::load_blas;
#endif
  register_device_memory(kCUDA, &cuda::detail::kDeviceMemory);
  kernels::register_backend(kCUDA, &kernels::cuda::all_kernels());
}

namespace cuda::detail {
inline const bool enabled = (enable_cuda(), true);
}

// The state of the headers without an .ipp.
AMP_PROCESS_STATE(cuda::detail::DeviceUse);
AMP_PROCESS_STATE(cuda::detail::KnownContexts);
AMP_THREAD_STATE(cuda::detail::ThreadDevice);
AMP_PROCESS_STATE(cuda::detail::StreamIds);
AMP_PROCESS_STATE(cuda::detail::OwnStreams);
AMP_PROCESS_STATE(cuda::detail::IdleStreams);
AMP_PROCESS_STATE(cuda::detail::EventPools);
AMP_PROCESS_STATE(cuda::detail::MemoryPools);
AMP_PROCESS_STATE(cuda::detail::StagingBuffers);
AMP_PROCESS_STATE(cuda::detail::PinnedBlocks);
AMP_PROCESS_STATE(cuda::detail::HandleCaches);
AMP_PROCESS_STATE(cuda::detail::AllBlasHandles);
AMP_PROCESS_STATE(kernels::cuda::detail::LinkedConvLibrary);
AMP_THREAD_STATE(cuda::detail::LentBlasHandles);

}  // namespace amp::inline v0

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cuda_runtime.h>

#include "amp/core/error.hpp"
#include "amp/cuda.hpp"
#include "amp/device/cuda/captures.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/events.hpp"
#include "amp/device/cuda/host_copy.hpp"
#include "amp/device/cuda/memory.hpp"
#include "amp/device/cuda/staging.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/tensor/tensor.hpp"

namespace amp::inline v0::cuda {

AMP_CUDA_INLINE void record_stream(const Tensor& tensor, cudaStream_t stream) {
  AMP_CHECK(tensor.defined() && tensor.device().type == kCUDA,
            "record_stream: `tensor` must be on a CUDA device, but ",
            tensor.defined() ? "is on the CPU" : "is undefined");
  detail::memory_pool(tensor.device().index).record_stream(tensor.impl().storage->data(), stream);
}

AMP_CUDA_INLINE void shutdown() noexcept {
  if (detail::is_forked()) return;
  const kernels::Backend* const backend = kernels::backend(kCUDA);
  for (int device = 0; device < detail::device_count(); ++device) {
    if (detail::is_any_captured(device)) continue;
    if (backend != nullptr) backend->release(device);
    detail::memory_pool(device).release();
    detail::staging(device).release(device);
    detail::event_pool(device).release(device);
    detail::OwnStreams::instance().release(device);
    detail::IdleStreams::instance().release(device);
  }
  detail::PinnedBlocks::instance().release();
}

}  // namespace amp::inline v0::cuda

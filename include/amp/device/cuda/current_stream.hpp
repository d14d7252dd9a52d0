// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The stream for your own kernels on a device.
#pragma once

#include <cuda_runtime.h>

#include "amp/core/config.hpp"

namespace amp::inline v0::cuda {

/// Returns the stream that takes this thread's work on a device. Launch your own kernels there to
/// keep them in order with amp's.
cudaStream_t current_stream(int device = 0);

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/current_stream.ipp"
#endif

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Where one's own work on a device goes.
#pragma once

#include <cuda_runtime.h>

#include "amp/core/config.hpp"

namespace amp::inline v0::cuda {

/// The stream that takes this thread's work on a device: for one's own kernels.
cudaStream_t current_stream(int device = 0);

}  // namespace amp::inline v0::cuda

#if AMP_HEADER_ONLY
#include "amp/device/cuda/current_stream.ipp"
#endif

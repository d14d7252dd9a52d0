// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include "amp/core/error.hpp"
#include "amp/device/cuda/context.hpp"
#include "amp/device/cuda/current_stream.hpp"
#include "amp/device/cuda/definitions.hpp"

namespace amp::inline v0::cuda {

AMP_CUDA_INLINE cudaStream_t current_stream(int device) {
  AMP_CHECK(device >= 0 && device < detail::device_count(), "current_stream: `device` must be ",
            "one of the ", detail::device_count(), " of this machine, but is ", device);
  return detail::current(device).handle;
}

}  // namespace amp::inline v0::cuda

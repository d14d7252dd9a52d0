// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stands in for the CUDA driver: the functions of it that amp calls, through the runtime.
#pragma once

#include <cstddef>
#include <mutex>

#include "support/cuda/standin.hpp"

using CUdevice = int;
enum CUresult { CUDA_SUCCESS = 0, CUDA_ERROR_INVALID_DEVICE = 101 };

/// Of a device without a context it leaves `active` as it was, as others saw real drivers do.
inline CUresult cuDevicePrimaryCtxGetState(CUdevice device, unsigned* flags, int* active) {
  const std::lock_guard lock(standin::toolkit().mutex);
  if (const int status = standin::toolkit().begin("cuDevicePrimaryCtxGetState"); status != 0)
    return static_cast<CUresult>(status);
  if (device < 0 || device >= standin::toolkit().devices) return CUDA_ERROR_INVALID_DEVICE;
  *flags = 0;
  if (standin::toolkit().contexts[static_cast<std::size_t>(device)]) *active = 1;
  return CUDA_SUCCESS;
}

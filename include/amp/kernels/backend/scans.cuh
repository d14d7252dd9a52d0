// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The scans of the CUDA device.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/scan/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_scans(Backend& table) {
  table.cumsum = cumsum;
  table.cumprod = cumprod;
  table.logcumsumexp = logcumsumexp;
  table.cummax = cummax;
  table.cummin = cummin;
  table.cumprod_backward = cumprod_backward;
  table.logcumsumexp_backward = logcumsumexp_backward;
  table.extremum_scan_backward = extremum_scan_backward;
}

}  // namespace amp::inline v0::kernels::cuda

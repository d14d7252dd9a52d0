// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the CUDA device resamples.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/grid_sample/cuda.cuh"
#include "amp/kernels/resample/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_resampling(Backend& table) {
  table.resample = resample;
  table.grid_sample = grid_sample;
  table.grid_sample_backward = grid_sample_backward;
}

}  // namespace amp::inline v0::kernels::cuda

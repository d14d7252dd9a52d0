// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Recurrent layers on the CUDA device.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/recurrent/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_recurrent(Backend& table) {
  table.recurrent = recurrent;
  table.recurrent_backward = recurrent_backward;
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's activations and their derivatives.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_activations(Backend& table) {
  add_unary<FunctionKernels>(table.elementwise, functions::Activations{});
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's functions of two operands and their derivatives.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_binary_functions(Backend& table) {
  add_binary<FunctionKernels>(table.elementwise, functions::FunctionsOfTwo{});
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the CUDA device moves to other places: flips, rolls, padding, repetition; and triangles of
// matrices.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/remap/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_moves(Backend& table) {
  table.remap = remap;
  table.remap_backward = remap_backward;
  table.triangle = triangle;
}

}  // namespace amp::inline v0::kernels::cuda

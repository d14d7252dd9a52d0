// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// How the CUDA device moves elements by indices and masks.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/indexing/cuda.cuh"
#include "amp/kernels/masking/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_indexing(Backend& table) {
  table.gather = gather;
  table.scatter = scatter;
  table.linear_index = linear_index;
  table.mask_ranks = mask_ranks;
  table.mask_places = mask_places;
  table.masked_select = masked_select;
  table.masked_scatter = masked_scatter;
}

}  // namespace amp::inline v0::kernels::cuda

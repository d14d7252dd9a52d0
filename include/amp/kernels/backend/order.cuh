// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the CUDA device puts in order, with CUB, whose headers no other part includes.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/order/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_order(Backend& table) {
  table.sort = sort;
  table.select = select;
  table.put = put;
  table.begin_runs = begin_runs;
  table.search = search;
  table.count_in_bins = count_in_bins;
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the CUDA device computes along lines: statistics, maxima and minima with their places,
// norms, softmax and the loss made of it.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/batch_norm/cuda.cuh"
#include "amp/kernels/cross_entropy/cuda.cuh"
#include "amp/kernels/extremum/cuda.cuh"
#include "amp/kernels/norm/cuda.cuh"
#include "amp/kernels/softmax/cuda.cuh"
#include "amp/kernels/var/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_lines(Backend& table) {
  table.var = var;
  table.var_backward = var_backward;
  table.max = max;
  table.min = min;
  table.extremum_backward = extremum_backward;
  table.norm = norm;
  table.norm_backward = norm_backward;
  table.batch_norm = batch_norm;
  table.batch_norm_backward = batch_norm_backward;
  table.softmax = softmax;
  table.log_softmax = log_softmax;
  table.softmax_backward = softmax_backward;
  table.log_softmax_backward = log_softmax_backward;
  table.cross_entropy = cross_entropy;
  table.cross_entropy_backward = cross_entropy_backward;
}

}  // namespace amp::inline v0::kernels::cuda

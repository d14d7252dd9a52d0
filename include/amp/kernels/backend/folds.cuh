// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's folds along dimensions and their derivatives.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/fold/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_folds(Backend& table) {
  table.prod = fold<Product>;
  table.cofactor = fold<Cofactor>;
  table.amax = fold<Extreme<true>>;
  table.amin = fold<Extreme<false>>;
  table.logsumexp = fold<LogSumExp>;
  table.vector_norm = fold<VectorNorm>;
  table.prod_backward = fold_backward<ProductBackward>;
  table.logsumexp_backward = fold_backward<LogSumExpBackward>;
  table.vector_norm_backward = fold_backward<VectorNormBackward>;
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA device's losses and their derivatives.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/ctc/cuda.cuh"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/multilabel_margin/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_losses(Backend& table) {
  add_binary<FunctionKernels>(table.elementwise, functions::Losses{});
  table.ctc_loss = ctc_loss;
  table.ctc_loss_backward = ctc_loss_backward;
  table.multilabel_margin = multilabel_margin;
  table.multilabel_margin_backward = multilabel_margin_backward;
}

}  // namespace amp::inline v0::kernels::cuda

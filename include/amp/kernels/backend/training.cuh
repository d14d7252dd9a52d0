// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the CUDA device computes for training alone: random numbers, loss scaling,
// optimizers and diagnostics.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/hash/cuda.cuh"
#include "amp/kernels/histogram/cuda.cuh"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/cuda.cuh"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/kernels/optim/lion.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/kernels/random/cuda.cuh"
#include "amp/kernels/unscale/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

AMP_CUDA_INLINE void add_training(Backend& table) {
  table.random = random;
  table.randint = randint;
  table.randperm = randperm;
  table.multinomial = multinomial;
  table.dropout = dropout;
  table.store_rng_state = store_rng_state;
  table.unscale = unscale;
  table.update_scale = update_scale;
  table.grad_norm = grad_norm;
  table.clip = clip;
  table.record_loss = record_loss;
  table.exponent_histogram = exponent_histogram;
  table.hash = hash;
  table.sgd = optimizer_step<SgdRule>;
  table.adam = optimizer_step<AdamRule>;
  table.lion = optimizer_step<LionRule>;
  table.lamb = optimizer_step<LambRule>;
}

}  // namespace amp::inline v0::kernels::cuda

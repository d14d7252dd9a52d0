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
#include "amp/kernels/optim/adadelta.hpp"
#include "amp/kernels/optim/adafactor.hpp"
#include "amp/kernels/optim/adagrad.hpp"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/adamax.hpp"
#include "amp/kernels/optim/average.hpp"
#include "amp/kernels/optim/cuda.cuh"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/kernels/optim/lion.hpp"
#include "amp/kernels/optim/muon.hpp"
#include "amp/kernels/optim/nadam.hpp"
#include "amp/kernels/optim/radam.hpp"
#include "amp/kernels/optim/rmsprop.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/kernels/random/cuda.cuh"
#include "amp/kernels/unscale/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

template <class... Rules>
void add_optimizers(OptimizerKernels<Rules...>& table) {
  ((static_cast<OptimizerKernel<Rules>&>(table).step = optimizer_step<Rules>), ...);
}

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
  add_optimizers(table.optimizers);
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The table of the CUDA device's kernels, in the order of Backend's members.
#pragma once

#include "amp/device/cuda/libraries.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/batch_norm/cuda.cuh"
#include "amp/kernels/conv/cuda.cuh"
#include "amp/kernels/cross_entropy/cuda.cuh"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/extremum/cuda.cuh"
#include "amp/kernels/fold/cuda.cuh"
#include "amp/kernels/hash/cuda.cuh"
#include "amp/kernels/histogram/cuda.cuh"
#include "amp/kernels/indexing/cuda.cuh"
#include "amp/kernels/matmul/cuda.cuh"
#include "amp/kernels/norm/cuda.cuh"
#include "amp/kernels/optim/adam.hpp"
#include "amp/kernels/optim/cuda.cuh"
#include "amp/kernels/optim/lamb.hpp"
#include "amp/kernels/optim/lion.hpp"
#include "amp/kernels/optim/sgd.hpp"
#include "amp/kernels/pool/cuda.cuh"
#include "amp/kernels/random/cuda.cuh"
#include "amp/kernels/reduce/cuda.cuh"
#include "amp/kernels/softmax/cuda.cuh"
#include "amp/kernels/unscale/cuda.cuh"
#include "amp/kernels/var/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline void release_libraries(int device) noexcept {
  if (const ConvLibrary* const library = conv_library()) library->release(device);
  lt_plans(device).release();
  amp::cuda::detail::blas_handles(device).release(device);
}

struct FunctionKernels {
  template <class Function>
  static constexpr Kernel<UnaryArgs> unary = cuda::unary<Function>;
  template <class Function>
  static constexpr Kernel<BinaryArgs> binary = cuda::binary<Function>;
};

}  // namespace detail

inline constexpr Backend kBackend{
    .fill = fill,
    .random = random,
    .copy = copy,
    .elementwise = elementwise_kernels<detail::FunctionKernels>(functions::UnaryFunctions{},
                                                                functions::BinaryFunctions{}),
    .where = where,
    .dropout = dropout,
    .sum = sum,
    .var = var,
    .var_backward = var_backward,
    .max = max,
    .min = min,
    .extremum_backward = extremum_backward,
    .prod = fold<Product>,
    .cofactor = fold<Cofactor>,
    .amax = fold<Extreme<true>>,
    .amin = fold<Extreme<false>>,
    .logsumexp = fold<LogSumExp>,
    .vector_norm = fold<VectorNorm>,
    .prod_backward = fold_backward<ProductBackward>,
    .logsumexp_backward = fold_backward<LogSumExpBackward>,
    .vector_norm_backward = fold_backward<VectorNormBackward>,
    .matmul = matmul,
    .conv2d = conv2d,
    .conv2d_backward_input = conv2d_backward_input,
    .conv2d_backward_weight = conv2d_backward_weight,
    .max_pool2d = max_pool2d,
    .max_pool2d_backward = max_pool2d_backward,
    .avg_pool2d = avg_pool2d,
    .avg_pool2d_backward = avg_pool2d_backward,
    .norm = norm,
    .norm_backward = norm_backward,
    .batch_norm = batch_norm,
    .batch_norm_backward = batch_norm_backward,
    .softmax = softmax,
    .log_softmax = log_softmax,
    .softmax_backward = softmax_backward,
    .log_softmax_backward = log_softmax_backward,
    .cross_entropy = cross_entropy,
    .cross_entropy_backward = cross_entropy_backward,
    .index_select = index_select,
    .index_add = index_add,
    .unscale = unscale,
    .update_scale = update_scale,
    .grad_norm = grad_norm,
    .clip = clip,
    .record_loss = record_loss,
    .exponent_histogram = exponent_histogram,
    .hash = hash,
    .sgd = optimizer_step<SgdRule>,
    .adam = optimizer_step<AdamRule>,
    .lion = optimizer_step<LionRule>,
    .lamb = optimizer_step<LambRule>,
    .store_rng_state = store_rng_state,
    .release = detail::release_libraries,
};

}  // namespace amp::inline v0::kernels::cuda

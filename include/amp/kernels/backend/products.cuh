// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmul, convolutions and pooling on the CUDA device, the kernels that they call before and after,
// and the libraries that compute them.
#pragma once

#include "amp/device/cuda/definitions.hpp"
#include "amp/device/cuda/handles.hpp"
#include "amp/kernels/backend.hpp"
#include "amp/kernels/backend/parts.hpp"
#include "amp/kernels/conv/cuda.cuh"
#include "amp/kernels/conv/cuda/cudnn.cuh"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/matmul/cuda.cuh"
#include "amp/kernels/matmul/cuda/lt_plan.cuh"
#include "amp/kernels/pool/cuda.cuh"
#include "amp/kernels/reduce/cuda.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline void release_libraries(int device) noexcept {
  if (const ConvLibrary* const library = conv_library()) library->release(device);
  lt_plans(device).release();
  amp::cuda::detail::blas_handles(device).release(device);
}

}  // namespace detail

AMP_CUDA_INLINE void add_products(Backend& table) {
  table.fill = fill;
  table.copy = copy;
  table.where = where;
  table.sum = sum;
  table.matmul = matmul;
  table.conv2d = conv2d;
  table.conv2d_backward_input = conv2d_backward_input;
  table.conv2d_backward_weight = conv2d_backward_weight;
  table.unfold_patches = unfold_patches;
  table.fold_patches = fold_patches;
  table.max_pool2d = max_pool2d;
  table.max_pool2d_backward = max_pool2d_backward;
  table.avg_pool2d = avg_pool2d;
  table.avg_pool2d_backward = avg_pool2d_backward;
  table.release = detail::release_libraries;
#if AMP_USE_CUDNN
  amp::cuda::detail::enable_cudnn();
#endif
}

}  // namespace amp::inline v0::kernels::cuda

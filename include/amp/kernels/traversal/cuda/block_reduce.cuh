// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions over the threads of a team: each warp by shuffles, then the warps in order. A fixed
// tree, so that a sum has the same bits every time.
#pragma once

#include <cuda_runtime.h>

#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::cuda {

/// The value of another thread of the warp. Structs that are reduced have their own.
template <class T>
__device__ __forceinline__ T from_lane(T value, unsigned mask) {
  return __shfl_xor_sync(~0u, value, static_cast<int>(mask));
}

/// The values of the threads of a team, combined by the commutative Function::apply(a, b); each of
/// them gets the result. A team are `threads` neighbours, 1, 2, 4, ... or 32 of a warp, or the
/// whole block. To be called by all threads of a block of whole warps.
template <class Function, class T>
__device__ T team_reduce(T value, unsigned threads) {
  __shared__ T warps[32];  // the most that a block has
  for (unsigned lanes = (threads < 32 ? threads : 32) / 2; lanes > 0; lanes /= 2)
    value = Function::apply(value, from_lane(value, lanes));
  if (threads <= 32) return value;
  __syncthreads();  // the result of the call before is read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  T result = warps[0];
  for (unsigned w = 1; w < threads / 32; ++w) result = Function::apply(result, warps[w]);
  return result;
}

/// The same for all threads of the block.
template <class Function, class T>
__device__ T block_reduce(T value) {
  return team_reduce<Function>(value, blockDim.x);
}
template <class T>
__device__ T block_sum(T value) {
  return block_reduce<functions::Add>(value);
}
/// NaN where any is NaN.
template <class T>
__device__ T block_max(T value) {
  return block_reduce<functions::Maximum>(value);
}
template <class T>
__device__ T block_min(T value) {
  return block_reduce<functions::Minimum>(value);
}

}  // namespace amp::inline v0::kernels::cuda

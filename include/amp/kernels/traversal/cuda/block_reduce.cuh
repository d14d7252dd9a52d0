// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Reductions over the threads of a team: each warp by shuffles, then the warps in order. The tree
// is fixed, so a sum has the same bits every time.
#pragma once

#include <cuda_runtime.h>

#include "amp/kernels/functions.hpp"

namespace amp::inline v0::kernels::cuda {

/// Returns the value of another thread of the warp. Structs that are reduced define their own
/// overload.
template <class T>
__device__ __forceinline__ T from_lane(T value, unsigned mask) {
  return __shfl_xor_sync(~0u, value, static_cast<int>(mask));
}

/// Combines the values of the threads of a team by the commutative Function::apply(a, b); each
/// thread gets the result. A team is `threads` neighbours: 1, 2, 4, ... or 32 of a warp, or the
/// whole block. All threads of a block of whole warps must call it.
template <class Function, class T>
__device__ T team_reduce(T value, unsigned threads) {
  __shared__ T warps[32];  // the largest number of warps in a block
  for (unsigned lanes = (threads < 32 ? threads : 32) / 2; lanes > 0; lanes /= 2)
    value = Function::apply(value, from_lane(value, lanes));
  if (threads <= 32) return value;
  __syncthreads();  // the result of the previous call is read
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  T result = warps[0];
  for (unsigned w = 1; w < threads / 32; ++w) result = Function::apply(result, warps[w]);
  return result;
}

/// Combines the values of all threads of the block.
template <class Function, class T>
__device__ T block_reduce(T value) {
  return team_reduce<Function>(value, blockDim.x);
}
template <class T>
__device__ T block_sum(T value) {
  return block_reduce<functions::Add>(value);
}
/// Returns the larger value; NaN if any is NaN.
template <class T>
__device__ T block_max(T value) {
  return block_reduce<functions::Maximum>(value);
}
template <class T>
__device__ T block_min(T value) {
  return block_reduce<functions::Minimum>(value);
}

}  // namespace amp::inline v0::kernels::cuda

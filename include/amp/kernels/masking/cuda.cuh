// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The true elements of masks on CUDA devices. A block processes a chunk at a time: each thread a few
// neighbours, whose ranks follow from those of the threads before.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstring>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/masking/args.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/missing.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline constexpr std::int64_t kMaskShare = kMaskChunk / kThreads;  // of a thread

/// The sum of the values of the threads before this one, and that of all. All threads of the block
/// must call it.
struct Prefix {
  std::int64_t before, all;
};
template <class T>
__device__ Prefix block_prefix(T value) {
  __shared__ std::int64_t sums[kThreads];
  __syncthreads();  // the result of the previous call is read
  sums[threadIdx.x] = value;
  __syncthreads();
  for (unsigned distance = 1; distance < kThreads; distance *= 2) {
    const std::int64_t other = threadIdx.x >= distance ? sums[threadIdx.x - distance] : 0;
    __syncthreads();
    sums[threadIdx.x] += other;
    __syncthreads();
  }
  return {sums[threadIdx.x] - value, sums[kThreads - 1]};
}

/// The elements of this thread in a chunk.
struct MaskShare {
  std::int64_t begin, end;

  __device__ MaskShare(std::int64_t chunk, std::int64_t n)
      : begin(chunk * kMaskChunk + threadIdx.x * kMaskShare), end(begin + kMaskShare) {
    if (end > n) end = n;
  }
  __device__ int count(const bool* mask) const {
    int found = 0;
    for (std::int64_t i = begin; i < end; ++i) found += mask[i] ? 1 : 0;
    return found;
  }
};

template <class Int>
AMP_KERNEL void mask_counts_kernel(const bool* mask, std::int64_t n, Int* ranks) {
  for (std::int64_t chunk = blockIdx.x; chunk * kMaskChunk < n; chunk += gridDim.x) {
    const Prefix found = block_prefix<Int>(MaskShare(chunk, n).count(mask));
    if (threadIdx.x == 0) ranks[chunk + 1] = found.all;
  }
}
/// One block adds up the counts of all chunks.
template <class Int>
AMP_KERNEL void mask_ranks_kernel(Int* ranks, std::int64_t chunks) {
  Int before = 0;
  for (std::int64_t first = 0; first < chunks; first += kThreads) {
    const std::int64_t chunk = first + threadIdx.x;
    const Int count = chunk < chunks ? ranks[chunk + 1] : 0;
    const Prefix sum = block_prefix<Int>(count);
    if (chunk < chunks) ranks[chunk + 1] = before + sum.before + count;
    before += sum.all;
  }
  if (threadIdx.x == 0) ranks[0] = 0;
}

/// Calls action(i, r) for each true element i, of rank r.
template <class Action>
AMP_KERNEL void for_true_kernel(const bool* mask, std::int64_t n, const std::int64_t* ranks,
                                Action action) {
  for (std::int64_t chunk = blockIdx.x; chunk * kMaskChunk < n; chunk += gridDim.x) {
    const MaskShare share(chunk, n);
    std::int64_t rank = ranks[chunk] + block_prefix<std::int64_t>(share.count(mask)).before;
    for (std::int64_t i = share.begin; i < share.end; ++i) {
      if (mask[i]) action(i, rank++);
    }
  }
}

struct WritePlace {
  std::int64_t* output;
  int dims;
  Divider by_size[kMaxDims];

  __device__ void operator()(std::int64_t i, std::int64_t rank) const {
    for (int d = dims - 1; d > 0; --d) output[rank * dims + d] = by_size[d].take_remainder(i);
    if (dims > 0) output[rank * dims] = i;
  }
};
template <class T>
struct TakeElement {
  const T* input;
  T* output;
  std::int64_t count;  // of the output, which may be less than is chosen

  __device__ void operator()(std::int64_t i, std::int64_t rank) const {
    if (rank < count) output[rank] = input[i];
  }
};
template <class T>
struct PutElement {
  const T* source;
  T* output;
  std::int64_t count;  // of the source
  T missing;

  __device__ void operator()(std::int64_t i, std::int64_t rank) const {
    output[i] = rank < count ? source[rank] : missing;
  }
};

template <class Action>
void for_true(const Operand& mask, const Operand& ranks, const Action& action) {
  const std::int64_t n = mask.numel();
  launch(mask.device, grid_for(n, kMaskChunk), kThreads, for_true_kernel<Action>,
         mask.as<const bool>(), n, ranks.as<const std::int64_t>(), action);
}

}  // namespace detail

inline void mask_ranks(const MaskRanksArgs& args) {
  const std::int64_t n = args.mask.numel();
  auto* const ranks = args.ranks.as<std::int64_t>();
  launch(args.mask.device, grid_for(n, kMaskChunk), kThreads,
         detail::mask_counts_kernel<std::int64_t>, args.mask.as<const bool>(), n, ranks);
  launch(args.mask.device, 1, kThreads, detail::mask_ranks_kernel<std::int64_t>, ranks,
         ranks_of(args.mask) - 1);
}

inline void mask_places(const MaskPlacesArgs& args) {
  detail::WritePlace action{args.output.as<std::int64_t>(), args.mask.dims, {}};
  for (int d = 0; d < args.mask.dims; ++d) action.by_size[d] = Divider(args.mask.sizes[d]);
  detail::for_true(args.mask, args.ranks, action);
}

inline void masked_select(const MaskedSelectArgs& args) {
  visit_bits(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    detail::for_true(
        args.mask, args.ranks,
        detail::TakeElement<T>{args.input.as<const T>(), args.output.as<T>(), args.output.numel()});
  });
}

inline void masked_scatter(const MaskedScatterArgs& args) {
  const Missing missing(args.output.dtype);
  visit_bits(args.source.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    detail::PutElement<T> action{args.source.as<const T>(), args.output.as<T>(),
                                 args.source.numel(), 0};
    std::memcpy(&action.missing, missing.bytes, sizeof(T));
    detail::for_true(args.mask, args.ranks, action);
  });
}

}  // namespace amp::inline v0::kernels::cuda

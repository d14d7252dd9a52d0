// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// exponent_histogram() on CUDA devices: one launch for any number of tensors. Each warp of a block
// counts in its own histogram in shared memory. The block adds these to the tensor's when it goes
// on to another tensor. Counts are integers, so the order does not matter.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/core/math.hpp"
#include "amp/kernels/histogram/formula.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// A tensor, the index of its first piece, and whether it is aligned for vectors.
struct HistogramRow {
  HistogramSpan span;
  std::int64_t first_piece;
  bool vectors;

  AMP_HOST_DEVICE std::int64_t numel() const { return span.numel; }
  friend bool operator==(const HistogramRow&, const HistogramRow&) = default;
};

struct HistogramTable final : DescriptorTable::Contents {
  explicit HistogramTable(Device where) : device(where), rows(where) {}

  void send(const HistogramSpan* tensors, std::int64_t n) {
    next.clear();
    count = n, pieces = 0;
    for (std::int64_t t = 0; t < n; ++t) {
      next.push_back(
          {tensors[t], pieces, is_aligned_for_vectors(tensors[t].data, tensors[t].dtype)});
      pieces += ceil_div(tensors[t].numel, kPiece);
    }
    rows.send(next);
  }

  Device device;
  DeviceList<HistogramRow> rows;
  std::int64_t count = 0, pieces = 0;
  std::vector<HistogramRow> next;  // kept for its memory
};

inline constexpr unsigned kHistogramWarps = kThreads / 32;

/// A block's histogram: one column for each warp, so warps do not disturb each other.
struct BlockHistogram {
  unsigned (*bins)[kHistogramBins];

  __device__ __forceinline__ void clear() const {
    for (unsigned w = 0; w < kHistogramWarps; ++w) {
      for (unsigned b = threadIdx.x; b < kHistogramBins; b += kThreads) bins[w][b] = 0;
    }
    __syncthreads();
  }
  __device__ __forceinline__ void add(int bin) const {
    atomicAdd(&bins[threadIdx.x / 32][bin], 1U);
  }
  /// All threads of the block must call it.
  __device__ __forceinline__ void move_to(std::int64_t* counts) const {
    __syncthreads();
    for (unsigned b = threadIdx.x; b < kHistogramBins; b += kThreads) {
      unsigned long long sum = 0;
      for (unsigned w = 0; w < kHistogramWarps; ++w) sum += bins[w][b];
      if (sum != 0) atomicAdd(reinterpret_cast<unsigned long long*>(counts) + b, sum);
    }
    clear();  // each thread clears the bins that it has read
  }
};

/// for_each_vector() for numbers that stay codes.
template <class T>
__device__ __forceinline__ void count_piece(const HistogramRow& row, Range range,
                                            const BlockHistogram& histogram) {
  using Code = ExponentCode<T>;
  using Bits = typename Code::Bits;
  std::int64_t tail = range.begin;
  if (row.vectors) {
    tail = range.end - (range.end - range.begin) % kVector;
    for (std::int64_t i = range.begin + static_cast<std::int64_t>(threadIdx.x) * kVector; i < tail;
         i += static_cast<std::int64_t>(kThreads) * kVector) {
      const auto codes = load_pack<Bits, kVector>(static_cast<const Bits*>(row.span.data) + i);
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) histogram.add(Code::bin(codes.element[l]));
    }
  }
  for (std::int64_t i = tail + threadIdx.x; i < range.end; i += kThreads)
    histogram.add(Code::bin(__builtin_bit_cast(Bits, static_cast<const T*>(row.span.data)[i])));
}
__device__ __forceinline__ void count_piece(const HistogramRow& row, Range range,
                                            const BlockHistogram& histogram) {
  switch (row.span.dtype) {
    case kFloat64:
      return count_piece<double>(row, range, histogram);
    case kFloat32:
      return count_piece<float>(row, range, histogram);
    case kFloat16:
      return count_piece<half>(row, range, histogram);
    case kBFloat16:
      return count_piece<bfloat16>(row, range, histogram);
    case kFloat8E4M3:
      return count_piece<float8_e4m3fn>(row, range, histogram);
    case kFloat8E5M2:
      return count_piece<float8_e5m2>(row, range, histogram);
    default:
      return;
  }
}

template <class Row>
AMP_KERNEL void exponent_histogram_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                                          std::int64_t* counts) {
  __shared__ unsigned bins[kHistogramWarps][kHistogramBins];
  const BlockHistogram histogram{bins};
  const Row* counted = nullptr;  // the tensor whose numbers are counted
  histogram.clear();
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   if (counted != nullptr && counted != &row)
                     histogram.move_to(counts + (counted - rows) * kHistogramBins);
                   counted = &row;
                   count_piece(row, range, histogram);
                 });
  if (counted != nullptr) histogram.move_to(counts + (counted - rows) * kHistogramBins);
}

inline void exponent_histogram(const HistogramArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<HistogramTable> table(args.device, args.table);
  table->send(args.tensors, args.count);
  if (table->pieces == 0) return;
  launch(args.device, blocks_for(args.device, table->pieces), kThreads,
         exponent_histogram_kernel<HistogramRow>, table->rows.data(), table->count, table->pieces,
         args.counts);
}

}  // namespace amp::inline v0::kernels::cuda

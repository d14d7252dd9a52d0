// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The pass over gradients that sums them up: norm and, where asked for, statistics, while it reads
// each element once, and unscales it where asked to.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/kernels/functions.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/unscale/args.hpp"

namespace amp::inline v0::kernels::cuda {

inline constexpr std::int64_t kChunk = 1 << 16;             // of one partial sum, on every device
inline constexpr std::int64_t kLanes = 512;                 // accumulators of a chunk
inline constexpr unsigned kLaneThreads = kLanes / kVector;  // each has neighbouring lanes

/// A gradient, the numbers of its first piece and chunk, and whether it may be taken in vectors.
struct GradientRow {
  GradientSpan span;
  std::int64_t first_piece, first_chunk;
  bool vectors;

  AMP_HOST_DEVICE std::int64_t numel() const { return span.numel; }
  friend bool operator==(const GradientRow&, const GradientRow&) = default;
};

struct GradientTable final : KeptTable::Contents {
  explicit GradientTable(Device where) : device(where), rows(where), arrived(where) {}

  void send(const GradientSpan* gradients, std::int64_t n) {
    next.clear();
    count = n, pieces = 0, chunks = 0, elements = 0;
    for (std::int64_t g = 0; g < n; ++g) {
      const GradientSpan& span = gradients[g];
      const bool vectors =
          is_aligned_for_vectors(span.data, span.dtype) &&
          (span.unscaled == nullptr || is_aligned_for_vectors(span.unscaled, kFloat32));
      next.push_back({span, pieces, chunks, vectors});
      pieces += ceil_div(span.numel, kPiece);
      chunks += ceil_div(span.numel, kChunk);
      elements += span.numel;
    }
    rows.send(next);
  }
  unsigned* arrivals() {
    arrived.send(zero);
    return arrived.data();
  }

  Device device;
  DeviceList<GradientRow> rows;
  DeviceList<unsigned> arrived;  // blocks of a launch that need to know
  std::int64_t count = 0, pieces = 0, chunks = 0, elements = 0;
  std::vector<GradientRow> next;  // its memory is kept
  const std::vector<unsigned> zero{0};
};

/// What a thread found in a chunk, its eight lanes first.
template <class C>
struct Found {
  C lanes[kVector];
  GradientTally tally;
  bool bad;
};

/// A chunk to be taken by the threads of a block. Who does not ask for writes or tallies does not
/// pay for them. Element l counts in lane l % 512, of which thread t has 8t to 8t + 7.
template <bool kWrites, bool kTallies>
class ChunkOfPass {
 public:
  __device__ ChunkOfPass(const GradientRow& row, Range range, float inverse)
      : g_(row.span),
        range_(range),
        inverse_(inverse),
        vectors_(row.vectors),
        writes_(kWrites && !g_.read_only),
        to_(g_.unscaled != nullptr ? g_.unscaled : g_.data),
        to_dtype_(g_.unscaled != nullptr ? kFloat32 : g_.dtype) {}

  __device__ __forceinline__ void add_to(Found<float>& found) const {
    std::int64_t i = first();
    if (vectors_) {
      if (g_.dtype == kFloat32) i = add_vectors<float>(i, found);
      if (g_.dtype == kFloat16) i = add_vectors<half>(i, found);
      if (g_.dtype == kBFloat16) i = add_vectors<bfloat16>(i, found);
    }
    add_rest(i, found);
  }
  __device__ __forceinline__ void add_to(Found<double>& found) const { add_rest(first(), found); }

 private:
  __device__ __forceinline__ std::int64_t first() const {
    return range_.begin + static_cast<std::int64_t>(threadIdx.x) * kVector;
  }
  template <class C>
  __device__ __forceinline__ void add_rest(std::int64_t i, Found<C>& found) const {
    for (; i < range_.end; i += kLanes) {
      for (int l = 0; l < kVector; ++l) {
        if (i + l < range_.end) add_one(i + l, l, found);
      }
    }
  }
  /// As far as there are whole vectors; returns where they end. Loads come before what is done with
  /// them: 128 bytes of each thread are on their way at once.
  template <class T>
  __device__ __forceinline__ std::int64_t add_vectors(std::int64_t i, Found<float>& found) const {
    constexpr int kDepth = 16 / static_cast<int>(sizeof(T));
    for (; i + (kDepth - 1) * kLanes + kVector <= range_.end; i += kDepth * kLanes) {
      float values[kDepth][kVector];
      for (int d = 0; d < kDepth; ++d)
        detail::load_words<float, T>(g_.data, i + d * kLanes, values[d]);
      for (int d = 0; d < kDepth; ++d) take(values[d], i + d * kLanes, 0, found);
    }
    for (; i + kVector <= range_.end; i += kLanes) {
      float values[kVector];
      detail::load_words<float, T>(g_.data, i, values);
      take(values, i, 0, found);
    }
    return i;
  }
  template <class C>
  __device__ __forceinline__ void add_one(std::int64_t i, int lane, Found<C>& found) const {
    C value[1];
    load_some(g_.data, g_.dtype, i, value);
    take(value, i, lane, found);
  }
  /// Elements from i on, as they stand, for neighbouring lanes.
  template <class C, int N>
  __device__ __forceinline__ void take(C (&values)[N], std::int64_t i, int lane,
                                       Found<C>& found) const {
    C products[N];
    for (int l = 0; l < N; ++l) products[l] = values[l] * static_cast<C>(inverse_);
    if constexpr (kWrites) {
      if (writes_) {
        for (const C product : products) found.bad |= !is_finite(product);
        store_some(to_, to_dtype_, i, products);
        if (to_dtype_ != dtype_of<C>) load_some(to_, to_dtype_, i, products);  // as it was rounded
      }
    }
    for (int l = 0; l < N; ++l) {
      found.lanes[lane + l] += products[l] * products[l];
      if constexpr (kWrites || kTallies) found.bad |= !is_finite(products[l]);
      if constexpr (kTallies) found.tally.add(values[l], products[l]);
    }
  }

  GradientSpan g_;
  Range range_;
  float inverse_;
  bool vectors_, writes_;
  void* to_;
  DType to_dtype_;
};

/// What becomes of what a pass found; null where nobody asks.
struct PassResult {
  NormWord norm = {};
  float* coefficient = nullptr;
  double* coefficient_float64 = nullptr;
  float* found_inf = nullptr;
  double max_norm = 0;
  bool finite_norm = false;  // else *found_inf is set
  GradientStatistics* statistics = nullptr;
  std::int64_t elements = 0;
  bool wide = false;  // whether the norm is not to be rounded to float32
};

/// What remains of a chunk beside the sums of its lanes.
struct Seen {
  GradientTally tally;
  bool bad;
};

/// Sums up a chunk, each lane into the tree.
template <class C, bool kWrites, bool kTallies>
__device__ __forceinline__ Seen take_chunk(const GradientRow& row, Range range, float inverse,
                                           double* tree) {
  Found<C> found{};
  ChunkOfPass<kWrites, kTallies>(row, range, inverse).add_to(found);
  for (int l = 0; l < kVector; ++l)
    tree[threadIdx.x * kVector + static_cast<unsigned>(l)] = static_cast<double>(found.lanes[l]);
  return {found.tally, found.bad};
}

/// What the threads of a block found, as one, for all of them to see; `shared` has one for each.
__device__ __forceinline__ GradientTally joined(const GradientTally& mine, GradientTally* shared) {
  shared[threadIdx.x] = mine;
  for (unsigned width = kLaneThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) shared[threadIdx.x].add(shared[threadIdx.x + width]);
  }
  __syncthreads();
  return shared[0];
}

/// The sum of each chunk: float lanes (double ones of float64), then a tree in double; and by the
/// last block the root of their sum. The host's, addition by addition.
template <class Row, bool kWrites, bool kTallies>
AMP_KERNEL void pass_kernel(const Row* rows, std::int64_t count, std::int64_t chunks,
                            const float* inverse_scale, double* sums, GradientTally* tallies,
                            unsigned* arrived, PassResult result) {
  __shared__ double tree[kLanes];
  __shared__ GradientTally tally_tree[kTallies ? kLaneThreads : 1];
  const float inverse = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  const unsigned t = threadIdx.x;
  bool bad = false;
  const auto add_up = [&](unsigned lanes) {
    for (unsigned width = lanes / 2; width > 0; width /= 2) {
      __syncthreads();
      for (unsigned l = t; l < width; l += kLaneThreads) tree[l] += tree[l + width];
    }
  };
  for_each_piece(rows, count, &Row::first_chunk, chunks, kChunk,
                 [&](const Row& row, Range range, std::int64_t n) {
                   const Seen seen =
                       row.span.dtype == kFloat64
                           ? take_chunk<double, kWrites, kTallies>(row, range, inverse, tree)
                           : take_chunk<float, kWrites, kTallies>(row, range, inverse, tree);
                   bad |= seen.bad;
                   add_up(kLanes);
                   if (t == 0) sums[n] = tree[0];
                   if constexpr (kTallies) {
                     const GradientTally all = joined(seen.tally, tally_tree);
                     if (t == 0) tallies[n] = all;
                   }
                   __syncthreads();
                 });
  if (bad && result.found_inf != nullptr) *result.found_inf = 1.0F;  // by however many threads
  if (!is_last_block(arrived)) return;
  const volatile double* const all = sums;  // other blocks wrote them
  double total = 0;
  for (std::int64_t n = t; n < chunks; n += kLaneThreads) total += all[n];
  tree[t] = total;
  add_up(kLaneThreads);
  GradientTally tally{};
  if constexpr (kTallies) {
    for (std::int64_t n = t; n < chunks; n += kLaneThreads) {
      const volatile GradientTally& of_chunk = tallies[n];
      tally.add(GradientTally{of_chunk.zeros, of_chunk.small, of_chunk.gone, of_chunk.most,
                              of_chunk.most_float64});
    }
    tally = joined(tally, tally_tree);
  }
  if (t != 0) return;
  const double root = functions::math::sqrt(tree[0]);
  const double norm = result.wide ? root : static_cast<double>(static_cast<float>(root));
  if (!result.norm.is_null()) result.norm.set(norm);
  const double coefficient = clip_coefficient(norm, result.max_norm);
  if (result.coefficient != nullptr) *result.coefficient = static_cast<float>(coefficient);
  if (result.coefficient_float64 != nullptr) *result.coefficient_float64 = coefficient;
  if (result.found_inf != nullptr && result.finite_norm && !is_finite(norm))
    *result.found_inf = 1.0F;
  if (kTallies && result.statistics != nullptr) {
    const volatile float* const flag = result.found_inf;  // other blocks may have set it
    *result.statistics = tally.statistics(norm, result.elements, flag != nullptr && *flag != 0);
  }
}

template <bool kWrites, bool kTallies>
void launch_pass(Device device, GradientTable& table, const float* inverse_scale,
                 const PassResult& result) {
  const Scratch<double> sums(device, table.chunks);
  const Scratch<GradientTally> tallies(device, kTallies ? table.chunks : 0);
  launch(device, blocks_for(table.chunks), kLaneThreads,
         pass_kernel<GradientRow, kWrites, kTallies>, table.rows.data(), table.count, table.chunks,
         inverse_scale, sums.data(), tallies.data(), table.arrivals(), result);
}

}  // namespace amp::inline v0::kernels::cuda

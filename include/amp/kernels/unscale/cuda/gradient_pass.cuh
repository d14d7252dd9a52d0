// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The pass over gradients that computes sums: the norm and, as requested, statistics or the
// summaries of a ledger. It reads each element once, and can unscale it at the same time.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/unscale/formula.hpp"

namespace amp::inline v0::kernels::cuda {

inline constexpr std::int64_t kChunk = kGradientChunk;
inline constexpr unsigned kLaneThreads = kGradientLanes / kVector;  // each has neighbouring lanes
static_assert(kLaneThreads == kChunkLanes);

/// A gradient, the numbers of its first piece and chunk, and whether it may be taken in vectors.
struct GradientRow {
  GradientSpan span;
  std::int64_t first_piece, first_chunk;
  bool vectors;

  AMP_HOST_DEVICE std::int64_t numel() const { return span.numel; }
  friend bool operator==(const GradientRow&, const GradientRow&) = default;
};

struct GradientTable final : DescriptorTable::Contents {
  explicit GradientTable(Device where) : device(where), rows(where), arrived(where) {}

  void send(const GradientSpan* gradients, std::int64_t n) {
    next.clear();
    count = n, pieces = 0, chunks = 0, elements = 0;
    for (std::int64_t g = 0; g < n; ++g) {
      const GradientSpan& span = gradients[g];
      const bool vectors =
          is_aligned_for_vectors(span.data, span.dtype) &&
          (span.unscaled == nullptr || is_aligned_for_vectors(span.unscaled, span.unscaled_dtype));
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
  DeviceList<unsigned> arrived;  // the number of blocks of a launch that are done
  std::int64_t count = 0, pieces = 0, chunks = 0, elements = 0;
  std::vector<GradientRow> next;  // its memory is reused
  const std::vector<unsigned> zero{0};
};

/// The counts of a thread for a chunk. 32 bits are enough for a chunk, and need fewer registers
/// than a GradientTally. There are no branches, which would need more registers as well.
template <class C>
struct ThreadTally {
  std::uint32_t zeros, small, lost, flushed, not_finite, nans;
  std::uint32_t first;  // ~ of the first element of the chunk that is not finite; 0: none
  decltype(magnitude_bits(C{})) most;

  /// Adds element i of the chunk: as it is, and unscaled.
  __device__ __forceinline__ void add(C scaled, C unscaled, std::uint32_t i) {
    const auto before = magnitude_bits(scaled), after = magnitude_bits(unscaled);
    const bool finite = is_finite(unscaled);
    zeros += before == 0;
    small += before < magnitude_bits(static_cast<C>(kSmallestNormalHalf));
    lost += before < magnitude_bits(static_cast<C>(kSmallestHalf));
    flushed += after == 0;
    not_finite += !finite;
    nans += is_nan(unscaled);
    const std::uint32_t place = finite ? 0 : ~i;
    first = place > first ? place : first;
    most = finite && after > most ? after : most;
  }
  /// The same counts, of a chunk that begins at element `begin` of its gradient.
  __device__ __forceinline__ GradientTally widened(std::int64_t begin) const {
    GradientTally tally{};
    tally.zeros = zeros, tally.small = small, tally.lost = lost, tally.flushed = flushed;
    tally.infs = not_finite - nans, tally.nans = nans;
    if (first != 0) tally.first = ~(static_cast<std::uint64_t>(begin) + ~first);
    tally.observe_finite(most);
    return tally;
  }
};

/// The results of a thread for a chunk; it has eight lanes.
template <class C>
struct Found {
  C lanes[kVector];
  ThreadTally<C> tally;
  bool bad;
};

/// Writes unscaled elements, and replaces them by their rounded values if these are read again.
/// Returns whether one is not finite.
template <class C, int N>
__device__ __forceinline__ bool write_unscaled(const UnscaleTarget& to, std::int64_t i,
                                               C (&unscaled)[N]) {
  bool bad = false;
  for (const C value : unscaled) bad |= !is_finite(value);
  if (!to.writes) return bad;
  store_some(to.data, to.dtype, i, unscaled);
  if (!to.rereads) return bad;
  load_some(to.data, to.dtype, i, unscaled);
  for (const C value : unscaled) bad |= !is_finite(value);
  return bad;
}

/// A chunk that the threads of a block process; thread t has lanes 8 t to 8 t + 7. Writes and
/// tallies that are not needed cost nothing.
template <bool kWrites, bool kTallies>
class ChunkOfPass {
 public:
  __device__ ChunkOfPass(const GradientRow& row, Range range, float inverse)
      : g_(needed(row.span)), range_(range), inverse_(inverse), vectors_(row.vectors) {}

  __device__ __forceinline__ void add_to(Found<float>& found) const {
    std::int64_t i = first();
    if (vectors_) {
      if (g_.dtype == kFloat32) i = add_vectors<float>(i, found);
      if (g_.dtype == kFloat16) i = add_vectors<half>(i, found);
      if (g_.dtype == kBFloat16) i = add_vectors<bfloat16>(i, found);
    }
    add_tail(i, found);
  }
  __device__ __forceinline__ void add_to(Found<double>& found) const { add_tail(first(), found); }

 private:
  /// The members of a span that a thread uses: not the length, and the outputs only if it writes.
  __device__ __forceinline__ static GradientSpan needed(const GradientSpan& g) {
    if constexpr (kWrites)
      return {g.data, 0, g.dtype, g.read_only, g.unscaled_dtype, g.unscaled};
    else
      return {g.data, 0, g.dtype};
  }
  __device__ __forceinline__ std::int64_t first() const {
    return range_.begin + static_cast<std::int64_t>(threadIdx.x) * kVector;
  }
  template <class C>
  __device__ __forceinline__ void add_tail(std::int64_t i, Found<C>& found) const {
    for (; i < range_.end; i += kGradientLanes) {
      for (int l = 0; l < kVector; ++l) {
        if (i + l < range_.end) add_one(i + l, l, found);
      }
    }
  }
  /// Processes all whole vectors, and returns where they end. Loads are issued before their values
  /// are used, so that 128 bytes of each thread are in flight at once.
  template <class T>
  __device__ __forceinline__ std::int64_t add_vectors(std::int64_t i, Found<float>& found) const {
    constexpr int kDepth = 16 / static_cast<int>(sizeof(T));
    for (; i + (kDepth - 1) * kGradientLanes + kVector <= range_.end; i += kDepth * kGradientLanes)
      add_packs<kDepth, T>(i, found);
    for (; i + kVector <= range_.end; i += kGradientLanes) add_packs<1, T>(i, found);
    return i;
  }
  template <int kDepth, class T>
  __device__ __forceinline__ void add_packs(std::int64_t i, Found<float>& found) const {
    Pack<T, kVector> packs[kDepth];
    AMP_UNROLL
    for (int d = 0; d < kDepth; ++d)
      packs[d] = load_pack<T, kVector>(static_cast<const T*>(g_.data) + i + d * kGradientLanes);
    AMP_UNROLL
    for (int d = 0; d < kDepth; ++d) {
      float values[kVector];
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) values[l] = convert_to<float>(packs[d].element[l]);
      add(values, i + d * kGradientLanes, 0, found);
    }
  }
  template <class C>
  __device__ __forceinline__ void add_one(std::int64_t i, int lane, Found<C>& found) const {
    C value[1];
    load_some(g_.data, g_.dtype, i, value);
    add(value, i, lane, found);
  }
  /// Adds the scaled elements from i on, for neighbouring lanes.
  template <class C, int N>
  __device__ __forceinline__ void add(C (&values)[N], std::int64_t i, int lane,
                                      Found<C>& found) const {
    C unscaled[N];
    for (int l = 0; l < N; ++l) unscaled[l] = values[l] * static_cast<C>(inverse_);
    if constexpr (kWrites)
      found.bad |= write_unscaled(UnscaleTarget(g_, inverse_, true, true), i, unscaled);
    for (int l = 0; l < N; ++l) {
      if constexpr (kTallies) {
        found.lanes[lane + l] += GradientTally::square(unscaled[l]);
        const auto in_chunk = static_cast<std::uint32_t>(i + l - range_.begin);
        found.tally.add(values[l], unscaled[l], in_chunk);
      } else {
        found.lanes[lane + l] += unscaled[l] * unscaled[l];
      }
    }
  }

  GradientSpan g_;
  Range range_;
  float inverse_;
  bool vectors_;
};

/// The results of a chunk besides the sums of its lanes.
struct ChunkResult {
  GradientTally tally;
  bool bad;
};

/// Computes the sums of a chunk in its lanes.
template <class C, bool kWrites, bool kTallies>
__device__ __forceinline__ ChunkResult process_chunk(const GradientRow& row, Range range,
                                                     float inverse, double* lanes) {
  Found<C> found{};
  ChunkOfPass<kWrites, kTallies>(row, range, inverse).add_to(found);
  for (int l = 0; l < kVector; ++l)
    lanes[threadIdx.x * kVector + static_cast<unsigned>(l)] = static_cast<double>(found.lanes[l]);
  return {found.tally.widened(range.begin), found.bad || found.tally.not_finite != 0};
}

/// The sum of the tallies of all threads of a block, returned to each of them. `shared` has one per
/// thread.
__device__ __forceinline__ GradientTally joined(const GradientTally& mine, GradientTally* shared) {
  shared[threadIdx.x] = mine;
  for (unsigned width = kLaneThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) shared[threadIdx.x].add(shared[threadIdx.x + width]);
  }
  __syncthreads();
  return shared[0];
}

/// The sum over all lanes, returned to each thread.
__device__ __forceinline__ double sum_of_lanes(double* lanes, unsigned count) {
  for (unsigned width = count / 2; width > 0; width /= 2) {
    __syncthreads();
    for (unsigned l = threadIdx.x; l < width; l += kLaneThreads) lanes[l] += lanes[l + width];
  }
  __syncthreads();
  return lanes[0];
}
/// The sum over all chunks, which other blocks wrote, returned to each thread.
__device__ __forceinline__ double sum_of_chunks(const volatile double* sums, std::int64_t chunks,
                                                double* lanes) {
  double sum = 0;
  for (std::int64_t n = threadIdx.x; n < chunks; n += kLaneThreads) sum += sums[n];
  lanes[threadIdx.x] = sum;
  return sum_of_lanes(lanes, kLaneThreads);
}
/// The counts that statistics use, summed over all chunks and returned to each thread.
__device__ __forceinline__ GradientTally tally_of_chunks(const volatile GradientTally* tallies,
                                                         std::int64_t chunks,
                                                         GradientTally* shared) {
  GradientTally tally{};
  for (std::int64_t n = threadIdx.x; n < chunks; n += kLaneThreads) {
    const volatile GradientTally& chunk = tallies[n];
    GradientTally more{};
    more.zeros = chunk.zeros, more.small = chunk.small, more.flushed = chunk.flushed;
    more.infs = chunk.infs, more.nans = chunk.nans;
    more.most = chunk.most, more.most_float64 = chunk.most_float64;
    tally.add(more);
  }
  return joined(tally, shared);
}

/// Computes the sum of each chunk; the last block then adds the sums of all chunks.
template <class Row, bool kWrites, bool kTallies>
AMP_KERNEL void pass_kernel(const Row* rows, std::int64_t count, std::int64_t chunks,
                            const float* inverse_scale, double* sums, GradientTally* tallies,
                            unsigned* arrived, PassResults results) {
  __shared__ double lanes[kGradientLanes];
  __shared__ GradientTally shared[kTallies ? kLaneThreads : 1];
  const float inverse = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  bool bad = false;
  for_each_piece(rows, count, &Row::first_chunk, chunks, kChunk,
                 [&](const Row& row, Range range, std::int64_t n) {
                   const ChunkResult result =
                       row.span.dtype == kFloat64
                           ? process_chunk<double, kWrites, kTallies>(row, range, inverse, lanes)
                           : process_chunk<float, kWrites, kTallies>(row, range, inverse, lanes);
                   bad |= result.bad;
                   const double sum = sum_of_lanes(lanes, kGradientLanes);
                   if constexpr (kTallies) {
                     GradientTally all = joined(result.tally, shared);
                     if (threadIdx.x == 0) {
                       sums[n] = all.finish_sum(sum);
                       tallies[n] = all;
                     }
                   } else {
                     if (threadIdx.x == 0) sums[n] = sum;
                   }
                   __syncthreads();
                 });
  if (bad && results.found_inf != nullptr) store_by_many(results.found_inf, 1.0F);
  if (!is_last_block(arrived)) return;
  const double squares = sum_of_chunks(sums, chunks, lanes);
  if constexpr (kTallies) {
    const GradientTally tally = tally_of_chunks(tallies, chunks, shared);
    if (threadIdx.x == 0) results.write(squares, tally);
  } else {
    if (threadIdx.x == 0) results.write(squares, GradientTally{});
  }
}

/// Computes the summaries of the last recorded pass from its chunks. A block processes one gradient
/// at a time.
template <class Row>
AMP_KERNEL void summaries_kernel(const Row* rows, std::int64_t count, const GradientTally* tallies,
                                 LedgerArgs ledger) {
  __shared__ GradientTally shared[kLaneThreads];
  GradientSummary* const summaries = ledger.summaries();
  for (std::int64_t r = blockIdx.x; r < count; r += gridDim.x) {
    const Row& row = rows[r];
    const GradientTally* const own = tallies + row.first_chunk;
    GradientTally tally{};
    for (std::int64_t n = threadIdx.x; n * kChunk < row.numel(); n += kLaneThreads)
      tally.add(own[n]);
    tally = joined(tally, shared);
    if (threadIdx.x == 0) summaries[r] = tally.summary(row.span);
    __syncthreads();
  }
}

/// If `inverse_scale` is null, it is 1. `tests`: whether *found_inf tells of elements, not only of
/// the norm.
inline void launch_pass(Device device, GradientTable& table, const float* inverse_scale,
                        bool writes, bool tests, PassResults results) {
  results.elements = table.elements;
  const bool counts = results.tallies() || (tests && !writes);
  const auto kernel =
      writes
          ? (counts ? pass_kernel<GradientRow, true, true> : pass_kernel<GradientRow, true, false>)
          : (counts ? pass_kernel<GradientRow, false, true>
                    : pass_kernel<GradientRow, false, false>);
  const Scratch<double> sums(device, table.chunks);
  const Scratch<GradientTally> tallies(device, counts ? table.chunks : 0);
  launch(device, blocks_for(device, table.chunks), kLaneThreads, kernel, table.rows.data(),
         table.count, table.chunks, inverse_scale, sums.data(), tallies.data(), table.arrivals(),
         results);
  if (results.ledger.ring != nullptr)
    launch(device, blocks_for(device, table.count), kLaneThreads, summaries_kernel<GradientRow>,
           table.rows.data(), table.count, tallies.data(), results.ledger);
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The pass over gradients that sums them up: norm and, where asked for, statistics or what a ledger
// records, while it reads each element once, and unscales it where asked to.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
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
  DeviceList<unsigned> arrived;  // blocks of a launch that need to know
  std::int64_t count = 0, pieces = 0, chunks = 0, elements = 0;
  std::vector<GradientRow> next;  // its memory is kept
  const std::vector<unsigned> zero{0};
};

/// Counts nothing: for a pass that is only to sum up.
struct NoTally {
  template <class C>
  __device__ void add(C, C, std::int64_t) {}
  template <class C>
  __device__ static C square(C product) {
    return product * product;
  }
};
template <class Tally>
inline constexpr bool kTallies = !std::is_same_v<Tally, NoTally>;

/// The part that statistics count.
__device__ __forceinline__ GradientTally& counts_of(GradientTally& tally) { return tally; }
__device__ __forceinline__ GradientTally& counts_of(LedgerTally& tally) { return tally.all; }
__device__ __forceinline__ const volatile GradientTally& counts_of(
    const volatile GradientTally& tally) {
  return tally;
}
__device__ __forceinline__ const volatile GradientTally& counts_of(
    const volatile LedgerTally& tally) {
  return tally.all;
}

/// What a thread found in a chunk, its eight lanes first.
template <class C, class Tally>
struct Found {
  C lanes[kVector];
  Tally tally;
  bool bad;
};

/// Writes products, which become what is read again; whether one is not finite.
template <class C, int N>
__device__ __forceinline__ bool write_products(const UnscaleTarget& to, std::int64_t i,
                                               C (&products)[N]) {
  bool bad = false;
  for (const C product : products) bad |= !is_finite(product);
  if (!to.writes) return bad;
  store_some(to.data, to.dtype, i, products);
  if (!to.looks_again) return bad;
  load_some(to.data, to.dtype, i, products);
  for (const C product : products) bad |= !is_finite(product);
  return bad;
}

/// A chunk to be taken by the threads of a block. Who does not ask for writes or tallies does not
/// pay for them. Thread t has lanes 8t to 8t + 7.
template <bool kWrites, class Tally>
class ChunkOfPass {
 public:
  __device__ ChunkOfPass(const GradientRow& row, Range range, float inverse)
      : g_(needed(row.span)), range_(range), inverse_(inverse), vectors_(row.vectors) {}

  __device__ __forceinline__ void add_to(Found<float, Tally>& found) const {
    std::int64_t i = first();
    if (vectors_) {
      if (g_.dtype == kFloat32) i = add_vectors<float>(i, found);
      if (g_.dtype == kFloat16) i = add_vectors<half>(i, found);
      if (g_.dtype == kBFloat16) i = add_vectors<bfloat16>(i, found);
    }
    add_rest(i, found);
  }
  __device__ __forceinline__ void add_to(Found<double, Tally>& found) const {
    add_rest(first(), found);
  }

 private:
  /// What a thread reads of a row: not the length, and where products go only if it writes them.
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
  __device__ __forceinline__ void add_rest(std::int64_t i, Found<C, Tally>& found) const {
    for (; i < range_.end; i += kGradientLanes) {
      for (int l = 0; l < kVector; ++l) {
        if (i + l < range_.end) add_one(i + l, l, found);
      }
    }
  }
  /// As far as there are whole vectors; returns where they end. Loads come before what is done with
  /// them: 128 bytes of each thread are on their way at once.
  template <class T>
  __device__ __forceinline__ std::int64_t add_vectors(std::int64_t i,
                                                      Found<float, Tally>& found) const {
    constexpr int kDepth = 16 / static_cast<int>(sizeof(T));
    for (; i + (kDepth - 1) * kGradientLanes + kVector <= range_.end; i += kDepth * kGradientLanes)
      add_packs<kDepth, T>(i, found);
    for (; i + kVector <= range_.end; i += kGradientLanes) add_packs<1, T>(i, found);
    return i;
  }
  template <int kDepth, class T>
  __device__ __forceinline__ void add_packs(std::int64_t i, Found<float, Tally>& found) const {
    Pack<T, kVector> packs[kDepth];
    AMP_UNROLL
    for (int d = 0; d < kDepth; ++d)
      packs[d] = load_pack<T, kVector>(static_cast<const T*>(g_.data) + i + d * kGradientLanes);
    AMP_UNROLL
    for (int d = 0; d < kDepth; ++d) {
      float values[kVector];
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) values[l] = number<float>(packs[d].element[l]);
      take(values, i + d * kGradientLanes, 0, found);
    }
  }
  template <class C>
  __device__ __forceinline__ void add_one(std::int64_t i, int lane, Found<C, Tally>& found) const {
    C value[1];
    load_some(g_.data, g_.dtype, i, value);
    take(value, i, lane, found);
  }
  /// Elements from i on, as they stand, for neighbouring lanes.
  template <class C, int N>
  __device__ __forceinline__ void take(C (&values)[N], std::int64_t i, int lane,
                                       Found<C, Tally>& found) const {
    C products[N];
    for (int l = 0; l < N; ++l) products[l] = values[l] * static_cast<C>(inverse_);
    if constexpr (kWrites)
      found.bad |= write_products(UnscaleTarget(g_, inverse_, true, true), i, products);
    for (int l = 0; l < N; ++l) {
      found.lanes[lane + l] += Tally::square(products[l]);
      if constexpr (kTallies<Tally> && !kWrites) found.bad |= !is_finite(products[l]);
      found.tally.add(values[l], products[l], i + l);
    }
  }

  GradientSpan g_;
  Range range_;
  float inverse_;
  bool vectors_;
};

/// What remains of a chunk beside the sums of its lanes.
template <class Tally>
struct Seen {
  Tally tally;
  bool bad;
};

/// Sums up a chunk in its lanes.
template <class C, bool kWrites, class Tally>
__device__ __forceinline__ Seen<Tally> take_chunk(const GradientRow& row, Range range,
                                                  float inverse, double* lanes) {
  Found<C, Tally> found{};
  ChunkOfPass<kWrites, Tally>(row, range, inverse).add_to(found);
  for (int l = 0; l < kVector; ++l)
    lanes[threadIdx.x * kVector + static_cast<unsigned>(l)] = static_cast<double>(found.lanes[l]);
  return {found.tally, found.bad};
}

/// What the threads of a block found, as one, for all of them to see; `shared` has one for each.
template <class Tally>
__device__ __forceinline__ Tally joined(const Tally& mine, Tally* shared) {
  shared[threadIdx.x] = mine;
  for (unsigned width = kLaneThreads / 2; width > 0; width /= 2) {
    __syncthreads();
    if (threadIdx.x < width) shared[threadIdx.x].add(shared[threadIdx.x + width]);
  }
  __syncthreads();
  return shared[0];
}

/// The sum of a value for each lane, known to thread 0.
__device__ __forceinline__ double sum_of_lanes(double* lanes, unsigned count) {
  for (unsigned width = count / 2; width > 0; width /= 2) {
    __syncthreads();
    for (unsigned l = threadIdx.x; l < width; l += kLaneThreads) lanes[l] += lanes[l + width];
  }
  return lanes[0];
}
/// What all chunks have, which other blocks wrote; known to thread 0.
__device__ __forceinline__ double sum_of_chunks(const volatile double* sums, std::int64_t chunks,
                                                double* lanes) {
  double sum = 0;
  for (std::int64_t n = threadIdx.x; n < chunks; n += kLaneThreads) sum += sums[n];
  lanes[threadIdx.x] = sum;
  return sum_of_lanes(lanes, kLaneThreads);
}
template <class Tally>
__device__ __forceinline__ Tally tally_of_chunks(const volatile Tally* tallies, std::int64_t chunks,
                                                 Tally* shared) {
  Tally tally{};
  for (std::int64_t n = threadIdx.x; n < chunks; n += kLaneThreads) {
    const volatile GradientTally& more = counts_of(tallies[n]);
    counts_of(tally).add({more.zeros, more.small, more.gone, more.most, more.most_float64});
  }
  return joined(tally, shared);
}

template <class Tally>
using ResultsOf =
    std::conditional_t<std::is_same_v<Tally, LedgerTally>, RecordedPassResults, PassResults>;

/// The sum of each chunk, then by the last block that of all.
template <class Row, bool kWrites, class Tally>
AMP_KERNEL void pass_kernel(const Row* rows, std::int64_t count, std::int64_t chunks,
                            const float* inverse_scale, double* sums, Tally* tallies,
                            unsigned* arrived, ResultsOf<Tally> results) {
  __shared__ double lanes[kGradientLanes];
  __shared__ Tally shared[kTallies<Tally> ? kLaneThreads : 1];
  const float inverse = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  bool bad = false;
  for_each_piece(rows, count, &Row::first_chunk, chunks, kChunk,
                 [&](const Row& row, Range range, std::int64_t n) {
                   const Seen<Tally> seen =
                       row.span.dtype == kFloat64
                           ? take_chunk<double, kWrites, Tally>(row, range, inverse, lanes)
                           : take_chunk<float, kWrites, Tally>(row, range, inverse, lanes);
                   bad |= seen.bad;
                   const double sum = sum_of_lanes(lanes, kGradientLanes);
                   if constexpr (kTallies<Tally>) {
                     Tally all = joined(seen.tally, shared);
                     if (threadIdx.x == 0) {
                       sums[n] = all.take_sum(sum);
                       tallies[n] = all;
                     }
                   } else {
                     if (threadIdx.x == 0) sums[n] = sum;
                   }
                   __syncthreads();
                 });
  if (bad) results.write_found_inf();  // by however many threads
  if (!is_last_block(arrived)) return;
  const double squares = sum_of_chunks(sums, chunks, lanes);
  if constexpr (kTallies<Tally>) {
    const Tally tally = tally_of_chunks(tallies, chunks, shared);
    if (threadIdx.x == 0) results.write(squares, tally);
  } else {
    if (threadIdx.x == 0) results.write(squares, GradientTally{});
  }
}

/// The summaries of the pass that was recorded last, of what its chunks found; a block takes a
/// gradient at a time.
template <class Row>
AMP_KERNEL void summaries_kernel(const Row* rows, std::int64_t count, const LedgerTally* tallies,
                                 LedgerArgs ledger) {
  __shared__ LedgerTally shared[kLaneThreads];
  GradientSummary* const summaries = ledger.summaries();
  for (std::int64_t r = blockIdx.x; r < count; r += gridDim.x) {
    const Row& row = rows[r];
    const LedgerTally* const own = tallies + row.first_chunk;
    LedgerTally tally{};
    for (std::int64_t n = threadIdx.x; n * kChunk < row.numel(); n += kLaneThreads)
      tally.add(own[n]);
    tally = joined(tally, shared);
    if (threadIdx.x == 0) summaries[r] = tally.summary(row.span);
    __syncthreads();
  }
}

/// Null `inverse_scale` is 1.
template <bool kWrites, class Tally>
void launch_pass(Device device, GradientTable& table, const float* inverse_scale,
                 ResultsOf<Tally> results) {
  results.elements = table.elements;
  const Scratch<double> sums(device, table.chunks);
  const Scratch<Tally> tallies(device, kTallies<Tally> ? table.chunks : 0);
  launch(device, blocks_for(table.chunks), kLaneThreads, pass_kernel<GradientRow, kWrites, Tally>,
         table.rows.data(), table.count, table.chunks, inverse_scale, sums.data(), tallies.data(),
         table.arrivals(), results);
  if constexpr (std::is_same_v<Tally, LedgerTally>)
    launch(device, blocks_for(table.count), kLaneThreads, summaries_kernel<GradientRow>,
           table.rows.data(), table.count, tallies.data(), results.ledger);
}

}  // namespace amp::inline v0::kernels::cuda

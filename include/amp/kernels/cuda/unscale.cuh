// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients: one launch for any number of them, which reads each element
// once; blocks take pieces. Nothing is read back: scale, norm and flags stay where they are. All
// results have the host's bits, where the compiler joins no multiplication with an addition.
#pragma once

#include <cstdint>
#include <vector>

#include "amp/kernels/cuda/pieces.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/cuda/table.cuh"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/scale_state.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

inline constexpr std::int64_t kChunk = 1 << 16;             // of one partial sum, on every device
inline constexpr std::int64_t kLanes = 512;                 // float accumulators of a chunk
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
    count = n, pieces = 0, chunks = 0;
    for (std::int64_t g = 0; g < n; ++g) {
      const GradientSpan& span = gradients[g];
      const bool vectors =
          is_aligned_for_vectors(span.data, span.dtype) &&
          (span.unscaled == nullptr || is_aligned_for_vectors(span.unscaled, kFloat32));
      next.push_back({span, pieces, chunks, vectors});
      pieces += ceil_div(span.numel, kPiece);
      chunks += ceil_div(span.numel, kChunk);
    }
    rows.send(next);
    arrived.send(zero);
  }

  Device device;
  DeviceList<GradientRow> rows;
  DeviceList<unsigned> arrived;  // blocks of a launch that need to know
  std::int64_t count = 0, pieces = 0, chunks = 0;
  std::vector<GradientRow> next;  // its memory is kept
  const std::vector<unsigned> zero{0};
};

/// Whether anything is not finite.
template <class C>
__device__ bool unscale_piece(const GradientRow& row, Range range, float inverse_scale,
                              bool write) {
  const GradientSpan g = row.span;
  const C inverse = static_cast<C>(inverse_scale);
  const bool writes = write && !g.read_only;
  void* const to = g.unscaled != nullptr ? g.unscaled : g.data;
  const DType to_dtype = g.unscaled != nullptr ? kFloat32 : g.dtype;
  const bool may_overflow = rounding_may_overflow(g, inverse_scale);
  bool bad = false;
  for_each_vector<C>(row.vectors, range, [&](auto size, std::int64_t i) {
    C values[decltype(size)::value];
    load_some(g.data, g.dtype, i, values);
    for (C& value : values) {
      bad |= !is_finite(value);
      value *= inverse;
      bad |= !is_finite(value);
    }
    if (!writes) return;
    store_some(to, to_dtype, i, values);
    if (!may_overflow) return;
    load_some(to, to_dtype, i, values);
    for (const C value : values) bad |= !is_finite(value);
  });
  return bad;
}

template <class Row>
AMP_KERNEL void unscale_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                               const float* inverse_scale, float* found_inf, bool write) {
  const float inverse = *inverse_scale;
  bool bad = false;
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   bad |= row.span.dtype == kFloat64
                              ? unscale_piece<double>(row, range, inverse, write)
                              : unscale_piece<float>(row, range, inverse, write);
                 });
  if (bad) *found_inf = 1.0F;  // by however many threads
}

/// Adds the squares of x * inverse of [i, end) to eight lanes, as far as there are whole vectors;
/// returns where they end. Loads come before the first addition: 128 bytes of each thread are on
/// their way at once.
template <class T>
__device__ __forceinline__ std::int64_t add_squares(const void* data, std::int64_t i,
                                                    std::int64_t end, float inverse,
                                                    float (&lanes)[kVector]) {
  constexpr int kDepth = 16 / static_cast<int>(sizeof(T));
  const auto add = [&](const float(&values)[kVector]) {
    for (int l = 0; l < kVector; ++l) {
      const float value = values[l] * inverse;
      lanes[l] += value * value;
    }
  };
  for (; i + (kDepth - 1) * kLanes + kVector <= end; i += kDepth * kLanes) {
    float values[kDepth][kVector];
    for (int d = 0; d < kDepth; ++d) detail::load_words<float, T>(data, i + d * kLanes, values[d]);
    for (int d = 0; d < kDepth; ++d) add(values[d]);
  }
  for (; i + kVector <= end; i += kLanes) {
    float values[kVector];
    detail::load_words<float, T>(data, i, values);
    add(values);
  }
  return i;
}

/// Element l of a chunk counts in lane l % 512, of which thread t has 8t to 8t + 7.
__device__ __forceinline__ void add_chunk(const GradientRow& row, Range range, float inverse,
                                          float (&lanes)[kVector]) {
  const GradientSpan g = row.span;
  std::int64_t i = range.begin + static_cast<std::int64_t>(threadIdx.x) * kVector;
  if (row.vectors) {
    if (g.dtype == kFloat32) i = add_squares<float>(g.data, i, range.end, inverse, lanes);
    if (g.dtype == kFloat16) i = add_squares<half>(g.data, i, range.end, inverse, lanes);
    if (g.dtype == kBFloat16) i = add_squares<bfloat16>(g.data, i, range.end, inverse, lanes);
  }
  for (; i < range.end; i += kLanes) {
    for (int l = 0; l < kVector; ++l) {
      if (i + l >= range.end) break;
      const float value =
          (g.dtype == kFloat64 ? static_cast<float>(load<double>(g.data, g.dtype, i + l))
                               : load<float>(g.data, g.dtype, i + l)) *
          inverse;
      lanes[l] += value * value;
    }
  }
}

/// What becomes of a norm.
struct NormResult {
  float* norm;
  float* coefficient;
  float* found_inf;
  double max_norm;
};

/// The sum of each chunk: float lanes, then a tree in double; and by the last block the root of
/// their sum. The host's, addition by addition.
template <class Row>
AMP_KERNEL void grad_norm_kernel(const Row* rows, std::int64_t count, std::int64_t chunks,
                                 const float* inverse_scale, double* sums, unsigned* arrived,
                                 NormResult result) {
  __shared__ double tree[kLanes];
  const float inverse = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  const unsigned t = threadIdx.x;
  const auto add_up = [&](unsigned lanes) {
    for (unsigned width = lanes / 2; width > 0; width /= 2) {
      __syncthreads();
      for (unsigned l = t; l < width; l += kLaneThreads) tree[l] += tree[l + width];
    }
  };
  for_each_piece(rows, count, &Row::first_chunk, chunks, kChunk,
                 [&](const Row& row, Range range, std::int64_t n) {
                   float lanes[kVector] = {};
                   add_chunk(row, range, inverse, lanes);
                   for (int l = 0; l < kVector; ++l)
                     tree[t * kVector + static_cast<unsigned>(l)] = static_cast<double>(lanes[l]);
                   add_up(kLanes);
                   if (t == 0) sums[n] = tree[0];
                   __syncthreads();
                 });
  if (!is_last_block(arrived)) return;
  const volatile double* const all = sums;  // other blocks wrote them
  double total = 0;
  for (std::int64_t n = t; n < chunks; n += kLaneThreads) total += all[n];
  tree[t] = total;
  add_up(kLaneThreads);
  if (t != 0) return;
  const float norm = static_cast<float>(functions::math::sqrt(tree[0]));
  *result.norm = norm;
  if (result.coefficient != nullptr) *result.coefficient = clip_coefficient(norm, result.max_norm);
  if (result.found_inf != nullptr && !is_finite(norm)) *result.found_inf = 1.0F;
}

template <class C>
__device__ void scale_piece(const GradientRow& row, Range range, float coefficient) {
  const GradientSpan g = row.span;
  for_each_vector<C>(row.vectors, range, [&](auto size, std::int64_t i) {
    C values[decltype(size)::value];
    load_some(g.data, g.dtype, i, values);
    for (C& value : values) value *= static_cast<C>(coefficient);
    store_some(g.data, g.dtype, i, values);
  });
}

template <class Row>
AMP_KERNEL void clip_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                            const float* coefficient, const float* found_inf) {
  if (found_inf != nullptr && *found_inf != 0) return;
  const float factor = *coefficient;
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   if (row.span.dtype == kFloat64) {
                     scale_piece<double>(row, range, factor);
                   } else {
                     scale_piece<float>(row, range, factor);
                   }
                 });
}

/// The words of some optimizers.
struct FoundWords {
  static constexpr int kWords = 64;
  const float* found_inf[kWords];
  Counts counts[kWords];
  int count;
};

/// What earlier words say.
struct Carried {
  std::int64_t applied, skipped;
  bool found;
};

/// One thread. `carried`: null where these words are all. The state moves with the `last` ones, in
/// one launch; the scale where any was `looked` at.
template <class Words>
AMP_KERNEL void update_scale_kernel(Words words, ScaleState* state, ScaleRule rule,
                                    Carried* carried, bool first, bool last, bool looked,
                                    float* clears) {
  if (threadIdx.x != 0) return;
  Carried sum{};
  if (!first) sum = *carried;
  for (int i = 0; i < words.count; ++i) {
    const bool bad = words.found_inf[i] != nullptr && *words.found_inf[i] != 0;
    sum.found |= bad;
    if (words.counts[i] == Counts::kNot) continue;
    const bool left_out = bad || words.counts[i] == Counts::kLeftOut;
    ++(left_out ? sum.skipped : sum.applied);
  }
  if (!last) {
    *carried = sum;
    return;
  }
  state->applied += sum.applied;
  state->skipped += sum.skipped;
  if (looked) kernels::update_scale(*state, rule, sum.found);
  if (clears != nullptr) *clears = 0;
}

inline void unscale(const UnscaleArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  launch(args.device, blocks_for(table->pieces), kThreads, unscale_kernel<GradientRow>,
         table->rows.data(), table->count, table->pieces, args.inverse_scale, args.found_inf,
         args.write);
}

inline void grad_norm(const GradNormArgs& args) {
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  const Scratch<double> sums(args.device, table->chunks);
  launch(args.device, blocks_for(table->chunks), kLaneThreads, grad_norm_kernel<GradientRow>,
         table->rows.data(), table->count, table->chunks, args.inverse_scale, sums.data(),
         table->arrived.data(),
         NormResult{args.norm, args.coefficient, args.found_inf, args.max_norm});
}

inline void clip(const ClipArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  launch(args.device, blocks_for(table->pieces), kThreads, clip_kernel<GradientRow>,
         table->rows.data(), table->count, table->pieces, args.coefficient, args.found_inf);
}

inline void update_scale(const UpdateScaleArgs& args) {
  bool looked = false;
  for (std::int64_t i = 0; i < args.count; ++i) looked |= args.found_inf[i] != nullptr;
  const Scratch<Carried> carried(args.device, args.count > FoundWords::kWords ? 1 : 0);
  for (std::int64_t begin = 0; begin < args.count; begin += FoundWords::kWords) {
    FoundWords words{};
    for (; words.count < FoundWords::kWords && begin + words.count < args.count; ++words.count) {
      words.found_inf[words.count] = args.found_inf[begin + words.count];
      words.counts[words.count] = args.counts[begin + words.count];
    }
    launch(args.device, 1, 32, update_scale_kernel<FoundWords>, words, args.state, args.rule,
           carried.data(), begin == 0, begin + words.count == args.count, looked, args.clears);
  }
}

}  // namespace amp::inline v0::kernels::cuda

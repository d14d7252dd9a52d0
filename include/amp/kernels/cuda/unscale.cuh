// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Loss scaling over lists of gradients. The host's list reaches the device by value, a batch of
// spans per launch; blocks take pieces of them. Nothing is read back: scale, norm and flags stay
// where they are. All results have the host's bits, where the compiler joins no multiplication with
// an addition.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/scale_state.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

/// Arrays of one launch, cut into pieces. A kernel takes 4 KiB of parameters on every device.
template <class Item>
struct Batch {
  static constexpr int kItems = 32;

  Item items[kItems];
  std::int64_t first[kItems + 1];  // the number of each item's first piece; then how many there are
  std::int64_t piece_size;         // in elements
  int count;

  struct Piece {
    int item;
    std::int64_t begin, end;
  };
  __device__ std::int64_t pieces() const { return first[count]; }
  __device__ Piece piece(std::int64_t number) const {
    int item = 0;
    while (number >= first[item + 1]) ++item;
    const std::int64_t begin = (number - first[item]) * piece_size;
    const std::int64_t end = begin + piece_size, numel = items[item].numel;
    return {item, begin, end < numel ? end : numel};
  }
};

/// body(batch, pieces, last) for all items in order, also where they are empty; at least once.
template <class Item, class Body>
void for_each_batch(const Item* items, std::int64_t count, std::int64_t piece_size, Body&& body) {
  static_assert(std::is_trivially_copyable_v<Batch<Item>> && sizeof(Batch<Item>) <= 3072);
  std::int64_t begin = 0;
  do {
    Batch<Item> batch{};
    batch.piece_size = piece_size;
    for (; batch.count < Batch<Item>::kItems && begin < count; ++batch.count, ++begin) {
      batch.items[batch.count] = items[begin];
      batch.first[batch.count + 1] =
          batch.first[batch.count] + ceil_div(items[begin].numel, piece_size);
    }
    body(batch, batch.first[batch.count], begin == count);
  } while (begin < count);
}

inline constexpr std::int64_t kPiece = 4096;  // elements of a block where each stands for itself
inline constexpr std::int64_t kNormPiece = 1 << 16;  // of one partial sum, on every device

template <class C>
__device__ void unscale_piece(const GradientSpan& span, std::int64_t begin, std::int64_t end,
                              float inverse_scale, float* found_inf, bool write) {
  const C inverse = static_cast<C>(inverse_scale);
  bool bad = false;
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const C scaled = load<C>(span.data, span.dtype, i);
    const C value = scaled * inverse;
    bad |= !is_finite(scaled) || !is_finite(value);
    if (!write) continue;
    store<C>(span.data, span.dtype, i, value);
    // Below a scale of 1, rounding to 16 bits can overflow as well.
    if (!(inverse <= 1)) bad |= !is_finite(load<C>(span.data, span.dtype, i));
  }
  if (bad) *found_inf = 1.0F;  // by however many threads
}

template <class Spans>
AMP_KERNEL void unscale_kernel(Spans batch, const float* inverse_scale, float* found_inf,
                               bool write) {
  for (std::int64_t p = blockIdx.x; p < batch.pieces(); p += gridDim.x) {
    const auto piece = batch.piece(p);
    const GradientSpan& span = batch.items[piece.item];
    if (span.dtype == kFloat64) {
      unscale_piece<double>(span, piece.begin, piece.end, *inverse_scale, found_inf, write);
    } else {
      unscale_piece<float>(span, piece.begin, piece.end, *inverse_scale, found_inf, write);
    }
  }
}

/// Adds squares of x * inverse, in float, from `first` on.
template <class C>
__device__ float sum_squares(const GradientSpan& span, std::int64_t first, std::int64_t end,
                             std::int64_t step, float inverse) {
  float sum = 0;
  for (std::int64_t i = first; i < end; i += step) {
    const float value = static_cast<float>(load<C>(span.data, span.dtype, i)) * inverse;
    sum += value * value;
  }
  return sum;
}

/// The sum of each piece: 512 float lanes, two of each thread, then a tree in double. The host's,
/// addition by addition.
template <class Spans>
AMP_KERNEL void grad_norm_kernel(Spans batch, const float* inverse_scale, double* sums) {
  __shared__ double tree[kThreads];
  const float inverse = inverse_scale != nullptr ? *inverse_scale : 1.0F;
  const unsigned t = threadIdx.x;
  for (std::int64_t p = blockIdx.x; p < batch.pieces(); p += gridDim.x) {
    const auto piece = batch.piece(p);
    const GradientSpan& span = batch.items[piece.item];
    const auto lane = [&](std::int64_t l) {
      constexpr std::int64_t kLanes = 2 * kThreads;
      return span.dtype == kFloat64
                 ? sum_squares<double>(span, piece.begin + l, piece.end, kLanes, inverse)
                 : sum_squares<float>(span, piece.begin + l, piece.end, kLanes, inverse);
    };
    tree[t] = static_cast<double>(lane(t)) + static_cast<double>(lane(t + kThreads));
    for (unsigned width = kThreads / 2; width > 0; width /= 2) {
      __syncthreads();
      if (t < width) tree[t] += tree[t + width];
    }
    if (t == 0) sums[p] = tree[0];
    __syncthreads();
  }
}

/// The root of all pieces' sums, which one thread adds in order, as on the host: there is one for
/// 65536 elements.
template <class Sum>
AMP_KERNEL void finish_norm_kernel(const Sum* sums, std::int64_t count, float* norm) {
  __shared__ double tile[kThreads];
  double total = 0;
  for (std::int64_t begin = 0; begin < count; begin += kThreads) {
    const std::int64_t rest = count - begin;
    const unsigned n = rest < kThreads ? static_cast<unsigned>(rest) : kThreads;
    if (threadIdx.x < n) tile[threadIdx.x] = sums[begin + threadIdx.x];
    __syncthreads();
    if (threadIdx.x == 0) {
      for (unsigned i = 0; i < n; ++i) total += tile[i];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) *norm = static_cast<float>(functions::math::sqrt(total));
}

template <class Word>
AMP_KERNEL void clip_coefficient_kernel(const Word* norm, double max_norm, Word* coefficient,
                                        Word* found_inf) {
  if (threadIdx.x != 0) return;
  const double factor = max_norm / (static_cast<double>(*norm) + 1e-6);
  *coefficient = factor >= 1 ? 1.0F : static_cast<float>(factor);  // NaN stays NaN
  if (found_inf != nullptr && !is_finite(*norm)) *found_inf = 1.0F;
}

template <class C>
__device__ void scale_piece(const GradientSpan& span, std::int64_t begin, std::int64_t end,
                            float coefficient) {
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const C value = load<C>(span.data, span.dtype, i) * static_cast<C>(coefficient);
    store<C>(span.data, span.dtype, i, value);
  }
}

/// `skips`: where the norm is not finite.
template <class Spans>
AMP_KERNEL void clip_kernel(Spans batch, const float* norm, const float* coefficient, bool skips) {
  if (skips && !is_finite(*norm)) return;
  for (std::int64_t p = blockIdx.x; p < batch.pieces(); p += gridDim.x) {
    const auto piece = batch.piece(p);
    const GradientSpan& span = batch.items[piece.item];
    if (span.dtype == kFloat64) {
      scale_piece<double>(span, piece.begin, piece.end, *coefficient);
    } else {
      scale_piece<float>(span, piece.begin, piece.end, *coefficient);
    }
  }
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
  for_each_batch(args.gradients, args.count, kPiece,
                 [&](const Batch<GradientSpan>& batch, std::int64_t pieces, bool) {
                   launch(args.device, grid_for(pieces, 1), kThreads,
                          unscale_kernel<Batch<GradientSpan>>, batch, args.inverse_scale,
                          args.found_inf, args.write);
                 });
}

inline void grad_norm(const GradNormArgs& args) {
  std::int64_t count = 0;
  for (std::int64_t g = 0; g < args.count; ++g)
    count += ceil_div(args.gradients[g].numel, kNormPiece);
  const Scratch<double> sums(args.device, count);
  double* next = sums.data();
  for_each_batch(args.gradients, args.count, kNormPiece,
                 [&](const Batch<GradientSpan>& batch, std::int64_t pieces, bool) {
                   launch(args.device, grid_for(pieces, 1), kThreads,
                          grad_norm_kernel<Batch<GradientSpan>>, batch, args.inverse_scale, next);
                   next += pieces;
                 });
  launch(args.device, 1, kThreads, finish_norm_kernel<double>, sums.data(), count, args.norm);
}

inline void clip(const ClipArgs& args) {
  launch(args.device, 1, 32, clip_coefficient_kernel<float>, args.norm, args.max_norm,
         args.coefficient, args.found_inf);
  for_each_batch(args.gradients, args.count, kPiece,
                 [&](const Batch<GradientSpan>& batch, std::int64_t pieces, bool) {
                   launch(args.device, grid_for(pieces, 1), kThreads,
                          clip_kernel<Batch<GradientSpan>>, batch, args.norm, args.coefficient,
                          args.found_inf != nullptr);
                 });
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

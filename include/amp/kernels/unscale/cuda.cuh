// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The CUDA kernels of loss scaling: unscale, grad_norm, clip, update_scale and record_loss. One
// launch handles any number of gradients, in pieces that blocks take, and reads each element once.
// Scale, norm and flags stay on the device. All results have the host's bits if the compiler fuses
// no multiplication with an addition.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/device_list.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/unscale/args.hpp"
#include "amp/kernels/unscale/cuda/gradient_pass.cuh"
#include "amp/kernels/unscale/formula.hpp"
#include "amp/kernels/unscale/scale_state.hpp"

namespace amp::inline v0::kernels::cuda {

/// Returns whether an element is not finite.
template <class C>
__device__ bool unscale_piece(const GradientRow& row, Range range, float inverse, bool write) {
  const GradientSpan g = row.span;
  const UnscaleTarget to(g, inverse, write, false);
  bool bad = false;
  for_each_vector<C>(row.vectors, range, [&](auto size, std::int64_t i) {
    C values[decltype(size)::value];
    load_some(g.data, g.dtype, i, values);
    for (C& value : values) value *= static_cast<C>(inverse);
    bad |= write_unscaled(to, i, values);
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
  if (bad) store_by_many(found_inf, 1.0F);
}

template <class C>
__device__ void scale_piece(const GradientRow& row, Range range, double coefficient) {
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
                            ClipArgs args) {
  if (args.found_inf != nullptr && *args.found_inf != 0) return;
  const double factor = args.factor();
  if (factor == 1) return;
  for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                 [&](const Row& row, Range range, std::int64_t) {
                   if (row.span.dtype == kFloat64) {
                     scale_piece<double>(row, range, factor);
                   } else {
                     scale_piece<float>(row, range, factor);
                   }
                 });
}

/// found_inf of some optimizers.
struct FoundInfs {
  static constexpr int kMost = 64;
  const float* found_inf[kMost];
  StepOutcome outcomes[kMost];
  int count;
};

/// One thread. The state is updated in the `last` launch; launches before it add up in `carried`,
/// which is null if there is one launch. `tested`: whether any gradients were tested.
template <class Found>
AMP_KERNEL void update_scale_kernel(Found found, ScaleState* state, ScaleRule rule,
                                    CycleCounts* carried, bool first, bool last, bool tested,
                                    float* clears) {
  if (threadIdx.x != 0) return;
  CycleCounts sum{};
  if (!first) sum = *carried;
  for (int i = 0; i < found.count; ++i) sum.add(found.found_inf[i], found.outcomes[i]);
  if (!last) {
    *carried = sum;
    return;
  }
  sum.apply_to(*state, rule, tested);
  if (clears != nullptr) *clears = 0;
}

inline void unscale(const UnscaleArgs& args) {
  const PassResults results = results_of(args);
  const bool sums = results.tallies() || !args.norm.is_null() || args.finite_norm;
  if (args.count == 0 && !sums) return;
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  if (sums) return launch_pass(args.device, *table, args.inverse_scale, args.write, true, results);
  launch(args.device, blocks_for(args.device, table->pieces), kThreads, unscale_kernel<GradientRow>,
         table->rows.data(), table->count, table->pieces, args.inverse_scale, args.found_inf,
         args.write);
}

inline void grad_norm(const GradNormArgs& args) {
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  launch_pass(args.device, *table, args.inverse_scale, false, false, results_of(args));
}

inline void clip(const ClipArgs& args) {
  if (args.count == 0) return;
  const TableOfCall<GradientTable> table(args.device, args.table);
  table->send(args.gradients, args.count);
  launch(args.device, blocks_for(args.device, table->pieces), kThreads, clip_kernel<GradientRow>,
         table->rows.data(), table->count, table->pieces, args);
}

inline void update_scale(const UpdateScaleArgs& args) {
  bool tested = false;
  for (std::int64_t i = 0; i < args.count; ++i) tested |= args.found_inf[i] != nullptr;
  const Scratch<CycleCounts> carried(args.device, args.count > FoundInfs::kMost ? 1 : 0);
  for (std::int64_t begin = 0; begin < args.count; begin += FoundInfs::kMost) {
    FoundInfs found{};
    for (; found.count < FoundInfs::kMost && begin + found.count < args.count; ++found.count) {
      found.found_inf[found.count] = args.found_inf[begin + found.count];
      found.outcomes[found.count] = args.outcomes[begin + found.count];
    }
    launch(args.device, 1, 32, update_scale_kernel<FoundInfs>, found, args.state, args.rule,
           carried.data(), begin == 0, begin + found.count == args.count, tested, args.clears);
  }
}

/// Launched with one block, because a loss usually has one element.
template <class Args>
AMP_KERNEL void record_loss_kernel(Args args) {
  __shared__ bool bad[2];
  if (threadIdx.x < 2) bad[threadIdx.x] = false;
  __syncthreads();
  for (std::int64_t i = threadIdx.x; i < args.numel; i += blockDim.x) {
    if (!is_finite(load<double>(args.loss, args.loss_dtype, i))) store_by_many(&bad[0], true);
    if (!is_finite(load<double>(args.scaled, args.scaled_dtype, i))) store_by_many(&bad[1], true);
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  const double first = args.numel == 0 ? 0 : load<double>(args.loss, args.loss_dtype, 0);
  args.add(first, bad[0], bad[1]);
}

inline void record_loss(const RecordLossArgs& args) {
  const std::int64_t threads = (std::min)(std::int64_t{kThreads}, round_up(args.numel, 32));
  launch(args.device, 1, static_cast<unsigned>((std::max)(threads, std::int64_t{32})),
         record_loss_kernel<RecordLossArgs>, args);
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The first pass of rules whose rate depends on the norms of a parameter and of its step, such as
// LAMB's. It reads the same arrays as the step, and writes only the sums. The sums are the host's,
// addition by addition: float lanes of a chunk (double ones for float64), a tree, then chunks in
// double.
#pragma once

#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/optim/coefficients.hpp"
#include "amp/kernels/optim/cuda/step_table.cuh"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/unscale/cuda/gradient_pass.cuh"

namespace amp::inline v0::kernels::cuda {

/// Sums of squares.
struct TrustSums {
  double weights, directions;
};

/// Adds the lanes as sum_of_lanes does. The lanes may be written again afterwards.
__device__ __forceinline__ double sum_of_tree(double* tree, unsigned lanes) {
  const double sum = sum_of_lanes(tree, lanes);
  __syncthreads();
  return sum;
}

/// Sums a chunk with the kLaneThreads threads of a block: element i is added to lane i %
/// kGradientLanes, of which each thread has kVector neighbours.
template <StepKind kKind, class C, class Rule>
__device__ TrustSums sums_of_chunk(const OptimizerParameter<Rule> p, bool vectors,
                                   const GroupSettings<Rule>& group, bool is_new, Range range,
                                   const GradScale& scale, double* tree) {
  const auto& k = shared_coefficients<C>(
      p, group.rule, is_new, [] { return 0.0; }, 1);
  const C factor = static_cast<C>(group.factor(scale, p.gradient_dtype));
  Rounded<C> weights[kVector] = {}, directions[kVector] = {};
  const auto add = [&](auto size, std::int64_t i, int lane) {
    constexpr int N = decltype(size)::value;
    C w[N], g[N], states[Rule::kStates][N];
    load_elements<kKind>(p, i, group.rule, w, states, g);
    AMP_UNROLL
    for (int l = 0; l < N; ++l) {
      Rounded<C> grad = factor * Rounded<C>{g[l]};
      const Rounded<C> weight{w[l]};
      if constexpr (Rule::kDirects) {
        Rounded<C> m{states[0][l]}, v{states[1][l]};
        Rule::direct(k, grad, weight, m, v);
      }
      weights[lane + l] = weights[lane + l] + weight * weight;
      directions[lane + l] = directions[lane + l] + grad * grad;
    }
  };
  const std::int64_t first = range.begin + static_cast<std::int64_t>(threadIdx.x) * kVector;
  for (std::int64_t i = first; i < range.end; i += kGradientLanes) {
    if (std::is_same_v<C, float> && vectors && i + kVector <= range.end) {
      if constexpr (std::is_same_v<C, float>) add(Size<kVector>{}, i, 0);
      continue;
    }
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      if (i + l < range.end) add(Size<1>{}, i + l, l);
    }
  }
  const auto total = [&](const Rounded<C>(&lanes)[kVector]) {
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l)
      tree[threadIdx.x * kVector + static_cast<unsigned>(l)] = static_cast<double>(lanes[l].value);
    return sum_of_tree(tree, kGradientLanes);
  };
  const double of_weights = total(weights);
  return {of_weights, total(directions)};
}

/// Stores the sums of each chunk at the index of its first piece. A block processes the chunks that
/// begin among its pieces.
template <StepKind kKind, class Rule>
AMP_KERNEL void trust_sums_kernel(const StepRow<Rule>* rows, std::int64_t count,
                                  std::int64_t pieces, const GroupSettings<Rule>* groups,
                                  GradScale scale, TrustSums* sums) {
  __shared__ double tree[kGradientLanes];
  if (scale.skips()) return;
  const StepRow<Rule>* known = nullptr;
  for_each_piece(rows, count, &StepRow<Rule>::first_piece, pieces, kPiece,
                 [&](const StepRow<Rule>& row, Range piece, std::int64_t n) {
                   if (piece.begin % kChunk != 0) return;
                   const std::int64_t rest = row.p.numel - piece.begin;
                   const Range chunk{piece.begin, piece.begin + (rest < kChunk ? rest : kChunk)};
                   const GroupSettings<Rule>& group = groups[row.group];
                   const bool is_new = known != &row;
                   known = &row;
                   const TrustSums sum =
                       row.p.dtype == kFloat64
                           ? sums_of_chunk<kKind, double>(row.p, row.vectors, group, is_new, chunk,
                                                          scale, tree)
                           : sums_of_chunk<kKind, float>(row.p, row.vectors, group, is_new, chunk,
                                                         scale, tree);
                   if (threadIdx.x == 0) sums[n] = sum;
                 });
}

/// Computes the trust ratio of each parameter, one per block.
template <class Rule>
AMP_KERNEL void trust_ratio_kernel(const StepRow<Rule>* rows, const GroupSettings<Rule>* groups,
                                   const TrustSums* sums, double* ratios, GradScale scale) {
  __shared__ double tree[kLaneThreads];
  if (scale.skips()) return;
  const StepRow<Rule>& row = rows[blockIdx.x];
  const auto total = [&](double TrustSums::*member) {
    double mine = 0;
    for (std::int64_t n = threadIdx.x; n * kChunk < row.p.numel; n += kLaneThreads)
      mine += sums[row.first_piece + n * (kChunk / kPiece)].*member;
    tree[threadIdx.x] = mine;
    return sum_of_tree(tree, kLaneThreads);
  };
  const double weights = total(&TrustSums::weights), directions = total(&TrustSums::directions);
  if (threadIdx.x == 0)
    ratios[blockIdx.x] = groups[row.group].rule.trust(weights, directions, row.p.numel);
}

/// The trust ratios of a step's parameters. They live until the step is launched.
template <class Rule>
class TrustRatios {
 public:
  TrustRatios(const OptimizerArgs<Rule>& args, const StepTable<Rule>& table)
      : sums_(args.device, table.pieces), ratios_(args.device, table.count()) {
    if (table.count() == 0) return;
    const auto run = [&](auto kernel) {
      constexpr std::int64_t kPiecesOfChunk = kChunk / kPiece;
      launch(args.device, blocks_for(args.device, ceil_div(table.pieces, kPiecesOfChunk)),
             kLaneThreads, kernel, table.rows.data(), table.count(), table.pieces,
             table.groups.data(), args.scale, sums_.data());
    };
    if (table.kind == StepKind::kPlain) {
      run(trust_sums_kernel<StepKind::kPlain, Rule>);
    } else {
      run(trust_sums_kernel<StepKind::kStored, Rule>);
    }
    launch(args.device, table.count(), kLaneThreads, trust_ratio_kernel<Rule>, table.rows.data(),
           table.groups.data(), sums_.data(), ratios_.data(), args.scale);
  }
  const double* data() const { return ratios_.data(); }

 private:
  Scratch<TrustSums> sums_;
  Scratch<double> ratios_;
};

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// optimizer_step() on CUDA devices: gradient, state and parameter are read once, with unscaling,
// clipping and the skip, and the weight's copy for autocast is written in the same pass. One launch
// steps all parameters and advances the counts. Everything that it reads is prepared before, so
// whatever can fail comes before the first write. Rule is an optimizer's formula, shared with the
// host.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/optim/args.hpp"
#include "amp/kernels/optim/cuda/rounded.cuh"
#include "amp/kernels/optim/cuda/step_blocks.cuh"
#include "amp/kernels/optim/cuda/step_table.cuh"
#include "amp/kernels/optim/cuda/trust_ratio.cuh"
#include "amp/kernels/optim/cuda/weights.cuh"
#include "amp/kernels/optim/grad_scale.hpp"
#include "amp/kernels/optim/scheduled_rate.hpp"
#include "amp/kernels/traversal/cuda/pieces.cuh"

namespace amp::inline v0::kernels::cuda {

/// Takes the parameter by value: otherwise the compiler must assume that a store may change the
/// row.
template <StepKind kKind, class C, class Rule>
__device__ void step_piece(const OptimizerParameter<Rule> p, bool vectors,
                           const GroupSettings<Rule>& group, double trust, bool is_new, Range range,
                           const GradScale& scale, std::int64_t applied) {
  constexpr int kStates = kStatesOf<Rule, kKind>;
  const auto& k = shared_coefficients<C>(
      p, group.rule, is_new, [&] { return scheduled_rate(group.lr, applied); }, trust);
  const C factor = static_cast<C>(group.factor(scale, p.gradient_dtype));
  if constexpr (kKind == StepKind::kBlocks && std::is_same_v<C, float>) {
    if (p.state_dtype == kUInt8)
      return step_blocks<kKind>(p, vectors, group, k, factor, range, applied);
  }
  const Rule rule = group.rule;
  for_each_vector<C>(vectors, range, [&](auto size, std::int64_t i) {
    constexpr int N = decltype(size)::value;
    C w[N], g[N], states[kStates][N] = {};
    load_elements<kKind>(p, i, rule, w, states, g);
    for (int l = 0; l < N; ++l) {
      Rounded<C> grad = factor * Rounded<C>{g[l]}, weight{w[l]}, state[kStates];
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) state[s].value = states[s][l];
      update_with<Rule>(k, grad, weight, state);
      AMP_UNROLL
      for (int s = 0; s < kStates; ++s) states[s][l] = state[s].value;
      w[l] = weight.value;
    }
    AMP_UNROLL
    for (int s = 0; s < kStates; ++s) {
      if (!rule.keeps_state(s)) continue;
      if (kKind != StepKind::kPlain && s == Rule::kStochasticState && group.stochastic_state &&
          p.state_dtype == kBFloat16) {
        const auto bits =
            RoundingBits::of(group.seed, p.weight.index, applied, RoundingBits::kState);
        store_stochastic<bfloat16>(p.states[s], i, states[s], bits);
      } else {
        store_some(p.states[s], p.state_dtype, i, states[s]);
      }
    }
    store_weights<kKind>(p, i, w, group.seed, applied);
    if (kKind != StepKind::kPlain && group.zero_grad) zero_gradient<C, N>(p, i);
  });
}

template <class Parameter>
__device__ void zero_piece(const Parameter p, bool vectors, Range range) {
  for_each_vector<float>(vectors, range, [&](auto size, std::int64_t i) {
    zero_gradient<float, decltype(size)::value>(p, i);
  });
}

/// The last block to finish advances the counts, because no block reads them any more.
template <StepKind kKind, class Rule>
AMP_KERNEL void step_kernel(const StepRow<Rule>* rows, std::int64_t count, std::int64_t pieces,
                            const GroupSettings<Rule>* groups, unsigned* arrived,
                            std::int64_t* applied, GradScale scale, const double* trust) {
  using Row = StepRow<Rule>;
  if (scale.skips()) {
    if constexpr (kKind != StepKind::kPlain)
      for_each_piece(rows, count, &Row::first_piece, pieces, kPiece,
                     [&](const Row& row, Range range, std::int64_t) {
                       if (groups[row.group].zero_grad) zero_piece(row.p, row.vectors, range);
                     });
    return;
  }
  const std::int64_t before = *applied;
  const Row* known = nullptr;  // the row of the block's coefficients
  for_each_piece(
      rows, count, &Row::first_piece, pieces, kPiece,
      [&](const Row& row, Range range, std::int64_t) {
        const GroupSettings<Rule>& group = groups[row.group];
        const bool is_new = known != &row;
        known = &row;
        const double ratio = kTrusts<Rule> ? trust[&row - rows] : 1;
        if (row.p.dtype == kFloat64) {
          step_piece<kKind, double>(row.p, row.vectors, group, ratio, is_new, range, scale, before);
        } else {
          step_piece<kKind, float>(row.p, row.vectors, group, ratio, is_new, range, scale, before);
        }
      });
  if (!is_last_block(arrived)) return;
  for (std::int64_t i = threadIdx.x; Rule::kCountsSteps && i < count; i += blockDim.x)
    count_step(rows[i].p, groups[rows[i].group].rule);
  if (threadIdx.x == 0) ++*applied;
}

/// Steps the parameters of all groups.
template <class Rule>
void optimizer_step(const OptimizerArgs<Rule>& args) {
  const TableOfCall<StepTable<Rule>> table(args.device, args.table);
  table->send(args.groups, args.count);
  const auto run = [&](auto kernel, const double* trust) {
    launch(args.device, blocks_for(args.device, table->pieces), kThreads, kernel,
           table->rows.data(), table->count(), table->pieces, table->groups.data(),
           table->arrived.data(), args.applied, args.scale, trust);
  };
  const auto step = [&](const double* trust) {
    if constexpr (kTakesBlocks<Rule>) {
      if (table->kind == StepKind::kBlocks) return run(step_kernel<StepKind::kBlocks, Rule>, trust);
    }
    if constexpr (plain_states<Rule>() < Rule::kStates) {
      if (table->kind == StepKind::kFull) return run(step_kernel<StepKind::kFull, Rule>, trust);
    }
    if (table->kind == StepKind::kPlain) {
      run(step_kernel<StepKind::kPlain, Rule>, trust);
    } else {
      run(step_kernel<StepKind::kStored, Rule>, trust);
    }
  };
  if constexpr (kTrusts<Rule>) {
    step(TrustRatios<Rule>(args, *table).data());
  } else {
    step(nullptr);
  }
}

}  // namespace amp::inline v0::kernels::cuda

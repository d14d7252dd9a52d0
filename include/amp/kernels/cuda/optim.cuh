// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included. The host's list goes to a table on the device by value, some parameters per launch,
// with what depends on the schedule and the counts; then one launch steps them all and advances the
// counts. So whatever can fail comes before the first write. Formulas as in optim/sgd.hpp and
// optim/adam.hpp; the expressions are the host's, operation by operation.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/cuda/unscale.cuh"
#include "amp/kernels/grad_scale.hpp"

namespace amp::inline v0::kernels::cuda {

/// The rules of a group, and a parameter's row of the table. `first`: the number of its first
/// piece.
struct SgdRule {
  double momentum, weight_decay;
  bool nesterov;
};
struct SgdStep {
  SgdParameter p;
  std::int64_t first;
  SgdRule rule;
  double rate;
};

struct AdamRule {
  double beta1, beta2, eps, weight_decay;
  bool decoupled;
};
struct AdamStep {
  AdamParameter p;
  std::int64_t first;
  AdamRule rule;
  double step_size, root_correction, shrink;  // by the steps that were applied to the parameter
};

inline SgdRule rule_of(const SgdGroup& group) {
  return {group.momentum, group.weight_decay, group.nesterov};
}
inline AdamRule rule_of(const AdamGroup& group) {
  return {group.beta1, group.beta2, group.eps, group.weight_decay, group.decoupled};
}

__device__ inline SgdStep row_of(const SgdParameter& p, std::int64_t first, const SgdRule& rule,
                                 double rate) {
  return {p, first, rule, rate};
}
__device__ inline AdamStep row_of(const AdamParameter& p, std::int64_t first, const AdamRule& rule,
                                  double rate) {
  const auto step = static_cast<double>(*p.step + 1);
  return {p,
          first,
          rule,
          rate / (1 - functions::math::pow(rule.beta1, step)),
          functions::math::sqrt(1 - functions::math::pow(rule.beta2, step)),
          1 - rate * rule.weight_decay};
}

__device__ inline void count_step(const SgdStep&) {}
__device__ inline void count_step(const AdamStep& row) { ++*row.p.step; }

template <class C>
__device__ void step_piece(const SgdStep& row, std::int64_t begin, std::int64_t end,
                           const GradScale& scale) {
  const SgdParameter& p = row.p;
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C lr = static_cast<C>(row.rate), mu = static_cast<C>(row.rule.momentum),
          decay = static_cast<C>(row.rule.weight_decay);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const C w = load<C>(p.parameter, p.dtype, i);
    C step = load<C>(p.gradient, p.gradient_dtype, i) * factor + decay * w;
    if (p.momentum != nullptr) {
      const C v = mu * load<C>(p.momentum, p.dtype, i) + step;
      step = row.rule.nesterov ? step + mu * v : v;
      store<C>(p.momentum, p.dtype, i, v);
    }
    store<C>(p.parameter, p.dtype, i, w - lr * step);
  }
}

template <class C>
__device__ void step_piece(const AdamStep& row, std::int64_t begin, std::int64_t end,
                           const GradScale& scale) {
  const AdamParameter& p = row.p;
  const AdamRule& rule = row.rule;
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C step_size = static_cast<C>(row.step_size);
  const C root_correction = static_cast<C>(row.root_correction);
  const C weight1 = static_cast<C>(1 - rule.beta1), weight2 = static_cast<C>(1 - rule.beta2);
  const C beta2 = static_cast<C>(rule.beta2), eps = static_cast<C>(rule.eps),
          decay = static_cast<C>(rule.weight_decay);
  const C shrink = static_cast<C>(row.shrink);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    C w = load<C>(p.parameter, p.dtype, i);
    C m = load<C>(p.exp_avg, p.dtype, i);
    C v = load<C>(p.exp_avg_sq, p.dtype, i);
    if (rule.decoupled) w *= shrink;
    const C grad =
        load<C>(p.gradient, p.gradient_dtype, i) * factor + (rule.decoupled ? C{0} : decay * w);
    m += weight1 * (grad - m);
    v = beta2 * v + weight2 * grad * grad;
    w -= step_size * m / (functions::math::sqrt(v) / root_correction + eps);
    store<C>(p.parameter, p.dtype, i, w);
    store<C>(p.exp_avg, p.dtype, i, m);
    store<C>(p.exp_avg_sq, p.dtype, i, v);
  }
}

/// A thread per parameter of the batch, whose pieces are numbered from `first` on.
template <class Parameters, class Rule, class Row>
AMP_KERNEL void list_kernel(Parameters batch, std::int64_t first, Rule rule, LearningRate lr,
                            const std::int64_t* applied, GradScale scale, Row* rows) {
  const int i = static_cast<int>(threadIdx.x);
  if (skipped(scale) || i >= batch.count) return;
  rows[i] = row_of(batch.items[i], first + batch.first[i], rule,
                   scheduled_rate(lr.schedule, lr.rate, *applied));
}

/// The row that holds a piece: the last that begins at it or before.
template <class Row>
__device__ const Row& row_with(const Row* rows, std::int64_t count, std::int64_t piece) {
  std::int64_t low = 0;
  for (std::int64_t high = count; high - low > 1;) {
    const std::int64_t middle = low + (high - low) / 2;
    (rows[middle].first <= piece ? low : high) = middle;
  }
  return rows[low];
}

/// The first block counts: nobody reads the counts here.
template <class Row>
AMP_KERNEL void step_kernel(const Row* rows, std::int64_t count, std::int64_t pieces,
                            std::int64_t* applied, GradScale scale) {
  if (skipped(scale)) return;
  if (blockIdx.x == 0) {
    for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) count_step(rows[i]);
    if (threadIdx.x == 0) ++*applied;
  }
  for (std::int64_t n = blockIdx.x; n < pieces; n += gridDim.x) {
    const Row row = row_with(rows, count, n);
    const std::int64_t begin = (n - row.first) * kPiece, rest = row.p.numel - begin;
    const std::int64_t end = begin + (rest < kPiece ? rest : kPiece);
    if (row.p.dtype == kFloat64) {
      step_piece<double>(row, begin, end, scale);
    } else {
      step_piece<float>(row, begin, end, scale);
    }
  }
}

/// A step of all groups.
template <class Row, class Args>
void take_step(const Args& args) {
  std::int64_t count = 0, pieces = 0;
  for (std::int64_t g = 0; g < args.count; ++g) count += args.groups[g].count;
  const Scratch<Row> rows(args.device, count);
  Row* next = rows.data();
  for (std::int64_t g = 0; g < args.count; ++g) {
    const auto& group = args.groups[g];
    const auto rule = rule_of(group);
    for_each_batch(group.parameters, group.count, kPiece,
                   [&](const auto& batch, std::int64_t batch_pieces, bool) {
                     if (batch.count == 0) return;
                     launch(args.device, 1, 32,
                            list_kernel<std::remove_cvref_t<decltype(batch)>,
                                        std::remove_const_t<decltype(rule)>, Row>,
                            batch, pieces, rule, group.lr, args.applied, args.scale, next);
                     pieces += batch_pieces;
                     next += batch.count;
                   });
  }
  launch(args.device, pieces == 0 ? 1 : grid_for(pieces, 1), kThreads, step_kernel<Row>,
         rows.data(), count, pieces, args.applied, args.scale);
}

inline void sgd(const SgdArgs& args) { take_step<SgdStep>(args); }
inline void adam(const AdamArgs& args) { take_step<AdamStep>(args); }

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Optimizer steps: gradient, state and parameter are read once, unscaling, clipping and the skip
// included. Before the pass over the elements one block evaluates the schedule and advances the
// counts on the device, so that the pass finds them settled. Formulas as in optim/sgd.hpp and
// optim/adam.hpp; the expressions are the host's, operation by operation.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/unscale.cuh"
#include "amp/kernels/grad_scale.hpp"

namespace amp::inline v0::kernels::cuda {

/// The rate of this step, which is counted. Called by all threads of the only block.
__device__ inline double begin_step(const LearningRate& lr) {
  const double rate = scheduled_rate(lr.schedule, lr.rate, *lr.applied);
  __syncthreads();
  if (threadIdx.x == 0 && lr.advances) ++*lr.applied;
  return rate;
}

template <class Rate>
AMP_KERNEL void sgd_begin_kernel(LearningRate lr, GradScale scale, Rate* rate) {
  if (skipped(scale)) return;
  const double now = begin_step(lr);
  if (threadIdx.x == 0) *rate = now;
}

struct SgdRule {
  double momentum, weight_decay;
  bool nesterov;
};

template <class C>
__device__ void sgd_piece(const SgdParameter& p, std::int64_t begin, std::int64_t end,
                          const SgdRule& rule, const GradScale& scale, double rate) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C lr = static_cast<C>(rate), mu = static_cast<C>(rule.momentum),
          decay = static_cast<C>(rule.weight_decay);
  for (std::int64_t i = begin + threadIdx.x; i < end; i += blockDim.x) {
    const C w = load<C>(p.parameter, p.dtype, i);
    C step = load<C>(p.gradient, p.gradient_dtype, i) * factor + decay * w;
    if (p.momentum != nullptr) {
      const C v = mu * load<C>(p.momentum, p.dtype, i) + step;
      step = rule.nesterov ? step + mu * v : v;
      store<C>(p.momentum, p.dtype, i, v);
    }
    store<C>(p.parameter, p.dtype, i, w - lr * step);
  }
}

template <class Parameters>
AMP_KERNEL void sgd_kernel(Parameters batch, SgdRule rule, GradScale scale, const double* rate) {
  if (skipped(scale)) return;
  for (std::int64_t n = blockIdx.x; n < batch.pieces(); n += gridDim.x) {
    const auto piece = batch.piece(n);
    const SgdParameter& p = batch.items[piece.item];
    if (p.dtype == kFloat64) {
      sgd_piece<double>(p, piece.begin, piece.end, rule, scale, *rate);
    } else {
      sgd_piece<float>(p, piece.begin, piece.end, rule, scale, *rate);
    }
  }
}

struct AdamRule {
  double beta1, beta2, eps, weight_decay;
  bool decoupled;
};
/// What depends on the steps that were applied to a parameter.
struct AdamFactors {
  double step_size, root_correction, shrink;
};

/// A thread per parameter: counts its step.
template <class Parameters>
AMP_KERNEL void adam_begin_kernel(Parameters batch, AdamRule rule, LearningRate lr, GradScale scale,
                                  AdamFactors* factors) {
  if (skipped(scale)) return;
  const double rate = begin_step(lr);
  const int i = static_cast<int>(threadIdx.x);
  if (i >= batch.count) return;
  const auto step = static_cast<double>(++*batch.items[i].step);
  factors[i] = {
      rate / (1 - functions::math::pow(rule.beta1, step)),
      functions::math::sqrt(1 - functions::math::pow(rule.beta2, step)),
      1 - rate * rule.weight_decay,
  };
}

template <class C>
__device__ void adam_piece(const AdamParameter& p, std::int64_t begin, std::int64_t end,
                           const AdamRule& rule, const GradScale& scale,
                           const AdamFactors& factors) {
  const C factor = static_cast<C>(gradient_factor(scale, p.gradient_dtype));
  const C step_size = static_cast<C>(factors.step_size);
  const C root_correction = static_cast<C>(factors.root_correction);
  const C weight1 = static_cast<C>(1 - rule.beta1), weight2 = static_cast<C>(1 - rule.beta2);
  const C beta2 = static_cast<C>(rule.beta2), eps = static_cast<C>(rule.eps),
          decay = static_cast<C>(rule.weight_decay);
  const C shrink = static_cast<C>(factors.shrink);
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

template <class Parameters>
AMP_KERNEL void adam_kernel(Parameters batch, AdamRule rule, GradScale scale,
                            const AdamFactors* factors) {
  if (skipped(scale)) return;
  for (std::int64_t n = blockIdx.x; n < batch.pieces(); n += gridDim.x) {
    const auto piece = batch.piece(n);
    const AdamParameter& p = batch.items[piece.item];
    if (p.dtype == kFloat64) {
      adam_piece<double>(p, piece.begin, piece.end, rule, scale, factors[piece.item]);
    } else {
      adam_piece<float>(p, piece.begin, piece.end, rule, scale, factors[piece.item]);
    }
  }
}

inline void sgd(const SgdArgs& args) {
  const SgdRule rule{args.momentum, args.weight_decay, args.nesterov};
  const Scratch<double> rate(args.device, 1);
  launch(args.device, 1, 32, sgd_begin_kernel<double>, args.lr, args.scale, rate.data());
  for_each_batch(args.parameters, args.count, kPiece,
                 [&](const Batch<SgdParameter>& batch, std::int64_t pieces, bool) {
                   launch(args.device, grid_for(pieces, 1), kThreads,
                          sgd_kernel<Batch<SgdParameter>>, batch, rule, args.scale, rate.data());
                 });
}

/// Batches take turns with the factors: the stream keeps their order.
inline void adam(const AdamArgs& args) {
  const AdamRule rule{args.beta1, args.beta2, args.eps, args.weight_decay, args.decoupled};
  const Scratch<AdamFactors> factors(args.device, Batch<AdamParameter>::kItems);
  for_each_batch(args.parameters, args.count, kPiece,
                 [&](const Batch<AdamParameter>& batch, std::int64_t pieces, bool last) {
                   LearningRate lr = args.lr;
                   lr.advances = lr.advances && last;  // all batches see the same count
                   launch(args.device, 1, 32, adam_begin_kernel<Batch<AdamParameter>>, batch, rule,
                          lr, args.scale, factors.data());
                   launch(args.device, grid_for(pieces, 1), kThreads,
                          adam_kernel<Batch<AdamParameter>>, batch, rule, args.scale,
                          factors.data());
                 });
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy against class indices, fused: probabilities are never stored. With q the smoothed
// and weighted target distribution, q_c = w_c ((1 - e) [c = t] + e / C) (Szegedy et al. 2016,
// section 7),
//   loss    = -sum_c q_c log p_c
//   log p_c = (x_c - m) - L,   m = max_c x_c,   L = log sum_c exp(x_c - m)
//   grad_x  = (p sum_c q_c - q) * grad_loss
// Where x holds log-probabilities already (negative log-likelihood), log p is x and grad_x is
// -q * grad_loss.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/host/softmax.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Targets are checked before anything is written.
inline void check_targets(const CrossEntropyArgs& args, std::int64_t classes) {
  const std::int64_t n = args.targets.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t t = args.targets.as<const std::int64_t>()[i];
    AMP_CHECK((t >= 0 && t < classes) || t == args.ignore_index,
              args.normalized ? "nll_loss" : "cross_entropy", ": `targets` must lie in [0, ",
              classes, ") or be ignore_index ", args.ignore_index, ", but targets[", i, "] is ", t);
  }
}

/// q of one line, and what is common to all lines.
template <class C>
struct TargetDistribution {
  const C* weight;  // null: all 1
  C certain, share;
  C share_sum = 0;  // of all classes' shares

  template <class Args>
  TargetDistribution(const Args& args, std::int64_t classes, C* buffer)
      : weight(args.weight.present ? fetch(args.weight, 0, 1, classes, buffer) : nullptr),
        certain(static_cast<C>(1 - args.label_smoothing)),
        share(static_cast<C>(args.label_smoothing) / static_cast<C>(classes)) {
    if (share == 0) return;
    for (std::int64_t c = 0; c < classes; ++c) share_sum += share * weight_of(c);
  }
  C weight_of(std::int64_t c) const { return weight == nullptr ? C{1} : weight[c]; }
};

template <class C>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  check_targets(args, lines.length);
  const HostBuffer<C> weights(args.weight.present ? lines.length : 0);
  const TargetDistribution<C> q(args, lines.length, weights.data());
  const std::int64_t* const targets = args.targets.as<const std::int64_t>();
  C* const losses = args.losses.as<C>();
  C* const log_sums = args.log_sum.as<C>();
  parallel_ranges(
      lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> scratch(lines.length);
        for (std::int64_t line = begin; line < end; ++line) {
          const C* const x =
              fetch(args.logits, lines.start(line), lines.stride, lines.length, scratch.data());
          const std::int64_t t = targets[line];
          const C maximum = args.normalized ? C{0} : maximum_of(x, lines.length);
          log_sums[line] = args.normalized ? C{0} : log_sum_exp(x, lines.length, maximum);
          losses[line] = 0;
          if (t == args.ignore_index) continue;
          const auto log_p = [&](std::int64_t c) { return (x[c] - maximum) - log_sums[line]; };
          losses[line] = -q.certain * q.weight_of(t) * log_p(t);
          if (q.share == 0) continue;
          C sum = 0;
          for (std::int64_t c = 0; c < lines.length; ++c) sum += q.weight_of(c) * log_p(c);
          losses[line] -= q.share * sum;
        }
      });
  double total_weight = 0;
  for (std::int64_t i = 0; i < lines.count; ++i) {
    if (targets[i] != args.ignore_index)
      total_weight += static_cast<double>(q.weight_of(targets[i]));
  }
  args.total_weight.as<C>()[0] = static_cast<C>(total_weight);
  if (args.reduction == kNone) return;
  double total = 0;
  for (std::int64_t i = 0; i < lines.count; ++i) total += static_cast<double>(losses[i]);
  if (args.reduction == kMean) total /= total_weight;  // no target counted: NaN, as in torch
  const C loss = static_cast<C>(total);
  store(&loss, args.loss, 0, 1, 1);
}

template <class C>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const HostBuffer<C> weights(args.weight.present ? lines.length : 0);
  const TargetDistribution<C> q(args, lines.length, weights.data());
  const C* const log_sums = args.log_sum.as<const C>();
  parallel_ranges(
      lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> scratch(2 * lines.length);
        for (std::int64_t line = begin; line < end; ++line) {
          const std::int64_t at = lines.start(line);
          const std::int64_t t = args.targets.as<const std::int64_t>()[line];
          C grad_buffer = 0;
          C grad = *fetch(args.grad_output, args.reduction == kNone ? line : 0, 1, 1, &grad_buffer);
          if (args.reduction == kMean) grad /= args.total_weight.as<const C>()[0];
          const C* const x = fetch(args.logits, at, lines.stride, lines.length, scratch.data());
          C* const grad_x = target(args.grad_logits, at, lines.stride, lines.length,
                                   scratch.data() + lines.length);
          if (t == args.ignore_index) {
            for (std::int64_t c = 0; c < lines.length; ++c) grad_x[c] = 0;
          } else {
            const C q_sum = q.certain * q.weight_of(t) + q.share_sum;
            const C maximum = args.normalized ? C{0} : maximum_of(x, lines.length);
            for (std::int64_t c = 0; c < lines.length; ++c) {
              const C p = args.normalized ? C{0} : std::exp((x[c] - maximum) - log_sums[line]);
              const C wanted = q.weight_of(c) * (q.share + (c == t ? q.certain : C{0}));
              grad_x[c] = (p * q_sum - wanted) * grad;
            }
          }
          store(grad_x, args.grad_logits, at, lines.stride, lines.length);
        }
      });
}

}  // namespace detail

inline void cross_entropy(const CrossEntropyArgs& args) {
  visit_float_type(args.logits.dtype,
                   [&](auto tag) { detail::cross_entropy<typename decltype(tag)::type>(args); });
}
inline void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  visit_float_type(args.logits.dtype, [&](auto tag) {
    detail::cross_entropy_backward<typename decltype(tag)::type>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

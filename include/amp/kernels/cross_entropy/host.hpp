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

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/cross_entropy/host/rows.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

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

  /// `buffer` has room for a row.
  template <class Args>
  TargetDistribution(const Args& args, std::int64_t classes, C* buffer)
      : weight(args.weight.present ? RowBlock{0, 1, classes, 1}.fetch(args.weight, buffer)
                                   : nullptr),
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
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const TargetDistribution<C> q(args, lines.length, weights.data());
  const std::int64_t* const targets = args.targets.as<const std::int64_t>();
  C* const losses = args.losses.as<C>();
  C* const log_sums = args.log_sum.as<C>();
  for_line_blocks<C>(lines, 1, [&](std::int64_t first, std::int64_t count, C* scratch) {
    const std::int64_t n = lines.length;
    const RowBlock block{lines.start(first), lines.stride, n, count};
    const C* x = block.fetch(args.logits, scratch);
    for (std::int64_t line = first; line < first + count; ++line, x += n) {
      const std::int64_t t = targets[line];
      const auto sums = args.normalized ? LogSum<C>{} : on_rows<LogSumOfRow, C>(x, n);
      log_sums[line] = sums.log_sum;
      losses[line] = 0;
      if (t == args.ignore_index) continue;
      losses[line] = -q.certain * q.weight_of(t) * ((x[t] - sums.maximum) - sums.log_sum);
      if (q.share == 0) continue;
      losses[line] -= q.share * static_cast<C>(on_rows<WeightedLogs, C>(x, q.weight, n, sums));
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
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const TargetDistribution<C> q(args, lines.length, weights.data());
  const C* const log_sums = args.log_sum.as<const C>();
  for_line_blocks<C>(lines, 2, [&](std::int64_t first, std::int64_t count, C* scratch) {
    const std::int64_t n = lines.length;
    const RowBlock block{lines.start(first), lines.stride, n, count};
    const C* x = block.fetch(args.logits, scratch);
    C* const result = block.target(args.grad_logits, scratch + block.space());
    C* grad_x = result;
    for (std::int64_t line = first; line < first + count; ++line, x += n, grad_x += n) {
      const std::int64_t t = args.targets.as<const std::int64_t>()[line];
      if (t == args.ignore_index) {
        std::fill_n(grad_x, n, C{0});
        continue;
      }
      C grad_buffer = 0;
      C grad = *fetch(args.grad_output, args.reduction == kNone ? line : 0, 1, 1, &grad_buffer);
      if (args.reduction == kMean) grad /= args.total_weight.as<const C>()[0];
      const C q_sum = q.certain * q.weight_of(t) + q.share_sum;
      on_rows<CrossEntropyGradient, C>(x, grad_x, n,
                                       CrossEntropyRow<C>{q.weight, q_sum, q.share, q.certain, grad,
                                                          log_sums[line], t, args.normalized});
    }
    block.store(result, args.grad_logits);
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

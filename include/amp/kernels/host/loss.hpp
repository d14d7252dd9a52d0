// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Cross-entropy against class indices, fused: probabilities are never stored. With q the smoothed
// target distribution, q_c = (1 - e) [c = t] + e / C (Szegedy et al. 2016, section 7),
//   loss   = -sum_c q_c log p_c = L - (1 - e) (x_t - m) - e / C sum_c (x_c - m)
//   log p_c = (x_c - m) - L,   m = max_c x_c,   L = log sum_c exp(x_c - m)
//   grad_x = (p - q) * grad_loss
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/host/softmax.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Targets are checked before anything is written.
inline std::int64_t count_targets(const Operand& targets, std::int64_t classes,
                                  std::int64_t ignore_index) {
  std::int64_t counted = 0;
  const std::int64_t n = targets.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t t = targets.as<const std::int64_t>()[i];
    if (t == ignore_index) continue;
    AMP_CHECK(t >= 0 && t < classes, "cross_entropy: `targets` must lie in [0, ", classes,
              ") or be ignore_index ", ignore_index, ", but targets[", i, "] is ", t);
    ++counted;
  }
  return counted;
}

template <class C>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  const std::int64_t counted = count_targets(args.targets, lines.length, args.ignore_index);
  const C smoothing = static_cast<C>(args.label_smoothing);
  C* const losses = args.losses.as<C>();
  C* const log_sums = args.log_sum.as<C>();
  parallel_ranges(
      lines.count, ceil_div(4 * kBlock, lines.length), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> scratch(lines.length);
        for (std::int64_t line = begin; line < end; ++line) {
          const C* const x =
              fetch(args.logits, lines.start(line), lines.stride, lines.length, scratch.data());
          const std::int64_t t = args.targets.as<const std::int64_t>()[line];
          const C maximum = maximum_of(x, lines.length);
          C sum = 0;
          log_sums[line] = log_sum_exp(x, lines.length, maximum);
          if (smoothing != 0) {
            for (std::int64_t c = 0; c < lines.length; ++c) sum += x[c] - maximum;
          }
          losses[line] = t == args.ignore_index
                             ? C{0}
                             : log_sums[line] - (C{1} - smoothing) * (x[t] - maximum) -
                                   smoothing / static_cast<C>(lines.length) * sum;
        }
      });
  args.total_weight.as<C>()[0] = static_cast<C>(counted);
  if (args.reduction == kNone) return;
  double total = 0;
  for (std::int64_t i = 0; i < lines.count; ++i) total += static_cast<double>(losses[i]);
  if (args.reduction == kMean)
    total /= static_cast<double>(counted);  // no target counted: NaN, as in torch
  args.loss.as<C>()[0] = static_cast<C>(total);
}

template <class C>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const C smoothing = static_cast<C>(args.label_smoothing);
  const C share = smoothing / static_cast<C>(lines.length);
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
          const C maximum = maximum_of(x, lines.length);
          C* const grad_x = target(args.grad_logits, at, lines.stride, lines.length,
                                   scratch.data() + lines.length);
          for (std::int64_t c = 0; c < lines.length; ++c) {
            const C q = share + (c == t ? C{1} - smoothing : C{0});
            grad_x[c] = t == args.ignore_index
                            ? C{0}
                            : (std::exp((x[c] - maximum) - log_sums[line]) - q) * grad;
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

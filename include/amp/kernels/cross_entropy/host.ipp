// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/simd/fold.hpp"
#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/cross_entropy/formula.hpp"
#include "amp/kernels/cross_entropy/host.hpp"
#include "amp/kernels/softmax/host/rows.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <class C>
struct LogSum {
  C maximum, log_sum;
};
struct LogSumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static LogSum<C> run(const C* x, std::int64_t n) {
    const C maximum = MaximumOfRow::run<Isa>(x, n);
    C* const none = nullptr;
    return {maximum, finished_sum<true, Isa>(x, none, n, maximum)};
  }
};

/// The sum of weight * ((x - maximum) - log_sum). Null weights count as 1.
struct WeightedLogs {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, const C* weights, std::int64_t n,
                                      LogSum<C> sums) {
    simd::Vec<double, Isa> sum = 0;
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> v = (simd::load<Isa>(x + i) - sums.maximum) - sums.log_sum;
      if (weights != nullptr) v = v * simd::load<Isa>(weights + i);
      sum += simd::to_double(simd::keep_first(v, n - i));
    }
    return simd::sum_of(sum);
  }
};

/// Computes the gradient of one row. p is 0 if the row is `normalized`.
template <class C>
struct CrossEntropyRow {
  SmoothedTarget<C> q;
  const C* weights;
  C q_sum, grad, log_sum;
  std::int64_t target;
  bool normalized;
};
struct CrossEntropyGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* grad_x, std::int64_t n, CrossEntropyRow<C> row) {
    const C maximum = row.normalized ? C{0} : MaximumOfRow::run<Isa>(x, n);
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> p = 0, q = row.q.share;
      if (!row.normalized) p = exp((simd::load<Isa>(x + i) - maximum) - row.log_sum);
      if (row.weights != nullptr) q = q * simd::load<Isa>(row.weights + i);
      row.q.to_gradient(p, q, row.q_sum, row.grad);
      simd::store(p, grad_x + i);
    }
    // The target has another q.
    C p = row.normalized ? C{0} : std::exp((x[row.target] - maximum) - row.log_sum);
    const C weight = row.weights == nullptr ? C{1} : row.weights[row.target];
    row.q.to_gradient(p, row.q.of(weight, true), row.q_sum, row.grad);
    grad_x[row.target] = p;
  }
};

/// Checks the targets before anything is written.
AMP_LAZY void check_targets(const CrossEntropyArgs& args, std::int64_t classes) {
  const std::int64_t n = args.targets.numel();
  for (std::int64_t i = 0; i < n; ++i) {
    const std::int64_t t = args.targets.as<const std::int64_t>()[i];
    AMP_CHECK((t >= 0 && t < classes) || t == args.ignore_index,
              args.normalized ? "nll_loss" : "cross_entropy", ": `targets` must lie in [0, ",
              classes, ") or be ignore_index ", args.ignore_index, ", but targets[", i, "] is ", t);
  }
}

/// The parameters that the targets of all lines share.
template <class C>
struct Targets {
  SmoothedTarget<C> q;
  const C* weight;     // null: all 1
  double weights = 0;  // the sum over all classes; 0 without smoothing

  /// `buffer` must have room for a row.
  template <class Args>
  Targets(const Args& args, std::int64_t classes, C* buffer)
      : q(args.label_smoothing, classes),
        weight(args.weight.present ? RowBlock{0, 1, classes, 1}.fetch(args.weight, buffer)
                                   : nullptr) {
    for (std::int64_t c = 0; c < classes && q.is_smoothed(); ++c)
      weights += static_cast<double>(weight_of(c));
  }
  C weight_of(std::int64_t c) const { return weight == nullptr ? C{1} : weight[c]; }
};

template <class C>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  check_targets(args, lines.length);
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const Targets<C> common(args, lines.length, weights.data());
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
      losses[line] =
          common.q.certain_loss(common.weight_of(t), (x[t] - sums.maximum) - sums.log_sum);
      if (!common.q.is_smoothed()) continue;
      losses[line] -=
          common.q.share * static_cast<C>(on_rows<WeightedLogs, C>(x, common.weight, n, sums));
    }
  });
  double total_weight = 0;
  for (std::int64_t i = 0; i < lines.count; ++i) {
    if (targets[i] != args.ignore_index)
      total_weight += static_cast<double>(common.weight_of(targets[i]));
  }
  args.total_weight.as<C>()[0] = static_cast<C>(total_weight);
  if (args.reduction == kNone) return;
  double total = 0;
  for (std::int64_t i = 0; i < lines.count; ++i) total += static_cast<double>(losses[i]);
  if (args.reduction == kMean) total /= total_weight;  // if no target counts: NaN, as in torch
  const C loss = static_cast<C>(total);
  store(&loss, args.loss, 0, 1, 1);
}

template <class C>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const Targets<C> common(args, lines.length, weights.data());
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
      const C q_sum = common.q.sum(common.weight_of(t), common.weights);
      on_rows<CrossEntropyGradient, C>(x, grad_x, n,
                                       CrossEntropyRow<C>{common.q, common.weight, q_sum, grad,
                                                          log_sums[line], t, args.normalized});
    }
    block.store(result, args.grad_logits);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void cross_entropy(const CrossEntropyArgs& args) {
  visit_float_type(args.logits.dtype,
                   [&](auto tag) { detail::cross_entropy<typename decltype(tag)::type>(args); });
}
AMP_LAZY_DEFINITION void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  visit_float_type(args.logits.dtype, [&](auto tag) {
    detail::cross_entropy_backward<typename decltype(tag)::type>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

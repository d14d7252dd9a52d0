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
//
// Nobody can throw here: a target out of range makes its loss, its gradient, the total weight and
// the reduced loss NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/cross_entropy/cuda/columns.cuh"
#include "amp/kernels/cross_entropy/cuda/rows.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class Team, class C>
AMP_KERNEL void cross_entropy_kernel(Lines lines, TargetDistribution<C> q, Input logits, C* losses,
                                     C* log_sums, LossTotals* parts) {
  LossTotals totals;
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line), t = q.targets[line];
    C maximum{0}, log_sum{0};
    if (!q.normalized) {
      const ExpSum<C> total = line_exp_sum<Team, C>(lines, logits, start);
      maximum = total.maximum;
      log_sum = static_cast<C>(functions::math::log(total.sum));
    }
    ShareSums shares;
    if (q.share != C{0}) {
      for (std::int64_t c = Team::first(); c < lines.length; c += Team::step()) {
        const C weight = q.weight_of(c);
        shares.logits +=
            static_cast<double>(weight * (load<C>(logits, start + c * lines.stride) - maximum));
        shares.weight += static_cast<double>(weight);
      }
      shares.weight = Team::template reduce<functions::Add>(shares.weight);
      shares.logits = Team::template reduce<functions::Add>(shares.logits) +
                      shares.weight * static_cast<double>(maximum);
    }
    if (!Team::is_leader()) continue;
    const bool has_class = q.in_range(t);
    finish_line(q, line, has_class ? q.weight_of(t) : C{1},
                has_class ? load<C>(logits, start + t * lines.stride) : C{0}, maximum, log_sum,
                shares, losses, log_sums, totals);
  }
  totals = totals.of_block();
  if (threadIdx.x == 0) parts[blockIdx.x] = totals;
}

inline constexpr unsigned kTotalThreads = 1024;

/// For one block. `reduced` may have no memory.
template <class C>
AMP_KERNEL void __launch_bounds__(kTotalThreads)
    loss_total_kernel(const LossTotals* parts, std::int64_t count, bool mean, C* total_weight,
                      Output reduced) {
  LossTotals totals;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    totals.loss += parts[i].loss;
    totals.weight += parts[i].weight;
  }
  totals = totals.of_block();
  if (threadIdx.x != 0) return;
  *total_weight = static_cast<C>(totals.weight);
  // No target counted: NaN, as in torch.
  if (reduced.data != nullptr)
    store<C>(reduced, 0, static_cast<C>(mean ? totals.loss / totals.weight : totals.loss));
}

/// More blocks than a device runs at once, few enough for one to add up what they leave.
inline std::int64_t loss_blocks(std::int64_t blocks) {
  return (std::min)(blocks, std::int64_t{1} << 13);
}

template <class C>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  const Device device = args.logits.device;
  const TargetDistribution<C> q(args, lines.length);
  C* const losses = args.losses.as<C>();
  C* const log_sums = args.log_sum.as<C>();
  const auto total = [&](const Scratch<LossTotals>& parts, std::int64_t blocks) {
    launch(device, 1, kTotalThreads, loss_total_kernel<C>, parts.data(), blocks,
           args.reduction == kMean, args.total_weight.as<C>(), args.loss);
  };
  if constexpr (std::is_same_v<C, float>) {
    if (!q.normalized && lines.stride == 1 &&
        are_rows_of_vectors(lines.length, args.logits, args.weight)) {
      const Rows<kLossAhead> rows(lines.count, lines.length, kLossThreads);
      const std::int64_t blocks = loss_blocks(rows.blocks());
      const Scratch<LossTotals> parts(device, blocks);
      using R = Rows<kLossAhead>;
      launch(device, blocks, rows.block_threads(),
             q.share != C{0} ? cross_entropy_rows_kernel<true, R>
                             : cross_entropy_rows_kernel<false, R>,
             rows, q, args.logits, losses, log_sums, parts.data());
      return total(parts, blocks);
    }
    if (!q.normalized && are_columns_of_vectors(lines, args.logits) && is_plain(args.weight)) {
      using R = Columns<kLossColumnsKept>;
      const R columns(lines);
      const std::int64_t blocks = loss_blocks(columns.blocks());
      const Scratch<LossTotals> parts(device, blocks);
      launch(device, blocks, kThreads,
             q.share != C{0} ? cross_entropy_columns_kernel<true, R>
                             : cross_entropy_columns_kernel<false, R>,
             columns, q, args.logits, losses, log_sums, parts.data());
      return total(parts, blocks);
    }
  }
  const auto by_teams = [&](auto team, std::int64_t teams) {
    const std::int64_t blocks = loss_blocks(teams);
    const Scratch<LossTotals> parts(device, blocks);
    launch(device, blocks, kThreads, cross_entropy_kernel<decltype(team), C>, lines, q, args.logits,
           losses, log_sums, parts.data());
    total(parts, blocks);
  };
  // Of log-probabilities one element of a line is read.
  if (q.normalized && q.share == C{0}) return by_teams(OneThread{}, grid_for(lines.count));
  visit_team(lines, by_teams);
}

/// grad_output has an element per line, or one for all; the mean's is divided by *total_weight,
/// null otherwise.
template <class Team, class C>
AMP_KERNEL void cross_entropy_backward_kernel(Lines lines, TargetDistribution<C> q,
                                              Input grad_output, bool grad_per_line,
                                              const C* total_weight, Input logits,
                                              const C* log_sums, Output grad_logits) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    LineGrad<C> of_line(q, line);
    C maximum{0};
    if (of_line.counts) {
      of_line.grad = load<C>(grad_output, grad_per_line ? line : 0);
      if (total_weight != nullptr) of_line.grad /= *total_weight;
      if (!q.normalized) {
        maximum = line_maximum<Team, C>(lines, logits, start);
        double share_sum = 0;  // of all classes' shares
        if (q.share != C{0}) {
          for (std::int64_t c = Team::first(); c < lines.length; c += Team::step())
            share_sum += static_cast<double>(q.share * q.weight_of(c));
          share_sum = Team::template reduce<functions::Add>(share_sum);
        }
        of_line.q_sum = q.certain * q.weight_of(of_line.target) + static_cast<C>(share_sum);
      }
    }
    const C log_sum = log_sums[line];
    for (std::int64_t c = Team::first(); c < lines.length; c += Team::step()) {
      const std::int64_t at = start + c * lines.stride;
      C grad_x = of_line.otherwise;
      if (of_line.counts) {
        const C p =
            q.normalized ? C{0} : functions::math::exp((load<C>(logits, at) - maximum) - log_sum);
        grad_x = of_line.apply(q, c == of_line.target, q.weight_of(c), p);
      }
      store<C>(grad_logits, at, grad_x);
    }
  }
}

template <class C>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const Device device = args.logits.device;
  const TargetDistribution<C> q(args, lines.length);
  const bool grad_per_line = args.reduction == kNone;
  const C* const total_weight = args.reduction == kMean ? args.total_weight.as<const C>() : nullptr;
  if constexpr (std::is_same_v<C, float>) {
    const bool plain = !q.normalized && !q.weighted && q.share == C{0};
    const auto enqueue = [&](const auto& shape, unsigned threads, auto kernel) {
      launch(device, shape.blocks(), threads, kernel, shape, q, args.grad_output, grad_per_line,
             total_weight, args.logits, args.log_sum.as<const C>(), args.grad_logits);
    };
    if (lines.stride == 1 &&
        are_rows_of_vectors(lines.length, args.logits, args.weight, args.grad_logits) &&
        is_plain(args.grad_output)) {
      const auto by_rows = [&](auto rows, auto kernel) {
        enqueue(rows, rows.block_threads(), kernel);
      };
      if (!plain) {
        by_rows(Rows<2>(lines.count, lines.length, kLossGradThreads),
                cross_entropy_backward_rows_kernel<false, Rows<2>>);
      } else {
        by_rows(Rows<4>(lines.count, lines.length, kLossGradThreads),
                cross_entropy_backward_rows_kernel<true, Rows<4>>);
      }
      return;
    }
    if (are_columns_of_vectors(lines, args.logits, args.grad_logits) && is_plain(args.weight) &&
        is_plain(args.grad_output)) {
      using R = Columns<kLossGradColumnsKept>;
      return enqueue(R(lines), kThreads,
                     plain ? cross_entropy_backward_columns_kernel<true, R>
                           : cross_entropy_backward_columns_kernel<false, R>);
    }
  }
  visit_team(lines, [&](auto team, std::int64_t blocks) {
    launch(device, blocks, kThreads, cross_entropy_backward_kernel<decltype(team), C>, lines, q,
           args.grad_output, grad_per_line, total_weight, args.logits, args.log_sum.as<const C>(),
           args.grad_logits);
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

}  // namespace amp::inline v0::kernels::cuda

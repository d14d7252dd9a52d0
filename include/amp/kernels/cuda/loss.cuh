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
#include <limits>

#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/cuda/softmax.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The targets and q, but for what differs between lines.
template <class C>
struct TargetDistribution {
  Input weight;
  bool weighted, normalized;
  C certain, share, not_a_number;
  std::int64_t classes, ignore_index;
  const std::int64_t* targets;

  template <class Args>
  TargetDistribution(const Args& args, std::int64_t class_count)
      : weight(args.weight),
        weighted(args.weight.present),
        normalized(args.normalized),
        certain(static_cast<C>(1 - args.label_smoothing)),
        share(static_cast<C>(args.label_smoothing) / static_cast<C>(class_count)),
        not_a_number(std::numeric_limits<C>::quiet_NaN()),
        classes(class_count),
        ignore_index(args.ignore_index),
        targets(args.targets.template as<const std::int64_t>()) {}

  __device__ C weight_of(std::int64_t c) const { return weighted ? load<C>(weight, c) : C{1}; }
  __device__ bool in_range(std::int64_t t) const { return t >= 0 && t < classes; }
};

template <class Team, class C>
AMP_KERNEL void cross_entropy_kernel(Lines lines, TargetDistribution<C> q, Input logits, C* losses,
                                     C* log_sums) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line), t = q.targets[line];
    C maximum{0}, log_sum{0};
    if (!q.normalized) {
      maximum = line_maximum<Team, C>(lines, logits, start);
      const double exp_sum = line_exp_sum<Team>(lines, logits, start, maximum);
      log_sum = static_cast<C>(functions::math::log(exp_sum));
    }
    const auto log_p = [&](std::int64_t c) {
      return (load<C>(logits, start + c * lines.stride) - maximum) - log_sum;
    };
    C loss{0};
    if (q.in_range(t) && t != q.ignore_index) {
      loss = -q.certain * q.weight_of(t) * log_p(t);
      if (q.share != C{0}) {
        double sum = 0;
        for (std::int64_t c = Team::first(); c < lines.length; c += Team::step())
          sum += static_cast<double>(q.weight_of(c) * log_p(c));
        loss -= q.share * static_cast<C>(Team::template reduce<functions::Add>(sum));
      }
    } else if (t != q.ignore_index) {
      loss = q.not_a_number;
    }
    if (!Team::is_leader()) continue;
    losses[line] = loss;
    log_sums[line] = log_sum;
  }
}

/// The sums of losses and of the weights that count.
struct LossTotals {
  double loss, weight;
};

/// Block b sums lines [b * part, (b + 1) * part).
template <class C>
AMP_KERNEL void loss_parts_kernel(TargetDistribution<C> q, const C* losses, std::int64_t count,
                                  std::int64_t part, LossTotals* parts) {
  const std::int64_t begin = blockIdx.x * part;
  const std::int64_t end = begin + part < count ? begin + part : count;
  double loss = 0, weight = 0;
  for (std::int64_t line = begin + threadIdx.x; line < end; line += blockDim.x) {
    const std::int64_t t = q.targets[line];
    loss += static_cast<double>(losses[line]);
    if (t != q.ignore_index)
      weight += static_cast<double>(q.in_range(t) ? q.weight_of(t) : q.not_a_number);
  }
  loss = block_sum(loss);
  weight = block_sum(weight);
  if (threadIdx.x == 0) parts[blockIdx.x] = {loss, weight};
}

/// For one block. `reduced` may be null.
template <class C>
AMP_KERNEL void loss_total_kernel(const LossTotals* parts, std::int64_t count, bool mean,
                                  C* total_weight, C* reduced) {
  double loss = 0, weight = 0;
  for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
    loss += parts[i].loss;
    weight += parts[i].weight;
  }
  loss = block_sum(loss);
  weight = block_sum(weight);
  if (threadIdx.x != 0) return;
  *total_weight = static_cast<C>(weight);
  // No target counted: NaN, as in torch.
  if (reduced != nullptr) *reduced = static_cast<C>(mean ? loss / weight : loss);
}

template <class C>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  const Device device = args.logits.device;
  const TargetDistribution<C> q(args, lines.length);
  visit_team(lines, [&](auto team, std::int64_t blocks) {
    launch(device, blocks, kThreads, cross_entropy_kernel<decltype(team), C>, lines, q, args.logits,
           args.losses.as<C>(), args.log_sum.as<C>());
  });
  constexpr std::int64_t kShortest = 1 << 12, kMost = 1 << 10;
  const std::int64_t part = (std::max)(kShortest, ceil_div(lines.count, kMost));
  const std::int64_t parts = ceil_div(lines.count, part);
  const Scratch<LossTotals> totals(device, parts);
  launch(device, parts, kThreads, loss_parts_kernel<C>, q, args.losses.as<const C>(), lines.count,
         part, totals.data());
  launch(device, 1, kThreads, loss_total_kernel<C>, totals.data(), parts, args.reduction == kMean,
         args.total_weight.as<C>(), args.reduction == kNone ? nullptr : args.loss.as<C>());
}

/// grad_output has an element per line, or one for all; the mean's is divided by *total_weight,
/// null otherwise.
template <class Team, class C>
AMP_KERNEL void cross_entropy_backward_kernel(Lines lines, TargetDistribution<C> q,
                                              Input grad_output, bool grad_per_line,
                                              const C* total_weight, Input logits,
                                              const C* log_sums, Output grad_logits) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line), t = q.targets[line];
    const bool counts = q.in_range(t) && t != q.ignore_index;
    C maximum{0}, q_sum{0}, grad{0};
    if (counts) {
      grad = load<C>(grad_output, grad_per_line ? line : 0);
      if (total_weight != nullptr) grad /= *total_weight;
      if (!q.normalized) {
        maximum = line_maximum<Team, C>(lines, logits, start);
        double share_sum = 0;  // of all classes' shares
        if (q.share != C{0}) {
          for (std::int64_t c = Team::first(); c < lines.length; c += Team::step())
            share_sum += static_cast<double>(q.share * q.weight_of(c));
          share_sum = Team::template reduce<functions::Add>(share_sum);
        }
        q_sum = q.certain * q.weight_of(t) + static_cast<C>(share_sum);
      }
    }
    for (std::int64_t c = Team::first(); c < lines.length; c += Team::step()) {
      const std::int64_t at = start + c * lines.stride;
      C grad_x = t == q.ignore_index ? C{0} : q.not_a_number;
      if (counts) {
        const C wanted = q.weight_of(c) * (q.share + (c == t ? q.certain : C{0}));
        const C p = q.normalized
                        ? C{0}
                        : functions::math::exp((load<C>(logits, at) - maximum) - log_sums[line]);
        grad_x = (p * q_sum - wanted) * grad;
      }
      store<C>(grad_logits, at, grad_x);
    }
  }
}

template <class C>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const TargetDistribution<C> q(args, lines.length);
  visit_team(lines, [&](auto team, std::int64_t blocks) {
    launch(args.logits.device, blocks, kThreads, cross_entropy_backward_kernel<decltype(team), C>,
           lines, q, args.grad_output, args.reduction == kNone,
           args.reduction == kMean ? args.total_weight.as<const C>() : nullptr, args.logits,
           args.log_sum.as<const C>(), args.grad_logits);
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

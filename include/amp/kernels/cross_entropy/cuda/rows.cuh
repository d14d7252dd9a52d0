// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What the kernels of cross-entropy share, and those for rows of vectors: a row is read once on the
// way forward, and once, or twice where no block holds it, on the way back. Formulas in
// cross_entropy/cuda.cuh.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "amp/kernels/softmax/cuda.cuh"

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
  __device__ void weights_of(std::int64_t c, float (&weights)[kVector]) const {
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) weights[l] = 1;
    if (weighted) load_row_vector(weight.data, weight.dtype, c, weights);
  }
  __device__ bool in_range(std::int64_t t) const { return t >= 0 && t < classes; }
};

/// The sums of losses and of the weights that count.
struct LossTotals {
  double loss = 0, weight = 0;

  template <class C>
  __device__ void add(const TargetDistribution<C>& q, std::int64_t target, C line_loss, C its) {
    loss += static_cast<double>(line_loss);
    if (target != q.ignore_index)
      weight += static_cast<double>(q.in_range(target) ? its : q.not_a_number);
  }
  /// Those of all threads of the block.
  __device__ LossTotals of_block() const {
    LossTotals all;
    all.loss = block_sum(loss);
    all.weight = block_sum(weight);
    return all;
  }
};

/// What all classes of a line add to its smoothed loss: sum_c w_c log p_c is
/// logits - weight (m + L).
struct ShareSums {
  double logits = 0, weight = 0;

  /// A thread's part of a row that begins at `start`.
  template <int Kept>
  __device__ __forceinline__ void add(const TargetDistribution<float>& q, const RowPart<Kept>& part,
                                      const RowShare& share, std::int64_t start) {
    AMP_UNROLL
    for (int k = 0; k < Kept; ++k) {
      if (!share.has(k)) continue;
      float weights[kVector], weighted = 0, of_vector = 0;
      q.weights_of(share.at(k) - start, weights);
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) {
        weighted += weights[l] * part.values[k][l];
        of_vector += weights[l];
      }
      logits += static_cast<double>(weighted);
      weight += static_cast<double>(of_vector);
    }
  }
};

/// Loss and totals of a line; for its leader.
template <class C>
__device__ void finish_line(const TargetDistribution<C>& q, std::int64_t line, C target_weight,
                            C target_logit, C maximum, C log_sum, const ShareSums& shares,
                            C* losses, C* log_sums, LossTotals& totals) {
  const std::int64_t t = q.targets[line];
  C loss{0};
  if (q.in_range(t) && t != q.ignore_index) {
    loss = -q.certain * target_weight * ((target_logit - maximum) - log_sum);
    if (q.share != C{0}) {
      const double logarithm = static_cast<double>(maximum) + static_cast<double>(log_sum);
      loss -= q.share * static_cast<C>(shares.logits - shares.weight * logarithm);
    }
  } else if (t != q.ignore_index) {
    loss = q.not_a_number;
  }
  losses[line] = loss;
  log_sums[line] = log_sum;
  totals.add(q, t, loss, target_weight);
}

/// What the backward kernels have of a line.
template <class C>
struct LineGrad {
  std::int64_t target;
  bool counts;
  C grad, q_sum, otherwise;  // the last where it does not count

  __device__ LineGrad(const TargetDistribution<C>& q, std::int64_t line)
      : target(q.targets[line]),
        counts(q.in_range(target) && target != q.ignore_index),
        grad(0),
        q_sum(0),
        otherwise(target == q.ignore_index ? C{0} : q.not_a_number) {}
  __device__ C apply(const TargetDistribution<C>& q, bool is_target, C weight, C p) const {
    const C wanted = weight * (q.share + (is_target ? q.certain : C{0}));
    return (p * q_sum - wanted) * grad;
  }
};

/// Of a thread's part of a row that begins at `start`.
template <int Kept>
__device__ double weight_sum(const TargetDistribution<float>& q, const RowShare& share,
                             std::int64_t start) {
  double sum = 0;
  for (int k = 0; k < Kept; ++k) {
    if (!share.has(k)) continue;
    float weights[kVector], of_vector = 0;
    q.weights_of(share.at(k) - start, weights);
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) of_vector += weights[l];
    sum += static_cast<double>(of_vector);
  }
  return sum;
}

inline constexpr int kLossAhead = 2, kLossThreads = 512, kLossGradThreads = 768;

/// The logits are read once; each block leaves the totals of its lines in parts[blockIdx.x].
template <bool Smoothed, class R>
AMP_KERNEL void __launch_bounds__(kLossThreads)
    cross_entropy_rows_kernel(R rows, TargetDistribution<float> q, Input logits, float* losses,
                              float* log_sums, LossTotals* parts) {
  constexpr float kLog2E = 1.44269504F;
  LossTotals totals;
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    ExpSum<float> sum;
    ShareSums shares;
    const int last = rows.last();
    RowShare share = rows.share(team, 0);
    RowWords<kLossAhead> words(logits, share);
    for (int s = 0; s <= last; ++s) {
      RowPart<kLossAhead> part;
      words.unpack(logits.dtype, part.values);
      const RowShare here = share;
      if (s != last) words = RowWords<kLossAhead>(logits, share = rows.share(team, s + 1));
      sum.raise(part_maximum(part, here, sum.maximum));
      const float origin = sum.origin();
      AMP_UNROLL
      for (int k = 0; k < kLossAhead; ++k) {
        if (!here.has(k)) continue;
        float of_vector = 0;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          of_vector += ::exp2f((part.values[k][l] - origin) * kLog2E);
        sum.sum += static_cast<double>(of_vector);
      }
      if constexpr (Smoothed) shares.add(q, part, here, team.row * rows.vectors * kVector);
    }
    const ExpSum<float> total = sum.of_line(team);
    if constexpr (Smoothed) {
      shares.logits = team.template reduce<functions::Add>(shares.logits);
      shares.weight = team.template reduce<functions::Add>(shares.weight);
    }
    if (!team.is_leader()) continue;
    const float log_sum = functions::math::log(static_cast<float>(total.sum));
    const std::int64_t t = q.targets[team.row], start = team.row * rows.vectors * kVector;
    float weight = 1, logit = 0;
    if (q.in_range(t)) {
      logit = row_element(logits.data, logits.dtype, start + t);
      if (q.weighted) weight = row_element(q.weight.data, q.weight.dtype, t);
    }
    finish_line(q, team.row, weight, logit, total.maximum, log_sum, shares, losses, log_sums,
                totals);
  }
  totals = totals.of_block();
  if (threadIdx.x == 0) parts[blockIdx.x] = totals;
}

/// grad_output has an element per line, or one for all; the mean's is divided by *total_weight,
/// null otherwise. Log-probabilities are not read. `Plain` are classes without weights or
/// smoothing, whose logits are no log-probabilities.
template <bool Plain, class R>
AMP_KERNEL void __launch_bounds__(kLossGradThreads)
    cross_entropy_backward_rows_kernel(R rows, TargetDistribution<float> q, Input grad_output,
                                       bool grad_per_line, const float* total_weight, Input logits,
                                       const float* log_sums, Output grad_logits) {
  const bool normalized = !Plain && q.normalized, weighted = !Plain && q.weighted;
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const int last = rows.last();
    const std::int64_t line = team.vectors != 0 ? team.row : 0;
    const std::int64_t start = team.row * rows.vectors * kVector;
    LineGrad<float> of_line(q, line);
    RowPart<R::kKept> part;
    float maximum = ExpSum<float>::kNone;
    double share_sum = 0;  // of all classes' shares
    for (int s = 0; s <= last && !normalized; ++s) {
      const RowShare share = rows.share(team, s);
      part.load(logits, share);
      maximum = part_maximum(part, share, maximum);
      if (weighted && q.share != 0.0F)
        share_sum += static_cast<double>(q.share) * weight_sum<R::kKept>(q, share, start);
    }
    if (!normalized) maximum = team.template reduce<functions::Maximum>(maximum);
    if (weighted && q.share != 0.0F) {
      share_sum = team.template reduce<functions::Add>(share_sum);
    } else {
      share_sum = static_cast<double>(q.share) * static_cast<double>(q.classes);
    }
    if (of_line.counts) {
      of_line.grad = row_element(grad_output.data, grad_output.dtype, grad_per_line ? line : 0);
      if (total_weight != nullptr) of_line.grad /= *total_weight;
      if constexpr (!Plain) {
        const float weight =
            weighted ? row_element(q.weight.data, q.weight.dtype, of_line.target) : 1.0F;
        of_line.q_sum = q.certain * weight + static_cast<float>(share_sum);
      }
    }
    const float log_sum = normalized ? 0 : log_sums[line];
    for (int s = last; s >= 0; --s) {
      const RowShare share = rows.share(team, s);
      if (s != last && !normalized) part.load(logits, share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        float(&values)[kVector] = part.values[k];
        const std::int64_t ahead = start + of_line.target - share.at(k);
        const int target = ahead >= 0 && ahead < kVector ? static_cast<int>(ahead) : kVector;
        [[maybe_unused]] float weights[kVector];
        if constexpr (!Plain) q.weights_of(share.at(k) - start, weights);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) {
          float p = 0;
          if (!normalized) p = functions::math::exp((values[l] - maximum) - log_sum);
          if constexpr (Plain) {
            p = (p - (l == target ? 1.0F : 0.0F)) * of_line.grad;
          } else {
            p = of_line.apply(q, l == target, weights[l], p);
          }
          values[l] = of_line.counts ? p : of_line.otherwise;
        }
        store_row_vector(grad_logits, share.at(k), values);
      }
    }
  }
}

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda

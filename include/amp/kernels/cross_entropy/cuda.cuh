// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// cross_entropy() and cross_entropy_backward() on CUDA devices. Forward reads the logits once.
// Backward reads them once if a block holds a line in registers, else twice. A kernel cannot throw:
// a target out of range makes its loss, its gradient, the total weight and the reduced loss NaN.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/cross_entropy/formula.hpp"
#include "amp/kernels/softmax/cuda.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The targets of all lines, and the parameters that they share.
template <class C>
struct Targets {
  SmoothedTarget<C> q;
  Input weight;
  bool weighted, normalized;
  C not_a_number = std::numeric_limits<C>::quiet_NaN();
  std::int64_t classes, ignore_index;
  const std::int64_t* classes_of_lines;

  template <class Args>
  Targets(const Args& args, std::int64_t class_count)
      : q(args.label_smoothing, class_count),
        weight(args.weight),
        weighted(args.weight.present),
        normalized(args.normalized),
        classes(class_count),
        ignore_index(args.ignore_index),
        classes_of_lines(args.targets.template as<const std::int64_t>()) {}

  __device__ std::int64_t of(std::int64_t line) const { return classes_of_lines[line]; }
  __device__ bool in_range(std::int64_t t) const { return t >= 0 && t < classes; }
  __device__ bool counts(std::int64_t t) const { return in_range(t) && t != ignore_index; }
  template <class Tile>
  __device__ C weight_of(const Tile& tile, std::int64_t c) const {
    return weighted ? tile.load_one(weight, c) : C{1};
  }
  /// Returns the sum of the weights of all classes. All threads of the block must call it.
  __device__ double weights() const {
    if (!weighted) return static_cast<double>(classes);
    double sum = 0;
    for (std::int64_t c = threadIdx.x; c < classes; c += blockDim.x)
      sum += static_cast<double>(load<C>(weight, c));
    return block_sum(sum);
  }
  /// Reads the weights of the classes of access k.
  template <class Tile, class Part, int Width>
  __device__ __forceinline__ void weights_of(const Tile& tile, const Part& part, int k,
                                             C (&weights)[Width]) const {
    AMP_UNROLL
    for (int l = 0; l < Width; ++l) weights[l] = 1;
    if (weighted) tile.load_along(part, k, weight, 0, weights);
  }
};

/// The sum of the losses, and the sum of the weights of the targets that count.
struct LossTotals {
  double loss = 0, weight = 0;

  /// Returns the totals of all threads of the block.
  __device__ LossTotals of_block() const {
    LossTotals all;
    all.loss = block_sum(loss);
    all.weight = block_sum(weight);
    return all;
  }
};

/// Each block stores the totals of its lines in parts[blockIdx.x]. If not `Smoothed`, only the
/// target's element is read of a line of log-probabilities.
template <bool Smoothed, class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    cross_entropy_kernel(Sweep sweep, Targets<C> targets, Input logits, C* losses, C* log_sums,
                         LossTotals* parts) {
  LossTotals totals;
  const double weights = Smoothed ? targets.weights() : 0;
  sweep.for_each_tile([&](const auto& tile) {
    ExpSums<Sweep> sums;
    [[maybe_unused]] PerLine<Sweep, double> weighted = {};  // sum of w_c x_c
    if (Smoothed || !targets.normalized) {
      tile.stream(logits, [&](const auto& part, auto& x) {
        if constexpr (Smoothed) {
          C w[Sweep::kKept][Sweep::kWidth];
          tile.for_each_access(part, [&](int k) { targets.weights_of(tile, part, k, w[k]); });
          using Term = std::conditional_t<Sweep::kWidth == 1, double, C>;
          tile.add(part, weighted, [&](int k, int l) {
            return static_cast<Term>(w[k][l]) * static_cast<Term>(x[k][l]);
          });
        }
        if (!targets.normalized) sums.template add<false>(tile, part, x);
      });
      sums.finish(tile);
      if constexpr (Smoothed) tile.template reduce<functions::Add>(weighted);
    }
    tile.for_own_lines([&](int l) {
      const std::int64_t line = tile.line(l), t = targets.of(line);
      const C maximum = targets.normalized ? C{0} : sums.maximum[l];
      const C log_sum = targets.normalized ? C{0} : functions::log(sums.sum[l]);
      const C weight = targets.in_range(t) ? targets.weight_of(tile, t) : targets.not_a_number;
      C loss = 0;
      if (targets.counts(t)) {
        loss = targets.q.certain_loss(weight,
                                      (tile.load_one(logits, tile.at(l, t)) - maximum) - log_sum);
        if constexpr (Smoothed) {
          // sum_c w_c log p_c: subtracts m + L from every class
          const double log = static_cast<double>(maximum) + static_cast<double>(log_sum);
          loss -= targets.q.share * static_cast<C>(weighted[l] - weights * log);
        }
      } else if (t != targets.ignore_index) {
        loss = targets.not_a_number;
      }
      losses[line] = loss;
      log_sums[line] = log_sum;
      totals.loss += static_cast<double>(loss);
      if (t != targets.ignore_index) totals.weight += static_cast<double>(weight);
    });
  });
  totals = totals.of_block();
  if (threadIdx.x == 0) parts[blockIdx.x] = totals;
}

inline constexpr unsigned kTotalThreads = 1024;

/// Runs in one block. `reduced` may have no memory.
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
  // If no target counts, the mean is NaN, as in torch.
  if (reduced.data != nullptr)
    store<C>(reduced, 0, static_cast<C>(mean ? totals.loss / totals.weight : totals.loss));
}

/// The incoming gradient: one element per line, or one for all lines. For a mean it is divided by
/// *total_weight, which is null otherwise.
template <class C>
struct LossGradient {
  Input grad;
  bool per_line;
  const C* total_weight;

  template <class Tile>
  __device__ C of(const Tile& tile, std::int64_t line) const {
    const C g = tile.load_one(grad, per_line ? line : 0);
    return total_weight == nullptr ? g : g / *total_weight;
  }
};

/// The values that the gradients of a tile's lines share. `Plain` means no weights, no smoothing,
/// and logits that are not log-probabilities.
template <bool Plain, class Sweep, class C = typename Sweep::Compute>
struct LineGradients {
  PerLine<Sweep> maximum, log_sum, grad, q_sum;
  std::int64_t target[Sweep::kLines];  // -1 if the line does not count; its gradient is `grad` then

  template <class Tile>
  __device__ __forceinline__ void read(const Tile& tile, const Targets<C>& targets,
                                       const LossGradient<C>& loss_gradient, const C* log_sums,
                                       double weights) {
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) {
      const std::int64_t line = tile.line(l), t = targets.of(line);
      log_sum[l] = log_sums[line];
      target[l] = targets.counts(t) ? t : -1;
      grad[l] = t == targets.ignore_index ? C{0} : targets.not_a_number;
      q_sum[l] = 1;
      if (target[l] < 0) continue;
      grad[l] = loss_gradient.of(tile, line);
      if constexpr (!Plain) q_sum[l] = targets.q.sum(targets.weight_of(tile, t), weights);
    }
  }
  /// Returns the gradient of class c of line l from its logit. Log-probabilities are not read.
  __device__ __forceinline__ C apply(const Targets<C>& targets, int l, std::int64_t c, C logit,
                                     C weight) const {
    const bool is_target = c == target[l];
    const bool has_p = Plain || !targets.normalized;
    C p = has_p ? functions::exp((logit - maximum[l]) - log_sum[l]) : C{0};
    const C q = Plain ? C(is_target) : targets.q.of(weight, is_target);
    SmoothedTarget<C>::to_gradient(p, q, Plain ? C{1} : q_sum[l], grad[l]);
    return target[l] < 0 ? grad[l] : p;
  }
};

template <bool Plain, class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    cross_entropy_backward_kernel(Sweep sweep, Targets<C> targets, LossGradient<C> loss_gradient,
                                  Input logits, const C* log_sums, Output grad_logits) {
  const bool reads_logits = Plain || !targets.normalized;
  const double weights = !Plain && targets.q.is_smoothed() ? targets.weights() : 0;
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    LineGradients<Plain, Sweep> of_lines;
    const auto load_logits = [&](const auto& part) {
      if (reads_logits) tile.load(part, logits, values);
    };
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) of_lines.maximum[l] = ExpSum<C>::kNone;
    if (reads_logits) {
      tile.forwards([&](const auto& part) {
        load_logits(part);
        tile.for_each(part, values, [&](int l, C& x) {
          of_lines.maximum[l] = functions::fmax(of_lines.maximum[l], x);
        });
      });
      tile.template reduce<functions::Maximum>(of_lines.maximum);
    }
    if (!tile.has_line()) return;
    of_lines.read(tile, targets, loss_gradient, log_sums, weights);
    tile.backwards(load_logits, [&](const auto& part) {
      tile.for_each_access(part, [&](int k) {
        C w[Sweep::kWidth] = {};
        if constexpr (!Plain) targets.weights_of(tile, part, k, w);
        AMP_UNROLL
        for (int i = 0; i < Sweep::kWidth; ++i)
          values[k][i] =
              of_lines.apply(targets, tile.line_of(i), part.element(k, i), values[k][i], w[i]);
      });
      tile.store(part, grad_logits, values);
    });
  });
}

template <bool Smoothed>
void cross_entropy(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  const Device device = args.logits.device;
  const auto run = [&](const auto& sweep) {
    using Sweep = std::remove_cvref_t<decltype(sweep)>;
    using C = typename Sweep::Compute;
    // More blocks than a device runs at once, but few enough for one block to add their totals.
    const std::int64_t blocks = (std::min)(sweep.blocks(), std::int64_t{1} << 13);
    const Scratch<LossTotals> parts(device, blocks);
    launch(device, blocks, sweep.block_threads(), cross_entropy_kernel<Smoothed, Sweep>, sweep,
           Targets<C>(args, lines.length), args.logits, args.losses.as<C>(), args.log_sum.as<C>(),
           parts.data());
    launch(device, 1, kTotalThreads, loss_total_kernel<C>, parts.data(), blocks,
           args.reduction == kMean, args.total_weight.as<C>(), args.loss);
  };
  if (args.normalized && !Smoothed) {  // one element of a line is read
    return visit_float_type(args.logits.dtype, [&](auto tag) {
      run(Singles<OneThread, typename decltype(tag)::type>(lines));
    });
  }
  visit_sweep<Rows<2, 512>, Columns<4>>(lines, args.logits.dtype, run, args.logits, args.weight);
}

template <bool Plain>
void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  visit_sweep<Rows<Plain ? 4 : 2, 768>, Columns<2>>(
      lines, args.logits.dtype,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        using C = typename Sweep::Compute;
        const LossGradient<C> loss_gradient{
            args.grad_output, args.reduction == kNone,
            args.reduction == kMean ? args.total_weight.as<const C>() : nullptr};
        launch(args.logits.device, sweep.blocks(), sweep.block_threads(),
               cross_entropy_backward_kernel<Plain, Sweep>, sweep, Targets<C>(args, lines.length),
               loss_gradient, args.logits, args.log_sum.as<const C>(), args.grad_logits);
      },
      args.logits, args.weight, args.grad_output, args.grad_logits);
}

}  // namespace detail

inline void cross_entropy(const CrossEntropyArgs& args) {
  if (args.label_smoothing != 0) return detail::cross_entropy<true>(args);
  detail::cross_entropy<false>(args);
}
inline void cross_entropy_backward(const CrossEntropyBackwardArgs& args) {
  if (args.normalized || args.weight.present || args.label_smoothing != 0)
    return detail::cross_entropy_backward<false>(args);
  detail::cross_entropy_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::cuda

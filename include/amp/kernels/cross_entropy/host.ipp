// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/cross_entropy/args.hpp"
#include "amp/kernels/cross_entropy/formula.hpp"
#include "amp/kernels/cross_entropy/host.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/softmax/formula.hpp"
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
    const double sum = ExponentialsOfRow::run<Isa>(x, none, n, maximum);
    return {maximum, static_cast<C>(Softmax{.log = true}.finish(sum))};
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

/// Computes the gradient of one row.
template <class C>
struct CrossEntropyRow {
  SmoothedTarget<C> q;
  const C* weights;
  C q_sum, grad, log_sum;
  std::int64_t target;
};
struct CrossEntropyGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* grad_x, std::int64_t n, CrossEntropyRow<C> row) {
    const C maximum = MaximumOfRow::run<Isa>(x, n);
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      simd::Vec<C, Isa> p = exp((simd::load<Isa>(x + i) - maximum) - row.log_sum);
      simd::Vec<C, Isa> q = row.q.share;
      if (row.weights != nullptr) q = q * simd::load<Isa>(row.weights + i);
      row.q.to_gradient(p, q, row.q_sum, row.grad);
      simd::store(p, grad_x + i);
    }
    // The target has another q.
    C p = std::exp((x[row.target] - maximum) - row.log_sum);
    const C weight = row.weights == nullptr ? C{1} : row.weights[row.target];
    row.q.to_gradient(p, row.q.of(weight, true), row.q_sum, row.grad);
    grad_x[row.target] = p;
  }
};

/// Checks the targets before anything is written.
AMP_LAZY void check_targets(const CrossEntropyArgs& args, std::int64_t classes) {
  const std::int64_t n = args.targets.numel(), ignored = args.ignore_index;
  const auto* const targets = args.targets.as<const std::int64_t>();
  const auto counts = [=](std::int64_t t) { return (t >= 0) & (t < classes); };
  bool all = true;
  for (std::int64_t i = 0; i < n; ++i) all &= counts(targets[i]) | (targets[i] == ignored);
  for (std::int64_t i = 0; i < n && !all; ++i) {
    AMP_CHECK(counts(targets[i]) || targets[i] == ignored,
              args.normalized ? "nll_loss" : "cross_entropy", ": `targets` must lie in [0, ",
              classes, ") or be ignore_index ", ignored, ", but targets[", i, "] is ", targets[i]);
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

/// Calls body(line, its start, its target or -1 if that is ignored) for these lines.
template <class Args, class Body>
void for_targets(const Args& args, const Lines& lines, std::int64_t begin, std::int64_t end,
                 const Body& body) {
  std::int64_t outer = begin / lines.stride, inner = begin % lines.stride;
  for (std::int64_t line = begin; line < end; ++line) {
    const std::int64_t t = args.targets.template as<const std::int64_t>()[line];
    body(line, lines.start(outer, inner), t == args.ignore_index ? -1 : t);
    if (++inner == lines.stride) ++outer, inner = 0;
  }
}

/// The losses of lines of log-probabilities, of which only those of the targets are read.
template <class C>
void losses_of_targets(const CrossEntropyArgs& args, const Lines& lines, const Targets<C>& common,
                       std::int64_t begin, std::int64_t end) {
  const DType dtype = args.logits.dtype;
  C buffer[kPiece];
  for (std::int64_t first = begin; first < end; first += kPiece) {
    const std::int64_t last = (std::min)(end, first + kPiece);
    visit_bits(dtype, [&](auto tag) {
      using U = typename decltype(tag)::type;
      U found[kPiece];
      for_targets(
          args, lines, first, last, [&](std::int64_t line, std::int64_t at, std::int64_t t) {
            found[line - first] = t < 0 ? U{0} : args.logits.as<const U>()[at + t * lines.stride];
          });
      const C* const log_p = fetch(found, dtype, last - first, buffer);
      if (log_p != buffer) std::copy_n(log_p, last - first, buffer);
    });
    for_targets(args, lines, first, last, [&](std::int64_t line, std::int64_t, std::int64_t t) {
      args.losses.as<C>()[line] =
          t < 0 ? C{0} : common.q.certain_loss(common.weight_of(t), buffer[line - first]);
    });
  }
}

/// Their gradients: all elements of a line have the same, except that of the target.
template <class C>
void gradients_of_targets(const CrossEntropyBackwardArgs& args, const Lines& lines,
                          const Targets<C>& common, std::int64_t begin, std::int64_t end) {
  const DType dtype = args.grad_logits.dtype;
  const std::int64_t bytes = item_size(dtype);
  const bool one_grad = args.reduction != kNone;
  C grads[kPiece], others[kPiece], wanted[kPiece];
  alignas(8) char stored_others[kPiece * 8], stored_wanted[kPiece * 8];
  for (std::int64_t first = begin; first < end; first += kPiece) {
    const std::int64_t last = (std::min)(end, first + kPiece);
    const C* const grad =
        fetch(args.grad_output, one_grad ? 0 : first, 1, one_grad ? 1 : last - first, grads);
    for_targets(args, lines, first, last, [&](std::int64_t line, std::int64_t, std::int64_t t) {
      C &other = others[line - first] = 0, &own = wanted[line - first] = 0;
      if (t < 0) return;
      C g = grad[one_grad ? 0 : line - first];
      if (args.reduction == kMean) g /= args.total_weight.as<const C>()[0];
      const C weight = common.weight_of(t), q_sum = common.q.sum(weight, common.weights);
      common.q.to_gradient(other, common.q.of(C{1}, false), q_sum, g);
      common.q.to_gradient(own, common.q.of(weight, true), q_sum, g);
    });
    store(others, stored_others, dtype, last - first);
    store(wanted, stored_wanted, dtype, last - first);
    for_targets(args, lines, first, last, [&](std::int64_t line, std::int64_t at, std::int64_t t) {
      char* const to = args.grad_logits.as<char>() + at * bytes;
      const std::int64_t i = (line - first) * bytes;
      move_elements(dtype, stored_others + i, 0, to, lines.stride, lines.length);
      if (t >= 0) move_elements(dtype, stored_wanted + i, 1, to + t * lines.stride * bytes, 1, 1);
    });
  }
}

/// Stores the reduction of the losses, which are 0 for ignored targets, and the sum of the weights
/// of the others.
template <class C>
void reduce_losses(const CrossEntropyArgs& args, const Targets<C>& common) {
  const std::int64_t* const targets = args.targets.as<const std::int64_t>();
  const std::int64_t lines = args.targets.numel();
  double total_weight = 0;
  if (common.weight == nullptr) {
    std::int64_t counted = 0;
    for (std::int64_t i = 0; i < lines; ++i) counted += targets[i] != args.ignore_index;
    total_weight = static_cast<double>(counted);
  } else {
    for (std::int64_t i = 0; i < lines; ++i) {
      if (targets[i] != args.ignore_index)
        total_weight += static_cast<double>(common.weight[targets[i]]);
    }
  }
  args.total_weight.as<C>()[0] = static_cast<C>(total_weight);
  if (args.reduction == kNone) return;
  double total = sum_block<double>(args.losses.as<const C>(), lines);
  if (args.reduction == kMean) total /= total_weight;  // if no target counts: NaN, as in torch
  const C loss = static_cast<C>(total);
  store(&loss, args.loss, 0, 1, 1);
}

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
      const auto sums = on_rows<LogSumOfRow, C>(x, n);
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
  reduce_losses(args, common);
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
      on_rows<CrossEntropyGradient, C>(
          x, grad_x, n,
          CrossEntropyRow<C>{common.q, common.weight, q_sum, grad, log_sums[line], t});
    }
    block.store(result, args.grad_logits);
  });
}

template <class C>
void nll_loss(const CrossEntropyArgs& args) {
  const Lines lines(args.logits, 1);
  check_targets(args, lines.length);
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const Targets<C> common(args, lines.length, weights.data());
  parallel_ranges(lines.count, 4 * kBlock, [&](std::int64_t begin, std::int64_t end) {
    losses_of_targets(args, lines, common, begin, end);
  });
  reduce_losses(args, common);
}

template <class C>
void nll_loss_backward(const CrossEntropyBackwardArgs& args) {
  const Lines lines(args.logits, 1);
  const HostBuffer<C> weights(args.weight.present ? row_space(lines.length) : 0);
  const Targets<C> common(args, lines.length, weights.data());
  parallel_ranges(lines.count, ceil_div(4 * kBlock, (std::max)(lines.length, std::int64_t{1})),
                  [&](std::int64_t begin, std::int64_t end) {
                    gradients_of_targets(args, lines, common, begin, end);
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

AMP_LAZY_DEFINITION void nll_loss(const CrossEntropyArgs& args) {
  visit_float_type(args.logits.dtype,
                   [&](auto tag) { detail::nll_loss<typename decltype(tag)::type>(args); });
}
AMP_LAZY_DEFINITION void nll_loss_backward(const CrossEntropyBackwardArgs& args) {
  visit_float_type(args.logits.dtype, [&](auto tag) {
    detail::nll_loss_backward<typename decltype(tag)::type>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

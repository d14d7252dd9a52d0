// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax over one dimension. The maximum is subtracted first: exp cannot overflow,
// and the result is unchanged.
#pragma once

#include <cstdint>

#include "amp/kernels/softmax/args.hpp"
#include "amp/kernels/softmax/cuda/exp_sum.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

inline constexpr int kSoftmaxKept = 4, kSoftmaxGradKept = 2;

template <bool Log, class R>
AMP_KERNEL void __launch_bounds__(1024) softmax_rows_kernel(R rows, Input x, Output y) {
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const int last = rows.last();
    RowPart<kSoftmaxKept> part;  // of exp(x - origin), or of x
    ExpSum<float> sum;
    const auto load = [&](const RowShare& share) {
      part.load(x, share);
      sum.raise(part_maximum(part, share, sum.maximum));
      const float origin = sum.origin();
      AMP_UNROLL
      for (int k = 0; k < kSoftmaxKept; ++k) {
        if (!share.has(k)) continue;
        float of_vector = 0;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) {
          const float term = functions::math::exp(part.values[k][l] - origin);
          of_vector += term;
          if constexpr (!Log) part.values[k][l] = term;
        }
        sum.sum += static_cast<double>(of_vector);
      }
    };
    for (int s = 0; s <= last; ++s) load(rows.share(team, s));
    const ExpSum<float> total = sum.of_line(team);
    const float exp_sum = static_cast<float>(total.sum);
    const float log_sum = Log ? functions::math::log(exp_sum) : 0;
    const float factor = Log ? 0 : sum.share(total.maximum) / exp_sum;
    for (int s = last; s >= 0; --s) {
      const RowShare share = rows.share(team, s);
      if (s != last) load(share);  // raises nothing: all has been seen
      AMP_UNROLL
      for (int k = 0; k < kSoftmaxKept; ++k) {
        if (!share.has(k)) continue;
        float(&values)[kVector] = part.values[k];
        // Maximum and logarithm one after the other: their sum would cost log-probabilities of
        // large x their last digits.
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          values[l] = Log ? (values[l] - total.maximum) - log_sum : values[l] * factor;
        store_row_vector(y, share.at(k), values);
      }
    }
  }
}

template <bool Log, class R>
AMP_KERNEL void __launch_bounds__(kThreads) softmax_columns_kernel(R columns, Input x, Output y) {
  for (std::int64_t i = blockIdx.x; i < columns.tiles; i += gridDim.x) {
    const ColumnTile tile = columns.tile(i);
    const int last = columns.last();
    float values[R::kKept][kVector];  // exp(x - origin), or x
    ColumnExpSums seen;
    const auto load = [&](const ColumnShare& share) {
      RowWords<R::kKept>(x, share).unpack(x.dtype, values);
      seen.add<!Log>(values, share);
    };
    for (int s = 0; s <= last; ++s) load(columns.share(tile, s));
    float maxima[kVector], sums[kVector];
    seen.of_lines(columns.team, maxima, sums);
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l)
      sums[l] = Log ? functions::math::log(sums[l]) : seen.of_thread[l].share(maxima[l]) / sums[l];
    for (int s = last; s >= 0; --s) {
      const ColumnShare share = columns.share(tile, s);
      if (s != last) load(share);  // raises nothing: all has been seen
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          values[k][l] = Log ? (values[k][l] - maxima[l]) - sums[l] : values[k][l] * sums[l];
        store_row_vector(y, share.at(k), values[k]);
      }
    }
  }
}

template <bool Log, class Team, class C>
AMP_KERNEL void softmax_kernel(Lines lines, Input x, Output y) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    const ExpSum<C> total = line_exp_sum<Team, C>(lines, x, start);
    const C sum = static_cast<C>(Log ? functions::math::log(total.sum) : total.sum);
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      const C difference = load<C>(x, at) - total.maximum;
      store<C>(y, at, Log ? difference - sum : functions::math::exp(difference) / sum);
    }
  }
}

/// softmax:      grad_x = y * (grad - sum(grad * y))
/// log_softmax:  grad_x = grad - exp(y) * sum(grad)
template <bool Log, class C>
struct SoftmaxGrad {
  __device__ static C term(C grad, C y) { return Log ? grad : grad * y; }
  __device__ static C apply(C grad, C y, C sum) {
    return Log ? grad - functions::math::exp(y) * sum : y * (grad - sum);
  }
};

template <bool Log, class R>
AMP_KERNEL void __launch_bounds__(1024)
    softmax_backward_rows_kernel(R rows, Input grad_output, Input output, Output grad_input) {
  using Grad = SoftmaxGrad<Log, float>;
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const int last = rows.last();
    RowPart<kSoftmaxGradKept> grad, y;
    const auto load = [&](const RowShare& share) {
      const RowWords<kSoftmaxGradKept> grad_words(grad_output, share), y_words(output, share);
      grad_words.unpack(grad_output.dtype, grad.values);
      y_words.unpack(output.dtype, y.values);
    };
    double total = 0;
    for (int s = 0; s <= last; ++s) {
      const RowShare share = rows.share(team, s);
      load(share);
      AMP_UNROLL
      for (int k = 0; k < kSoftmaxGradKept; ++k) {
        if (!share.has(k)) continue;
        float of_vector = 0;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          of_vector += Grad::term(grad.values[k][l], y.values[k][l]);
        total += static_cast<double>(of_vector);
      }
    }
    const float sum = static_cast<float>(team.template reduce<functions::Add>(total));
    for (int s = last; s >= 0; --s) {
      const RowShare share = rows.share(team, s);
      if (s != last) load(share);
      AMP_UNROLL
      for (int k = 0; k < kSoftmaxGradKept; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          grad.values[k][l] = Grad::apply(grad.values[k][l], y.values[k][l], sum);
        store_row_vector(grad_input, share.at(k), grad.values[k]);
      }
    }
  }
}

template <bool Log, class R>
AMP_KERNEL void __launch_bounds__(kThreads)
    softmax_backward_columns_kernel(R columns, Input grad_output, Input output, Output grad_input) {
  using Grad = SoftmaxGrad<Log, float>;
  for (std::int64_t i = blockIdx.x; i < columns.tiles; i += gridDim.x) {
    const ColumnTile tile = columns.tile(i);
    const int last = columns.last();
    float grad[R::kKept][kVector], y[R::kKept][kVector];
    const auto load = [&](const ColumnShare& share) {
      const RowWords<R::kKept> grad_words(grad_output, share), y_words(output, share);
      grad_words.unpack(grad_output.dtype, grad);
      y_words.unpack(output.dtype, y);
    };
    double totals[kVector] = {};
    for (int s = 0; s <= last; ++s) {
      const ColumnShare share = columns.share(tile, s);
      load(share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          totals[l] += static_cast<double>(Grad::term(grad[k][l], y[k][l]));
      }
    }
    column_reduce<functions::Add>(totals, columns.team);
    for (int s = last; s >= 0; --s) {
      const ColumnShare share = columns.share(tile, s);
      if (s != last) load(share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l)
          grad[k][l] = Grad::apply(grad[k][l], y[k][l], static_cast<float>(totals[l]));
        store_row_vector(grad_input, share.at(k), grad[k]);
      }
    }
  }
}

template <bool Log, class Team, class C>
AMP_KERNEL void softmax_backward_kernel(Lines lines, Input grad_output, Input output,
                                        Output grad_input) {
  using Grad = SoftmaxGrad<Log, C>;
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    double total = 0;
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      const C y = Log ? C{0} : load<C>(output, at);
      total += static_cast<double>(Grad::term(load<C>(grad_output, at), y));
    }
    const C sum = static_cast<C>(Team::template reduce<functions::Add>(total));
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      store<C>(grad_input, at, Grad::apply(load<C>(grad_output, at), load<C>(output, at), sum));
    }
  }
}

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  const Device device = args.output.device;
  if (lines.length == 0) return;
  if (lines.stride == 1 && are_rows_of_vectors(lines.length, args.input, args.output)) {
    const Rows<kSoftmaxKept> rows(lines.count, lines.length, 1024);
    return launch(device, rows.blocks(), rows.block_threads(),
                  softmax_rows_kernel<Log, Rows<kSoftmaxKept>>, rows, args.input, args.output);
  }
  if (are_columns_of_vectors(lines, args.input, args.output)) {
    const Columns<kSoftmaxKept> columns(lines);
    return launch(device, columns.blocks(), kThreads,
                  softmax_columns_kernel<Log, Columns<kSoftmaxKept>>, columns, args.input,
                  args.output);
  }
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_team(lines, [&](auto team, std::int64_t blocks) {
      launch(device, blocks, kThreads, softmax_kernel<Log, decltype(team), C>, lines, args.input,
             args.output);
    });
  });
}

template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  const Device device = args.grad_input.device;
  if (lines.stride == 1 &&
      are_rows_of_vectors(lines.length, args.grad_output, args.output, args.grad_input)) {
    const Rows<kSoftmaxGradKept> rows(lines.count, lines.length, 1024);
    return launch(device, rows.blocks(), rows.block_threads(),
                  softmax_backward_rows_kernel<Log, Rows<kSoftmaxGradKept>>, rows, args.grad_output,
                  args.output, args.grad_input);
  }
  if (are_columns_of_vectors(lines, args.grad_output, args.output, args.grad_input)) {
    const Columns<kSoftmaxGradKept> columns(lines);
    return launch(device, columns.blocks(), kThreads,
                  softmax_backward_columns_kernel<Log, Columns<kSoftmaxGradKept>>, columns,
                  args.grad_output, args.output, args.grad_input);
  }
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_team(lines, [&](auto team, std::int64_t blocks) {
      launch(device, blocks, kThreads, softmax_backward_kernel<Log, decltype(team), C>, lines,
             args.grad_output, args.output, args.grad_input);
    });
  });
}

}  // namespace detail

inline void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
inline void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
inline void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
inline void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::cuda

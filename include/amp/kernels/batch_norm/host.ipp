// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/batch_norm/host.hpp"
#include "amp/kernels/batch_norm/host/channels_last.hpp"
#include "amp/kernels/batch_norm/host/running_statistics.hpp"
#include "amp/kernels/norm/host/rows.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// y = x * factor
struct ScaleRun {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, C factor) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>)
      simd::store(simd::load<Isa>(x + i) * factor, y + i);
  }
};

/// The runs of one channel of [N, C, I]: N runs of I elements, or, if I is 1, one run of N.
struct ChannelRuns {
  std::int64_t count, length, stride, distance;
  explicit ChannelRuns(const Operand& input) {
    const std::int64_t batch = input.sizes[0], channels = input.sizes[1], inner = input.sizes[2];
    count = inner == 1 ? 1 : batch;
    length = inner == 1 ? batch : inner;
    stride = inner == 1 || is_channels_last(input) ? channels : 1;
    distance = channels * inner;
  }
  std::int64_t start(std::int64_t channel, std::int64_t run) const {
    return run * distance + (stride == 1 ? channel * length : channel);
  }
  RowBlock block(std::int64_t channel, std::int64_t run) const {
    return {start(channel, run), stride, length, 1};
  }
};

template <class C>
void batch_norm(const BatchNormArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  const HostBuffer<double> batch(args.training ? 2 * args.input.sizes[1] : 0);
  parallel_ranges(args.input.sizes[1], 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t space = row_space(runs.length);
    const HostBuffer<C> scratch(2 * space);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto fetch_run = [&](std::int64_t run) {
        return runs.block(c, run).fetch(args.input, scratch.data());
      };
      double mean = 0, variance = 0;
      if (args.training) {
        for (std::int64_t run = 0; run < runs.count; ++run)
          mean += sum_block<double>(fetch_run(run), runs.length);
        mean /= n;
        for (std::int64_t run = 0; run < runs.count; ++run)
          variance += sum_of_squares(fetch_run(run), runs.length, mean);
        batch[c] = mean;
        batch[args.input.sizes[1] + c] = variance;
        variance /= n;
      } else {
        mean = element_of<double>(args.running_mean, c, 0);
        variance = element_of<double>(args.running_var, c, 1);
      }
      const C m = static_cast<C>(mean), r = static_cast<C>(1 / std::sqrt(variance + args.eps));
      args.mean.as<C>()[c] = m;
      args.rstd.as<C>()[c] = r;
      RowAffine<C> affine;
      affine.weight = element_of(args.weight, c, C{1});
      affine.bias = element_of(args.bias, c, C{0});
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const RowBlock block = runs.block(c, run);
        C* const y = block.target(args.output, scratch.data() + space);
        on_rows<NormaliseRow, C>(fetch_run(run), y, runs.length, m, r, affine);
        block.store(y, args.output);
      }
    }
  });
  if (args.training) move_running(args, batch.data(), n);  // after everything that can fail
}

/// With fixed statistics (not training) both means drop out of grad_x, and so does x; multiplying
/// x^ by 0 would turn its infinities into NaN.
template <class C>
void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  parallel_ranges(args.input.sizes[1], 1, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t space = row_space(runs.length);
    const HostBuffer<C> scratch(3 * space);
    for (std::int64_t c = begin; c < end; ++c) {
      const C mean = args.mean.as<const C>()[c], rstd = args.rstd.as<const C>()[c];
      const auto fetch_run = [&](const Operand& array, std::int64_t run, int buffer) {
        return runs.block(c, run).fetch(array, scratch.data() + buffer * space);
      };
      double sum = 0, dot = 0;
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const C* const x = fetch_run(args.input, run, 0);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        NormSums sums{nullptr, nullptr};
        on_rows<AddToNormSums, C>(x, grad, static_cast<const C*>(nullptr), runs.length, mean, rstd,
                                  &sums);
        sum += sums.grad;
        dot += sums.dot;
      }
      if (args.grad_weight.present) store(&dot, args.grad_weight, c, 1, 1);
      if (args.grad_bias.present) store(&sum, args.grad_bias, c, 1, 1);
      if (!args.grad_input.present) continue;
      const C factor = element_of(args.weight, c, C{1}) * rstd;
      const C mean_g = static_cast<C>(sum / n), mean_dot = static_cast<C>(dot / n);
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const RowBlock block = runs.block(c, run);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        C* const grad_x = block.target(args.grad_input, scratch.data() + 2 * space);
        if (args.training) {
          on_rows<NormGradient, C>(fetch_run(args.input, run, 0), grad, grad_x, runs.length, mean,
                                   rstd, RowAffine<C>{}, mean_g, mean_dot, factor);
        } else {
          on_rows<ScaleRun, C>(grad, grad_x, runs.length, factor);
        }
        block.store(grad_x, args.grad_input);
      }
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void batch_norm(const BatchNormArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if constexpr (std::is_same_v<C, float>) {
      if (detail::is_channels_last(args.input)) return detail::batch_norm_channels_last(args);
    }
    detail::batch_norm<C>(args);  // sums of doubles would show another order of their terms
  });
}
AMP_LAZY_DEFINITION void batch_norm_backward(const BatchNormBackwardArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if constexpr (std::is_same_v<C, float>) {
      if (detail::is_channels_last(args.input))
        return detail::batch_norm_backward_channels_last(args);
    }
    detail::batch_norm_backward<C>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

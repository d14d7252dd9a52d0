// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
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

/// Calls body(channel, run) for all runs of channels [begin, end), in the order of memory: the runs
/// of one channel are short and far apart, often by a power of two, so that few of them stay in a
/// cache together.
template <class Body>
void for_runs(const ChannelRuns& runs, std::int64_t begin, std::int64_t end, const Body& body) {
  for (std::int64_t run = 0; run < runs.count; ++run) {
    for (std::int64_t c = begin; c < end; ++c) body(c, run);
  }
}
/// Calls body(begin, end) for groups of channels, in parallel. A group has a megabyte or two, or is
/// one channel.
template <class Body>
void for_channel_groups(const ChannelRuns& runs, std::int64_t channels, const Body& body) {
  const std::int64_t size = (std::max)(std::int64_t{1}, runs.count * runs.length);
  const std::int64_t together = (std::max)(std::int64_t{1}, (std::int64_t{1} << 19) / size);
  parallel_ranges(channels, 1, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; begin += together) body(begin, (std::min)(end, begin + together));
  });
}

template <class C>
void batch_norm(const BatchNormArgs& args) {
  const ChannelRuns runs(args.input);
  const std::int64_t channels = args.input.sizes[1];
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  const HostBuffer<double> batch(2 * channels);
  double *const means = batch.data(), *const squares = means + channels;
  for_channel_groups(runs, channels, [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t space = scratch_space(runs.length);
    const HostBuffer<C> scratch(2 * space);
    const auto fetch_run = [&](std::int64_t c, std::int64_t run) {
      return runs.block(c, run).fetch(args.input, scratch.data());
    };
    const HostBuffer<Moments> moments(end - begin);
    std::fill_n(moments.data(), end - begin, Moments{});
    if (args.training) {
      for_runs(runs, begin, end, [&](std::int64_t c, std::int64_t run) {
        add_run(moments_of(fetch_run(c, run), runs.length), runs.length, run, moments[c - begin]);
      });
    }
    for (std::int64_t c = begin; c < end; ++c) {
      means[c] =
          args.training ? moments[c - begin].sum / n : element_of<double>(args.running_mean, c, 0);
      squares[c] = moments[c - begin].squares;
      const double variance =
          args.training ? squares[c] / n : element_of<double>(args.running_var, c, 1);
      args.mean.as<C>()[c] = static_cast<C>(means[c]);
      args.rstd.as<C>()[c] = static_cast<C>(1 / std::sqrt(variance + args.eps));
    }
    for_runs(runs, begin, end, [&](std::int64_t c, std::int64_t run) {
      RowAffine<C> affine;
      affine.weight = element_of(args.weight, c, C{1});
      affine.bias = element_of(args.bias, c, C{0});
      const RowBlock block = runs.block(c, run);
      C* const y = block.target(args.output, scratch.data() + space);
      on_rows<NormaliseRow, C>(fetch_run(c, run), y, runs.length, args.mean.as<const C>()[c],
                               args.rstd.as<const C>()[c], affine);
      block.store(y, args.output);
    });
  });
  if (args.training) move_running(args, batch.data(), n);  // after everything that can fail
}

/// With fixed statistics (not training) both means drop out of grad_x, and so does x; multiplying
/// x^ by 0 would turn its infinities into NaN.
template <class C>
void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  for_channel_groups(runs, args.input.sizes[1], [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t space = scratch_space(runs.length), channels = end - begin;
    const HostBuffer<C> scratch(3 * space);
    const HostBuffer<double> sum(channels), dot(channels);
    std::fill_n(sum.data(), channels, 0.0);
    std::fill_n(dot.data(), channels, 0.0);
    const C *const means = args.mean.as<const C>(), *const rstds = args.rstd.as<const C>();
    const auto fetch_run = [&](const Operand& array, std::int64_t c, std::int64_t run, int buffer) {
      return runs.block(c, run).fetch(array, scratch.data() + buffer * space);
    };
    for_runs(runs, begin, end, [&](std::int64_t c, std::int64_t run) {
      const C* const x = fetch_run(args.input, c, run, 0);
      const C* const grad = fetch_run(args.grad_output, c, run, 1);
      NormSums sums{nullptr, nullptr};
      on_rows<AddToNormSums, C>(x, grad, static_cast<const C*>(nullptr), runs.length, means[c],
                                rstds[c], &sums);
      sum[c - begin] += sums.grad;
      dot[c - begin] += sums.dot;
    });
    if (args.grad_weight.present) store(dot.data(), args.grad_weight, begin, 1, channels);
    if (args.grad_bias.present) store(sum.data(), args.grad_bias, begin, 1, channels);
    if (!args.grad_input.present) return;
    for_runs(runs, begin, end, [&](std::int64_t c, std::int64_t run) {
      const C factor = element_of(args.weight, c, C{1}) * rstds[c];
      const C mean_g = static_cast<C>(sum[c - begin] / n);
      const C mean_dot = static_cast<C>(dot[c - begin] / n);
      const RowBlock block = runs.block(c, run);
      const C* const grad = fetch_run(args.grad_output, c, run, 1);
      C* const grad_x = block.target(args.grad_input, scratch.data() + 2 * space);
      if (args.training) {
        on_rows<NormGradient, C>(fetch_run(args.input, c, run, 0), grad, grad_x, runs.length,
                                 means[c], rstds[c], RowAffine<C>{}, mean_g, mean_dot, factor);
      } else {
        on_rows<ScaleRun, C>(grad, grad_x, runs.length, factor);
      }
      block.store(grad_x, args.grad_input);
    });
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

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/batch_norm/host.hpp"
#include "amp/kernels/batch_norm/host/channels_last.hpp"
#include "amp/kernels/batch_norm/host/running_statistics.hpp"
#include "amp/kernels/norm/host/rows.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// sum(grad * x^), in lanes.
template <class C>
double sum_of_products(const C* grad, const C* x, std::int64_t n, C mean, C rstd) {
  double lanes[8] = {};
  std::int64_t i = 0;
  const auto product = [&](std::int64_t j) {
    return static_cast<double>(grad[j]) * static_cast<double>((x[j] - mean) * rstd);
  };
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += product(i + l);
  }
  for (; i < n; ++i) lanes[i % 8] += product(i);
  return sum_block<double>(lanes, 8);
}

/// The runs of one channel of [N, C, I]: N runs of I elements, or, if I is 1, one run of N.
struct ChannelRuns {
  std::int64_t count, length, stride, distance;
  explicit ChannelRuns(const Operand& input) {
    const std::int64_t batch = input.sizes[0], channels = input.sizes[1], inner = input.sizes[2];
    count = inner == 1 ? 1 : batch;
    length = inner == 1 ? batch : inner;
    stride = inner == 1 ? channels : 1;
    distance = channels * inner;
  }
  std::int64_t start(std::int64_t channel, std::int64_t run) const {
    return stride == 1 ? channel * length + run * distance : channel;
  }
};

template <class C>
void batch_norm(const BatchNormArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  const HostBuffer<double> batch(args.training ? 2 * args.input.sizes[1] : 0);
  parallel_ranges(args.input.sizes[1], 1, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> scratch(2 * runs.length);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto fetch_run = [&](std::int64_t run) {
        return fetch(args.input, runs.start(c, run), runs.stride, runs.length, scratch.data());
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
      const C w = element_of(args.weight, c, C{1}), b = element_of(args.bias, c, C{0});
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const std::int64_t at = runs.start(c, run);
        const C* const x = fetch_run(run);
        C* const y =
            target(args.output, at, runs.stride, runs.length, scratch.data() + runs.length);
        for (std::int64_t i = 0; i < runs.length; ++i) {
          C normal = x[i];
          Norm::to_normal(normal, m, r);
          y[i] = normal * w + b;
        }
        store(y, args.output, at, runs.stride, runs.length);
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
    const HostBuffer<C> scratch(3 * runs.length);
    for (std::int64_t c = begin; c < end; ++c) {
      const C mean = args.mean.as<const C>()[c], rstd = args.rstd.as<const C>()[c];
      const auto fetch_run = [&](const Operand& array, std::int64_t run, int buffer) {
        return fetch(array, runs.start(c, run), runs.stride, runs.length,
                     scratch.data() + buffer * runs.length);
      };
      double sum = 0, dot = 0;
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const C* const x = fetch_run(args.input, run, 0);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        sum += sum_block<double>(grad, runs.length);
        dot += sum_of_products(grad, x, runs.length, mean, rstd);
      }
      if (args.grad_weight.present) store(&dot, args.grad_weight, c, 1, 1);
      if (args.grad_bias.present) store(&sum, args.grad_bias, c, 1, 1);
      if (!args.grad_input.present) continue;
      const C factor = element_of(args.weight, c, C{1}) * rstd;
      const C mean_g = static_cast<C>(sum / n), mean_dot = static_cast<C>(dot / n);
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const std::int64_t at = runs.start(c, run);
        const C* const x = fetch_run(args.input, run, 0);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        C* const grad_x =
            target(args.grad_input, at, runs.stride, runs.length, scratch.data() + 2 * runs.length);
        for (std::int64_t i = 0; i < runs.length; ++i) {
          C g = grad[i], normal = x[i];
          Norm::to_normal(normal, mean, rstd);
          Norm::to_gradient(g, normal, mean_g, mean_dot, factor);
          grad_x[i] = args.training ? g : factor * grad[i];
        }
        store(grad_x, args.grad_input, at, runs.stride, runs.length);
      }
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void batch_norm(const BatchNormArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (detail::is_channels_last(args.input)) return detail::batch_norm_channels_last<C>(args);
    detail::batch_norm<C>(args);
  });
}
AMP_LAZY_DEFINITION void batch_norm_backward(const BatchNormBackwardArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (detail::is_channels_last(args.input))
      return detail::batch_norm_backward_channels_last<C>(args);
    detail::batch_norm_backward<C>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// batch_norm() and batch_norm_backward() on CUDA devices. A channel is cut into parts, so that the
// whole device works even on few channels: one launch stores the sums of the parts, the next adds
// them in order and goes through the elements again. The shape alone decides how channels are cut.
// The formulas are in norm/formula.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/norm/cuda/moments.cuh"
#include "amp/kernels/norm/cuda/parameter_sums.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Lines for a sweep (sweep.cuh): line c * parts + p is part p of channel c of [N, C, I]. Accesses
/// have `width` elements.
struct ChannelParts {
  static constexpr std::int64_t kShortestPart = 2048, kMostParts = kThreads, kEnoughLines = 4096;

  std::int64_t channels, inner, elements, parts, length, count;  // elements: of a channel
  Divider by_inner, by_parts;

  ChannelParts(const Operand& input, int width)
      : channels(input.sizes[1]), inner(input.sizes[2]), elements(input.sizes[0] * inner) {
    const std::int64_t one = 1, accesses = elements / width;
    const std::int64_t most =
        (std::min)(kMostParts, ceil_div(kEnoughLines, (std::max)(channels, one)));
    parts = (std::max)((std::min)(ceil_div(accesses, kShortestPart), most), one);
    length = (std::max)(ceil_div(accesses, parts), one) * width;
    parts = ceil_div(elements, length);
    count = channels * parts;
    by_inner = Divider(inner);
    by_parts = Divider(parts);
  }
  AMP_HOST_DEVICE std::int64_t channel(std::int64_t line) const { return by_parts.quotient(line); }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const { return channel(line) * inner; }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t line) const {
    return by_parts.take_remainder(line) * length;
  }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t line) const {
    const std::int64_t beyond = begin(line) + length;
    return beyond < elements ? beyond : elements;
  }
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const {
    const std::int64_t place = by_inner.take_remainder(i);
    return i * channels * inner + place;
  }
};

/// Returns the sums of all parts of a tile's channel.
template <class Sums, class Tile>
__device__ Sums sums_of_channel(const Tile& tile, const ChannelParts& lines, const Sums* of_parts) {
  const std::int64_t first = lines.channel(tile.line(0)) * lines.parts;
  Sums sums;
  for (std::int64_t p = tile.lane(); p < lines.parts; p += tile.lanes())
    sums += of_parts[first + p];
  sums.combine([&](double& sum) { tile.add_up(sum); });
  return sums;
}

template <class Sweep>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    channel_moments_kernel(Sweep sweep, Input x, Moments* of_parts) {
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> values;
    Moments moments;
    const double origin = origin_of(tile, x);
    tile.forwards([&](const auto& part) {
      tile.load(part, x, values);
      moments.add(tile, part, values, origin);
    });
    moments.combine([&](double& sum) { tile.add_up(sum); });
    tile.for_own_lines([&](int) { of_parts[tile.line(0)] = moments; });
  });
}

/// Updates a running statistic with the batch's.
__device__ inline void move_running(const Output& running, std::int64_t channel, double momentum,
                                    double batch) {
  if (running.data == nullptr) return;
  const double kept = load<double>(running.data, running.dtype, channel);
  store<double>(running, channel, (1 - momentum) * kept + momentum * batch);
}

/// Returns an element of an affine parameter; `absent` if there is none.
template <class C>
__device__ C parameter_or(const Input& parameter, std::int64_t i, C absent) {
  return parameter.data == nullptr ? absent : load<C>(parameter, i);
}

/// `of_parts` is null when not training: the running statistics are used then.
template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    batch_norm_kernel(Sweep sweep, Input x, const Moments* of_parts, Input weight, Input bias,
                      Output running_mean, Output running_var, Output y, C* means, C* rstds,
                      double momentum, double eps) {
  const double n = static_cast<double>(sweep.lines.elements);
  sweep.for_each_tile([&](const auto& tile) {
    const std::int64_t channel = sweep.lines.channel(tile.line(0));
    const bool leads = tile.first() == 0;
    double mean = 0, variance = 0;
    if (of_parts != nullptr) {
      const Moments moments = sums_of_channel(tile, sweep.lines, of_parts);
      const double shifted = moments.mean(1 / n);
      variance = moments.variance(1 / n, shifted);
      mean = origin_of(tile, x) + shifted;
    } else {
      mean = load<double>(running_mean.data, running_mean.dtype, channel);
      variance = load<double>(running_var.data, running_var.dtype, channel);
    }
    const C m = static_cast<C>(mean);
    const C r = static_cast<C>(1 / functions::sqrt(variance + eps));
    tile.for_own_lines([&](int) {
      if (!leads) return;
      means[channel] = m;
      rstds[channel] = r;
      if (of_parts == nullptr) return;
      move_running(running_mean, channel, momentum, mean);
      move_running(running_var, channel, momentum, variance * n / (n - 1));
    });
    const C w = parameter_or(weight, channel, C{1}), shift = parameter_or(bias, channel, C{0});
    tile.forwards([&](const auto& part) {
      Fragment<Sweep> values;
      tile.load(part, x, values);
      tile.for_each(part, values, [&](int, C& value) {
        Norm::to_normal(value, m, r);
        value = value * w + shift;
      });
      tile.store(part, y, values);
    });
  });
}

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    channel_sums_kernel(Sweep sweep, NormSaved<C> saved, GradientSums* of_parts) {
  sweep.for_each_tile([&](const auto& tile) {
    const std::int64_t channel = sweep.lines.channel(tile.line(0));
    const C mean = saved.mean(channel), rstd = saved.rstds[channel];
    GradientSums sums;
    tile.forwards([&](const auto& part) {
      Fragment<Sweep> grad, normal;
      tile.load(part, saved.grad, grad, saved.x, normal);
      tile.for_each(part, normal, [&](int, C& x) { Norm::to_normal(x, mean, rstd); });
      sums.add(tile, part, grad, normal);
    });
    sums.combine([&](double& sum) { tile.add_up(sum); });
    tile.for_own_lines([&](int) { of_parts[tile.line(0)] = sums; });
  });
}

/// `of_parts` is null if the sums are not needed. With fixed statistics (not training) both means
/// drop out of grad_x, and so does x; multiplying x^ by 0 would turn its infinities into NaN.
/// grad_x may be null.
template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    batch_norm_backward_kernel(Sweep sweep, NormSaved<C> saved, const GradientSums* of_parts,
                               Output grad_x, Output grad_weight, Output grad_bias, bool training) {
  const double n = static_cast<double>(sweep.lines.elements);
  sweep.for_each_tile([&](const auto& tile) {
    const std::int64_t channel = sweep.lines.channel(tile.line(0));
    GradientSums sums;
    if (of_parts != nullptr) sums = sums_of_channel(tile, sweep.lines, of_parts);
    tile.for_own_lines([&](int) {
      if (tile.first() != 0) return;
      if (grad_weight.data != nullptr) store<double>(grad_weight, channel, sums.dot);
      if (grad_bias.data != nullptr) store<double>(grad_bias, channel, sums.g);
    });
    if (grad_x.data == nullptr) return;
    const C mean = saved.mean(channel), rstd = saved.rstds[channel];
    const C factor = parameter_or(saved.weight, channel, C{1}) * rstd;
    const C mean_g = static_cast<C>(sums.g / n), mean_dot = static_cast<C>(sums.dot / n);
    tile.forwards([&](const auto& part) {
      Fragment<Sweep> grad, normal;
      tile.load(part, saved.grad, grad, saved.x, normal);
      tile.for_each_access(part, [&](int k) {
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) {
          Norm::to_normal(normal[k][l], mean, rstd);
          if (training) {
            Norm::to_gradient(grad[k][l], normal[k][l], mean_g, mean_dot, factor);
          } else {
            grad[k][l] *= factor;
          }
        }
      });
      tile.store(part, grad_x, grad);
    });
  });
}

/// Calls visitor(sweep) for the channels of these arrays. Rows keep `Kept` vectors.
template <int Kept, class Visitor, class... Arrays>
void visit_channels(const Operand& input, Visitor&& visitor, const Arrays&... others) {
  if (are_rows_of_vectors(input.sizes[2], input, others...))
    return visitor(Rows<Kept, kThreads, ChannelParts>(ChannelParts(input, kVector)));
  visit_float_type(input.dtype, [&](auto tag) {
    const ChannelParts lines(input, 1);
    visitor(Singles<OneBlock, typename decltype(tag)::type, ChannelParts>(lines));
  });
}

}  // namespace detail

inline void batch_norm(const BatchNormArgs& args) {
  const Device device = args.input.device;
  detail::visit_channels<4>(
      args.input,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        using C = typename Sweep::Compute;
        const Scratch<Moments> of_parts(device, sweep.lines.count);
        if (args.training) {
          launch(device, sweep.blocks(), sweep.block_threads(),
                 detail::channel_moments_kernel<Sweep>, sweep, args.input, of_parts.data());
        }
        launch(device, sweep.blocks(), sweep.block_threads(), detail::batch_norm_kernel<Sweep>,
               sweep, args.input, args.training ? of_parts.data() : nullptr, args.weight, args.bias,
               args.running_mean, args.running_var, args.output, args.mean.as<C>(),
               args.rstd.as<C>(), args.momentum, args.eps);
      },
      args.output);
}

inline void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const Device device = args.input.device;
  const bool needs_sums = args.grad_weight.present || args.grad_bias.present ||
                          (args.training && args.grad_input.present);
  detail::visit_channels<2>(
      args.input,
      [&](const auto& sweep) {
        using Sweep = std::remove_cvref_t<decltype(sweep)>;
        using C = typename Sweep::Compute;
        const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                                 args.rstd.as<const C>()};
        const Scratch<GradientSums> of_parts(device, sweep.lines.count);
        if (needs_sums) {
          launch(device, sweep.blocks(), sweep.block_threads(), detail::channel_sums_kernel<Sweep>,
                 sweep, saved, of_parts.data());
        }
        launch(device, sweep.blocks(), sweep.block_threads(),
               detail::batch_norm_backward_kernel<Sweep>, sweep, saved,
               needs_sums ? of_parts.data() : nullptr, args.grad_input, args.grad_weight,
               args.grad_bias, args.training);
      },
      args.grad_output, args.grad_input);
}

}  // namespace amp::inline v0::kernels::cuda

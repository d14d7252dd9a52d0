// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of channels. A channel is cut into parts, that all of a device may work on few
// channels: one launch leaves the sums of the parts, the next adds them up in order and goes
// through the elements again. What the cuts are the shape decides alone. Formulas in norm/args.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/batch_norm/args.hpp"
#include "amp/kernels/norm/cuda/rows.cuh"
#include "amp/kernels/traversal/cuda/lines.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// [N, C, I] in accesses of `width` elements, of which those of a channel are one row.
struct Channels {
  static constexpr std::int64_t kShortestPart = 2048, kMostParts = kThreads, kEnoughBlocks = 4096;

  std::int64_t batch, channels, inner, parts, part_length;
  int width;

  Channels(const Operand& input, int width_)
      : batch(input.sizes[0]),
        channels(input.sizes[1]),
        inner(input.sizes[2] / width_),
        parts(1),
        part_length(0),
        width(width_) {
    const std::int64_t one = 1, length = batch * inner;
    const std::int64_t most =
        (std::min)(kMostParts, ceil_div(kEnoughBlocks, (std::max)(channels, one)));
    parts = (std::max)((std::min)(ceil_div(length, kShortestPart), most), one);
    part_length = (std::max)(ceil_div(length, parts), one);
    parts = ceil_div(length, part_length);
  }
  std::int64_t blocks() const { return grid_for(channels * parts, 1); }
  /// Of elements.
  __device__ double count() const { return static_cast<double>(batch * inner * width); }
};

/// What a thread has next of its part of a channel: accesses kThreads apart, found
/// without divisions.
template <int Ahead>
class ChannelShare {
 public:
  __device__ ChannelShare(const Channels& shape, std::int64_t channel, std::int64_t part)
      : row_(channel * shape.inner),
        inner_(shape.inner),
        image_(shape.channels * shape.inner),
        width_(shape.width) {
    const std::int64_t begin = part * shape.part_length, end = begin + shape.part_length;
    const std::int64_t length = shape.batch * shape.inner, first = begin + threadIdx.x;
    left_ = (end < length ? end : length) - first;
    in_plane_ = first % inner_;
    row_ += first / inner_ * image_;
    plane_step_ = kThreads % inner_;
    row_step_ = kThreads / inner_ * image_;
  }
  __device__ bool is_done() const { return left_ <= 0; }
  /// Finds the next `Ahead` accesses, as far as there are any.
  __device__ void advance() {
    count_ = 0;
    AMP_UNROLL
    for (int k = 0; k < Ahead; ++k) {
      if (left_ <= 0) continue;
      ++count_;
      at_[k] = (row_ + in_plane_) * width_;
      left_ -= kThreads;
      row_ += row_step_;
      in_plane_ += plane_step_;
      if (in_plane_ < inner_) continue;
      in_plane_ -= inner_;
      row_ += image_;
    }
  }
  __device__ bool has(int k) const { return k < count_; }
  __device__ std::int64_t at(int k) const { return at_[k]; }

 private:
  std::int64_t row_, inner_, image_, in_plane_, left_, plane_step_, row_step_, at_[Ahead];
  int width_, count_ = 0;
};

/// Elements in the type that is computed in: vectors, or single ones.
template <int Ahead>
__device__ __forceinline__ void load_two(const Input& a, const Input& b,
                                         const ChannelShare<Ahead>& share,
                                         float (&to_a)[Ahead][kVector],
                                         float (&to_b)[Ahead][kVector]) {
  const RowWords<Ahead> a_words(a, share), b_words(b, share);
  a_words.unpack(a.dtype, to_a);
  b_words.unpack(b.dtype, to_b);
}
template <int Ahead>
__device__ __forceinline__ void load_one(const Input& x, const ChannelShare<Ahead>& share,
                                         float (&to)[Ahead][kVector]) {
  RowWords<Ahead>(x, share).unpack(x.dtype, to);
}
template <class C, int Ahead>
__device__ __forceinline__ void load_one(const Input& x, const ChannelShare<Ahead>& share,
                                         C (&to)[Ahead][1]) {
  for (int k = 0; k < Ahead; ++k) {
    if (share.has(k)) to[k][0] = load<C>(x, share.at(k));
  }
}
template <class C, int Ahead>
__device__ __forceinline__ void load_two(const Input& a, const Input& b,
                                         const ChannelShare<Ahead>& share, C (&to_a)[Ahead][1],
                                         C (&to_b)[Ahead][1]) {
  load_one(a, share, to_a);
  load_one(b, share, to_b);
}
__device__ __forceinline__ void store_one(const Output& y, std::int64_t at,
                                          const float (&values)[kVector]) {
  store_row_vector(y, at, values);
}
template <class C>
__device__ __forceinline__ void store_one(const Output& y, std::int64_t at, const C (&values)[1]) {
  store<C>(y, at, values[0]);
}

/// Single elements are taken less the first of the channel, which costs their variance nothing.
template <class C, int Width>
__device__ double channel_origin(const Channels& shape, const Input& x, std::int64_t channel) {
  return Width == 1 ? load<double>(x, channel * shape.inner) : 0;
}

/// moments[c * parts + p] of part p of channel c.
template <class C, int Width>
AMP_KERNEL void __launch_bounds__(kThreads)
    channel_moments_kernel(Channels shape, Input x, Moments* moments) {
  constexpr int kAhead = 4;
  for (std::int64_t b = blockIdx.x; b < shape.channels * shape.parts; b += gridDim.x) {
    const std::int64_t channel = b / shape.parts;
    [[maybe_unused]] const double origin = channel_origin<C, Width>(shape, x, channel);
    Moments sums;
    for (ChannelShare<kAhead> share(shape, channel, b % shape.parts); !share.is_done();) {
      share.advance();
      C values[kAhead][Width];
      load_one(x, share, values);
      AMP_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        if (!share.has(k)) continue;
        if constexpr (Width == 1) {
          sums.add(static_cast<double>(values[k][0]) - origin);
        } else {
          sums.add(values[k]);
        }
      }
    }
    sums = sums.of_team(OneBlock());
    if (threadIdx.x == 0) moments[b] = sums;
  }
}

/// Moves a running statistic towards the batch's.
__device__ inline void move_running(void* running, DType dtype, std::int64_t channel,
                                    double momentum, double batch) {
  if (running == nullptr) return;
  const double kept = load<double>(running, dtype, channel);
  store<double>(running, dtype, channel, (1 - momentum) * kept + momentum * batch);
}

/// `moments` is null where not training: then the running statistics are used.
template <class C, int Width>
AMP_KERNEL void __launch_bounds__(kThreads)
    batch_norm_kernel(Channels shape, Input x, const Moments* moments, Input weight, Input bias,
                      Output running_mean, Output running_var, Output y, C* means, C* rstds,
                      double momentum, double eps) {
  constexpr int kAhead = 4;
  const double n = shape.count();
  for (std::int64_t b = blockIdx.x; b < shape.channels * shape.parts; b += gridDim.x) {
    const std::int64_t channel = b / shape.parts, part = b % shape.parts;
    const bool leads = part == 0 && threadIdx.x == 0;
    double mean = 0, variance = 0;
    if (moments != nullptr) {
      Moments sums;
      if (threadIdx.x < shape.parts) sums = moments[channel * shape.parts + threadIdx.x];
      sums = sums.of_team(OneBlock());
      const double shifted_mean = sums.mean(1 / n);
      variance = sums.variance(1 / n, shifted_mean);
      mean = channel_origin<C, Width>(shape, x, channel) + shifted_mean;
      if (leads) {
        move_running(running_mean.data, running_mean.dtype, channel, momentum, mean);
        move_running(running_var.data, running_var.dtype, channel, momentum,
                     variance * n / (n - 1));
      }
    } else {
      mean = load<double>(running_mean.data, running_mean.dtype, channel);
      variance = load<double>(running_var.data, running_var.dtype, channel);
    }
    const C m = static_cast<C>(mean);
    const C r = static_cast<C>(1 / functions::math::sqrt(variance + eps));
    if (leads) {
      means[channel] = m;
      rstds[channel] = r;
    }
    const C w = parameter_or(weight, channel, C{1}), shift = parameter_or(bias, channel, C{0});
    for (ChannelShare<kAhead> share(shape, channel, part); !share.is_done();) {
      share.advance();
      C values[kAhead][Width];
      load_one(x, share, values);
      AMP_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < Width; ++l) values[k][l] = (values[k][l] - m) * r * w + shift;
        store_one(y, share.at(k), values[k]);
      }
    }
  }
}

/// Of grad and of grad * x^.
struct ChannelSums {
  double grad = 0, dot = 0;

  __device__ ChannelSums of_block() const {
    ChannelSums all;
    all.grad = block_sum(grad);
    all.dot = block_sum(dot);
    return all;
  }
};

template <class C, int Width>
AMP_KERNEL void __launch_bounds__(kThreads)
    channel_sums_kernel(Channels shape, NormSaved<C> saved, ChannelSums* parts) {
  constexpr int kAhead = 2;
  for (std::int64_t b = blockIdx.x; b < shape.channels * shape.parts; b += gridDim.x) {
    const std::int64_t channel = b / shape.parts;
    const C mean = saved.mean(channel), rstd = saved.rstds[channel];
    ChannelSums sums;
    for (ChannelShare<kAhead> share(shape, channel, b % shape.parts); !share.is_done();) {
      share.advance();
      C grad[kAhead][Width], x[kAhead][Width];
      load_two(saved.grad, saved.x, share, grad, x);
      AMP_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        if (!share.has(k)) continue;
        C sum{0}, dot{0};
        AMP_UNROLL
        for (int l = 0; l < Width; ++l) {
          sum += grad[k][l];
          dot += grad[k][l] * ((x[k][l] - mean) * rstd);
        }
        sums.grad += static_cast<double>(sum);
        sums.dot += static_cast<double>(dot);
      }
    }
    sums = sums.of_block();
    if (threadIdx.x == 0) parts[b] = sums;
  }
}

/// `parts` is null where nobody needs the sums. With fixed statistics (not training) both means
/// drop out of grad_x, which may be null, and x with them: a zero times x^ would make its
/// infinities NaN.
template <class C, int Width>
AMP_KERNEL void __launch_bounds__(kThreads)
    batch_norm_backward_kernel(Channels shape, NormSaved<C> saved, const ChannelSums* parts,
                               Output grad_x, Output grad_weight, Output grad_bias, bool training) {
  constexpr int kAhead = 2;
  const double n = shape.count();
  for (std::int64_t b = blockIdx.x; b < shape.channels * shape.parts; b += gridDim.x) {
    const std::int64_t channel = b / shape.parts, part = b % shape.parts;
    if (grad_x.data == nullptr && part != 0) continue;
    ChannelSums sums;
    if (parts != nullptr) {
      if (threadIdx.x < shape.parts) sums = parts[channel * shape.parts + threadIdx.x];
      sums = sums.of_block();
    }
    if (part == 0 && threadIdx.x == 0) {
      if (grad_weight.data != nullptr) store<double>(grad_weight, channel, sums.dot);
      if (grad_bias.data != nullptr) store<double>(grad_bias, channel, sums.grad);
    }
    if (grad_x.data == nullptr) continue;
    const C mean = saved.mean(channel), rstd = saved.rstds[channel];
    const C factor = parameter_or(saved.weight, channel, C{1}) * rstd;
    const C mean_g = static_cast<C>(sums.grad / n), mean_dot = static_cast<C>(sums.dot / n);
    for (ChannelShare<kAhead> share(shape, channel, part); !share.is_done();) {
      share.advance();
      C grad[kAhead][Width], x[kAhead][Width];
      load_two(saved.grad, saved.x, share, grad, x);
      AMP_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        if (!share.has(k)) continue;
        AMP_UNROLL
        for (int l = 0; l < Width; ++l) {
          const C normal = (x[k][l] - mean) * rstd;
          if (training) grad[k][l] = grad[k][l] - mean_g - normal * mean_dot;
          grad[k][l] *= factor;
        }
        store_one(grad_x, share.at(k), grad[k]);
      }
    }
  }
}

/// visitor(C{}, width) with the type that is computed in and the elements of an access.
template <class Visitor, class... Operands>
void visit_channels(const Operand& input, Visitor&& visitor, const Operands&... others) {
  if (are_rows_of_vectors(input.sizes[2], input, others...))
    return visitor(float{}, std::integral_constant<int, kVector>{});
  visit_float_type(input.dtype, [&](auto tag) {
    visitor(typename decltype(tag)::type{}, std::integral_constant<int, 1>{});
  });
}

}  // namespace detail

inline void batch_norm(const BatchNormArgs& args) {
  const Device device = args.input.device;
  detail::visit_channels(
      args.input,
      [&](auto zero, auto width) {
        using C = decltype(zero);
        constexpr int kWidth = decltype(width)::value;
        const detail::Channels shape(args.input, kWidth);
        const Scratch<Moments> moments(device, shape.channels * shape.parts);
        if (args.training) {
          launch(device, shape.blocks(), kThreads, detail::channel_moments_kernel<C, kWidth>, shape,
                 args.input, moments.data());
        }
        launch(device, shape.blocks(), kThreads, detail::batch_norm_kernel<C, kWidth>, shape,
               args.input, args.training ? moments.data() : nullptr, args.weight, args.bias,
               args.running_mean, args.running_var, args.output, args.mean.as<C>(),
               args.rstd.as<C>(), args.momentum, args.eps);
      },
      args.output);
}

inline void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const Device device = args.input.device;
  const bool sums = args.grad_weight.present || args.grad_bias.present ||
                    (args.training && args.grad_input.present);
  detail::visit_channels(
      args.input,
      [&](auto zero, auto width) {
        using C = decltype(zero);
        constexpr int kWidth = decltype(width)::value;
        const detail::Channels shape(args.input, kWidth);
        const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                                 args.rstd.as<const C>()};
        const Scratch<detail::ChannelSums> parts(device, shape.channels * shape.parts);
        if (sums) {
          launch(device, shape.blocks(), kThreads, detail::channel_sums_kernel<C, kWidth>, shape,
                 saved, parts.data());
        }
        launch(device, shape.blocks(), kThreads, detail::batch_norm_backward_kernel<C, kWidth>,
               shape, saved, sums ? parts.data() : nullptr, args.grad_input, args.grad_weight,
               args.grad_bias, args.training);
      },
      args.grad_output, args.grad_input);
}

}  // namespace amp::inline v0::kernels::cuda

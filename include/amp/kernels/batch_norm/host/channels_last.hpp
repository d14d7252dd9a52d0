// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batch norm of activations in channels-last order. The row-major kernels process one channel at a
// time; these process the vector of all channels. Each sum adds its terms in the same order, so
// both give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/batch_norm/host/running_statistics.hpp"
#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Whether [N, C, I] lies in channels-last order: the channels side by side.
inline bool is_channels_last(const Operand& planes) {
  return planes.strides[1] == 1 && planes.strides[2] == planes.sizes[1];
}

/// The sums of one image for each channel, in eight lanes as those of sum_block.
class ChannelSums {
 public:
  static constexpr std::int64_t kLanes = 8;
  explicit ChannelSums(std::int64_t channels) : channels_(channels), sums_(kLanes * channels) {}

  void clear() const { std::fill_n(sums_.data(), kLanes * channels_, 0.0); }
  /// The lane of pixel i and of every eighth pixel from it.
  double* lane(std::int64_t i) const { return sums_.data() + i % kLanes * channels_; }
  void store_totals(double* totals) const {
    for (std::int64_t c = 0; c < channels_; ++c) {
      double lanes[kLanes];
      for (std::int64_t l = 0; l < kLanes; ++l) lanes[l] = sums_[l * channels_ + c];
      totals[c] = sum_block<double>(lanes, kLanes);
    }
  }

 private:
  std::int64_t channels_;
  HostBuffer<double> sums_;
};

/// Blocks of pixels of images [N, C, I] in the compute type, from kArrays arrays, with room for
/// results behind them.
template <class C, std::size_t kArrays>
class PixelBlocks {
 public:
  using Arrays = std::array<const Operand*, kArrays>;
  using Pointers = std::array<const C*, kArrays>;

  explicit PixelBlocks(const Arrays& arrays)
      : arrays_(arrays),
        channels_(arrays[0]->sizes[1]),
        buffer_(static_cast<std::int64_t>(kArrays + 1) * pixels(*arrays[0]) * channels_) {}

  /// The number of pixels in a block.
  static std::int64_t pixels(const Operand& images) {
    return (std::max)(std::int64_t{1}, 4 * kBlock / images.sizes[1]);
  }
  /// Fetches `count` pixels from pixel `first` on, counted over all images.
  Pointers fetch_from(std::int64_t first, std::int64_t count) const {
    Pointers x;
    for (std::size_t k = 0; k < kArrays; ++k)
      x[k] = fetch(*arrays_[k], first * channels_, 1, count * channels_, room(k));
    return x;
  }
  C* room_for_results() const { return room(kArrays); }

 private:
  C* room(std::size_t k) const {
    return buffer_.data() + static_cast<std::int64_t>(k) * pixels(*arrays_[0]) * channels_;
  }

  Arrays arrays_;
  std::int64_t channels_;
  HostBuffer<C> buffer_;
};

/// Computes totals[s * channels + c]: sum s < kSums over all pixels of channel c. take(x, sum) adds
/// one pixel to sum[s * channels + c]; x[k][c] is the element of array k.
template <int kSums, class C, std::size_t kArrays, class Take>
void sum_channels(const std::array<const Operand*, kArrays>& arrays, double* totals, Take take) {
  const std::int64_t images = arrays[0]->sizes[0], channels = arrays[0]->sizes[1],
                     per_image = arrays[0]->sizes[2], width = kSums * channels;
  const std::int64_t block = PixelBlocks<C, kArrays>::pixels(*arrays[0]);
  const HostBuffer<double> of_images(images * width);
  parallel_ranges(images, 1, [&](std::int64_t begin, std::int64_t end) {
    const PixelBlocks<C, kArrays> blocks(arrays);
    const ChannelSums sums(width);
    for (std::int64_t image = begin; image < end; ++image) {
      sums.clear();
      for (std::int64_t first = 0; first < per_image; first += block) {
        const std::int64_t count = (std::min)(block, per_image - first);
        auto x = blocks.fetch_from(image * per_image + first, count);
        for (std::int64_t i = first; i < first + count; ++i) {
          take(x, sums.lane(i));
          for (const C*& pixel : x) pixel += channels;
        }
      }
      sums.store_totals(of_images.data() + image * width);
    }
  });
  std::fill_n(totals, width, 0.0);
  for (std::int64_t image = 0; image < images; ++image) {
    for (std::int64_t i = 0; i < width; ++i) totals[i] += of_images[image * width + i];
  }
}

/// Calls apply(x, y) for each pixel; y[c] receives its results.
template <class C, std::size_t kArrays, class Apply>
void map_pixels(const std::array<const Operand*, kArrays>& arrays, const Operand& output,
                Apply apply) {
  const std::int64_t channels = output.sizes[1], total = output.sizes[0] * output.sizes[2];
  const std::int64_t block = PixelBlocks<C, kArrays>::pixels(output);
  parallel_ranges(ceil_div(total, block), 4, [&](std::int64_t begin, std::int64_t end) {
    const PixelBlocks<C, kArrays> blocks(arrays);
    for (std::int64_t first = begin * block; first < (std::min)(total, end * block);
         first += block) {
      const std::int64_t count = (std::min)(block, total - first);
      const std::int64_t at = first * channels, n = count * channels;
      auto x = blocks.fetch_from(first, count);
      C* const values = target(output, at, 1, n, blocks.room_for_results());
      for (std::int64_t i = 0; i < count; ++i) {
        apply(x, values + i * channels);
        for (const C*& pixel : x) pixel += channels;
      }
      store(values, output, at, 1, n);
    }
  });
}

// Loops over the channels of one pixel.
template <class C>
void add_values(std::int64_t channels, const C* __restrict x, double* __restrict sum) {
  for (std::int64_t c = 0; c < channels; ++c) sum[c] += static_cast<double>(x[c]);
}
template <class C>
void add_squares(std::int64_t channels, const C* __restrict x, const double* __restrict mean,
                 double* __restrict sum) {
  for (std::int64_t c = 0; c < channels; ++c) {
    const double d = static_cast<double>(x[c]) - mean[c];
    sum[c] += d * d;
  }
}
template <class C>
void add_products(std::int64_t channels, const C* __restrict grad, const C* __restrict x,
                  const C* __restrict mean, const C* __restrict rstd, double* __restrict sum) {
  for (std::int64_t c = 0; c < channels; ++c)
    sum[c] += static_cast<double>(grad[c]) * static_cast<double>((x[c] - mean[c]) * rstd[c]);
}
template <class C>
void normalize(std::int64_t channels, const C* __restrict x, const C* __restrict mean,
               const C* __restrict rstd, const C* __restrict weight, const C* __restrict bias,
               C* __restrict y) {
  for (std::int64_t c = 0; c < channels; ++c) {
    C normal = x[c];
    Norm::to_normal(normal, mean[c], rstd[c]);
    y[c] = normal * weight[c] + bias[c];
  }
}
template <class C>
void differentiate(std::int64_t channels, const C* __restrict grad, const C* __restrict x,
                   const C* __restrict mean, const C* __restrict rstd, const C* __restrict factor,
                   const C* __restrict mean_grad, const C* __restrict mean_dot,
                   C* __restrict grad_x) {
  for (std::int64_t c = 0; c < channels; ++c) {
    C g = grad[c], normal = x[c];
    Norm::to_normal(normal, mean[c], rstd[c]);
    Norm::to_gradient(g, normal, mean_grad[c], mean_dot[c], factor[c]);
    grad_x[c] = g;
  }
}
template <class C>
void multiply(std::int64_t channels, const C* __restrict a, const C* __restrict b,
              C* __restrict y) {
  for (std::int64_t c = 0; c < channels; ++c) y[c] = a[c] * b[c];
}

template <class C>
void batch_norm_channels_last(const BatchNormArgs& args) {
  const std::int64_t channels = args.input.sizes[1];
  const double n =
      static_cast<double>(args.input.sizes[0]) * static_cast<double>(args.input.sizes[2]);
  const HostBuffer<double> batch(2 * channels);
  double *const means = batch.data(), *const squares = batch.data() + channels;
  if (args.training) {
    sum_channels<1, C, 1>({&args.input}, means,
                          [&](auto& x, double* sum) { add_values(channels, x[0], sum); });
    for (std::int64_t c = 0; c < channels; ++c) means[c] /= n;
    sum_channels<1, C, 1>({&args.input}, squares,
                          [&](auto& x, double* sum) { add_squares(channels, x[0], means, sum); });
  }
  const HostBuffer<C> affine(2 * channels);
  C *const mean = args.mean.as<C>(), *const rstd = args.rstd.as<C>();
  C *const weight = affine.data(), *const bias = affine.data() + channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double center = args.training ? means[c] : element_of<double>(args.running_mean, c, 0);
    const double variance =
        args.training ? squares[c] / n : element_of<double>(args.running_var, c, 1);
    mean[c] = static_cast<C>(center);
    rstd[c] = static_cast<C>(1 / std::sqrt(variance + args.eps));
    weight[c] = element_of(args.weight, c, C{1});
    bias[c] = element_of(args.bias, c, C{0});
  }
  map_pixels<C, 1>({&args.input}, args.output,
                   [&](auto& x, C* y) { normalize(channels, x[0], mean, rstd, weight, bias, y); });
  if (args.training) move_running(args, batch.data(), n);  // after everything that can fail
}

template <class C>
void batch_norm_backward_channels_last(const BatchNormBackwardArgs& args) {
  const std::int64_t channels = args.input.sizes[1];
  const double n =
      static_cast<double>(args.input.sizes[0]) * static_cast<double>(args.input.sizes[2]);
  const C *const mean = args.mean.as<const C>(), *const rstd = args.rstd.as<const C>();
  const HostBuffer<double> sums(2 * channels);
  sum_channels<2, C, 2>({&args.grad_output, &args.input}, sums.data(), [&](auto& x, double* sum) {
    add_values(channels, x[0], sum);
    add_products(channels, x[0], x[1], mean, rstd, sum + channels);
  });
  if (args.grad_bias.present) store(sums.data(), args.grad_bias, 0, 1, channels);
  if (args.grad_weight.present) store(sums.data() + channels, args.grad_weight, 0, 1, channels);
  if (!args.grad_input.present) return;
  const HostBuffer<C> terms(3 * channels);
  C *const factor = terms.data(), *const mean_grad = factor + channels,
           *const mean_dot = mean_grad + channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    factor[c] = element_of(args.weight, c, C{1}) * rstd[c];
    mean_grad[c] = static_cast<C>(sums[c] / n);
    mean_dot[c] = static_cast<C>(sums[channels + c] / n);
  }
  if (args.training) {
    map_pixels<C, 2>({&args.grad_output, &args.input}, args.grad_input, [&](auto& x, C* y) {
      differentiate(channels, x[0], x[1], mean, rstd, factor, mean_grad, mean_dot, y);
    });
  } else {
    map_pixels<C, 1>({&args.grad_output}, args.grad_input,
                     [&](auto& x, C* y) { multiply(channels, factor, x[0], y); });
  }
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::host

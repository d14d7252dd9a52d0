// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Batch norm of activations in channels-last order. The row-major kernels process one channel at a
// time; these process vectors of channels. Their sums are in double, and rounded to float, which
// hides that the terms come in another order: both give the same bits.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/core/simd/ends.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/batch_norm/host/running_statistics.hpp"
#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/norm/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Whether [N, C, I] lies in channels-last order: the channels side by side.
inline bool is_channels_last(const Operand& planes) {
  return planes.strides[1] == 1 && planes.strides[2] == planes.sizes[1];
}

/// Blocks of pixels of images [N, C, I] in float32, from kArrays arrays, with room for
/// results behind them.
template <std::size_t kArrays>
class PixelBlocks {
 public:
  using Arrays = std::array<const Operand*, kArrays>;
  using Pointers = std::array<const float*, kArrays>;

  explicit PixelBlocks(const Arrays& arrays)
      : arrays_(arrays),
        channels_(arrays[0]->sizes[1]),
        distance_(buffer_distance(pixels(*arrays[0]) * channels_)),
        buffer_(static_cast<std::int64_t>(kArrays + 1) * distance_) {}

  /// The number of pixels in a block.
  static std::int64_t pixels(const Operand& images) {
    return (std::max)(std::int64_t{1}, 2 * kBlock / images.sizes[1]);
  }
  /// Fetches `count` pixels from pixel `first` on, counted over all images.
  Pointers fetch_from(std::int64_t first, std::int64_t count) const {
    Pointers x;
    for (std::size_t k = 0; k < kArrays; ++k)
      x[k] = fetch(*arrays_[k], first * channels_, 1, count * channels_, room(k));
    return x;
  }
  float* room_for_results() const { return room(kArrays); }

 private:
  float* room(std::size_t k) const {
    return buffer_.data() + static_cast<std::int64_t>(k) * distance_;
  }

  Arrays arrays_;
  std::int64_t channels_, distance_;
  HostBuffer<float> buffer_;
};

/// Calls body(x, count) for the blocks of one image, in order; x[k] is where array k's begins.
template <std::size_t kArrays, class Body>
void for_each_block_of(std::int64_t image, const Operand& images,
                       const PixelBlocks<kArrays>& blocks, const Body& body) {
  const std::int64_t pixels = images.sizes[2], block = blocks.pixels(images);
  for (std::int64_t first = 0; first < pixels; first += block) {
    const std::int64_t count = (std::min)(block, pixels - first);
    body(blocks.fetch_from(image * pixels + first, count), count);
  }
}

/// Calls apply(x, count, y) for blocks of pixels; y receives their results.
template <std::size_t kArrays, class Apply>
void map_pixels(const std::array<const Operand*, kArrays>& arrays, const Operand& output,
                const Apply& apply) {
  const std::int64_t channels = output.sizes[1], total = output.sizes[0] * output.sizes[2];
  const std::int64_t block = PixelBlocks<kArrays>::pixels(output);
  parallel_ranges(ceil_div(total, block), 4, [&](std::int64_t begin, std::int64_t end) {
    const PixelBlocks<kArrays> blocks(arrays);
    for (std::int64_t first = begin * block; first < (std::min)(total, end * block);
         first += block) {
      const std::int64_t count = (std::min)(block, total - first);
      const std::int64_t at = first * channels, n = count * channels;
      float* const values = target(output, at, 1, n, blocks.room_for_results());
      apply(blocks.fetch_from(first, count), count, values);
      store(values, output, at, 1, n);
    }
  });
}

// What bodies do for the channels of `count` pixels. Sums have room for whole vectors.

/// sums[c] += x - origins[c], squares[c] += (x - origins[c])^2
struct AddMomentsOfPixels {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, std::int64_t count, std::int64_t channels,
                                    const double* origins, double* sums, double* squares) {
    for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
      const simd::Vec<double, Isa> origin = simd::load<Isa>(origins + c);
      MomentLanes<Isa> even, odd;  // which do not wait for each other
      const float* pixel = x + c;
      std::int64_t i = 0;
      for (; i + 2 <= count; i += 2, pixel += 2 * channels) {
        even.add(load_channels_as_doubles<Isa>(pixel, channels - c) - origin);
        odd.add(load_channels_as_doubles<Isa>(pixel + channels, channels - c) - origin);
      }
      if (i < count) even.add(load_channels_as_doubles<Isa>(pixel, channels - c) - origin);
      simd::add_to(sums + c, even.sum + odd.sum);
      simd::add_to(squares + c, even.squares + odd.squares);
    }
  }

 private:
  template <class Isa>
  AMP_ALWAYS_INLINE static simd::Vec<double, Isa> load_channels_as_doubles(const float* x,
                                                                           std::int64_t n) {
    return n >= simd::kLanes<Isa> ? simd::load_doubles<Isa>(x)
                                  : simd::to_double(simd::load_first<Isa>(x, n));
  }
};
/// sums[c] += grad, dots[c] += grad * x^
struct AddGradientsOfPixels {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* grad, const float* x, std::int64_t count,
                                    std::int64_t channels, const float* means, const float* rstds,
                                    double* sums, double* dots) {
    for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
      const std::int64_t n = channels - c;
      const simd::Vec<float, Isa> mean = load_channels<Isa>(means + c, n),
                                  rstd = load_channels<Isa>(rstds + c, n);
      simd::Vec<double, Isa> sum = 0, dot = 0;
      for (std::int64_t i = 0; i < count; ++i) {
        simd::Vec<float, Isa> normal = load_channels<Isa>(x + i * channels + c, n);
        Norm::to_normal(normal, mean, rstd);
        const auto g = simd::to_double(load_channels<Isa>(grad + i * channels + c, n));
        sum += g;
        dot += g * simd::to_double(normal);
      }
      simd::add_to(sums + c, sum);
      simd::add_to(dots + c, dot);
    }
  }
};
/// The pixels that share the loads of what belongs to their channels. With more of them, lines of
/// memory that are not cached would come too far from each other.
inline constexpr std::int64_t kPixelsTogether = 4;

/// y = x^ * weight + bias
struct NormalisePixels {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, float* y, std::int64_t count,
                                    std::int64_t channels, const float* means, const float* rstds,
                                    const float* weights, const float* biases) {
    const std::int64_t step = kPixelsTogether * channels;
    for (; count > 0; count -= kPixelsTogether, x += step, y += step) {
      const std::int64_t end = (std::min)(count, kPixelsTogether) * channels;
      for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
        const std::int64_t n = channels - c;
        const simd::Vec<float, Isa> mean = load_channels<Isa>(means + c, n),
                                    rstd = load_channels<Isa>(rstds + c, n),
                                    weight = load_channels<Isa>(weights + c, n),
                                    bias = load_channels<Isa>(biases + c, n);
        for (std::int64_t at = c; at < end; at += channels) {
          simd::Vec<float, Isa> v = load_channels<Isa>(x + at, n);
          Norm::to_normal(v, mean, rstd);
          store_channels(v * weight + bias, y + at, n);
        }
      }
    }
  }
};
struct GradientOfPixels {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* grad, const float* x, float* grad_x,
                                    std::int64_t count, std::int64_t channels, const float* means,
                                    const float* rstds, const float* factors,
                                    const float* mean_grads, const float* mean_dots) {
    const std::int64_t step = kPixelsTogether * channels;
    for (; count > 0; count -= kPixelsTogether, grad += step, x += step, grad_x += step) {
      const std::int64_t end = (std::min)(count, kPixelsTogether) * channels;
      for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
        const std::int64_t n = channels - c;
        const simd::Vec<float, Isa> mean = load_channels<Isa>(means + c, n),
                                    rstd = load_channels<Isa>(rstds + c, n),
                                    factor = load_channels<Isa>(factors + c, n),
                                    mean_grad = load_channels<Isa>(mean_grads + c, n),
                                    mean_dot = load_channels<Isa>(mean_dots + c, n);
        for (std::int64_t at = c; at < end; at += channels) {
          simd::Vec<float, Isa> g = load_channels<Isa>(grad + at, n),
                                v = load_channels<Isa>(x + at, n);
          Norm::to_normal(v, mean, rstd);
          Norm::to_gradient(g, v, mean_grad, mean_dot, factor);
          store_channels(g, grad_x + at, n);
        }
      }
    }
  }
};
/// y = x * factor
struct ScalePixels {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, float* y, std::int64_t count,
                                    std::int64_t channels, const float* factor) {
    for (std::int64_t i = 0; i < count; ++i, x += channels, y += channels) {
      for (std::int64_t c = 0; c < channels; c += simd::kLanes<Isa>) {
        const std::int64_t n = channels - c;
        store_channels(load_channels<Isa>(x + c, n) * load_channels<Isa>(factor + c, n), y + c, n);
      }
    }
  }
};

/// Computes the mean of each channel, and the sum of the squares of the distances from it: in one
/// pass, those of each image as moments_of() says, then those of all images (add_run).
AMP_LAZY inline void batch_statistics(const Operand& input, double* means, double* squares) {
  const std::int64_t images = input.sizes[0], channels = input.sizes[1], pixels = input.sizes[2];
  const std::int64_t width = row_space(channels);
  const HostBuffer<double> of_images(3 * images * width);
  std::fill_n(of_images.data(), 3 * images * width, 0.0);
  parallel_ranges(images, 1, [&](std::int64_t begin, std::int64_t end) {
    const PixelBlocks<1> blocks({&input});
    for (std::int64_t image = begin; image < end; ++image) {
      double* const origins = of_images.data() + 3 * image * width;
      const float* const first = blocks.fetch_from(image * pixels, 1)[0];
      for (std::int64_t c = 0; c < channels; ++c)
        origins[c] = is_finite(first[c]) ? static_cast<double>(first[c]) : 0;
      for_each_block_of<1>(image, input, blocks, [&](const auto& x, std::int64_t count) {
        on_rows<AddMomentsOfPixels, float>(x[0], count, channels, origins, origins + width,
                                           origins + 2 * width);
      });
    }
  });
  for (std::int64_t c = 0; c < channels; ++c) {
    Moments moments;
    for (std::int64_t i = 0; i < images; ++i) {
      const double* const image = of_images.data() + 3 * i * width + c;
      add_run(moments_around(image[0], image[width], image[2 * width], pixels), pixels, i, moments);
    }
    means[c] = moments.sum / (static_cast<double>(images) * static_cast<double>(pixels));
    squares[c] = moments.squares;
  }
}

AMP_LAZY inline void batch_norm_channels_last(const BatchNormArgs& args) {
  const std::int64_t channels = args.input.sizes[1];
  const double n =
      static_cast<double>(args.input.sizes[0]) * static_cast<double>(args.input.sizes[2]);
  const HostBuffer<double> batch(2 * channels);
  double *const means = batch.data(), *const squares = batch.data() + channels;
  if (args.training) batch_statistics(args.input, means, squares);
  const HostBuffer<float> affine(2 * channels);
  float *const mean = args.mean.as<float>(), *const rstd = args.rstd.as<float>();
  float *const weight = affine.data(), *const bias = affine.data() + channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    const double center = args.training ? means[c] : element_of<double>(args.running_mean, c, 0);
    const double variance =
        args.training ? squares[c] / n : element_of<double>(args.running_var, c, 1);
    mean[c] = static_cast<float>(center);
    rstd[c] = static_cast<float>(1 / std::sqrt(variance + args.eps));
    weight[c] = element_of(args.weight, c, float{1});
    bias[c] = element_of(args.bias, c, float{0});
  }
  map_pixels<1>({&args.input}, args.output, [&](const auto& x, std::int64_t count, float* y) {
    on_rows<NormalisePixels, float>(x[0], y, count, channels, mean, rstd, weight, bias);
  });
  if (args.training) move_running(args, batch.data(), n);  // after everything that can fail
}

AMP_LAZY inline void batch_norm_backward_channels_last(const BatchNormBackwardArgs& args) {
  const std::int64_t images = args.input.sizes[0], channels = args.input.sizes[1];
  const std::int64_t width = row_space(channels);
  const double n = static_cast<double>(images) * static_cast<double>(args.input.sizes[2]);
  const float *const mean = args.mean.as<const float>(), *const rstd = args.rstd.as<const float>();
  const HostBuffer<double> of_images(2 * images * width);
  std::fill_n(of_images.data(), 2 * images * width, 0.0);
  parallel_ranges(images, 1, [&](std::int64_t begin, std::int64_t end) {
    const PixelBlocks<2> blocks({&args.grad_output, &args.input});
    for (std::int64_t image = begin; image < end; ++image) {
      double* const sums = of_images.data() + 2 * image * width;
      for_each_block_of<2>(image, args.input, blocks, [&](const auto& x, std::int64_t count) {
        on_rows<AddGradientsOfPixels, float>(x[0], x[1], count, channels, mean, rstd, sums,
                                             sums + width);
      });
    }
  });
  double *const sums = of_images.data(), *const dots = sums + width;
  for (std::int64_t image = 1; image < images; ++image) {
    for (std::int64_t i = 0; i < 2 * width; ++i) sums[i] += sums[2 * image * width + i];
  }
  if (args.grad_bias.present) store(sums, args.grad_bias, 0, 1, channels);
  if (args.grad_weight.present) store(dots, args.grad_weight, 0, 1, channels);
  if (!args.grad_input.present) return;
  const HostBuffer<float> terms(3 * channels);
  float *const factor = terms.data(), *const mean_grad = factor + channels,
               *const mean_dot = mean_grad + channels;
  for (std::int64_t c = 0; c < channels; ++c) {
    factor[c] = element_of(args.weight, c, float{1}) * rstd[c];
    mean_grad[c] = static_cast<float>(sums[c] / n);
    mean_dot[c] = static_cast<float>(dots[c] / n);
  }
  if (args.training) {
    map_pixels<2>({&args.grad_output, &args.input}, args.grad_input,
                  [&](const auto& x, std::int64_t count, float* y) {
                    on_rows<GradientOfPixels, float>(x[0], x[1], y, count, channels, mean, rstd,
                                                     factor, mean_grad, mean_dot);
                  });
  } else {
    map_pixels<1>({&args.grad_output}, args.grad_input,
                  [&](const auto& x, std::int64_t count, float* y) {
                    on_rows<ScalePixels, float>(x[0], y, count, channels, factor);
                  });
  }
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::host

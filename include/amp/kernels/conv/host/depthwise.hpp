// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolutions of channels-last images whose groups have one channel and one filter. A matmul would
// have one column for each filter. Here the channels of a pixel are computed side by side: results
// and both gradients are sums of products of rows that hold all channels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The float32 results of n elements of an array, from element `offset` on: in their place, if that
/// is float32, or in a buffer.
class Results {
 public:
  Results(const Operand& to, std::int64_t offset, std::int64_t n)
      : to_(Operand::array(at(to, offset), to.dtype, {n}, {1})),
        buffer_(to.dtype == kFloat32 ? 0 : n) {}
  float* data() const {
    return to_.dtype == kFloat32 ? static_cast<float*>(to_.data) : buffer_.data();
  }
  /// Converts them to the array's dtype, if they are not in their place, or to relu of them.
  void write(bool relu) const {
    const Operand from = Operand::array(data(), kFloat32, {to_.sizes[0]}, {1});
    if (relu) return unary<functions::Relu>({from, to_});
    if (to_.dtype != kFloat32) copy({from, to_});
  }

 private:
  const Operand to_;
  const HostBuffer<float> buffer_;
};

/// out[c] = first[c] + the sum over i < count of a[i][c] * b[i][c]
struct SumOfProducts {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* const* a, const float* const* b,
                                    std::int64_t count, const float* first, float* out,
                                    std::int64_t channels) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t c = 0;
    for (; c + kLanes <= channels; c += kLanes) {
      simd::Vec<float, Isa> sum = simd::load<Isa>(first + c);
      for (std::int64_t i = 0; i < count; ++i)
        sum += simd::load<Isa>(a[i] + c) * simd::load<Isa>(b[i] + c);
      simd::store(sum, out + c);
    }
    if (c == channels) return;
    const std::int64_t n = channels - c;
    simd::Vec<float, Isa> sum = simd::load_first<Isa>(first + c, n);
    for (std::int64_t i = 0; i < count; ++i)
      sum += simd::load_first<Isa>(a[i] + c, n) * simd::load_first<Isa>(b[i] + c, n);
    simd::store_first(sum, out + c, n);
  }
};

/// Pairs of rows, whose products are added.
class Products {
 public:
  Products(std::int64_t most, std::int64_t channels) : a_(most), b_(most), channels_(channels) {}
  void add(const float* a, const float* b) {
    a_[count_] = a;
    b_[count_++] = b;
  }
  /// Writes the sum of `first` and the products, and begins anew.
  void sum_to(const float* first, float* out) {
    simd::on_widest<SumOfProducts>(static_cast<const float* const*>(a_.data()),
                                   static_cast<const float* const*>(b_.data()), count_, first, out,
                                   channels_);
    count_ = 0;
  }

 private:
  const HostBuffer<const float*> a_, b_;
  const std::int64_t channels_;
  std::int64_t count_ = 0;
};

/// The weights [C, 1, KD * KH, KW] in the order KD, KH, KW, C.
class Taps {
 public:
  Taps(const Operand& weight, const ConvShape& s) : memory_(s.taps() * s.groups) {
    copy({Operand::array(weight.data, weight.dtype, {s.taps(), s.groups}, {1, s.taps()}),
          Operand::array(memory_.data(), kFloat32, {s.taps(), s.groups}, {s.groups, 1})});
  }
  const float* data() const { return memory_.data(); }

 private:
  HostBuffer<float> memory_;
};

/// Returns the pixel that a tap of a patch has, or -1.
inline std::int64_t pixel_of(const PatchLine& line, std::int64_t patch, std::int64_t tap) {
  const std::int64_t pixel = line.pixel(patch, tap);
  return line.has(pixel) ? pixel : -1;
}
/// Returns the patch of which a tap has that pixel, or -1.
inline std::int64_t patch_of(const Window& w, std::size_t d, std::int64_t pixel, std::int64_t tap,
                             std::int64_t patches) {
  const std::int64_t reach = pixel + w.padding[d] - tap * w.dilation[d],
                     patch = reach / w.stride[d];
  return reach >= 0 && reach % w.stride[d] == 0 && patch < patches ? patch : -1;
}

/// The sizes of an image [slices, height, width, C].
struct ImageSize {
  std::int64_t slices, height, width;
};

/// Sums the products of taps and pixels of `in`, to each pixel of an image: seen(d, pixel, tap) is
/// the row (d = 0), column (1) or slice (2) of `in`, or -1.
template <class Seen>
void sum_taps(const ConvShape& s, const float* in, const ImageSize& from, const float* taps,
              const float* first, float* out, const ImageSize& to, const Seen& seen) {
  Products products(s.taps(), s.groups);
  const std::int64_t kernel_height = s.window.kernel[0], kernel_width = s.window.kernel[1];
  for (std::int64_t line = 0; line < to.slices * to.height; ++line) {
    for (std::int64_t x = 0; x < to.width; ++x, out += s.groups) {
      for (std::int64_t i = 0; i < s.window.kernel[2] * kernel_height; ++i) {
        const std::int64_t slice = seen(2, line / to.height, i / kernel_height);
        const std::int64_t row = seen(0, line % to.height, i % kernel_height);
        for (std::int64_t j = 0; j < kernel_width && slice >= 0 && row >= 0; ++j) {
          const std::int64_t column = seen(1, x, j);
          if (column < 0) continue;
          products.add(in + ((slice * from.height + row) * from.width + column) * s.groups,
                       taps + (i * kernel_width + j) * s.groups);
        }
      }
      products.sum_to(first, out);
    }
  }
}

/// The patches of an image in each dimension.
struct ForwardLines {
  PatchLine rows, columns, slices;

  explicit ForwardLines(const ConvShape& s)
      : rows(forward_line(s.window, 0, s.out_h, s.height)),
        columns(forward_line(s.window, 1, s.out_w, s.width)),
        slices(forward_line(s.window, 2, s.out_slices, s.slices)) {}
  const PatchLine& operator[](std::size_t d) const {
    return d == 0 ? rows : d == 1 ? columns : slices;
  }
};

/// Returns the bias of n channels; zeros in `buffer` if it is absent.
inline const float* bias_or_zeros(const Operand& bias, std::int64_t n, float* buffer) {
  if (bias.present) return fetch(bias, 0, 1, n, buffer);
  std::fill_n(buffer, n, 0.0F);
  return buffer;
}

inline void depthwise_conv2d(const Conv2dArgs& args, const ConvShape& s) {
  const std::int64_t in_image = s.groups * s.in_plane(), out_image = s.groups * s.pixels();
  const ForwardLines lines(s);
  const Taps taps(args.weight, s);
  const HostBuffer<float> buffer(s.groups);
  const float* const bias = bias_or_zeros(args.bias, s.groups, buffer.data());
  parallel_for(s.images, [&](std::int64_t image) {
    const HostBuffer<float> in_buffer(in_image);
    const float* const in =
        fetch(at(args.input, image * in_image), args.input.dtype, in_image, in_buffer.data());
    const Results out(args.output, image * out_image, out_image);
    sum_taps(s, in, {s.slices, s.height, s.width}, taps.data(), bias, out.data(),
             {s.out_slices, s.out_h, s.out_w},
             [&](std::size_t d, std::int64_t patch, std::int64_t tap) {
               return pixel_of(lines[d], patch, tap);
             });
    out.write(args.relu);
  });
}

inline void depthwise_backward_input(const Conv2dBackwardInputArgs& args, const ConvShape& s) {
  const std::int64_t in_image = s.groups * s.in_plane(), out_image = s.groups * s.pixels();
  const Taps taps(args.weight, s);
  const HostBuffer<float> buffer(s.groups);
  const float* const bias = bias_or_zeros(args.bias, s.groups, buffer.data());
  parallel_for(s.images, [&](std::int64_t image) {
    const HostBuffer<float> grad_buffer(out_image);
    const float* const grad = fetch(at(args.grad_output, image * out_image), args.grad_output.dtype,
                                    out_image, grad_buffer.data());
    const Results in(args.grad_input, image * in_image, in_image);
    sum_taps(s, grad, {s.out_slices, s.out_h, s.out_w}, taps.data(), bias, in.data(),
             {s.slices, s.height, s.width},
             [&](std::size_t d, std::int64_t pixel, std::int64_t tap) {
               return patch_of(s.window, d, pixel, tap,
                               d == 0   ? s.out_h
                               : d == 1 ? s.out_w
                                        : s.out_slices);
             });
    in.write(false);
  });
}

inline void depthwise_backward_weight(const Conv2dBackwardWeightArgs& args, const ConvShape& s) {
  const std::int64_t in_image = s.groups * s.in_plane(), out_image = s.groups * s.pixels();
  const ForwardLines lines(s);
  const PartialSums sums(s.images, s.taps() * s.groups, kFloat32);  // [KD, KH, KW, C]
  parallel_for(sums.parts(), [&](std::int64_t part) {
    const HostBuffer<float> in_buffer(in_image), grad_buffer(out_image);
    Products products(s.out_w, s.groups);
    auto* const of_part = static_cast<float*>(sums.of(part));
    std::fill_n(of_part, s.taps() * s.groups, 0.0F);
    for (std::int64_t image = sums.first_image(part); image < sums.first_image(part + 1); ++image) {
      const float* const in =
          fetch(at(args.input, image * in_image), args.input.dtype, in_image, in_buffer.data());
      const float* const grad = fetch(at(args.grad_output, image * out_image),
                                      args.grad_output.dtype, out_image, grad_buffer.data());
      for (std::int64_t tap = 0; tap < s.taps(); ++tap) {
        float* const sum = of_part + tap * s.groups;
        const std::int64_t line = tap / s.window.kernel[1];
        for (std::int64_t y = 0; y < s.out_slices * s.out_h; ++y) {
          const std::int64_t slice = pixel_of(lines.slices, y / s.out_h, line / s.window.kernel[0]),
                             row = pixel_of(lines.rows, y % s.out_h, line % s.window.kernel[0]);
          for (std::int64_t x = 0; x < s.out_w && slice >= 0 && row >= 0; ++x) {
            const std::int64_t column = pixel_of(lines.columns, x, tap % s.window.kernel[1]);
            if (column < 0) continue;
            products.add(grad + (y * s.out_w + x) * s.groups,
                         in + ((slice * s.height + row) * s.width + column) * s.groups);
          }
          products.sum_to(sum, sum);
        }
      }
    }
  });
  copy({Operand::array(sums.total(), kFloat32, {s.taps(), s.groups}, {s.groups, 1}),
        Operand::array(args.grad_weight.data, args.grad_weight.dtype, {s.taps(), s.groups},
                       {1, s.taps()})});
}

}  // namespace amp::inline v0::kernels::host::detail

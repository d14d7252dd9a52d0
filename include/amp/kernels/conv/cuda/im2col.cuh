// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images into columns and back.
#pragma once

#include <cstdint>

#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda::detail {

struct ColumnShape : ConvShape {
  Divider by_pixels, by_patch, by_taps, by_kernel_h, by_kernel_w, by_out_h, by_out_w, by_groups,
      by_channels, by_slices, by_height, by_width, by_stride[3];

  explicit ColumnShape(const ConvShape& shape)
      : ConvShape(shape),
        by_pixels(pixels()),
        by_patch(patch()),
        by_taps(taps()),
        by_kernel_h(window.kernel[0]),
        by_kernel_w(window.kernel[1]),
        by_out_h(out_h),
        by_out_w(out_w),
        by_groups(groups),
        by_channels(groups * channels),
        by_slices(slices),
        by_height(height),
        by_width(width),
        by_stride{window.stride[0], window.stride[1], window.stride[2]} {}
  std::int64_t in_image() const { return groups * in_group(); }
  std::int64_t out_image() const { return groups * out_group(); }
  std::int64_t columns() const { return groups * patch() * pixels(); }  // of one image
  /// Whether each output pixel sees exactly one input pixel, in order: images are their own
  /// columns.
  bool is_pixelwise() const {
    bool is_plain = taps() == 1;
    for (int d = 0; d < 3; ++d)
      is_plain = is_plain && window.stride[d] == 1 && window.padding[d] == 0;
    return is_plain && out_slices == slices && out_h == height && out_w == width;
  }
  /// The first pixel that a window sees of dimension d, plus a tap.
  AMP_HOST_DEVICE std::int64_t pixel(int d, std::int64_t at, std::int64_t tap) const {
    return at * window.stride[d] - window.padding[d] + tap * window.dilation[d];
  }
  /// The window over a pixel in dimension d, of which the tap sees it; -1 if there is none.
  AMP_HOST_DEVICE std::int64_t window_over(int d, std::int64_t pixel, std::int64_t tap,
                                           std::int64_t count) const {
    std::int64_t at = pixel + window.padding[d] - tap * window.dilation[d];
    if (at < 0 || by_stride[d].take_remainder(at) != 0 || at >= count) return -1;
    return at;
  }
};

/// The offsets between the columns of images, of groups in an image and of elements in a patch.
/// Pixels are dense.
struct ColumnStrides {
  std::int64_t image, group, patch;
};

/// columns[image, group, q, p] = the input pixel that patch element q sees from p; 0 in the
/// padding. Each thread writes kCount neighbours of a row of columns; there are n such groups from
/// image `first` on. If kCount is 8, rows of columns must be aligned for vectors, and with
/// `by_vector` also rows of the input.
template <class C, int kCount>
AMP_KERNEL void unfold_columns_kernel(ColumnShape s, Input input, std::int64_t first,
                                      bool by_vector, Output columns, ColumnStrides strides,
                                      std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t item = i * kCount;  // the image and group after the divisions
    const std::int64_t p = s.by_pixels.take_remainder(item), q = s.by_patch.take_remainder(item);
    std::int64_t channel = q, tap_slice = s.by_taps.take_remainder(channel), slice = p;
    const std::int64_t tap_column = s.by_kernel_w.take_remainder(tap_slice),
                       tap_row = s.by_kernel_h.take_remainder(tap_slice),
                       column = s.by_out_w.take_remainder(slice),
                       row = s.by_out_h.take_remainder(slice);
    const std::int64_t z = s.pixel(2, slice, tap_slice), h = s.pixel(0, row, tap_row),
                       w = s.pixel(1, column, tap_column);
    const std::int64_t plane = (first * s.groups + item) * s.channels + channel;
    const std::int64_t from = ((plane * s.slices + z) * s.height + h) * s.width;
    const bool inside = z >= 0 && z < s.slices && h >= 0 && h < s.height;
    std::int64_t image = item;
    const std::int64_t group = s.by_groups.take_remainder(image);
    const std::int64_t to = image * strides.image + group * strides.group + q * strides.patch + p;
    const auto pixel = [&](std::int64_t x) {
      return inside && x >= 0 && x < s.width ? load<C>(input, from + x) : C{0};
    };
    if constexpr (kCount == 1) {
      store<C>(columns, to, pixel(w));
    } else {
      C values[kCount];
      if (by_vector && inside && w >= 0 && w + kCount <= s.width && w % kCount == 0) {
        load_vector<C>(input.data, input.dtype, from + w, values);
      } else {
        for (int j = 0; j < kCount; ++j) values[j] = pixel(w + j * s.window.stride[1]);
      }
      store_vector<C>(columns.data, columns.dtype, to, values);
    }
  }
}

/// Columns of C, so that nothing tests their dtype.
template <class C>
struct WideColumns {
  const C* data;
};
template <class C>
__device__ __forceinline__ C column_value(const WideColumns<C>& columns, std::int64_t i) {
  return columns.data[i];
}
template <class C>
__device__ __forceinline__ C column_value(const Input& columns, std::int64_t i) {
  return load<C>(columns, i);
}

/// The reverse of unfolding, for columns [image, group, q, p]. Each of the n pixels sums the
/// columns that saw it, in the order of the patch, and the bias of its channel.
template <class C, class Columns>
AMP_KERNEL void fold_columns_kernel(ColumnShape s, Columns columns, Input bias, bool has_bias,
                                    std::int64_t first, Output grad_input, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t plane = i;
    const std::int64_t w = s.by_width.take_remainder(plane), h = s.by_height.take_remainder(plane),
                       d = s.by_slices.take_remainder(plane);
    C sum{0};
    for (std::int64_t line = 0; line < s.window.kernel[2] * s.window.kernel[0]; ++line) {
      std::int64_t kd = line;
      const std::int64_t kh = s.by_kernel_h.take_remainder(kd);
      const std::int64_t z = s.window_over(2, d, kd, s.out_slices),
                         y = s.window_over(0, h, kh, s.out_h);
      if (z < 0 || y < 0) continue;
      for (std::int64_t kw = 0; kw < s.window.kernel[1]; ++kw) {
        const std::int64_t x = s.window_over(1, w, kw, s.out_w);
        if (x < 0) continue;
        const std::int64_t row = plane * s.taps() + line * s.window.kernel[1] + kw;
        sum += column_value<C>(columns, row * s.pixels() + (z * s.out_h + y) * s.out_w + x);
      }
    }
    if (has_bias) {
      std::int64_t image = plane;
      sum += load<C>(bias, s.by_channels.take_remainder(image));
    }
    store<C>(grad_input, first * s.groups * s.channels * s.in_plane() + i, sum);
  }
}

inline void unfold(const ColumnShape& s, const Operand& input, std::int64_t first,
                   std::int64_t images, const Operand& columns, const ColumnStrides& strides) {
  const std::int64_t n = images * s.columns();
  const bool rows_fit =
      s.out_w % kVector == 0 && is_aligned_for_vectors(columns.data, columns.dtype);
  const bool by_vector = s.window.stride[1] == 1 && s.width % kVector == 0 &&
                         is_aligned_for_vectors(input.data, input.dtype);
  visit_float_type(columns.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (rows_fit) {
      launch(columns.device, grid_for(n / kVector), kThreads, unfold_columns_kernel<C, kVector>, s,
             input, first, by_vector, columns, strides, n / kVector);
    } else {
      launch(columns.device, grid_for(n), kThreads, unfold_columns_kernel<C, 1>, s, input, first,
             by_vector, columns, strides, n);
    }
  });
}

/// `bias` may be absent.
inline void fold(const ColumnShape& s, const Operand& columns, const Operand& bias,
                 std::int64_t first, std::int64_t images, const Operand& grad_input) {
  const std::int64_t n = images * s.in_image();
  const auto run = [&](auto* kernel, const auto& from) {
    launch(grad_input.device, grid_for(n), kThreads, kernel, s, from, bias, bias.present, first,
           grad_input, n);
  };
  visit_float_type(columns.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (columns.dtype == dtype_of<C>)
      return run(fold_columns_kernel<C, WideColumns<C>>, WideColumns<C>{columns.as<const C>()});
    run(fold_columns_kernel<C, Input>, Input(columns));
  });
}

}  // namespace amp::inline v0::kernels::cuda::detail

namespace amp::inline v0::kernels::cuda {

inline void unfold_patches(const UnfoldArgs& args) {
  const detail::ColumnShape s{ConvShape(args)};
  detail::unfold(s, args.images, 0, s.images, args.columns, {s.columns(), s.columns(), s.pixels()});
}
inline void fold_patches(const UnfoldArgs& args) {
  const detail::ColumnShape s{ConvShape(args)};
  detail::fold(s, args.columns, {}, 0, s.images, args.images);
}

}  // namespace amp::inline v0::kernels::cuda

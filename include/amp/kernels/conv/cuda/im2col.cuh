// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Images into columns and back.
#pragma once

#include <cstdint>

#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/vectors.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda::detail {

struct ColumnShape : ConvShape {
  Divider by_pixels, by_patch, by_taps, by_kernel_w, by_out_w, by_groups, by_height, by_width,
      by_stride_h, by_stride_w;

  explicit ColumnShape(const ConvShape& shape)
      : ConvShape(shape),
        by_pixels(pixels()),
        by_patch(patch()),
        by_taps(taps()),
        by_kernel_w(window.kernel[1]),
        by_out_w(out_w),
        by_groups(groups),
        by_height(height),
        by_width(width),
        by_stride_h(window.stride[0]),
        by_stride_w(window.stride[1]) {}
  std::int64_t in_image() const { return groups * in_group(); }
  std::int64_t out_image() const { return groups * out_group(); }
  std::int64_t columns() const { return groups * patch() * pixels(); }  // of one image
  /// Whether each output pixel sees exactly one input pixel, in order: images are their own
  /// columns.
  bool is_pixelwise() const {
    return taps() == 1 && window.stride[0] == 1 && window.stride[1] == 1 &&
           window.padding[0] == 0 && window.padding[1] == 0;
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
AMP_KERNEL void unfold_kernel(ColumnShape s, Input input, std::int64_t first, bool by_vector,
                              Output columns, ColumnStrides strides, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t item = i * kCount;  // the image and group after the divisions
    const std::int64_t p = s.by_pixels.take_remainder(item), q = s.by_patch.take_remainder(item);
    std::int64_t channel = q, tap_row = s.by_taps.take_remainder(channel), row = p;
    const std::int64_t tap_column = s.by_kernel_w.take_remainder(tap_row),
                       column = s.by_out_w.take_remainder(row);
    const std::int64_t h =
        row * s.window.stride[0] - s.window.padding[0] + tap_row * s.window.dilation[0];
    const std::int64_t w =
        column * s.window.stride[1] - s.window.padding[1] + tap_column * s.window.dilation[1];
    const std::int64_t plane = (first * s.groups + item) * s.channels + channel;
    const std::int64_t from = plane * s.in_plane() + h * s.width;
    const bool inside = h >= 0 && h < s.height;
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

/// The reverse of unfolding, for columns [image, group, q, p] of C. Each of the n pixels sums the
/// columns that saw it, in the order of the patch.
template <class C>
AMP_KERNEL void fold_kernel(ColumnShape s, const C* columns, std::int64_t first, Output grad_input,
                            std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t plane = i;
    const std::int64_t w = s.by_width.take_remainder(plane), h = s.by_height.take_remainder(plane);
    C sum{0};
    for (std::int64_t kh = 0; kh < s.window.kernel[0]; ++kh) {
      std::int64_t y = h + s.window.padding[0] - kh * s.window.dilation[0];
      if (y < 0 || s.by_stride_h.take_remainder(y) != 0 || y >= s.out_h) continue;
      for (std::int64_t kw = 0; kw < s.window.kernel[1]; ++kw) {
        std::int64_t x = w + s.window.padding[1] - kw * s.window.dilation[1];
        if (x < 0 || s.by_stride_w.take_remainder(x) != 0 || x >= s.out_w) continue;
        const std::int64_t row = plane * s.taps() + kh * s.window.kernel[1] + kw;
        sum += columns[row * s.pixels() + y * s.out_w + x];
      }
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
      launch(columns.device, grid_for(n / kVector), kThreads, unfold_kernel<C, kVector>, s, input,
             first, by_vector, columns, strides, n / kVector);
    } else {
      launch(columns.device, grid_for(n), kThreads, unfold_kernel<C, 1>, s, input, first, by_vector,
             columns, strides, n);
    }
  });
}

inline void fold(const ColumnShape& s, const Operand& columns, std::int64_t first,
                 std::int64_t images, const Operand& grad_input) {
  const std::int64_t n = images * s.in_image();
  visit_float_type(columns.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(grad_input.device, grid_for(n), kThreads, fold_kernel<C>, s, columns.as<const C>(),
           first, grad_input, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda::detail

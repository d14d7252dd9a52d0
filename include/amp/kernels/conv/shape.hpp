// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sizes of a convolution that is computed as matmuls, on both devices: images are unfolded into
// columns (im2col), and for each group
//   output[o, p] = sum over q of weight[o, q] * columns[q, p],
//   q = (c, kd, kh, kw), p = (od, oh, ow).
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/operand.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels {

/// `channels` and `filters` are those of one group. Images are [N, C, slices * height, width].
struct ConvShape {
  std::int64_t images, groups, channels, slices, height, width, filters, out_slices, out_h, out_w;
  Window window;

  ConvShape(const Operand& input, const Operand& weight, const Operand& output,
            const Window& kernel_window, std::int64_t group_count)
      : images(input.sizes[0]),
        groups(group_count),
        channels(weight.sizes[1]),
        slices(kernel_window.slices),
        height(input.sizes[2] / kernel_window.slices),
        width(input.sizes[3]),
        filters(weight.sizes[0] / group_count),
        out_slices(kernel_window.out_slices),
        out_h(output.sizes[2] / kernel_window.out_slices),
        out_w(output.sizes[3]),
        window(kernel_window) {}
  /// The channels of the images are one group.
  explicit ConvShape(const UnfoldArgs& args)
      : images(args.images.sizes[0]),
        groups(1),
        channels(args.images.sizes[1]),
        slices(1),
        height(args.images.sizes[2]),
        width(args.images.sizes[3]),
        filters(1),
        out_slices(1),
        out_h(args.out_h),
        out_w(args.out_w),
        window(args.window) {}
  AMP_HOST_DEVICE std::int64_t taps() const {
    return window.kernel[0] * window.kernel[1] * window.kernel[2];
  }
  AMP_HOST_DEVICE std::int64_t patch() const { return channels * taps(); }
  AMP_HOST_DEVICE std::int64_t pixels() const { return out_slices * out_h * out_w; }
  AMP_HOST_DEVICE std::int64_t in_plane() const { return slices * height * width; }
  // The sizes of one group.
  std::int64_t in_group() const { return channels * in_plane(); }
  std::int64_t out_group() const { return filters * pixels(); }
  std::int64_t weights() const { return filters * patch(); }
};

/// Whether each group has one channel and one filter, for which the host has kernels of their own.
/// Doubles, which are rare, would double their code.
inline bool is_depthwise(const ConvShape& s, DType dtype) {
  return s.channels == 1 && s.filters == 1 && s.groups > 1 && dtype != kFloat64;
}
/// Whether the host convolves row-major images as they are, plane by plane, which takes less time
/// than a copy in the order N, H, W, C. A plane is cut into as many parts as the stride.
inline bool takes_planes(const ConvShape& s, DType dtype) {
  return s.window.is_plane() && is_depthwise(s, dtype) && s.window.stride[1] <= 4;
}

}  // namespace amp::inline v0::kernels

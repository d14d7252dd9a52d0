// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Patches of row-major images as columns, and back: for each plane and each tap, the part of a row
// that the windows of a row see. A pixel sums the columns that saw it in the order of the taps.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/conv_by_matmul.hpp"
#include "amp/kernels/conv/host/depthwise_planes.hpp"
#include "amp/kernels/conv/shape.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Calls body(pixel, column, n) for the runs of the plane: windows of a row, from `column` on
/// (among all columns of the plane), whose tap sees the pixels from `pixel` on, a stride apart.
/// Columns that see the padding are left out.
template <class Body>
void for_each_run(const ConvShape& s, const Body& body) {
  const ForwardLines lines(s);
  for (std::int64_t tap = 0; tap < s.taps(); ++tap) {
    const std::int64_t first = lines.columns.pixel(0, tap % s.window.kernel[1]);
    const Inside seen(first, s.window.stride[1], s.width, s.out_w);
    for (std::int64_t y = 0; y < s.out_h && seen.begin < seen.end; ++y) {
      const std::int64_t row = pixel_of(lines.rows, y, tap / s.window.kernel[1]);
      if (row < 0) continue;
      body(row * s.width + first + seen.begin * s.window.stride[1],
           (tap * s.out_h + y) * s.out_w + seen.begin, seen.end - seen.begin);
    }
  }
}

/// Calls body(plane) for each plane of the images, in parallel.
template <class Body>
void for_each_unfolded_plane(const ConvShape& s, const Body& body) {
  parallel_ranges(s.images * s.channels, ceil_div(16 * kBlock, s.taps() * s.pixels() + 1),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t plane = begin; plane < end; ++plane) body(plane);
                  });
}

inline void unfold_planes(const UnfoldArgs& args) {
  const ConvShape s(args);
  visit_bits(args.images.dtype, [&](auto tag) {
    using Bits = typename decltype(tag)::type;
    const std::int64_t count = s.taps() * s.pixels(), stride = s.window.stride[1];
    for_each_unfolded_plane(s, [&](std::int64_t plane) {
      const Bits* const in = args.images.as<const Bits>() + plane * s.in_plane();
      Bits* const out = args.columns.as<Bits>() + plane * count;
      std::fill_n(out, count, Bits{});
      for_each_run(s, [&](std::int64_t pixel, std::int64_t column, std::int64_t n) {
        if (stride == 1) return void(std::copy_n(in + pixel, n, out + column));
        for (std::int64_t i = 0; i < n; ++i) out[column + i] = in[pixel + i * stride];
      });
    });
  });
}

inline void fold_planes(const UnfoldArgs& args) {
  const ConvShape s(args);
  visit_float_type(args.images.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const std::int64_t count = s.taps() * s.pixels(), stride = s.window.stride[1];
    for_each_unfolded_plane(s, [&](std::int64_t plane) {
      const HostBuffer<C> buffer(s.in_plane()), row(s.out_w);
      const std::int64_t first = plane * s.in_plane();
      C* const sums = target(args.images, first, 1, s.in_plane(), buffer.data());
      std::fill_n(sums, s.in_plane(), C{0});
      for_each_run(s, [&](std::int64_t pixel, std::int64_t column, std::int64_t n) {
        const C* const from = fetch(args.columns, plane * count + column, 1, n, row.data());
        for (std::int64_t i = 0; i < n; ++i) sums[pixel + i * stride] += from[i];
      });
      store(sums, args.images, first, 1, s.in_plane());
    });
  });
}

}  // namespace amp::inline v0::kernels::host::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The positions [begin, end), `step` apart, of one window that lie within [0, extent).
struct WindowRange {
  std::int64_t begin, end, step;
  WindowRange(std::int64_t out, std::int64_t extent, const Window2d& w, int d)
      : step(w.dilation[d]) {
    const std::int64_t first = out * w.stride[d] - w.padding[d];
    begin = first >= 0 ? first : first + ceil_div(-first, step) * step;
    end = (std::min)(extent, first + (w.kernel[d] - 1) * step + 1);
  }
};

template <class C>
void max_pool_plane(const MaxPool2dArgs& args, const C* in, C* out, std::int32_t* indices) {
  const std::int64_t height = args.input.sizes[2], width = args.input.sizes[3];
  const std::int64_t out_h = args.output.sizes[2], out_w = args.output.sizes[3];
  for (std::int64_t oh = 0; oh < out_h; ++oh) {
    const WindowRange rows(oh, height, args.window, 0);
    for (std::int64_t ow = 0; ow < out_w; ++ow) {
      const WindowRange columns(ow, width, args.window, 1);
      std::int64_t best = rows.begin * width + columns.begin;
      C maximum = in[best];
      for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
        for (std::int64_t x = columns.begin; x < columns.end; x += columns.step) {
          const C value = in[h * width + x];
          if (value > maximum || is_nan(value)) {  // NaN wins, as in torch
            maximum = value;
            best = h * width + x;
          }
        }
      }
      out[oh * out_w + ow] = maximum;
      indices[oh * out_w + ow] = static_cast<std::int32_t>(best);
    }
  }
}

}  // namespace detail

inline void max_pool2d(const MaxPool2dArgs& args) {
  const std::int64_t in_plane = args.input.sizes[2] * args.input.sizes[3];
  const std::int64_t out_plane = args.output.sizes[2] * args.output.sizes[3];
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const std::int64_t planes = args.input.sizes[0] * args.input.sizes[1];
    parallel_ranges(
        planes, ceil_div(16 * kBlock, in_plane), [&](std::int64_t begin, std::int64_t end) {
          const HostBuffer<C> in_buffer(in_plane), out_buffer(out_plane);
          for (std::int64_t plane = begin; plane < end; ++plane) {
            const C* const in = fetch(args.input, plane * in_plane, 1, in_plane, in_buffer.data());
            C* const out = target(args.output, plane * out_plane, 1, out_plane, out_buffer.data());
            detail::max_pool_plane(args, in, out,
                                   args.indices.as<std::int32_t>() + plane * out_plane);
            store(out, args.output, plane * out_plane, 1, out_plane);
          }
        });
  });
}

inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  const std::int64_t in_plane = args.grad_input.sizes[2] * args.grad_input.sizes[3];
  const std::int64_t out_plane = args.grad_output.sizes[2] * args.grad_output.sizes[3];
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const std::int64_t planes = args.grad_input.sizes[0] * args.grad_input.sizes[1];
    parallel_ranges(
        planes, ceil_div(16 * kBlock, in_plane), [&](std::int64_t begin, std::int64_t end) {
          const HostBuffer<C> in_buffer(in_plane), out_buffer(out_plane);
          for (std::int64_t plane = begin; plane < end; ++plane) {
            const C* const grad =
                fetch(args.grad_output, plane * out_plane, 1, out_plane, out_buffer.data());
            C* const grad_input =
                target(args.grad_input, plane * in_plane, 1, in_plane, in_buffer.data());
            const std::int32_t* const indices =
                args.indices.as<const std::int32_t>() + plane * out_plane;
            std::fill_n(grad_input, in_plane, C{0});
            for (std::int64_t i = 0; i < out_plane; ++i) grad_input[indices[i]] += grad[i];
            store(grad_input, args.grad_input, plane * in_plane, 1, in_plane);
          }
        });
  });
}

}  // namespace amp::inline v0::kernels::host

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

template <class C>
void max_pool_plane(const MaxPool2dArgs& args, const C* in, C* out, std::int32_t* indices) {
  const std::int64_t height = args.input.sizes[2], width = args.input.sizes[3];
  const std::int64_t out_h = args.output.sizes[2], out_w = args.output.sizes[3];
  const Window2d& w = args.window;
  for (std::int64_t oh = 0; oh < out_h; ++oh) {
    const std::int64_t h0 = oh * w.stride[0] - w.padding[0];
    for (std::int64_t ow = 0; ow < out_w; ++ow) {
      const std::int64_t w0 = ow * w.stride[1] - w.padding[1];
      std::int64_t best = -1;
      for (std::int64_t kh = 0; kh < w.kernel[0]; ++kh) {
        const std::int64_t h = h0 + kh * w.dilation[0];
        if (h < 0 || h >= height) continue;
        for (std::int64_t kw = 0; kw < w.kernel[1]; ++kw) {
          const std::int64_t x = w0 + kw * w.dilation[1];
          if (x < 0 || x >= width) continue;
          const std::int64_t at = h * width + x;
          if (best < 0 || in[at] > in[best] || !(in[at] == in[at]))
            best = at;  // NaN wins, as in torch
        }
      }
      out[oh * out_w + ow] = in[best];
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

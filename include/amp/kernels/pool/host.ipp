// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/kernels/pool/host.hpp"
#include "amp/kernels/pool/host/channels_last.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Updates the maxima of n windows, which lie side by side, with one further element of each: in[i
/// * stride], at the position `at` + i * stride of the plane.
template <class C, class Stride>
void take_maxima(const C* __restrict in, Stride stride, std::int32_t at, std::int64_t n,
                 C* __restrict maxima, std::int32_t* __restrict indices) {
  const auto step = static_cast<std::int32_t>(stride);
  for (std::int64_t i = 0; i < n; ++i)
    take(in[i * stride], at + static_cast<std::int32_t>(i) * step, maxima[i], indices[i]);
}

template <class C, class Stride>
void max_pool_plane(const MaxPool2dArgs& args, Stride stride, const C* in, C* out,
                    std::int32_t* indices) {
  const std::int64_t height = args.input.sizes[2], width = args.input.sizes[3];
  const std::int64_t out_h = args.output.sizes[2], out_w = args.output.sizes[3];
  for (std::int64_t oh = 0; oh < out_h; ++oh, out += out_w, indices += out_w) {
    const WindowRange rows(oh, height, args.window, 0);
    for (std::int64_t ow = 0; ow < out_w; ++ow) {
      const std::int64_t first = rows.begin * width + WindowRange(ow, width, args.window, 1).begin;
      out[ow] = in[first];
      indices[ow] = static_cast<std::int32_t>(first);
    }
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t k = 0; k < args.window.kernel[1]; ++k) {
        const std::int64_t offset = k * args.window.dilation[1] - args.window.padding[1];
        const std::int64_t begin = offset < 0 ? ceil_div(-offset, stride) : 0;
        const std::int64_t end = (std::min)(out_w, ceil_div(width - offset, stride));
        const std::int64_t at = h * width + begin * stride + offset;
        if (begin < end) {
          take_maxima(in + at, stride, static_cast<std::int32_t>(at), end - begin, out + begin,
                      indices + begin);
        }
      }
    }
  }
}
template <class C>
void max_pool_plane(const MaxPool2dArgs& args, const C* in, C* out, std::int32_t* indices) {
  const std::int64_t stride = args.window.stride[1];
  if (stride == 2) {  // as in most networks: a constant, so that loops vectorise
    constexpr std::integral_constant<std::int64_t, 2> kTwo;
    return max_pool_plane(args, kTwo, in, out, indices);
  }
  max_pool_plane(args, stride, in, out, indices);
}

/// Processes whole planes in the compute type, in parallel: body(plane, in, out) reads one and fills
/// the other.
template <class C>
[[gnu::noinline]] void for_each_plane_of(
    const Operand& input, const Operand& output,
    FunctionRef<void(std::int64_t plane, const C* in, C* out)> body) {
  const std::int64_t in_size = input.sizes[2] * input.sizes[3];
  const std::int64_t out_size = output.sizes[2] * output.sizes[3];
  parallel_ranges(
      input.sizes[0] * input.sizes[1], ceil_div(16 * kBlock, (std::max)(in_size, out_size)),
      [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> in_buffer(in_size), out_buffer(out_size);
        for (std::int64_t plane = begin; plane < end; ++plane) {
          const C* const in = fetch(input, plane * in_size, 1, in_size, in_buffer.data());
          C* const out = target(output, plane * out_size, 1, out_size, out_buffer.data());
          body(plane, in, out);
          store(out, output, plane * out_size, 1, out_size);
        }
      });
}
template <class Body>
void for_each_plane(const Operand& input, const Operand& output, Body body) {
  visit_float_type(input.dtype, [&](auto tag) {
    for_each_plane_of<typename decltype(tag)::type>(input, output, body);
  });
}

/// Calls body(window, position) for every element that a window sees, windows in order.
template <class Body>
void for_each_in_windows(const Operand& windows, const Operand& plane, const Window2d& window,
                         Body body) {
  const std::int64_t height = plane.sizes[2], width = plane.sizes[3];
  for (std::int64_t oh = 0, i = 0; oh < windows.sizes[2]; ++oh) {
    const WindowRange rows(oh, height, window, 0);
    for (std::int64_t ow = 0; ow < windows.sizes[3]; ++ow, ++i) {
      const WindowRange columns(ow, width, window, 1);
      for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
        for (std::int64_t x = columns.begin; x < columns.end; x += columns.step)
          body(i, h * width + x);
      }
    }
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION void max_pool2d(const MaxPool2dArgs& args) {
  if (detail::lie_channels_last(args.input, args.output))
    return detail::max_pool2d_channels_last(args);
  const std::int64_t out_plane = args.output.sizes[2] * args.output.sizes[3];
  detail::for_each_plane(args.input, args.output, [&](std::int64_t plane, auto* in, auto* out) {
    detail::max_pool_plane(args, in, out, args.indices.as<std::int32_t>() + plane * out_plane);
  });
}
AMP_LAZY_DEFINITION void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  if (detail::lie_channels_last(args.grad_output, args.grad_input))
    return detail::max_pool2d_backward_channels_last(args);
  const std::int64_t in_plane = args.grad_input.sizes[2] * args.grad_input.sizes[3];
  const std::int64_t out_plane = args.grad_output.sizes[2] * args.grad_output.sizes[3];
  detail::for_each_plane(args.grad_output, args.grad_input,
                         [&](std::int64_t plane, auto* grad, auto* grad_input) {
                           const std::int32_t* const indices =
                               args.indices.as<const std::int32_t>() + plane * out_plane;
                           using C = std::remove_reference_t<decltype(*grad_input)>;
                           std::fill_n(grad_input, in_plane, C{0});
                           for (std::int64_t i = 0; i < out_plane; ++i)
                             grad_input[indices[i]] += grad[i];
                         });
}

AMP_LAZY_DEFINITION void avg_pool2d(const AvgPool2dArgs& args) {
  if (detail::lie_channels_last(args.input, args.output))
    return detail::avg_pool2d_channels_last(args);
  const std::int64_t out_plane = args.output.sizes[2] * args.output.sizes[3];
  detail::for_each_plane(args.input, args.output, [&](std::int64_t, auto* in, auto* out) {
    using C = std::remove_reference_t<decltype(*out)>;
    std::fill_n(out, out_plane, C{0});
    detail::for_each_in_windows(args.output, args.input, args.window,
                                [&](std::int64_t i, std::int64_t at) { out[i] += in[at]; });
    for (std::int64_t i = 0; i < out_plane; ++i) out[i] *= static_cast<C>(args.scale);
  });
}
AMP_LAZY_DEFINITION void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  if (detail::lie_channels_last(args.grad_output, args.grad_input))
    return detail::avg_pool2d_backward_channels_last(args);
  const std::int64_t in_plane = args.grad_input.sizes[2] * args.grad_input.sizes[3];
  detail::for_each_plane(args.grad_output, args.grad_input,
                         [&](std::int64_t, auto* grad, auto* grad_input) {
                           using C = std::remove_reference_t<decltype(*grad_input)>;
                           std::fill_n(grad_input, in_plane, C{0});
                           detail::for_each_in_windows(
                               args.grad_output, args.grad_input, args.window,
                               [&](std::int64_t i, std::int64_t at) { grad_input[at] += grad[i]; });
                           for (std::int64_t i = 0; i < in_plane; ++i)
                             grad_input[i] *= static_cast<C>(args.scale);
                         });
}

}  // namespace amp::inline v0::kernels::host

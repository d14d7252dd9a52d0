// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling of activations in channels-last order: each operation on one channel becomes an operation
// on the vector of all channels. Values and indices are those of the row-major kernels, bit for
// bit, because the elements of a window come in the same order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/pool/host/window_rows.hpp"
#include "amp/kernels/traversal/channels_last.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// MaxOfWindow::take without a branch, so that compilers vectorise it.
template <class C>
AMP_ALWAYS_INLINE void take(C x, std::int32_t at, C& maximum, std::int32_t& place) {
  using Bits = BitsOf<C>;
  const Bits wins = becomes_maximum(x, maximum);
  maximum = __builtin_bit_cast(
      C, (__builtin_bit_cast(Bits, x) & wins) | (__builtin_bit_cast(Bits, maximum) & ~wins));
  const auto moves = static_cast<std::int32_t>(wins);
  place = (at & moves) | (place & ~moves);
}

/// One row of an image, with all channels of each pixel.
struct PixelRows {
  std::int64_t count, length;  // rows of all images; elements of one
  explicit PixelRows(const Operand& images)
      : count(images.sizes[0] * images.sizes[2]), length(images.sizes[3] * images.sizes[1]) {}
};

/// Computes the rows of `output`, in parallel: body(row, values, room) computes one in the compute
/// type. It gets room for a row of `input` in that type.
template <class C>
[[gnu::noinline]] void for_each_pixel_row_of(
    const Operand& input, const Operand& output,
    FunctionRef<void(std::int64_t row, C* values, C* room)> body) {
  const PixelRows in(input), out(output);
  const std::int64_t elements = (std::max)({in.length, out.length, std::int64_t{1}});
  parallel_ranges(
      out.count, ceil_div(16 * kBlock, elements), [&](std::int64_t begin, std::int64_t end) {
        const HostBuffer<C> room(in.length), buffer(out.length);
        for (std::int64_t row = begin; row < end; ++row) {
          C* const values = target(output, row * out.length, 1, out.length, buffer.data());
          body(row, values, room.data());
          store(values, output, row * out.length, 1, out.length);
        }
      });
}
template <class Body>
void for_each_pixel_row(const Operand& input, const Operand& output, Body body) {
  visit_float_type(output.dtype, [&](auto tag) {
    for_each_pixel_row_of<typename decltype(tag)::type>(input, output, body);
  });
}

/// Calls body(oh) for the rows of windows that see row h of an image, in order.
template <class Body>
void for_each_row_of_windows(std::int64_t h, const Operand& windows, const Window2d& window,
                             Body body) {
  const WindowsOver over(h, windows.sizes[2], window, 0, Divider(window.stride[0]));
  for (std::int64_t oh = over.begin; oh < over.end; ++oh) {
    if (over.has(oh, window, 0)) body(oh);
  }
}

/// Whether the kernels below support these; their indices have the order of the windows.
AMP_LAZY inline bool lie_channels_last(const Operand& a, const Operand& b) {
  return lies_channels_last(a) && lies_channels_last(b);
}

AMP_LAZY inline void max_pool2d_channels_last(const MaxPool2dArgs& args) {
  const std::int64_t height = args.input.sizes[2], width = args.input.sizes[3],
                     channels = args.input.sizes[1];
  const std::int64_t out_h = args.output.sizes[2], out_w = args.output.sizes[3];
  for_each_pixel_row(args.input, args.output, [&](std::int64_t row, auto* maxima, auto* room) {
    using C = std::remove_reference_t<decltype(*maxima)>;
    std::int32_t* const indices = args.indices.as<std::int32_t>() + row * out_w * channels;
    const WindowRange rows(row % out_h, height, args.window, 0);
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      const std::int64_t at = (row / out_h * height + h) * width * channels;
      const C* const in = fetch(args.input, at, 1, width * channels, room);
      const WindowRow shape{args.window, out_w, h, width, channels};
      on_rows<MaximaOfRow, C>(&shape, h == rows.begin, in, maxima, indices);
    }
  });
}

AMP_LAZY inline void max_pool2d_backward_channels_last(const MaxPool2dBackwardArgs& args) {
  const std::int64_t height = args.grad_input.sizes[2], width = args.grad_input.sizes[3],
                     channels = args.grad_input.sizes[1];
  const std::int64_t out_h = args.grad_output.sizes[2], out_w = args.grad_output.sizes[3];
  for_each_pixel_row(
      args.grad_output, args.grad_input, [&](std::int64_t row, auto* grad_input, auto* room) {
        using C = std::remove_reference_t<decltype(*grad_input)>;
        const std::int64_t h = row % height;
        std::fill_n(grad_input, width * channels, C{0});
        const WindowRow shape{args.window, out_w, h, width, channels};
        for_each_row_of_windows(h, args.grad_output, args.window, [&](auto oh) {
          const std::int64_t at = (row / height * out_h + oh) * out_w * channels;
          const C* const grad = fetch(args.grad_output, at, 1, out_w * channels, room);
          on_rows<MaximaToRow, C>(&shape, grad, args.indices.as<const std::int32_t>() + at,
                                  grad_input);
        });
      });
}

AMP_LAZY inline void avg_pool2d_channels_last(const AvgPool2dArgs& args) {
  const std::int64_t height = args.input.sizes[2], width = args.input.sizes[3],
                     channels = args.input.sizes[1];
  const std::int64_t out_h = args.output.sizes[2], out_w = args.output.sizes[3];
  for_each_pixel_row(args.input, args.output, [&](std::int64_t row, auto* means, auto* room) {
    using C = std::remove_reference_t<decltype(*means)>;
    const WindowRange rows(row % out_h, height, args.window, 0);
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      const std::int64_t at = (row / out_h * height + h) * width * channels;
      const C* const in = fetch(args.input, at, 1, width * channels, room);
      const WindowRow shape{args.window, out_w, h, width, channels};
      const C scale = h + rows.step < rows.end ? C{1} : static_cast<C>(args.scale);
      on_rows<SumsOfRow, C>(&shape, h == rows.begin, scale, in, means);
    }
  });
}

AMP_LAZY inline void avg_pool2d_backward_channels_last(const AvgPool2dBackwardArgs& args) {
  const std::int64_t height = args.grad_input.sizes[2], width = args.grad_input.sizes[3],
                     channels = args.grad_input.sizes[1];
  const std::int64_t out_h = args.grad_output.sizes[2], out_w = args.grad_output.sizes[3];
  for_each_pixel_row(
      args.grad_output, args.grad_input, [&](std::int64_t row, auto* grad_input, auto* room) {
        using C = std::remove_reference_t<decltype(*grad_input)>;
        const std::int64_t h = row % height;
        std::fill_n(grad_input, width * channels, C{0});
        const WindowRow shape{args.window, out_w, h, width, channels};
        for_each_row_of_windows(h, args.grad_output, args.window, [&](auto oh) {
          const std::int64_t at = (row / height * out_h + oh) * out_w * channels;
          const C* const grad = fetch(args.grad_output, at, 1, out_w * channels, room);
          on_rows<SumsToRow, C>(&shape, grad, grad_input);
        });
        for (std::int64_t i = 0; i < width * channels; ++i)
          grad_input[i] *= static_cast<C>(args.scale);
      });
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::host

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

/// A row of pixels or windows.
struct PoolPlace {
  std::int64_t image, slice, row;
};

/// The sizes of images and of the windows over them.
struct PoolSizes {
  std::int64_t slices, height, width, out_slices, out_h, out_w;

  PoolSizes(const Operand& images, const Operand& windows, const PoolWindow& w)
      : slices(w.slices),
        height(images.sizes[2] / w.slices),
        width(images.sizes[3]),
        out_slices(w.out_slices),
        out_h(windows.sizes[2] / w.out_slices),
        out_w(windows.sizes[3]) {}

  std::int64_t rows() const { return slices * height; }  // of one image
  PoolPlace pixel_at(std::int64_t row) const {
    return {row / rows(), row / height % slices, row % height};
  }
  PoolPlace window_at(std::int64_t row) const {
    return {row / (out_slices * out_h), row / out_h % out_slices, row % out_h};
  }
  std::int64_t window_row(std::int64_t image, std::int64_t slice, std::int64_t row) const {
    return (image * out_slices + slice) * out_h + row;
  }
};

/// Calls body(image, h) for the rows h of an image that a row of windows sees, in order.
template <class Body>
void for_each_row_of_image(const PoolSizes& s, const PoolPlace& windows, const PoolWindow& window,
                           Body body) {
  const WindowRange slices(windows.slice, s.slices, window, 2),
      rows(windows.row, s.height, window, 0);
  for (std::int64_t z = slices.begin; z < slices.end; z += slices.step)
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step)
      body(windows.image, z * s.height + h);
}
/// The number of those rows.
inline std::int64_t seen_rows(const PoolSizes& s, const PoolPlace& windows,
                              const PoolWindow& window) {
  return WindowRange(windows.slice, s.slices, window, 2).count() *
         WindowRange(windows.row, s.height, window, 0).count();
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

/// Calls body(od, oh) for the rows of windows that see a row of an image, in order.
template <class Body>
void for_each_row_of_windows(const PoolSizes& s, const PoolPlace& at, const PoolWindow& window,
                             Body body) {
  const WindowsOver slices(at.slice, s.slices, s.out_slices, window, 2, Divider(window.stride[2])),
      rows(at.row, s.height, s.out_h, window, 0, Divider(window.stride[0]));
  for (std::int64_t od = slices.begin; od < slices.end; ++od) {
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      if (slices.has(od, window, 2) && rows.has(oh, window, 0)) body(od, oh);
    }
  }
}

/// Whether the kernels below support these; their indices have the order of the windows.
AMP_LAZY inline bool lie_channels_last(const Operand& a, const Operand& b) {
  return lies_channels_last(a) && lies_channels_last(b);
}

AMP_LAZY inline void max_pool2d_channels_last(const MaxPool2dArgs& args) {
  const PoolSizes s(args.input, args.output, args.window);
  const std::int64_t channels = args.input.sizes[1];
  for_each_pixel_row(args.input, args.output, [&](std::int64_t row, auto* maxima, auto* room) {
    using C = std::remove_reference_t<decltype(*maxima)>;
    std::int32_t* const indices = args.indices.as<std::int32_t>() + row * s.out_w * channels;
    bool is_first = true;
    for_each_row_of_image(s, s.window_at(row), args.window,
                          [&](std::int64_t image, std::int64_t h) {
                            const std::int64_t at = (image * s.rows() + h) * s.width * channels;
                            const C* const in = fetch(args.input, at, 1, s.width * channels, room);
                            const WindowRow shape{args.window, s.out_w, h, s.width, channels};
                            on_rows<MaximaOfRow, C>(&shape, is_first, in, maxima, indices);
                            is_first = false;
                          });
  });
}

AMP_LAZY inline void max_pool2d_backward_channels_last(const MaxPool2dBackwardArgs& args) {
  const PoolSizes s(args.grad_input, args.grad_output, args.window);
  const std::int64_t channels = args.grad_input.sizes[1];
  for_each_pixel_row(
      args.grad_output, args.grad_input, [&](std::int64_t row, auto* grad_input, auto* room) {
        using C = std::remove_reference_t<decltype(*grad_input)>;
        const PoolPlace place = s.pixel_at(row);
        std::fill_n(grad_input, s.width * channels, C{0});
        const WindowRow shape{args.window, s.out_w, row % s.rows(), s.width, channels};
        for_each_row_of_windows(s, place, args.window, [&](std::int64_t od, std::int64_t oh) {
          const std::int64_t at = s.window_row(place.image, od, oh) * s.out_w * channels;
          const C* const grad = fetch(args.grad_output, at, 1, s.out_w * channels, room);
          on_rows<MaximaToRow, C>(&shape, grad, args.indices.as<const std::int32_t>() + at,
                                  grad_input);
        });
      });
}

/// A row of windows, with the rows that a mean of each divides by unless there is one scale.
inline WindowRow mean_row(const PoolSizes& s, const PoolWindow& window, const PoolScale& scale,
                          std::int64_t od, std::int64_t oh, std::int64_t channels) {
  WindowRow row{window, s.out_w, 0, s.width, channels};
  row.counts_padding = scale.counts_padding;
  if (scale.of_all == 0) {
    row.rows_counted = counted(od, s.slices, window, 2, scale.counts_padding) *
                       counted(oh, s.height, window, 0, scale.counts_padding);
  }
  return row;
}

AMP_LAZY inline void avg_pool2d_channels_last(const AvgPool2dArgs& args) {
  const PoolSizes s(args.input, args.output, args.window);
  const std::int64_t channels = args.input.sizes[1];
  for_each_pixel_row(args.input, args.output, [&](std::int64_t row, auto* means, auto* room) {
    using C = std::remove_reference_t<decltype(*means)>;
    const PoolPlace place = s.window_at(row);
    WindowRow shape = mean_row(s, args.window, args.scale, place.slice, place.row, channels);
    const std::int64_t rows_counted = shape.rows_counted;
    std::int64_t left = seen_rows(s, place, args.window);
    bool is_first = true;
    for_each_row_of_image(s, place, args.window, [&](std::int64_t image, std::int64_t h) {
      const std::int64_t at = (image * s.rows() + h) * s.width * channels;
      const C* const in = fetch(args.input, at, 1, s.width * channels, room);
      const bool is_last = --left == 0;
      shape.rows_counted = is_last ? rows_counted : 0;
      const C scale = is_last ? static_cast<C>(args.scale.of_all) : C{1};
      on_rows<SumsOfRow, C>(static_cast<const WindowRow*>(&shape), is_first, scale, in, means);
      is_first = false;
    });
  });
}

AMP_LAZY inline void avg_pool2d_backward_channels_last(const AvgPool2dBackwardArgs& args) {
  const PoolSizes s(args.grad_input, args.grad_output, args.window);
  const std::int64_t channels = args.grad_input.sizes[1];
  for_each_pixel_row(
      args.grad_output, args.grad_input, [&](std::int64_t row, auto* grad_input, auto* room) {
        using C = std::remove_reference_t<decltype(*grad_input)>;
        const PoolPlace place = s.pixel_at(row);
        std::fill_n(grad_input, s.width * channels, C{0});
        for_each_row_of_windows(s, place, args.window, [&](std::int64_t od, std::int64_t oh) {
          const WindowRow shape = mean_row(s, args.window, args.scale, od, oh, channels);
          const std::int64_t at = s.window_row(place.image, od, oh) * s.out_w * channels;
          const C* const grad = fetch(args.grad_output, at, 1, s.out_w * channels, room);
          on_rows<SumsToRow, C>(&shape, grad, grad_input);
        });
        if (args.scale.of_all == 0) return;
        for (std::int64_t i = 0; i < s.width * channels; ++i)
          grad_input[i] *= static_cast<C>(args.scale.of_all);
      });
}

}  // namespace detail
}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution on the host: each image is unfolded into columns (im2col) and multiplied by the
// kernel matrix,
//   output[o, p] = sum over q of weight[o, q] * columns[q, p],   q = (c, kh, kw), p = (oh, ow),
// images in parallel. 16-bit data is widened image by image; weight gradients are summed in float32
// over fixed parts of the batch, added in order, and rounded once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/optimization_hint.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/onednn.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The sizes of one group's product.
struct ConvShape {
  std::int64_t images, groups, channels, height, width, filters, kernel_h, kernel_w, out_h, out_w;
  std::int64_t patch() const { return channels * kernel_h * kernel_w; }
  std::int64_t pixels() const { return out_h * out_w; }
  std::int64_t in_plane() const { return height * width; }
  std::int64_t flops() const { return images * groups * filters * patch() * pixels(); }
};

inline ConvShape conv_shape(const Operand& input, const Operand& weight, const Operand& output,
                            std::int64_t groups) {
  return {.images = input.sizes[0],
          .groups = groups,
          .channels = weight.sizes[1],
          .height = input.sizes[2],
          .width = input.sizes[3],
          .filters = weight.sizes[0] / groups,
          .kernel_h = weight.sizes[2],
          .kernel_w = weight.sizes[3],
          .out_h = output.sizes[2],
          .out_w = output.sizes[3]};
}

/// The output columns [begin, end) whose input column ow * stride + offset lies within [0, width).
struct ColumnRange {
  std::int64_t begin, end;
  ColumnRange(std::int64_t out_w, std::int64_t width, std::int64_t stride, std::int64_t offset) {
    begin = offset >= 0 ? 0 : (std::min)(out_w, ceil_div(-offset, stride));
    end = width - offset <= 0
              ? begin
              : (std::max)(begin, (std::min)(out_w, ceil_div(width - offset, stride)));
  }
};

/// Calls row(columns_row, input_row or -1, horizontal offset) for each patch element and output
/// row.
template <class Row>
void for_each_patch_row(const ConvShape& s, const Window2d& w, Row&& row) {
  for (std::int64_t q = 0; q < s.patch(); ++q) {
    const std::int64_t c = q / (s.kernel_h * s.kernel_w), kh = q / s.kernel_w % s.kernel_h,
                       kw = q % s.kernel_w;
    for (std::int64_t oh = 0; oh < s.out_h; ++oh) {
      const std::int64_t ih = oh * w.stride[0] - w.padding[0] + kh * w.dilation[0];
      const bool inside = ih >= 0 && ih < s.height;
      row(q * s.pixels() + oh * s.out_w, inside ? c * s.in_plane() + ih * s.width : -1,
          kw * w.dilation[1] - w.padding[1]);
    }
  }
}

template <class C>
void unfold(const ConvShape& s, const Window2d& w, const C* image, C* columns) {
  for_each_patch_row(s, w, [&](std::int64_t to, std::int64_t from, std::int64_t offset) {
    C* const line = columns + to;
    if (from < 0) {
      std::fill_n(line, s.out_w, C{0});
      return;
    }
    const ColumnRange range(s.out_w, s.width, w.stride[1], offset);
    std::fill_n(line, range.begin, C{0});
    const C* const in = image + from + offset;
    if (w.stride[1] == 1) {
      std::copy(in + range.begin, in + range.end, line + range.begin);
    } else {
      for (std::int64_t ow = range.begin; ow < range.end; ++ow) line[ow] = in[ow * w.stride[1]];
    }
    std::fill(line + range.end, line + s.out_w, C{0});
  });
}

/// The adjoint of unfold: adds every column element to the pixel it came from.
template <class C>
void fold(const ConvShape& s, const Window2d& w, const C* columns, C* image) {
  std::fill_n(image, s.channels * s.in_plane(), C{0});
  for_each_patch_row(s, w, [&](std::int64_t from, std::int64_t to, std::int64_t offset) {
    if (to < 0) return;
    const ColumnRange range(s.out_w, s.width, w.stride[1], offset);
    C* const out = image + to + offset;
    const C* const line = columns + from;
    for (std::int64_t ow = range.begin; ow < range.end; ++ow) out[ow * w.stride[1]] += line[ow];
  });
}

template <class C>
void conv2d(const Conv2dArgs& args) {
  const ConvShape s = conv_shape(args.input, args.weight, args.output, args.groups);
  const std::int64_t in_image = s.channels * s.in_plane(), out_image = s.filters * s.pixels();
  const std::int64_t weights = s.filters * s.patch();
  amp::detail::hint_at_optimization(s.images * s.groups * s.pixels() * weights);
  const HostBuffer<C> weight_buffer(s.groups * weights), bias_buffer(s.groups * s.filters);
  const C* const weight = fetch(args.weight, 0, 1, s.groups * weights, weight_buffer.data());
  const C* const bias = args.bias.present
                            ? fetch(args.bias, 0, 1, s.groups * s.filters, bias_buffer.data())
                            : nullptr;
  parallel_for(s.images * s.groups, [&](std::int64_t item) {
    const std::int64_t group = item % s.groups;
    const HostBuffer<C> in_buffer(in_image), columns(s.patch() * s.pixels()), out_buffer(out_image);
    unfold(s, args.window, fetch(args.input, item * in_image, 1, in_image, in_buffer.data()),
           columns.data());
    C* const out = target(args.output, item * out_image, 1, out_image, out_buffer.data());
    for (std::int64_t o = 0; o < s.filters; ++o) {
      std::fill_n(out + o * s.pixels(), s.pixels(),
                  bias != nullptr ? bias[group * s.filters + o] : C{0});
    }
    gemm::multiply_add<C>(s.filters, s.pixels(), s.patch(),
                          {weight + group * weights, s.patch(), 1}, {columns.data(), s.pixels(), 1},
                          out, s.pixels());
    if (args.relu) std::transform(out, out + out_image, out, functions::Relu::apply<C>);
    store(out, args.output, item * out_image, 1, out_image);
  });
}

template <class C>
void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
  const ConvShape s = conv_shape(args.grad_input, args.weight, args.grad_output, args.groups);
  const std::int64_t in_image = s.channels * s.in_plane(), out_image = s.filters * s.pixels();
  const std::int64_t weights = s.filters * s.patch();
  const HostBuffer<C> weight_buffer(s.groups * weights);
  const C* const weight = fetch(args.weight, 0, 1, s.groups * weights, weight_buffer.data());
  parallel_for(s.images * s.groups, [&](std::int64_t item) {
    const HostBuffer<C> grad_buffer(out_image), columns(s.patch() * s.pixels()),
        in_buffer(in_image);
    const C* const grad =
        fetch(args.grad_output, item * out_image, 1, out_image, grad_buffer.data());
    std::fill_n(columns.data(), s.patch() * s.pixels(), C{0});
    gemm::multiply_add<C>(s.patch(), s.pixels(), s.filters,
                          {weight + item % s.groups * weights, 1, s.patch()}, {grad, s.pixels(), 1},
                          columns.data(), s.pixels());
    C* const grad_input = target(args.grad_input, item * in_image, 1, in_image, in_buffer.data());
    fold(s, args.window, columns.data(), grad_input);
    store(grad_input, args.grad_input, item * in_image, 1, in_image);
  });
}

template <class C>
void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
  const ConvShape s = conv_shape(args.input, args.grad_weight, args.grad_output, args.groups);
  const std::int64_t in_image = s.channels * s.in_plane(), out_image = s.filters * s.pixels();
  const std::int64_t weights = s.filters * s.patch();
  const std::int64_t sums = weights + s.filters;  // of one group: the weight's, then the bias'
  // As many parts as 32 MiB of sums allow, up to 16: a number that depends on shapes only, so
  // results do too.
  const std::int64_t affordable =
      (std::int64_t{1} << 25) / (static_cast<std::int64_t>(sizeof(C)) * sums * s.groups + 1);
  const std::int64_t parts =
      (std::min)((std::max)(s.images, std::int64_t{1}),
                 (std::clamp)(affordable, std::int64_t{1}, std::int64_t{16}));
  const HostBuffer<C> partial(parts * s.groups * sums);
  parallel_for(parts * s.groups, [&](std::int64_t job) {
    const std::int64_t part = job / s.groups, group = job % s.groups;
    C* const grad_weight = partial.data() + job * sums;
    C* const grad_bias = grad_weight + weights;
    std::fill_n(grad_weight, sums, C{0});
    const HostBuffer<C> in_buffer(in_image), columns(s.patch() * s.pixels()),
        grad_buffer(out_image);
    for (std::int64_t image = part * s.images / parts; image < (part + 1) * s.images / parts;
         ++image) {
      const std::int64_t item = image * s.groups + group;
      unfold(s, args.window, fetch(args.input, item * in_image, 1, in_image, in_buffer.data()),
             columns.data());
      const C* const grad =
          fetch(args.grad_output, item * out_image, 1, out_image, grad_buffer.data());
      gemm::multiply_add<C>(s.filters, s.patch(), s.pixels(), {grad, s.pixels(), 1},
                            {columns.data(), 1, s.pixels()}, grad_weight, s.patch());
      for (std::int64_t o = 0; o < s.filters; ++o) {
        double sum = 0;
        for (std::int64_t p = 0; p < s.pixels(); ++p)
          sum += static_cast<double>(grad[o * s.pixels() + p]);
        grad_bias[o] += static_cast<C>(sum);
      }
    }
  });
  for (std::int64_t part = 1; part < parts; ++part) {
    const C* const from = partial.data() + part * s.groups * sums;
    for (std::int64_t i = 0; i < s.groups * sums; ++i) partial[i] += from[i];
  }
  for (std::int64_t group = 0; group < s.groups; ++group) {
    store(partial.data() + group * sums, args.grad_weight, group * weights, 1, weights);
    if (args.grad_bias.present) {
      store(partial.data() + group * sums + weights, args.grad_bias, group * s.filters, 1,
            s.filters);
    }
  }
}

}  // namespace detail

/// Whether the activations of this convolution are to lie channels-last: its output, and in the
/// backward passes the gradients of both. Otherwise all are row-major. Reads no data: the output is
/// not there yet.
inline bool conv2d_prefers_channels_last([[maybe_unused]] const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  return onednn::takes(args);
#else
  return false;  // the columns that images are unfolded into are those of row-major ones
#endif
}

inline void conv2d(const Conv2dArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d(args);
#endif
  visit_float_type(args.output.dtype,
                   [&](auto tag) { detail::conv2d<typename decltype(tag)::type>(args); });
}
inline void conv2d_backward_input(const Conv2dBackwardInputArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d_backward_input(args);
#endif
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    detail::conv2d_backward_input<typename decltype(tag)::type>(args);
  });
}
inline void conv2d_backward_weight(const Conv2dBackwardWeightArgs& args) {
#if AMP_USE_ONEDNN
  if (args.channels_last) return onednn::conv2d_backward_weight(args);
#endif
  visit_float_type(args.grad_weight.dtype, [&](auto tag) {
    detail::conv2d_backward_weight<typename decltype(tag)::type>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

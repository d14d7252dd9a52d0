// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Convolution as matmuls (conv/shape.hpp) or, if there is one channel in a group, as correlations
// of planes (depthwise.hpp), with images in parallel. 16-bit data is widened image by image. Weight
// gradients are summed in float32 over fixed parts of the batch; the parts are added in order, and
// the sum is rounded once.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/conv/args.hpp"
#include "amp/kernels/conv/host/depthwise.hpp"
#include "amp/kernels/conv/host/im2col.hpp"
#include "amp/kernels/functions.hpp"
#include "amp/kernels/matmul/host/block_matmul.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::detail {

// C is the type of the sums.

template <class C>
void conv2d_by_matmul(const Conv2dArgs& args) {
  const ConvShape s(args.input, args.weight, args.output, args.window, args.groups);
  const std::int64_t in_image = s.in_group(), out_image = s.out_group(), weights = s.weights();
  const HostBuffer<C> weight_buffer(s.groups * weights), bias_buffer(s.groups * s.filters);
  const C* const weight = fetch(args.weight, 0, 1, s.groups * weights, weight_buffer.data());
  const C* const bias = args.bias.present
                            ? fetch(args.bias, 0, 1, s.groups * s.filters, bias_buffer.data())
                            : nullptr;
  parallel_for(s.images * s.groups, [&](std::int64_t item) {
    const std::int64_t group = item % s.groups;
    const HostBuffer<C> in_buffer(in_image), out_buffer(out_image);
    const C* const in = fetch(args.input, item * in_image, 1, in_image, in_buffer.data());
    C* const out = target(args.output, item * out_image, 1, out_image, out_buffer.data());
    const C* const biases = bias != nullptr ? bias + group * s.filters : nullptr;
    if (is_depthwise<C>(s)) {
      correlate(s, padded_input<C>(s), in, weight + group * weights, biases, out);
    } else {
      const HostBuffer<C> columns(s.patch() * s.pixels());
      unfold(s, in, columns.data());
      for (std::int64_t o = 0; o < s.filters; ++o)
        std::fill_n(out + o * s.pixels(), s.pixels(), biases != nullptr ? biases[o] : C{0});
      multiply_block<C, C>(s.filters, s.pixels(), s.patch(),
                           {weight + group * weights, s.patch(), 1},
                           {columns.data(), s.pixels(), 1}, out, s.pixels(), true);
    }
    if (args.relu) std::transform(out, out + out_image, out, functions::Relu::apply<C>);
    store(out, args.output, item * out_image, 1, out_image);
  });
}

template <class C>
void conv2d_backward_input_by_matmul(const Conv2dBackwardInputArgs& args) {
  const ConvShape s(args.grad_input, args.weight, args.grad_output, args.window, args.groups);
  const std::int64_t in_image = s.in_group(), out_image = s.out_group(), weights = s.weights();
  const HostBuffer<C> weight_buffer(s.groups * weights);
  const C* const weight = fetch(args.weight, 0, 1, s.groups * weights, weight_buffer.data());
  parallel_for(s.images * s.groups, [&](std::int64_t item) {
    const HostBuffer<C> grad_buffer(out_image), in_buffer(in_image);
    const C* const grad =
        fetch(args.grad_output, item * out_image, 1, out_image, grad_buffer.data());
    C* const grad_input = target(args.grad_input, item * in_image, 1, in_image, in_buffer.data());
    if (is_depthwise<C>(s)) {
      correlate_gradient(s, padded_gradient<C>(s), grad, weight + item % s.groups * weights,
                         grad_input);
    } else {
      const HostBuffer<C> columns(s.patch() * s.pixels());
      multiply_block<C, C>(s.patch(), s.pixels(), s.filters,
                           {weight + item % s.groups * weights, 1, s.patch()},
                           {grad, s.pixels(), 1}, columns.data(), s.pixels(), false);
      fold(s, columns.data(), grad_input);
    }
    store(grad_input, args.grad_input, item * in_image, 1, in_image);
  });
}

template <class C>
void conv2d_backward_weight_by_matmul(const Conv2dBackwardWeightArgs& args) {
  const ConvShape s(args.input, args.grad_weight, args.grad_output, args.window, args.groups);
  const std::int64_t in_image = s.in_group(), out_image = s.out_group(), weights = s.weights();
  const std::int64_t sums = weights + s.filters;  // of one group: the weight's, then the bias'
  // Uses as many parts as 32 MiB of sums allow, up to 16. The number depends on shapes only, and so
  // do the results.
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
    const HostBuffer<C> in_buffer(in_image), grad_buffer(out_image);
    const HostBuffer<C> columns(is_depthwise<C>(s) ? 0 : s.patch() * s.pixels());
    for (std::int64_t image = part * s.images / parts; image < (part + 1) * s.images / parts;
         ++image) {
      const std::int64_t item = image * s.groups + group;
      const C* const in = fetch(args.input, item * in_image, 1, in_image, in_buffer.data());
      const C* const grad =
          fetch(args.grad_output, item * out_image, 1, out_image, grad_buffer.data());
      if (is_depthwise<C>(s)) {
        add_tap_gradients(s, padded_input<C>(s), in, grad, grad_weight);
      } else {
        unfold(s, in, columns.data());
        multiply_block<C, C>(s.filters, s.patch(), s.pixels(), {grad, s.pixels(), 1},
                             {columns.data(), 1, s.pixels()}, grad_weight, s.patch(), true);
      }
      for (std::int64_t o = 0; o < s.filters; ++o)
        grad_bias[o] += static_cast<C>(sum_block<double>(grad + o * s.pixels(), s.pixels()));
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

}  // namespace amp::inline v0::kernels::host::detail

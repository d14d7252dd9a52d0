// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane: a thread per element that is written. Backward, each gathers
// what the windows over it give, in their order: no atomics, and the same bits every time.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

/// The planes that windows see, and those of one element per window.
struct PoolShape {
  std::int64_t planes, in[2], out[2];
  Window2d window;

  PoolShape(const Operand& input, const Operand& output, const Window2d& w)
      : planes(input.sizes[0] * input.sizes[1]),
        in{input.sizes[2], input.sizes[3]},
        out{output.sizes[2], output.sizes[3]},
        window(w) {}
  std::int64_t inputs() const { return planes * in[0] * in[1]; }
  std::int64_t outputs() const { return planes * out[0] * out[1]; }
};

/// Element i of planes of height x width.
struct PlanePosition {
  std::int64_t plane, row, column;
  __device__ PlanePosition(std::int64_t i, const std::int64_t (&size)[2])
      : plane(i / size[1] / size[0]), row(i / size[1] % size[0]), column(i % size[1]) {}
};

/// What lies within [0, extent) of one window: [begin, end), `step` apart.
struct WindowSpan {
  std::int64_t begin, end, step;
  __device__ WindowSpan(const PoolShape& shape, std::int64_t out, int d)
      : step(shape.window.dilation[d]) {
    const std::int64_t first = out * shape.window.stride[d] - shape.window.padding[d];
    const std::int64_t last = first + (shape.window.kernel[d] - 1) * step + 1;
    begin = first >= 0 ? first : first + (-first + step - 1) / step * step;
    end = last < shape.in[d] ? last : shape.in[d];
  }
};

/// The windows [begin, end) that may cover one position.
struct CoveringWindows {
  std::int64_t at, begin, end;  // `at` counted from the start of the padding
  __device__ CoveringWindows(const PoolShape& shape, std::int64_t position, int d)
      : at(position + shape.window.padding[d]) {
    const std::int64_t stride = shape.window.stride[d];
    const std::int64_t before = at - (shape.window.kernel[d] - 1) * shape.window.dilation[d];
    begin = before <= 0 ? 0 : (before + stride - 1) / stride;
    end = at / stride + 1 < shape.out[d] ? at / stride + 1 : shape.out[d];
  }
  /// Between dilated taps nothing is covered.
  __device__ bool covered_by(const PoolShape& shape, std::int64_t out, int d) const {
    return (at - out * shape.window.stride[d]) % shape.window.dilation[d] == 0;
  }
};

template <class C>
AMP_KERNEL void max_pool2d_kernel(PoolShape shape, Input x, Output y, std::int32_t* indices,
                                  std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition out(i, shape.out);
    const WindowSpan rows(shape, out.row, 0), columns(shape, out.column, 1);
    const std::int64_t width = shape.in[1], plane = out.plane * shape.in[0] * width;
    std::int64_t best = rows.begin * width + columns.begin;
    C maximum = load<C>(x, plane + best);
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t w = columns.begin; w < columns.end; w += columns.step) {
        const C value = load<C>(x, plane + h * width + w);
        if (value > maximum || is_nan(value)) {  // NaN wins, as in torch
          maximum = value;
          best = h * width + w;
        }
      }
    }
    store<C>(y, i, maximum);
    indices[i] = static_cast<std::int32_t>(best);
  }
}

/// The least and the greatest index among the windows of one row of outputs.
struct IndexRange {
  std::int32_t least, greatest;
};

template <class Range>
AMP_KERNEL void index_range_kernel(const std::int32_t* indices, Range* ranges,
                                   std::int64_t out_width, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int32_t* const row = indices + i * out_width;
    IndexRange range{row[0], row[0]};
    for (std::int64_t w = 1; w < out_width; ++w) {
      range.least = row[w] < range.least ? row[w] : range.least;
      range.greatest = row[w] > range.greatest ? row[w] : range.greatest;
    }
    ranges[i] = range;
  }
}

/// The indices alone do not say which windows see an element; the ranges leave out most others.
template <class C>
AMP_KERNEL void max_pool2d_backward_kernel(PoolShape shape, Input grad, const std::int32_t* indices,
                                           const IndexRange* ranges, Output grad_x,
                                           std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t in_plane = shape.in[0] * shape.in[1];
    const std::int64_t plane = i / in_plane, position = i % in_plane;
    C sum{0};
    for (std::int64_t row = plane * shape.out[0]; row < (plane + 1) * shape.out[0]; ++row) {
      const IndexRange range = ranges[row];
      if (position < range.least || position > range.greatest) continue;
      for (std::int64_t at = row * shape.out[1]; at < (row + 1) * shape.out[1]; ++at) {
        if (indices[at] == position) sum += load<C>(grad, at);
      }
    }
    store<C>(grad_x, i, sum);
  }
}

template <class C>
AMP_KERNEL void avg_pool2d_kernel(PoolShape shape, Input x, Output y, double scale,
                                  std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition out(i, shape.out);
    const WindowSpan rows(shape, out.row, 0), columns(shape, out.column, 1);
    const std::int64_t width = shape.in[1], plane = out.plane * shape.in[0] * width;
    C sum{0};
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t w = columns.begin; w < columns.end; w += columns.step)
        sum += load<C>(x, plane + h * width + w);
    }
    store<C>(y, i, sum * static_cast<C>(scale));
  }
}

template <class C>
AMP_KERNEL void avg_pool2d_backward_kernel(PoolShape shape, Input grad, Output grad_x, double scale,
                                           std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition in(i, shape.in);
    const CoveringWindows rows(shape, in.row, 0), columns(shape, in.column, 1);
    C sum{0};
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      if (!rows.covered_by(shape, oh, 0)) continue;
      for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
        if (!columns.covered_by(shape, ow, 1)) continue;
        sum += load<C>(grad, (in.plane * shape.out[0] + oh) * shape.out[1] + ow);
      }
    }
    store<C>(grad_x, i, sum * static_cast<C>(scale));
  }
}

inline void max_pool2d(const MaxPool2dArgs& args) {
  const PoolShape shape(args.input, args.output, args.window);
  const std::int64_t n = shape.outputs();
  visit_float_type(args.input.dtype, [&](auto tag) {
    launch(args.input.device, grid_for(n), kThreads,
           max_pool2d_kernel<typename decltype(tag)::type>, shape, args.input, args.output,
           args.indices.as<std::int32_t>(), n);
  });
}

inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  const PoolShape shape(args.grad_input, args.grad_output, Window2d{});
  const Device device = args.grad_output.device;
  const auto* const indices = args.indices.as<const std::int32_t>();
  const std::int64_t n = shape.inputs();
  const std::int64_t rows = shape.out[1] == 0 ? 0 : shape.planes * shape.out[0];
  const Scratch<IndexRange> ranges(device, rows);
  launch(device, grid_for(rows), kThreads, index_range_kernel<IndexRange>, indices, ranges.data(),
         shape.out[1], rows);
  visit_float_type(args.grad_output.dtype, [&](auto tag) {
    launch(device, grid_for(n), kThreads, max_pool2d_backward_kernel<typename decltype(tag)::type>,
           shape, args.grad_output, indices, ranges.data(), args.grad_input, n);
  });
}

inline void avg_pool2d(const AvgPool2dArgs& args) {
  const PoolShape shape(args.input, args.output, args.window);
  const std::int64_t n = shape.outputs();
  visit_float_type(args.input.dtype, [&](auto tag) {
    launch(args.input.device, grid_for(n), kThreads,
           avg_pool2d_kernel<typename decltype(tag)::type>, shape, args.input, args.output,
           args.scale, n);
  });
}

inline void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  const PoolShape shape(args.grad_input, args.grad_output, args.window);
  const std::int64_t n = shape.inputs();
  visit_float_type(args.grad_output.dtype, [&](auto tag) {
    launch(args.grad_output.device, grid_for(n), kThreads,
           avg_pool2d_backward_kernel<typename decltype(tag)::type>, shape, args.grad_output,
           args.grad_input, args.scale, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda

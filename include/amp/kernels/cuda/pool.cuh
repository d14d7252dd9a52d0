// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane: a thread per element that is written. Backward, each gathers
// what the windows over it give, in their order: no atomics, and the same bits every time.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/divider.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

/// The planes that windows see, and those of one element per window.
struct PoolShape {
  std::int64_t planes, in[2], out[2];
  Window2d window;
  Divider by_in[2], by_out[2], by_stride[2];

  PoolShape(const Operand& input, const Operand& output, const Window2d& w)
      : planes(input.sizes[0] * input.sizes[1]),
        in{input.sizes[2], input.sizes[3]},
        out{output.sizes[2], output.sizes[3]},
        window(w),
        by_in{in[0], in[1]},
        by_out{out[0], out[1]},
        by_stride{w.stride[0], w.stride[1]} {}
  std::int64_t inputs() const { return planes * in[0] * in[1]; }
  std::int64_t outputs() const { return planes * out[0] * out[1]; }
};

/// Element i of planes of height x width.
struct PlanePosition {
  std::int64_t plane, column, row;
  __device__ PlanePosition(std::int64_t i, const Divider (&by_size)[2])
      : plane(i), column(by_size[1].take_remainder(plane)), row(by_size[0].take_remainder(plane)) {}
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
    const Divider& stride = shape.by_stride[d];
    const std::int64_t before = at - (shape.window.kernel[d] - 1) * shape.window.dilation[d];
    begin = before <= 0 ? 0 : stride.quotient(before + stride.divisor() - 1);
    const std::int64_t last = stride.quotient(at);
    end = last + 1 < shape.out[d] ? last + 1 : shape.out[d];
  }
  /// Between dilated taps nothing is covered.
  __device__ bool covered_by(const PoolShape& shape, std::int64_t out, int d) const {
    const std::int64_t step = shape.window.dilation[d];
    return step == 1 || (at - out * shape.window.stride[d]) % step == 0;
  }
};

template <class C>
AMP_KERNEL void max_pool2d_kernel(PoolShape shape, Input x, Output y, std::int32_t* indices,
                                  std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition out(i, shape.by_out);
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

template <class C>
AMP_KERNEL void max_pool2d_backward_kernel(PoolShape shape, Input grad, const std::int32_t* indices,
                                           Output grad_x, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition in(i, shape.by_in);
    const CoveringWindows rows(shape, in.row, 0), columns(shape, in.column, 1);
    const std::int64_t position = in.row * shape.in[1] + in.column;
    C sum{0};
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
        const std::int64_t at = (in.plane * shape.out[0] + oh) * shape.out[1] + ow;
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
    const PlanePosition out(i, shape.by_out);
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
    const PlanePosition in(i, shape.by_in);
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
  const PoolShape shape(args.grad_input, args.grad_output, args.window);
  const std::int64_t n = shape.inputs();
  visit_float_type(args.grad_output.dtype, [&](auto tag) {
    launch(args.grad_output.device, grid_for(n), kThreads,
           max_pool2d_backward_kernel<typename decltype(tag)::type>, shape, args.grad_output,
           args.indices.as<const std::int32_t>(), args.grad_input, n);
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

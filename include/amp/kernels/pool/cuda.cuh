// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling over windows of a plane: those of cuda/pairs.cuh, and all others, a thread per element
// that is written. Backward, each gathers what the windows over it give, in their order: no
// atomics, and the same bits every time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/pool/cuda/pairs.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/divider.hpp"

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

/// What elements are computed in; each kernel reads and writes one format.
template <class T>
using PoolSum = std::conditional_t<std::is_same_v<T, double>, double, float>;

template <class Visitor>
void visit_pool_type(DType dtype, Visitor&& visitor) {
  visit_dtype(dtype, [&](auto tag) {
    if constexpr (!std::is_integral_v<typename decltype(tag)::type>) visitor(tag);
  });
}

template <class T>
AMP_KERNEL void max_pool2d_kernel(PoolShape shape, const T* x, T* y, std::int32_t* indices,
                                  std::int64_t n) {
  using C = PoolSum<T>;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition out(i, shape.by_out);
    const WindowSpan rows(shape, out.row, 0), columns(shape, out.column, 1);
    const std::int64_t width = shape.in[1], plane = out.plane * shape.in[0] * width;
    std::int64_t best = rows.begin * width + columns.begin;
    C maximum = number<C>(x[plane + best]);
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t w = columns.begin; w < columns.end; w += columns.step) {
        const C value = number<C>(x[plane + h * width + w]);
        if (value > maximum || is_nan(value)) {  // NaN wins, as in torch
          maximum = value;
          best = h * width + w;
        }
      }
    }
    y[i] = number<T>(maximum);
    indices[i] = static_cast<std::int32_t>(best);
  }
}

template <class T>
AMP_KERNEL void max_pool2d_backward_kernel(PoolShape shape, const T* grad,
                                           const std::int32_t* indices, T* grad_x, std::int64_t n) {
  using C = PoolSum<T>;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition in(i, shape.by_in);
    const CoveringWindows rows(shape, in.row, 0), columns(shape, in.column, 1);
    const std::int64_t position = in.row * shape.in[1] + in.column;
    C sum{0};
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
        const std::int64_t at = (in.plane * shape.out[0] + oh) * shape.out[1] + ow;
        if (indices[at] == position) sum += number<C>(grad[at]);
      }
    }
    grad_x[i] = number<T>(sum);
  }
}

template <class T>
AMP_KERNEL void avg_pool2d_kernel(PoolShape shape, const T* x, T* y, double scale, std::int64_t n) {
  using C = PoolSum<T>;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition out(i, shape.by_out);
    const WindowSpan rows(shape, out.row, 0), columns(shape, out.column, 1);
    const std::int64_t width = shape.in[1], plane = out.plane * shape.in[0] * width;
    C sum{0};
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t w = columns.begin; w < columns.end; w += columns.step)
        sum += number<C>(x[plane + h * width + w]);
    }
    y[i] = number<T>(sum * static_cast<C>(scale));
  }
}

template <class T>
AMP_KERNEL void avg_pool2d_backward_kernel(PoolShape shape, const T* grad, T* grad_x, double scale,
                                           std::int64_t n) {
  using C = PoolSum<T>;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const PlanePosition in(i, shape.by_in);
    const CoveringWindows rows(shape, in.row, 0), columns(shape, in.column, 1);
    C sum{0};
    for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
      if (!rows.covered_by(shape, oh, 0)) continue;
      for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
        if (!columns.covered_by(shape, ow, 1)) continue;
        sum += number<C>(grad[(in.plane * shape.out[0] + oh) * shape.out[1] + ow]);
      }
    }
    grad_x[i] = number<T>(sum * static_cast<C>(scale));
  }
}

inline void max_pool2d(const MaxPool2dArgs& args) {
  auto* const indices = args.indices.as<std::int32_t>();
  if (detail::pool_by_pairs<true>(args.input, args.output, indices, args.window, 1)) return;
  const PoolShape shape(args.input, args.output, args.window);
  const std::int64_t n = shape.outputs();
  visit_pool_type(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(args.input.device, grid_for(n), kThreads, max_pool2d_kernel<T>, shape,
           args.input.as<const T>(), args.output.as<T>(), indices, n);
  });
}

inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  const auto* const indices = args.indices.as<const std::int32_t>();
  if (detail::pool_backward_by_pairs<true>(args.grad_output, indices, args.grad_input, args.window,
                                           1))
    return;
  const PoolShape shape(args.grad_input, args.grad_output, args.window);
  const std::int64_t n = shape.inputs();
  visit_pool_type(args.grad_output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(args.grad_output.device, grid_for(n), kThreads, max_pool2d_backward_kernel<T>, shape,
           args.grad_output.as<const T>(), indices, args.grad_input.as<T>(), n);
  });
}

inline void avg_pool2d(const AvgPool2dArgs& args) {
  if (detail::pool_by_pairs<false>(args.input, args.output, nullptr, args.window, args.scale))
    return;
  const PoolShape shape(args.input, args.output, args.window);
  const std::int64_t n = shape.outputs();
  visit_pool_type(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(args.input.device, grid_for(n), kThreads, avg_pool2d_kernel<T>, shape,
           args.input.as<const T>(), args.output.as<T>(), args.scale, n);
  });
}

inline void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  if (detail::pool_backward_by_pairs<false>(args.grad_output, nullptr, args.grad_input, args.window,
                                            args.scale))
    return;
  const PoolShape shape(args.grad_input, args.grad_output, args.window);
  const std::int64_t n = shape.inputs();
  visit_pool_type(args.grad_output.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(args.grad_output.device, grid_for(n), kThreads, avg_pool2d_backward_kernel<T>, shape,
           args.grad_output.as<const T>(), args.grad_input.as<T>(), args.scale, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda

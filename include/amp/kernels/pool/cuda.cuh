// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// max_pool2d(), avg_pool2d() and their gradients on CUDA devices. Backward, each element gathers
// the gradients of the windows over it, in order: no atomics, and the same bits every time.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Planes of images, and of the windows over them.
struct PoolPlanes {
  std::int64_t planes, in[2], out[2];
  Window2d window;
  Divider by_in[2], by_out[2], by_stride[2];

  PoolPlanes(const Operand& images, const Operand& windows, const Window2d& w)
      : planes(images.sizes[0] * images.sizes[1]),
        in{images.sizes[2], images.sizes[3]},
        out{windows.sizes[2], windows.sizes[3]},
        window(w),
        by_in{in[0], in[1]},
        by_out{out[0], out[1]},
        by_stride{w.stride[0], w.stride[1]} {}

  AMP_HOST_DEVICE std::int64_t elements() const { return planes * in[0] * in[1]; }
  AMP_HOST_DEVICE std::int64_t windows() const { return planes * out[0] * out[1]; }
};

/// Element i of planes of height x width.
struct PlanePosition {
  std::int64_t plane, column, row;

  __device__ PlanePosition(std::int64_t i, const Divider (&by_size)[2])
      : plane(i), column(by_size[1].take_remainder(plane)), row(by_size[0].take_remainder(plane)) {}
};

/// The type that windows of T are computed in.
template <class T>
using PoolCompute = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// A thread has one window. `indices` is only used for maxima.
template <bool Max, class T>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_kernel(PoolPlanes shape, const T* x, T* y, std::int32_t* indices, PoolCompute<T> scale) {
  using C = PoolCompute<T>;
  for (std::int64_t i = first_element(); i < shape.windows(); i += element_step()) {
    const PlanePosition at(i, shape.by_out);
    const WindowRange rows(at.row, shape.in[0], shape.window, 0),
        columns(at.column, shape.in[1], shape.window, 1);
    const T* const plane = x + at.plane * shape.in[0] * shape.in[1];
    OfWindow<Max, C> found;
    found.place = static_cast<std::int32_t>(rows.begin * shape.in[1] + columns.begin);
    for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
      for (std::int64_t w = columns.begin; w < columns.end; w += columns.step) {
        const std::int64_t place = h * shape.in[1] + w;
        found.take(convert_to<C>(plane[place]), static_cast<std::int32_t>(place));
      }
    }
    y[i] = convert_to<T>(Max ? found.value : found.value * scale);
    if constexpr (Max) indices[i] = found.place;
  }
}

/// A thread has one element.
template <bool Max, class T>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_backward_kernel(PoolPlanes shape, const T* grad, const std::int32_t* indices, T* grad_x,
                         PoolCompute<T> scale) {
  using C = PoolCompute<T>;
  for (std::int64_t i = first_element(); i < shape.elements(); i += element_step()) {
    const PlanePosition at(i, shape.by_in);
    const WindowsOver rows(at.row, shape.out[0], shape.window, 0, shape.by_stride[0]),
        columns(at.column, shape.out[1], shape.window, 1, shape.by_stride[1]);
    const std::int64_t place = at.row * shape.in[1] + at.column;
    C sum = 0;
    for (std::int64_t h = rows.begin; h < rows.end; ++h) {
      for (std::int64_t w = columns.begin; w < columns.end; ++w) {
        const std::int64_t from = (at.plane * shape.out[0] + h) * shape.out[1] + w;
        const bool sees = Max ? indices[from] == place
                              : rows.has(h, shape.window, 0) && columns.has(w, shape.window, 1);
        if (sees) sum += convert_to<C>(grad[from]);
      }
    }
    grad_x[i] = convert_to<T>(Max ? sum : sum * scale);
  }
}

template <bool Max>
void pool(const Operand& input, const Operand& output, std::int32_t* indices,
          const Window2d& window, double scale) {
  const PoolPlanes shape(input, output, window);
  visit_dtype(input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<T>) {
      launch(input.device, grid_for(shape.windows()), kThreads, pool_kernel<Max, T>, shape,
             input.as<const T>(), output.as<T>(), indices, static_cast<PoolCompute<T>>(scale));
    }
  });
}
template <bool Max>
void pool_backward(const Operand& grad_output, const std::int32_t* indices,
                   const Operand& grad_input, const Window2d& window, double scale) {
  const PoolPlanes shape(grad_input, grad_output, window);
  visit_dtype(grad_input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (!std::is_integral_v<T>) {
      launch(grad_input.device, grid_for(shape.elements()), kThreads, pool_backward_kernel<Max, T>,
             shape, grad_output.as<const T>(), indices, grad_input.as<T>(),
             static_cast<PoolCompute<T>>(scale));
    }
  });
}

}  // namespace detail

inline void max_pool2d(const MaxPool2dArgs& args) {
  detail::pool<true>(args.input, args.output, args.indices.as<std::int32_t>(), args.window, 1);
}
inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  detail::pool_backward<true>(args.grad_output, args.indices.as<const std::int32_t>(),
                              args.grad_input, args.window, 1);
}
inline void avg_pool2d(const AvgPool2dArgs& args) {
  detail::pool<false>(args.input, args.output, nullptr, args.window, args.scale);
}
inline void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  detail::pool_backward<false>(args.grad_output, nullptr, args.grad_input, args.window, args.scale);
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// max_pool2d(), avg_pool2d() and their gradients on CUDA devices. Backward, each element gathers
// the gradients of the windows over it, in order: no atomics, and the same bits every time.
#pragma once

#include <cstdint>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Planes of images, and of the windows over them. Sizes are those of rows, columns and slices.
struct PoolPlanes {
  std::int64_t planes, in[3], out[3];
  PoolWindow window;
  Divider by_in[3], by_out[3], by_stride[3];
  bool counts_padding;

  PoolPlanes(const Operand& images, const Operand& windows, const PoolWindow& w,
             bool does_count_padding)
      : planes(images.sizes[0] * images.sizes[1]),
        in{images.sizes[2] / w.slices, images.sizes[3], w.slices},
        out{windows.sizes[2] / w.out_slices, windows.sizes[3], w.out_slices},
        window(w),
        by_in{in[0], in[1], in[2]},
        by_out{out[0], out[1], out[2]},
        by_stride{w.stride[0], w.stride[1], w.stride[2]},
        counts_padding(does_count_padding) {}

  AMP_HOST_DEVICE std::int64_t elements() const { return planes * in[0] * in[1] * in[2]; }
  AMP_HOST_DEVICE std::int64_t windows() const { return planes * out[0] * out[1] * out[2]; }
  AMP_HOST_DEVICE WindowRange range(std::int64_t at, int d) const { return {at, in[d], window, d}; }
  AMP_HOST_DEVICE WindowsOver over(std::int64_t at, int d) const {
    return {at, in[d], out[d], window, d, by_stride[d]};
  }
  AMP_HOST_DEVICE std::int64_t divides(std::int64_t at, int d) const {
    return counted(at, in[d], window, d, counts_padding);
  }
};

/// Element i of planes.
struct PlanePosition {
  std::int64_t plane, column, row, slice;

  __device__ PlanePosition(std::int64_t i, const Divider (&by_size)[3])
      : plane(i),
        column(by_size[1].take_remainder(plane)),
        row(by_size[0].take_remainder(plane)),
        slice(by_size[2].take_remainder(plane)) {}
};

/// A thread has one window. `indices` is only used for maxima, and `scale` for means; 0: the
/// window's own.
template <bool Max, class T>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_kernel(PoolPlanes shape, const T* x, T* y, std::int32_t* indices, ComputeOf<T> scale) {
  using C = ComputeOf<T>;
  for (std::int64_t i = first_element(); i < shape.windows(); i += element_step()) {
    const PlanePosition at(i, shape.by_out);
    const WindowRange slices = shape.range(at.slice, 2), rows = shape.range(at.row, 0),
                      columns = shape.range(at.column, 1);
    const T* const plane = x + at.plane * shape.in[0] * shape.in[1] * shape.in[2];
    OfWindow<Max, C> found;
    found.place = static_cast<std::int32_t>(
        (slices.begin * shape.in[0] + rows.begin) * shape.in[1] + columns.begin);
    for (std::int64_t z = slices.begin; z < slices.end; z += slices.step) {
      for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
        for (std::int64_t w = columns.begin; w < columns.end; w += columns.step) {
          const std::int64_t place = (z * shape.in[0] + h) * shape.in[1] + w;
          found.take(convert_to<C>(plane[place]), static_cast<std::int32_t>(place));
        }
      }
    }
    if constexpr (Max) {
      y[i] = convert_to<T>(found.value);
      indices[i] = found.place;
    } else {
      C share = scale;
      if (scale == 0) {
        share = C{1} / static_cast<C>(shape.divides(at.slice, 2) * shape.divides(at.row, 0) *
                                      shape.divides(at.column, 1));
      }
      y[i] = convert_to<T>(found.value * share);
    }
  }
}

/// A thread has one element.
template <bool Max, class T>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_backward_kernel(PoolPlanes shape, const T* grad, const std::int32_t* indices, T* grad_x,
                         ComputeOf<T> scale) {
  using C = ComputeOf<T>;
  for (std::int64_t i = first_element(); i < shape.elements(); i += element_step()) {
    const PlanePosition at(i, shape.by_in);
    const WindowsOver slices = shape.over(at.slice, 2), rows = shape.over(at.row, 0),
                      columns = shape.over(at.column, 1);
    const std::int64_t place = (at.slice * shape.in[0] + at.row) * shape.in[1] + at.column;
    C sum = 0;
    for (std::int64_t z = slices.begin; z < slices.end; ++z) {
      for (std::int64_t h = rows.begin; h < rows.end; ++h) {
        for (std::int64_t w = columns.begin; w < columns.end; ++w) {
          const std::int64_t from =
              ((at.plane * shape.out[2] + z) * shape.out[0] + h) * shape.out[1] + w;
          const bool sees = Max ? indices[from] == place
                                : slices.has(z, shape.window, 2) && rows.has(h, shape.window, 0) &&
                                      columns.has(w, shape.window, 1);
          if (!sees) continue;
          C g = convert_to<C>(grad[from]);
          if (!Max && scale == 0) {
            g *= C{1} /
                 static_cast<C>(shape.divides(z, 2) * shape.divides(h, 0) * shape.divides(w, 1));
          }
          sum += g;
        }
      }
    }
    grad_x[i] = convert_to<T>(Max || scale == 0 ? sum : sum * scale);
  }
}

template <bool Max>
void pool(const Operand& input, const Operand& output, std::int32_t* indices,
          const PoolWindow& window, const PoolScale& scale) {
  const PoolPlanes shape(input, output, window, scale.counts_padding);
  visit_floating(input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(input.device, grid_for(shape.windows()), kThreads, pool_kernel<Max, T>, shape,
           input.as<const T>(), output.as<T>(), indices, static_cast<ComputeOf<T>>(scale.of_all));
  });
}
template <bool Max>
void pool_backward(const Operand& grad_output, const std::int32_t* indices,
                   const Operand& grad_input, const PoolWindow& window, const PoolScale& scale) {
  const PoolPlanes shape(grad_input, grad_output, window, scale.counts_padding);
  visit_floating(grad_input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    launch(grad_input.device, grid_for(shape.elements()), kThreads, pool_backward_kernel<Max, T>,
           shape, grad_output.as<const T>(), indices, grad_input.as<T>(),
           static_cast<ComputeOf<T>>(scale.of_all));
  });
}

}  // namespace detail

inline void max_pool2d(const MaxPool2dArgs& args) {
  detail::pool<true>(args.input, args.output, args.indices.as<std::int32_t>(), args.window, {});
}
inline void max_pool2d_backward(const MaxPool2dBackwardArgs& args) {
  detail::pool_backward<true>(args.grad_output, args.indices.as<const std::int32_t>(),
                              args.grad_input, args.window, {});
}
inline void avg_pool2d(const AvgPool2dArgs& args) {
  detail::pool<false>(args.input, args.output, nullptr, args.window, args.scale);
}
inline void avg_pool2d_backward(const AvgPool2dBackwardArgs& args) {
  detail::pool_backward<false>(args.grad_output, nullptr, args.grad_input, args.window, args.scale);
}

}  // namespace amp::inline v0::kernels::cuda

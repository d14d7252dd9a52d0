// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling with windows of any kind: a thread has one window; backward, one element.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/pool/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

/// Planes of one format.
template <class T>
struct AMP_HIDDEN SingleWindows {
  using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
  static constexpr int kWindows = 1, kElements = 1;

  std::int64_t planes, in[2], out[2];
  Window2d window;
  Divider by_in[2], by_out[2], by_stride[2];

  SingleWindows(const Operand& images, const Operand& windows, const Window2d& w)
      : planes(images.sizes[0] * images.sizes[1]),
        in{images.sizes[2], images.sizes[3]},
        out{windows.sizes[2], windows.sizes[3]},
        window(w),
        by_in{in[0], in[1]},
        by_out{out[0], out[1]},
        by_stride{w.stride[0], w.stride[1]} {}

  /// Element i of planes of height x width.
  struct Position {
    std::int64_t plane, column, row;
    __device__ Position(std::int64_t i, const Divider (&by_size)[2])
        : plane(i),
          column(by_size[1].take_remainder(plane)),
          row(by_size[0].take_remainder(plane)) {}
  };

  /// One window.
  struct Windows {
    const SingleWindows& shape;
    std::int64_t i, plane;
    WindowRange rows, columns;

    __device__ Windows(const SingleWindows& s, std::int64_t number, const Position& at)
        : shape(s),
          i(number),
          plane(at.plane * s.in[0] * s.in[1]),
          rows(at.row, s.in[0], s.window, 0),
          columns(at.column, s.in[1], s.window, 1) {}

    __device__ std::int32_t place(std::int64_t row, std::int64_t column) const {
      return static_cast<std::int32_t>(row * shape.in[1] + column);
    }
    __device__ std::int32_t origin(int) const { return 0; }
    __device__ std::int32_t first_place(int) const { return place(rows.begin, columns.begin); }
    template <class Body>
    __device__ __forceinline__ void for_each_element(const Input& x, Body&& body) const {
      const T* const elements = static_cast<const T*>(x.data) + plane;
      for (std::int64_t h = rows.begin; h < rows.end; h += rows.step) {
        for (std::int64_t w = columns.begin; w < columns.end; w += columns.step) {
          const std::int64_t at = h * shape.in[1] + w;
          body(0, convert_to<Compute>(elements[at]), static_cast<std::int32_t>(at));
        }
      }
    }
    __device__ void store(const Output& y, const Compute (&value)[1]) const {
      static_cast<T*>(y.data)[i] = convert_to<T>(value[0]);
    }
    __device__ void store(std::int32_t* indices, const std::int32_t (&place)[1]) const {
      indices[i] = place[0];
    }
  };
  std::int64_t window_tiles() const { return planes * out[0] * out[1]; }
  template <class Body>
  __device__ __forceinline__ void for_each_windows(Body&& body) const {
    const std::int64_t n = planes * out[0] * out[1];
    for (std::int64_t i = first_element(); i < n; i += element_step())
      body(Windows(*this, i, Position(i, by_out)));
  }

  /// One element.
  template <bool Max>
  struct Elements {
    const SingleWindows& shape;
    const Input& grad;
    const std::int32_t* indices;
    std::int64_t i;

    template <class Body>
    __device__ __forceinline__ void for_each_row(Body&& body) const {
      body(0);
    }
    template <class Body>
    __device__ __forceinline__ void for_each_gradient(int, Body&& body) const {
      const Position at(i, shape.by_in);
      const WindowsOver rows(at.row, shape.out[0], shape.window, 0, shape.by_stride[0]),
          columns(at.column, shape.out[1], shape.window, 1, shape.by_stride[1]);
      const std::int64_t position = at.row * shape.in[1] + at.column;
      for (std::int64_t oh = rows.begin; oh < rows.end; ++oh) {
        for (std::int64_t ow = columns.begin; ow < columns.end; ++ow) {
          const std::int64_t from = (at.plane * shape.out[0] + oh) * shape.out[1] + ow;
          const bool sees = Max ? indices[from] == position
                                : rows.has(oh, shape.window, 0) && columns.has(ow, shape.window, 1);
          if (sees) body(0, convert_to<Compute>(static_cast<const T*>(grad.data)[from]));
        }
      }
    }
    __device__ void store(int, const Output& grad_x, const Compute (&value)[1]) const {
      static_cast<T*>(grad_x.data)[i] = convert_to<T>(value[0]);
    }
  };
  std::int64_t element_tiles() const { return planes * in[0] * in[1]; }
  template <bool Max, class Body>
  __device__ __forceinline__ void for_each_elements(const Input& grad, const std::int32_t* indices,
                                                    Body&& body) const {
    const std::int64_t n = planes * in[0] * in[1];
    for (std::int64_t i = first_element(); i < n; i += element_step())
      body(Elements<Max>{*this, grad, indices, i});
  }
};

}  // namespace amp::inline v0::kernels::cuda

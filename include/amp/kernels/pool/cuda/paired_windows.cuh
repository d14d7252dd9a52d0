// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling with windows that halve a plane: windows of 2 x 2, or of 3 x 3 with a border of one, two
// apart. A thread has four neighbouring windows, whose columns, except one, form one vector;
// backward it has a vector of two rows each.
#pragma once

#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/cuda/packets.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// One element of a plain array as it lies in memory, like Packets: unpacked after all loads are
/// started.
struct ElementBits {
  std::uint32_t bits = 0;

  __device__ __forceinline__ void load(const Input& x, std::int64_t i) {
    bits = x.dtype == kFloat32 ? static_cast<const std::uint32_t*>(x.data)[i]
                               : static_cast<const std::uint16_t*>(x.data)[i];
  }
  __device__ __forceinline__ float unpack(DType dtype) const {
    if (dtype == kFloat32) return __builtin_bit_cast(float, bits);
    const auto low = static_cast<std::uint16_t>(bits);
    return dtype == kFloat16 ? convert_to<float>(half::from_bits(low))
                             : convert_to<float>(bfloat16::from_bits(low));
  }
};

/// Four neighbours, in the same way.
struct FourWords {
  uint2 words[2] = {{0, 0}, {0, 0}};

  __device__ __forceinline__ void load(const Input& x, std::int64_t i) {
    const bool wide = x.dtype == kFloat32;
    const auto* const from = reinterpret_cast<const uint2*>(
        static_cast<const unsigned char*>(x.data) + i * (wide ? 4 : 2));
    words[0] = load_word(from);
    if (wide) words[1] = load_word(from + 1);
  }
  __device__ __forceinline__ void unpack(DType dtype, float (&values)[4]) const {
    visit_plain_type(dtype, [&](auto tag) {
      decltype(tag) elements[4];
      std::memcpy(elements, words, sizeof elements);
      AMP_UNROLL
      for (int l = 0; l < 4; ++l) values[l] = convert_to<float>(elements[l]);
    });
  }
};
__device__ __forceinline__ void store_four(const Output& y, std::int64_t i,
                                           const float (&values)[4]) {
  visit_plain_type(y.dtype, [&](auto tag) {
    using T = decltype(tag);
    Pack<T, 4> four;
    AMP_UNROLL
    for (int l = 0; l < 4; ++l) four.element[l] = convert_to<T>(values[l]);
    store_pack(static_cast<T*>(y.data) + i, four);
  });
}

/// The rows of a plane from `first` on, in vectors; absent if the plane has no such row.
struct PlaneRows {
  std::int64_t plane_start, first, column, height, width;

  __device__ bool has(int k) const { return first + k >= 0 && first + k < height; }
  __device__ std::int64_t at(int k) const { return plane_start + (first + k) * width + column; }
};

}  // namespace detail

/// Planes of plain formats, and windows that number half their height, rounded up, by half their
/// width.
template <int Kernel>
struct AMP_HIDDEN PairedWindows {
  using Compute = float;
  static constexpr int kWindows = 4, kElements = kVector, kBorder = Kernel - 2;

  std::int64_t in_height, in_width, out_height, out_width, n;
  Divider by_vectors, by_rows;

  PairedWindows(const Operand& images, const Operand& windows)
      : in_height(images.sizes[2]),
        in_width(images.sizes[3]),
        out_height(windows.sizes[2]),
        out_width(windows.sizes[3]),
        n(images.sizes[0] * images.sizes[1] * ceil_div(in_height, std::int64_t{2}) *
          (in_width / kVector)),
        by_vectors(in_width / kVector),
        by_rows(ceil_div(in_height, std::int64_t{2})) {}

  /// Whether these are such windows, and all rows are aligned for vectors.
  static bool fits(const Window2d& w, const Operand& images, const Operand& windows) {
    for (int d = 0; d < 2; ++d) {
      if (w.kernel[d] != Kernel || w.stride[d] != 2 || w.padding[d] != kBorder ||
          w.dilation[d] != 1)
        return false;
    }
    return are_rows_of_vectors(images.sizes[3], images, windows);
  }

  /// The index of a plane, and in it that of a row of windows and of the first of four windows.
  struct Place {
    std::int64_t plane, row, column;
    __device__ Place(const PairedWindows& shape, std::int64_t i) : plane(i) {
      column = shape.by_vectors.take_remainder(plane) * (kVector / 2);
      row = shape.by_rows.take_remainder(plane);
    }
  };

  /// Four windows. Positions count from the corner of a window, which may lie in the border.
  struct Windows {
    const PairedWindows& shape;
    Place place;
    detail::PlaneRows rows;  // the rows that the windows see

    __device__ Windows(const PairedWindows& s, const Place& where)
        : shape(s),
          place(where),
          rows{where.plane * s.in_height * s.in_width, 2 * where.row - kBorder, 2 * where.column,
               s.in_height, s.in_width} {}

    __device__ int width() const { return static_cast<int>(shape.in_width); }
    /// Whether the border is to the left.
    __device__ bool is_at_edge() const { return kBorder == 1 && place.column == 0; }
    __device__ std::int32_t origin(int j) const {
      return static_cast<std::int32_t>(rows.first * shape.in_width + rows.column) + 2 * j - kBorder;
    }
    __device__ std::int32_t first_place(int j) const {
      return (rows.has(0) ? 0 : width()) + (j == 0 && is_at_edge() ? 1 : 0);
    }
    template <class Body>
    __device__ __forceinline__ void for_each_element(const Input& x, Body&& body) const {
      float v[Kernel][kVector], left[Kernel];
      load(x, v, left);
      AMP_UNROLL
      for (int j = 0; j < kWindows; ++j) {
        AMP_UNROLL
        for (int kh = 0; kh < Kernel; ++kh) {
          if (!rows.has(kh)) continue;
          AMP_UNROLL
          for (int kw = 0; kw < Kernel; ++kw) {
            const int at = 2 * j + kw - kBorder;
            if (at >= 0) {
              body(j, v[kh][at], kh * width() + kw);
            } else if (!is_at_edge()) {
              body(j, left[kh], kh * width() + kw);
            }
          }
        }
      }
    }
    __device__ __forceinline__ void store(const Output& y, const float (&values)[4]) const {
      detail::store_four(y, at(), values);
    }
    __device__ __forceinline__ void store(std::int32_t* indices,
                                          const std::int32_t (&places)[4]) const {
      Pack<std::int32_t, 4> four;
      std::memcpy(&four, places, sizeof four);
      store_pack(indices + at(), four);
    }

   private:
    __device__ std::int64_t at() const {
      return (place.plane * shape.out_height + place.row) * shape.out_width + place.column;
    }
    /// Loads the vectors of the rows, and the element to the left of each.
    __device__ __forceinline__ void load(const Input& x, float (&v)[Kernel][kVector],
                                         float (&left)[Kernel]) const {
      const Packets<Kernel> packets(x, rows);
      detail::ElementBits before[Kernel];
      AMP_UNROLL
      for (int k = 0; k < Kernel; ++k) {
        if (kBorder == 1 && !is_at_edge() && rows.has(k)) before[k].load(x, rows.at(k) - 1);
      }
      packets.unpack(x.dtype, v);
      AMP_UNROLL
      for (int k = 0; k < Kernel; ++k) left[k] = before[k].unpack(x.dtype);
    }
  };
  std::int64_t window_tiles() const { return n; }
  template <class Body>
  __device__ __forceinline__ void for_each_windows(Body&& body) const {
    for (std::int64_t i = first_element(); i < n; i += element_step()) {
      const Place place(*this, i);
      if (place.row < out_height) body(Windows(*this, place));
    }
  }

  /// Two rows of eight elements, and the gradients of the windows over them.
  template <bool Max>
  struct Elements {
    static constexpr int kRows = 1 + kBorder, kColumns = 4 + kBorder;  // of windows

    const PairedWindows& shape;
    Place place;
    float grads[kRows][kColumns];
    std::int32_t places[kRows][kColumns];  // of maxima, from the first element on

    __device__ __forceinline__ Elements(const PairedWindows& s, const Place& where,
                                        const Input& grad, const std::int32_t* indices)
        : shape(s), place(where) {
      const detail::PlaneRows rows{where.plane * s.out_height * s.out_width, where.row,
                                   where.column, s.out_height, s.out_width};
      AMP_UNROLL
      for (int r = 0; r < kRows; ++r) load(rows, r, grad, indices);
    }
    template <class Body>
    __device__ __forceinline__ void for_each_row(Body&& body) const {
      AMP_UNROLL
      for (int h = 0; h < 2; ++h) {
        if (2 * place.row + h < shape.in_height) body(h);
      }
    }
    template <class Body>
    __device__ __forceinline__ void for_each_gradient(int h, Body&& body) const {
      AMP_UNROLL
      for (int w = 0; w < kVector; ++w) {
        const int at = h * static_cast<int>(shape.in_width) + w;
        AMP_UNROLL
        for (int r = 0; r <= h * kBorder; ++r) {
          AMP_UNROLL
          for (int j = w / 2; j <= w / 2 + w % 2 * kBorder; ++j) {
            if (!Max || places[r][j] == at) body(w, grads[r][j]);
          }
        }
      }
    }
    __device__ __forceinline__ void store(int h, const Output& grad_x,
                                          const float (&values)[kVector]) const {
      const std::int64_t row = place.plane * shape.in_height + 2 * place.row + h;
      store_plain_vector(grad_x, row * shape.in_width + 2 * place.column, values);
    }

   private:
    /// Loads four windows of row r, and the one to their right.
    __device__ __forceinline__ void load(const detail::PlaneRows& rows, int r, const Input& grad,
                                         const std::int32_t* indices) {
      const bool has = rows.has(r);
      const bool has_next = kBorder == 1 && has && place.column + 4 < shape.out_width;
      detail::FourWords words;
      detail::ElementBits next;
      Pack<std::int32_t, 4> four_places{{-1, -1, -1, -1}};
      std::int32_t next_place = -1;
      if (has) words.load(grad, rows.at(r));
      if (Max && has) four_places = load_pack<std::int32_t, 4>(indices + rows.at(r));
      if (Max && has_next) next_place = indices[rows.at(r) + 4];
      if (has_next) next.load(grad, rows.at(r) + 4);
      float four[4];
      words.unpack(grad.dtype, four);
      const int origin = static_cast<int>(2 * (place.row * shape.in_width + place.column));
      AMP_UNROLL
      for (int j = 0; j < kColumns; ++j) {
        grads[r][j] = j < 4 ? four[j & 3] : next.unpack(grad.dtype);
        places[r][j] = (j < 4 ? four_places.element[j & 3] : next_place) - origin;
      }
    }
  };
  std::int64_t element_tiles() const { return n; }
  template <bool Max, class Body>
  __device__ __forceinline__ void for_each_elements(const Input& grad, const std::int32_t* indices,
                                                    Body&& body) const {
    for (std::int64_t i = first_element(); i < n; i += element_step())
      body(Elements<Max>(*this, Place(*this, i), grad, indices));
  }
};

}  // namespace amp::inline v0::kernels::cuda

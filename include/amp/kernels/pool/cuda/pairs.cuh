// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling that halves a plane: windows of 2 x 2, or of 3 x 3 with a border of one, two apart. A
// thread has four neighbouring windows, whose columns but one are one vector; backward, a vector
// of two rows each.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/traversal/cuda/packets.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Planes of input, and of a result of half the height, rounded up, and half the width.
struct PoolPairs {
  std::int64_t in_height, in_width, out_height, out_width, n;
  Divider by_vectors, by_rows;

  PoolPairs(const Operand& input, const Operand& output)
      : in_height(input.sizes[2]),
        in_width(input.sizes[3]),
        out_height(output.sizes[2]),
        out_width(output.sizes[3]),
        n(input.sizes[0] * input.sizes[1] * ceil_div(in_height, std::int64_t{2}) *
          (in_width / kVector)),
        by_vectors(in_width / kVector),
        by_rows(ceil_div(in_height, std::int64_t{2})) {}

  /// Whether a window is one of `kernel` x `kernel` that this takes, and all rows have vectors.
  static bool fits(const Window2d& w, std::int64_t kernel, const Operand& input,
                   const Operand& output) {
    for (int d = 0; d < 2; ++d) {
      if (w.kernel[d] != kernel || w.stride[d] != 2 || w.padding[d] != kernel - 2 ||
          w.dilation[d] != 1)
        return false;
    }
    return are_rows_of_vectors(input.sizes[3], input, output);
  }
};

/// Two rows of eight columns, and the four windows that begin there.
struct PoolTile {
  std::int64_t plane, row, column;  // column in windows

  __device__ PoolTile(const PoolPairs& shape, std::int64_t i) : plane(i) {
    column = shape.by_vectors.take_remainder(plane) * (kVector / 2);
    row = shape.by_rows.take_remainder(plane);
  }
};

/// The vectors of a tile in rows from `first` on; absent where the plane has none.
struct PoolRows {
  std::int64_t plane_start, first, column, height, width;

  __device__ bool has(int k) const { return first + k >= 0 && first + k < height; }
  __device__ std::int64_t at(int k) const { return plane_start + (first + k) * width + column; }
};

/// The bits of an element, as Packets for one: unpacked when all loads are under way.
__device__ __forceinline__ std::uint32_t element_bits(const void* data, DType dtype,
                                                      std::int64_t i) {
  if (dtype == kFloat32) return static_cast<const std::uint32_t*>(data)[i];
  return static_cast<const std::uint16_t*>(data)[i];
}
__device__ __forceinline__ float unpack_bits(std::uint32_t bits, DType dtype) {
  if (dtype == kFloat32) return __builtin_bit_cast(float, bits);
  const auto low = static_cast<std::uint16_t>(bits);
  return dtype == kFloat16 ? number<float>(half::from_bits(low))
                           : number<float>(bfloat16::from_bits(low));
}

using FourPlaces = Pack<std::int32_t, 4>;

__device__ __forceinline__ void store_four(const Output& y, std::int64_t i,
                                           const float (&values)[4]) {
  visit_plain_type(y.dtype, [&](auto tag) {
    using T = decltype(tag);
    Pack<T, 4> four;
    AMP_UNROLL
    for (int l = 0; l < 4; ++l) four.element[l] = number<T>(values[l]);
    store_pack(static_cast<T*>(y.data) + i, four);
  });
}
/// As Packets.
struct FourWords {
  uint2 words[2];

  __device__ __forceinline__ FourWords(const Input& x, std::int64_t i, bool present) {
    words[0] = words[1] = uint2{0, 0};
    if (!present) return;
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
      for (int l = 0; l < 4; ++l) values[l] = number<float>(elements[l]);
    });
  }
};

inline constexpr float kBelowAll = -std::numeric_limits<float>::infinity();

/// `indices` of maxima only.
template <bool Max, int Kernel>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_pairs_kernel(PoolPairs shape, Input x, Output y, std::int32_t* indices, float scale) {
  constexpr int kBorder = Kernel - 2;
  for (std::int64_t i = first_element(); i < shape.n; i += element_step()) {
    const PoolTile tile(shape, i);
    if (tile.row >= shape.out_height) continue;
    const std::int64_t column = 2 * tile.column;
    const PoolRows rows{tile.plane * shape.in_height * shape.in_width, 2 * tile.row - kBorder,
                        column, shape.in_height, shape.in_width};
    const Packets<Kernel> words(x, rows);
    std::uint32_t before[Kernel] = {};  // the element to the left of each vector
    if constexpr (kBorder == 1) {
      AMP_UNROLL
      for (int k = 0; k < Kernel; ++k) {
        if (column > 0 && rows.has(k)) before[k] = element_bits(x.data, x.dtype, rows.at(k) - 1);
      }
    }
    float v[Kernel][kVector], left[Kernel];
    words.unpack(x.dtype, v);
    AMP_UNROLL
    for (int k = 0; k < Kernel; ++k) left[k] = kBorder == 1 ? unpack_bits(before[k], x.dtype) : 0;
    float result[4];
    FourPlaces places;
    AMP_UNROLL
    for (int j = 0; j < 4; ++j) {
      const bool at_edge = kBorder == 1 && j == 0 && column == 0;
      float value = Max ? kBelowAll : 0;
      int place = (rows.has(0) ? 0 : static_cast<int>(shape.in_width)) + (at_edge ? 1 : 0);
      AMP_UNROLL
      for (int kh = 0; kh < Kernel; ++kh) {
        if (!rows.has(kh)) continue;
        AMP_UNROLL
        for (int kw = 0; kw < Kernel; ++kw) {
          const int at = 2 * j + kw - kBorder;
          if (at < 0 && at_edge) continue;
          const float element = at < 0 ? left[kh] : v[kh][at < 0 ? 0 : at];
          if constexpr (!Max) {
            value += element;
          } else if (element > value || is_nan(element)) {  // NaN wins, as in torch
            value = element;
            place = kh * static_cast<int>(shape.in_width) + kw;
          }
        }
      }
      result[j] = Max ? value : value * scale;
      places.element[j] =
          place + static_cast<int>(rows.first * shape.in_width + column) + 2 * j - kBorder;
    }
    const std::int64_t out =
        (tile.plane * shape.out_height + tile.row) * shape.out_width + tile.column;
    store_four(y, out, result);
    if constexpr (Max) store_pack(indices + out, places);
  }
}

/// Each element gathers what the windows over it give, in their order.
template <bool Max, int Kernel>
AMP_KERNEL void __launch_bounds__(kThreads)
    pool_pairs_backward_kernel(PoolPairs shape, Input grad, const std::int32_t* indices,
                               Output grad_x, float scale) {
  constexpr int kBorder = Kernel - 2, kRows = 1 + kBorder, kWindows = 4 + kBorder;
  for (std::int64_t i = first_element(); i < shape.n; i += element_step()) {
    const PoolTile tile(shape, i);
    const PoolRows windows{tile.plane * shape.out_height * shape.out_width, tile.row, tile.column,
                           shape.out_height, shape.out_width};
    const bool has_next = kBorder == 1 && tile.column + 4 < shape.out_width;
    float value[kRows][kWindows];
    int place[kRows][kWindows];  // from the tile's first element on
    const int origin = static_cast<int>(2 * (tile.row * shape.in_width + tile.column));
    AMP_UNROLL
    for (int r = 0; r < kRows; ++r) {
      const bool has = windows.has(r);
      const FourWords words(grad, windows.at(r), has);
      std::uint32_t next = 0;
      FourPlaces places{{-1, -1, -1, -1}};
      int next_place = -1;
      if constexpr (Max) {
        if (has) places = load_pack<std::int32_t, 4>(indices + windows.at(r));
        if (has && has_next) next_place = indices[windows.at(r) + 4];
      }
      if (has && has_next) next = element_bits(grad.data, grad.dtype, windows.at(r) + 4);
      float four[4];
      words.unpack(grad.dtype, four);
      AMP_UNROLL
      for (int j = 0; j < kWindows; ++j) {
        value[r][j] = j < 4 ? four[j & 3] : unpack_bits(next, grad.dtype);
        place[r][j] = (j < 4 ? places.element[j & 3] : next_place) - origin;
      }
    }
    const std::int64_t start =
        (tile.plane * shape.in_height + 2 * tile.row) * shape.in_width + 2 * tile.column;
    AMP_UNROLL
    for (int h = 0; h < 2; ++h) {
      if (2 * tile.row + h >= shape.in_height) continue;
      float sums[kVector];
      AMP_UNROLL
      for (int w = 0; w < kVector; ++w) {
        const int at = h * static_cast<int>(shape.in_width) + w;
        float sum = 0;
        AMP_UNROLL
        for (int r = 0; r <= h * kBorder; ++r) {
          AMP_UNROLL
          for (int j = w / 2; j <= w / 2 + w % 2 * kBorder; ++j) {
            if (!Max || place[r][j] == at) sum += value[r][j];
          }
        }
        sums[w] = Max ? sum : sum * scale;
      }
      store_plain_vector(grad_x, start + h * shape.in_width, sums);
    }
  }
}

/// visitor(kernel size) where the windows are such; whether they are.
template <class Visitor>
bool visit_pool_pairs(const Window2d& window, const Operand& input, const Operand& output,
                      Visitor&& visitor) {
  if (PoolPairs::fits(window, 2, input, output)) {
    visitor(std::integral_constant<int, 2>{});
    return true;
  }
  if (!PoolPairs::fits(window, 3, input, output)) return false;
  visitor(std::integral_constant<int, 3>{});
  return true;
}

template <bool Max>
bool pool_by_pairs(const Operand& input, const Operand& output, std::int32_t* indices,
                   const Window2d& window, double scale) {
  return visit_pool_pairs(window, input, output, [&](auto kernel) {
    const PoolPairs shape(input, output);
    launch(input.device, grid_for(shape.n), kThreads,
           pool_pairs_kernel<Max, decltype(kernel)::value>, shape, input, output, indices,
           static_cast<float>(scale));
  });
}
template <bool Max>
bool pool_backward_by_pairs(const Operand& grad_output, const std::int32_t* indices,
                            const Operand& grad_input, const Window2d& window, double scale) {
  return visit_pool_pairs(window, grad_input, grad_output, [&](auto kernel) {
    const PoolPairs shape(grad_input, grad_output);
    launch(grad_input.device, grid_for(shape.n), kThreads,
           pool_pairs_backward_kernel<Max, decltype(kernel)::value>, shape, grad_output, indices,
           grad_input, static_cast<float>(scale));
  });
}

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda

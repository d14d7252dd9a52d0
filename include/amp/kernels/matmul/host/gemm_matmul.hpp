// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A matmul in the type of its sums: 16-bit operands are widened once, multiplied and accumulated in
// float32 by a library or by gemm.hpp, and rounded once at the end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/matmul/args.hpp"
#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/matmul/host/tiled_matmul.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// Returns the last two dimensions of one batch entry as a Matrix of C: in place if the dtype is C,
/// else widened into `buffer`, in the order in which the elements lie.
template <class C>
Matrix<C> widen(const Operand& operand, std::int64_t batch, C* buffer) {
  const int d = operand.dims - 2;
  const std::int64_t offset = batch * operand.strides[0];
  const std::int64_t rows = operand.sizes[d], columns = operand.sizes[d + 1];
  const std::int64_t row_stride = operand.strides[d], column_stride = operand.strides[d + 1];
  if (operand.data == nullptr) return {nullptr, row_stride, column_stride};  // empty
  if (operand.dtype == dtype_of<C>)
    return {operand.as<const C>() + offset, row_stride, column_stride};
  const bool transposed = row_stride == 1 && column_stride != 1;
  const std::int64_t lines = transposed ? columns : rows, length = transposed ? rows : columns;
  const std::int64_t line_stride = transposed ? column_stride : row_stride,
                     stride = transposed ? row_stride : column_stride;
  parallel_ranges(
      length == 0 ? 0 : lines, ceil_div(16 * kBlock, (std::max)(length, std::int64_t{1})),
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t line = begin; line < end; ++line) {
          fetch(operand, offset + line * line_stride, stride, length, buffer + line * length);
        }
      });
  return transposed ? Matrix<C>{buffer, 1, length} : Matrix<C>{buffer, length, 1};
}

/// Packs b [k, n] on all threads, gemm::kDepth rows after another, in panels of as many columns as
/// the kernel has.
template <class C>
void pack_all(std::int64_t n, std::int64_t k, const Matrix<C>& b, std::int64_t columns, C* packed) {
  const std::int64_t panels = ceil_div(n, columns);
  parallel_ranges(
      panels, ceil_div(std::int64_t{1} << 15, columns * k),
      [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * columns, last = (std::min)(n, end * columns);
        for (std::int64_t k0 = 0; k0 < k; k0 += gemm::kDepth) {
          const std::int64_t kk = (std::min)(gemm::kDepth, k - k0);
          gemm::pack<C>(
              {b.data + k0 * b.row_stride + first * b.column_stride, b.column_stride, b.row_stride},
              last - first, kk, columns, packed + k0 * panels * columns + first * kk);
        }
      });
}

/// The size of the tiles of c that threads take: as many for each thread, of equal size as far as the
/// kernel's tile allows, with rows that suit the caches. The longer side is cut first.
struct TileSize {
  std::int64_t rows, columns;

  TileSize(std::int64_t m, std::int64_t n, std::int64_t kernel_rows, std::int64_t kernel_columns,
           std::int64_t threads) {
    const std::int64_t least = ceil_div(m, gemm::kRowsInCache);
    const std::int64_t most_down = (std::max)(least, m / (4 * kernel_rows));
    const std::int64_t most_across = (std::max)(std::int64_t{1}, n / (2 * kernel_columns));
    std::int64_t across = m < n ? (std::min)(threads / std::gcd(least, threads), most_across) : 1;
    const std::int64_t down = (std::min)(round_up(least * across, threads) / across, most_down);
    across = (std::min)((std::max)(across, ceil_div(threads, down)), most_across);
    rows = round_up(ceil_div(m, down), kernel_rows);
    columns = round_up(ceil_div(n, across), kernel_columns);
  }
};

/// c = a @ b, dense row-major, by gemm.hpp, on all threads: b is packed once, and a with each tile
/// of c.
template <class C>
void multiply_in_tiles(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<C>& a,
                       const Matrix<C>& b, C* c) {
  const gemm::Kernel<C> micro = gemm::choose_kernel<C>();
  const std::int64_t width = round_up(n, std::int64_t{micro.columns});
  const HostBuffer<C> packed(width * k);
  pack_all(n, k, b, micro.columns, packed.data());
  const bool worthwhile = m * n * k >= 64 * 64 * 64;
  const TileSize size(m, n, micro.rows, micro.columns, worthwhile ? num_threads() : 1);
  const std::int64_t across = ceil_div(n, size.columns);
  const auto tile = [&](std::int64_t index) {
    const std::int64_t i = index / across * size.rows, j = index % across * size.columns;
    const std::int64_t rows = (std::min)(size.rows, m - i);
    const std::int64_t columns = (std::min)(size.columns, n - j);
    for (std::int64_t k0 = 0; k0 < k; k0 += gemm::kDepth) {
      const std::int64_t kk = (std::min)(gemm::kDepth, k - k0);
      gemm::add_panels<C>(
          micro, rows, columns, kk,
          {a.data + i * a.row_stride + k0 * a.column_stride, a.row_stride, a.column_stride},
          packed.data() + k0 * width + j * kk, c + i * n + j, n, k0 != 0);
    }
  };
  const std::int64_t tiles = ceil_div(m, size.rows) * across;
  if (worthwhile) {
    parallel_for(tiles, tile);
  } else {
    for (std::int64_t index = 0; index < tiles; ++index) tile(index);
  }
}

/// c = a @ b, dense row-major, on all threads: by oneDNN, if it takes the matrices.
template <class C>
void multiply(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<C>& a,
              const Matrix<C>& b, C* c) {
  if (k == 0) {  // null operands: no pointer arithmetic on them
    std::fill_n(c, m * n, C{0});
    return;
  }
#if AMP_USE_ONEDNN
  if constexpr (std::is_same_v<C, float>) {
    if (onednn::multiply(m, n, k, a, b, c)) return;
  }
#endif
  multiply_in_tiles(m, n, k, a, b, c);
}

/// Writes one batch entry of the output from its sums `c`, plus the bias (null for none).
template <class C>
void round_sums(C* c, const C* bias, const Operand& output, std::int64_t batch) {
  const std::int64_t m = output.sizes[1], n = output.sizes[2];
  parallel_ranges(m, ceil_div(16 * kBlock, n), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      C* const row = c + i * n;
      if (bias != nullptr) {
        for (std::int64_t j = 0; j < n; ++j) row[j] += bias[j];
      }
      store(row, output, batch * output.strides[0] + i * output.strides[1], output.strides[2], n);
    }
  });
}

/// Returns memory for n elements of an operand in the compute type; none if the operand has that
/// type.
template <class C>
HostBuffer<C> room_for(const Operand& operand, std::int64_t n) {
  return HostBuffer<C>(operand.dtype == dtype_of<C> ? 0 : n);
}

}  // namespace detail

/// Computes a matmul that is not empty, without its sums.
AMP_LAZY inline void gemm_matmul(const MatmulArgs& args) {
  const std::int64_t batches = args.output.sizes[0], m = args.output.sizes[1],
                     n = args.output.sizes[2], k = args.a.sizes[2];
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const HostBuffer<C> a_buffer = detail::room_for<C>(args.a, m * k),
                        b_buffer = detail::room_for<C>(args.b, k * n);
    const bool in_place = args.output.dtype == dtype_of<C> && args.output.strides[2] == 1 &&
                          args.output.strides[1] == n;
    const HostBuffer<C> c_buffer(in_place ? 0 : m * n);
    const HostBuffer<C> bias_buffer(args.bias.present ? n : 0);
    const C* const bias = args.bias.present
                              ? fetch(args.bias, 0, args.bias.strides[0], n, bias_buffer.data())
                              : nullptr;
    Matrix<C> a{}, b{};
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      if (batch == 0 || args.a.strides[0] != 0) a = detail::widen(args.a, batch, a_buffer.data());
      if (batch == 0 || args.b.strides[0] != 0) b = detail::widen(args.b, batch, b_buffer.data());
      C* const c =
          in_place ? args.output.as<C>() + batch * args.output.strides[0] : c_buffer.data();
      detail::multiply(m, n, k, a, b, c);
      if (!in_place || bias != nullptr) detail::round_sums(c, bias, args.output, batch);
    }
  });
}

}  // namespace amp::inline v0::kernels::host

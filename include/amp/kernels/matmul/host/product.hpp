// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// A product of matrices on all threads: cut into tiles, each of which is multiplied (gemm.hpp) and
// finished while it lies in the caches.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <optional>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/matmul/host/gemm.hpp"
#include "amp/kernels/matmul/host/kernels.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host {

/// A part of a matrix.
struct Place {
  std::int64_t row, column, rows, columns;

  Place transposed() const { return {column, row, columns, rows}; }
};

namespace gemm {

/// The size of the tiles of c that threads take: as many for each thread, of equal size as far as
/// the kernel's tile allows, with rows and columns that suit the caches. The longer side is cut
/// first.
struct TileSize {
  static constexpr std::int64_t kMostColumns = 1024;
  std::int64_t rows, columns;

  TileSize(std::int64_t m, std::int64_t n, std::int64_t kernel_rows, std::int64_t kernel_columns,
           std::int64_t threads) {
    const std::int64_t least = ceil_div(m, kBlockRows), least_across = ceil_div(n, kMostColumns);
    const std::int64_t most_down = (std::max)(least, m / (4 * kernel_rows));
    const std::int64_t most_across = (std::max)(least_across, n / (2 * kernel_columns));
    std::int64_t across = m < n ? threads / std::gcd(least, threads) : 1;
    across = (std::clamp)(across, least_across, most_across);
    std::int64_t down = (std::min)(round_up(least * across, threads) / across, most_down);
    across = (std::min)((std::max)(across, ceil_div(threads, down)), most_across);
    // A few more tiles may leave less to the last ones of each thread.
    const auto longest_share = [&](std::int64_t tiles) {
      const std::int64_t height = round_up(ceil_div(m, tiles), kernel_rows);
      return ceil_div(ceil_div(m, height) * across, threads) * height;
    };
    for (std::int64_t tiles = down; tiles <= (std::min)(down + 2 * threads, most_down); ++tiles)
      if (longest_share(tiles) < longest_share(down)) down = tiles;
    rows = round_up(ceil_div(m, down), kernel_rows);
    columns = round_up(ceil_div(n, across), kernel_columns);
  }
};

/// A matrix b [k, n], packed for several tiles of c.
template <class C>
class PackedMatrix {
 public:
  using Word = typename Packer<C>::Word;

  /// Packs on all threads.
  PackedMatrix(const Kernel<C>& kernel, const Runs& b, std::int64_t n, std::int64_t k)
      : kernel_(kernel),
        width_(round_up(n, std::int64_t{kernel.columns})),
        words_(width_ * kernel.words(k)) {
    const std::int64_t columns = kernel.columns, depth = kernel.depth_of(k);
    parallel_ranges(width_ / columns, ceil_div(std::int64_t{1} << 15, columns * k),
                    [&](std::int64_t begin, std::int64_t end) {
                      const Packer<C> packer(kernel);
                      for (std::int64_t k0 = 0; k0 < k; k0 += depth) {
                        const std::int64_t count = (std::min)(depth, k - k0);
                        const std::int64_t first = begin * columns;
                        packer.pack_b(b, first, (std::min)(end * columns, n) - first, k0, count,
                                      words_.data() + offset(first, k0, count));
                      }
                    });
  }

  Factor strip(std::int64_t column, std::int64_t k, std::int64_t count) const {
    return {words_.data() + offset(column, k, count), kernel_.columns * Packer<C>::kWordSize};
  }

 private:
  std::int64_t offset(std::int64_t column, std::int64_t k, std::int64_t count) const {
    return kernel_.words(k) * width_ + column * kernel_.words(count);
  }

  const Kernel<C> kernel_;
  const std::int64_t width_;
  const HostBuffer<Word> words_;
};

/// c = a @ b + bias. `sums` is the dtype of the sums, of the bias and of c: float32 or float64.
struct Product {
  using Finish = FunctionRef<void(const Place& place, void* sums, std::int64_t stride)>;

  DType factor, sums;  // the dtypes of a and b, and of c
  std::int64_t m, n, k;
  const Runs &a, &b;
  const void* bias;  // of the columns; null for none
  void* c;           // has rows `stride` elements apart; null if each tile gets memory of its own
  std::int64_t stride;
  /// c in bfloat16, with rows `stride` apart, or null. If the kernels can round, they write there
  /// instead, and finish() is not called.
  bfloat16* rounded = nullptr;
  /// Parts of c that are finished have a multiple of so many columns, if they do not end with c.
  int columns_at_a_time = 1;
  /// Whether this is the transpose of a product: the bias and the columns just named are rows. c is
  /// null.
  bool is_transpose = false;

  /// Computes a part of c on this thread, and calls finish(place, its sums, the distance of their
  /// rows) unless it is null.
  void compute(const Place& place, const Finish* finish) const;
  void compute_on_all_threads(const Finish* finish) const;
};

namespace detail {

/// The sums of a tile: a part of c, or memory of its own.
template <class C>
struct Sums {
  const HostBuffer<C> memory;
  const std::int64_t stride;
  C* const data;

  Sums(const Product& p, const Place& at)
      : memory(p.c != nullptr ? 0 : at.rows * at.columns),
        stride(p.c != nullptr ? p.stride : at.columns),
        data(p.c != nullptr ? static_cast<C*>(p.c) + at.row * stride + at.column : memory.data()) {}
};

/// `packed` is b, or null if it is not packed.
template <class C>
void compute_tile(const Product& p, const Kernel<C>& kernel, const Place& at,
                  const PackedMatrix<C>* packed, const Product::Finish* finish) {
  const Sums<C> sums(p, at);
  const C* const bias = static_cast<const C*>(p.bias);
  auto addend = p.is_transpose ? Addend<C>() : Addend<C>{bias, 0}.from(0, at.column);
  if (p.is_transpose && bias != nullptr) {
    for (std::int64_t i = 0; i < at.rows; ++i)
      std::fill_n(sums.data + i * sums.stride, at.columns, bias[at.row + i]);
    addend = {sums.data, sums.stride};
  }
  const bool rounds = p.rounded != nullptr && kernel.run_rounded != nullptr && p.k > 0;
  const Rounded rounded =
      rounds ? Rounded{p.rounded + at.row * p.stride + at.column, p.stride} : Rounded();
  const Multiplier<C> multiplier(kernel, at.rows);
  if (packed != nullptr) {
    multiplier.run(
        p.a, at.row, at.rows, at.columns, p.k,
        [&](std::int64_t j, std::int64_t first, std::int64_t count) {
          return packed->strip(at.column + j, first, count);
        },
        sums.data, sums.stride, addend, rounded);
  } else {
    multiplier.run(p.a, at.row, at.rows, at.columns, p.k, p.b, at.column, sums.data, sums.stride,
                   addend, rounded);
  }
  if (finish != nullptr && !rounds) (*finish)(at, sums.data, sums.stride);
}

template <class C>
void compute_tiles(const Product& p, const Product::Finish* finish) {
  const auto kernel = kernel_for<C>(p.factor, p.m);
  const bool is_small = p.m * p.n * p.k < 64 * 64 * 64;
  const int rows = p.is_transpose ? std::lcm(kernel.rows, p.columns_at_a_time) : kernel.rows,
            columns =
                p.is_transpose ? kernel.columns : std::lcm(kernel.columns, p.columns_at_a_time);
  const TileSize size(p.m, p.n, rows, columns, is_small ? 1 : num_threads());
  const std::int64_t across = ceil_div(p.n, size.columns),
                     tiles = ceil_div(p.m, size.rows) * across;
  std::optional<PackedMatrix<C>> packed;
  if (p.m > size.rows && p.k > 0) packed.emplace(kernel, p.b, p.n, p.k);  // several tiles use it
  const auto tile = [&](std::int64_t index) {
    const std::int64_t i = index / across * size.rows, j = index % across * size.columns;
    const Place at{i, j, (std::min)(size.rows, p.m - i), (std::min)(size.columns, p.n - j)};
    compute_tile<C>(p, kernel, at, packed ? &*packed : nullptr, finish);
  };
  if (!is_small) return parallel_for(tiles, tile);
  for (std::int64_t index = 0; index < tiles; ++index) tile(index);
}

/// Whether it takes less time to compute the transpose of rows and columns of c, from b's transpose
/// and a's: rows are read as they lie if they are runs along k, columns if they are runs across it.
/// The others are transposed when they are packed. So a linear layer of a small batch reads its
/// weight in place.
template <class C>
bool suits_transpose(const Product& p, std::int64_t rows, std::int64_t columns) {
  constexpr std::int64_t kProducts = 8;  // take as long as a word to transpose (measured)
  const auto products = [&](std::int64_t down, std::int64_t across, bool rows_lie,
                            bool columns_lie) {
    const Kernel<C> kernel = kernel_for<C>(p.factor, down);
    return (round_up(down, std::int64_t{kernel.rows}) *
                round_up(across, std::int64_t{kernel.columns}) +
            kProducts * ((rows_lie ? 0 : down) + (columns_lie ? 0 : across))) *
           p.k;
  };
  return products(columns, rows, p.b.along_k, !p.a.along_k) + kProducts * rows * columns <
         products(rows, columns, p.a.along_k, !p.b.along_k);
}

/// to[row * to_stride + column] = from[column * from_stride + row], for the sizes of a place.
inline void copy_transposed(DType dtype, const Place& place, void* from, std::int64_t from_stride,
                            void* to, std::int64_t to_stride) {
  copy({Operand::array(from, dtype, {place.rows, place.columns}, {1, from_stride}),
        Operand::array(to, dtype, {place.rows, place.columns}, {to_stride, 1})});
}

/// Calls body(product, finish) with a product that has the transpose of p's c.
template <class C, class Body>
void by_transpose(const Product& p, const Product::Finish* finish, const Body& body) {
  const auto put = [&](const Place& tile, void* data, std::int64_t stride) {
    const Place at = tile.transposed();
    const Sums<C> sums(p, at);
    copy_transposed(p.sums, at, data, stride, sums.data, sums.stride);
    if (finish != nullptr) (*finish)(at, sums.data, sums.stride);
  };
  const Product::Finish transpose = put;
  body(Product{p.factor, p.sums, p.n, p.m, p.k, p.b, p.a, p.bias, nullptr, 0, nullptr,
               p.columns_at_a_time, true},
       &transpose);
}

}  // namespace detail

inline void Product::compute(const Place& place, const Finish* finish) const {
  visit_float_type(sums, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const auto compute_part = [](const Product& p, const Place& at, const Finish* with) {
      detail::compute_tile<C>(p, kernel_for<C>(p.factor, at.rows), at, nullptr, with);
    };
    // Strips of columns are packed once for each block of rows.
    if (place.columns > kBlockRows || !detail::suits_transpose<C>(*this, place.rows, place.columns))
      return compute_part(*this, place, finish);
    detail::by_transpose<C>(*this, finish, [&](const Product& p, const Finish* with) {
      compute_part(p, place.transposed(), with);
    });
  });
}
inline void Product::compute_on_all_threads(const Finish* finish) const {
  if (m == 0 || n == 0) return;
  visit_float_type(sums, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (!detail::suits_transpose<C>(*this, m, n)) return detail::compute_tiles<C>(*this, finish);
    detail::by_transpose<C>(*this, finish, detail::compute_tiles<C>);
  });
}

}  // namespace gemm
}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Matmuls on one thread, of whatever the packer can read: a block of a and a strip of b are packed,
// unless kernels can read them where they lie, and multiplied tile by tile (the structure of Goto
// and van de Geijn 2008, "Anatomy of High-Performance Matrix Multiplication"). Every element is
// summed over k in one fixed order, whatever the number of threads.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/function_ref.hpp"
#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/matmul/host/amx_kernel.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/kernels/matmul/host/panels.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host {

/// A matrix in memory; element (i, j) at data[i * row_stride + j * column_stride].
template <class T>
struct Matrix {
  const T* data;
  std::int64_t row_stride, column_stride;
};

namespace gemm {

/// An output that kernels round to, with rows `stride` elements apart; none if there is no data.
struct Rounded {
  bfloat16* data = nullptr;
  std::int64_t stride = 0;
};

/// c = addend + a @ b in blocks on the calling thread, which has memory for one block of a and one
/// strip of b.
template <class C>
class Multiplier {
 public:
  using Word = typename Packer<C>::Word;
  /// Returns the elements [k, k + count) of the columns of a tile, from `column` on.
  using Strips = FunctionRef<Factor(std::int64_t column, std::int64_t k, std::int64_t count)>;

  Multiplier(const Kernel<C>& kernel, std::int64_t rows)
      : kernel_(kernel),
        packer_(kernel),
        block_(round_up((std::min)(rows, kBlockRows), std::int64_t{kernel.rows}) * kRowStride) {}

  /// Multiplies rows [first, first + m) of a with strips of b. c [m, n] has rows `stride`
  /// apart, and may be the addend. If there is a rounded output, the last sums go there, and c is
  /// needed only if one call of a kernel is not enough for k, which is not 0.
  void run(const Runs& a, std::int64_t first, std::int64_t m, std::int64_t n, std::int64_t k,
           Strips b, C* c, std::int64_t stride, const Addend<C>& addend,
           const Rounded& rounded = {}) const {
    const AmxRegisters registers(kernel_.uses_amx);
    const std::int64_t depth = kernel_.depth_of(k);
    for (std::int64_t i = 0; i < m; i += kBlockRows) {
      const std::int64_t rows = (std::min)(kBlockRows, m - i);
      for (std::int64_t k0 = 0; k0 < k; k0 += depth) {
        const std::int64_t count = (std::min)(depth, k - k0);
        // Full tiles are read where they lie.
        const Factor unpacked = readable(a, first + i, k0, count, n);
        const std::int64_t in_place =
            unpacked.data == nullptr ? 0 : rows / kernel_.rows * kernel_.rows;
        if (in_place < rows) {
          packer_.pack_a(a, first + i + in_place, rows - in_place, k0, count,
                         block_.data() + in_place * kRowStride);
        }
        const Factor packed{block_.data(), kRowStride * kWordSize};
        const auto rows_of_a = [&](std::int64_t row) {
          Factor part = row < in_place ? unpacked : packed;
          part.data = static_cast<const std::byte*>(part.data) + row * part.stride;
          return part;
        };
        for (std::int64_t j = 0; j < n; j += kernel_.columns) {
          const std::int64_t columns = (std::min)(n - j, std::int64_t{kernel_.columns});
          const Factor of_b = b(j, k0, count);
          const auto from = (k0 == 0 ? addend : Addend<C>{c, stride}).from(i, j);
          const auto multiply = [&]<class Out>(Out* to, std::int64_t to_stride) {
            strip(rows, columns, {kernel_.words(count)}, rows_of_a, of_b, to + i * to_stride + j,
                  to_stride, from);
          };
          if constexpr (std::is_same_v<C, float>) {
            if (rounded.data != nullptr && k0 + count == k) {
              multiply(rounded.data, rounded.stride);
              continue;
            }
          }
          multiply(c, stride);
        }
      }
      for (std::int64_t r = i; r < i + rows && k == 0; ++r) {
        if (addend.data == nullptr)
          std::fill_n(c + r * stride, n, C{0});
        else if (addend.data != c)
          std::copy_n(addend.row(r), n, c + r * stride);
      }
    }
  }
  /// Multiplies with columns [column, column + n) of b, which is packed strip by strip, or a few
  /// strips at a time from long rows, unless its rows are words and few tiles read them.
  void run(const Runs& a, std::int64_t first, std::int64_t m, std::int64_t n, std::int64_t k,
           const Runs& b, std::int64_t column, C* c, std::int64_t stride, const Addend<C>& addend,
           const Rounded& rounded = {}) const {
    const std::int64_t width = kernel_.columns;
    const bool has_few_rows = m <= kFewRows;
    const bool in_place = has_few_rows && !b.along_k && kernel_.per_word() == 1 &&
                          packer_.words_at(b, 0, column, width) != nullptr;
    const bool packs_strips = !has_few_rows && !b.along_k && b.distance > kLongRow;
    const std::int64_t at_a_time = width * (packs_strips ? kStripsAtATime : 1);
    const HostBuffer<Word> memory(kDepth * (std::min)(at_a_time, round_up(n, width)));
    run(
        a, first, m, n, k,
        [&](std::int64_t j, std::int64_t k0, std::int64_t count) {
          if (in_place && n - j >= width)
            return Factor{packer_.words_at(b, k0, column + j, width), b.distance};
          const std::int64_t first_of_strip = j % at_a_time;
          if (first_of_strip == 0)
            packer_.pack_b(b, column + j, (std::min)(n - j, at_a_time), k0, count, memory.data());
          return Factor{memory.data() + first_of_strip * kernel_.words(count), width * kWordSize};
        },
        c, stride, addend, rounded);
  }

 private:
  static constexpr auto kWordSize = Packer<C>::kWordSize;
  static constexpr std::int64_t kFewRows = 64;
  // In rows of more bytes, a strip has a few words in each of many pages.
  static constexpr std::int64_t kLongRow = 2048, kStripsAtATime = 8;

  /// Returns rows of a as kernels can read them where they lie, or no data if they must be packed.
  /// Those a multiple of 4096 bytes apart share one set of the first-level cache, which has 8 lines:
  /// more of them are packed if they are read for many columns.
  Factor readable(const Runs& a, std::int64_t row, std::int64_t k, std::int64_t count,
                  std::int64_t columns) const {
    constexpr int kLinesOfSet = 8;
    constexpr std::int64_t kManyColumns = 256;
    const bool collide = a.distance % 4096 == 0 && kernel_.rows > kLinesOfSet;
    if (!a.along_k || (collide && columns > kManyColumns)) return {};
    return {packer_.words_at(a, row, k, count), a.distance};
  }

  /// Writes an element of a partial tile as a kernel would.
  static void put(C sum, C& to) { to = sum; }
  static void put(C sum, bfloat16& to) {
    const bool is_subnormal = std::abs(sum) < (std::numeric_limits<float>::min)();
    to = static_cast<bfloat16>(is_subnormal ? std::copysign(C{0}, sum) : sum);
  }

  /// Multiplies a block of rows with a strip of columns.
  template <class Rows, class Out>
  void strip(std::int64_t rows, std::int64_t columns, const Parts& words, const Rows& rows_of_a,
             Factor b, Out* c, std::int64_t stride, const Addend<C>& addend) const {
    for (std::int64_t i = 0; i < rows; i += kernel_.rows) {
      const Factor a = rows_of_a(i);
      Out* const to = c + i * stride;
      if (i + kernel_.rows <= rows && columns == kernel_.columns) {
        if constexpr (std::is_same_v<Out, C>)
          kernel_.run(words, a, b, to, stride, addend.from(i, 0));
        else
          kernel_.run_rounded(words, a, b, to, stride, addend.from(i, 0));
        continue;
      }
      // A partial tile is computed as a full one.
      alignas(64) C tile[kMostOfTile];
      kernel_.run(words, a, b, tile, kernel_.columns, {});
      for (std::int64_t r = 0; r < (std::min)(rows - i, std::int64_t{kernel_.rows}); ++r) {
        for (std::int64_t s = 0; s < columns; ++s) {
          const C sum = tile[r * kernel_.columns + s];
          put(addend.data == nullptr ? sum : addend.row(i + r)[s] + sum, to[r * stride + s]);
        }
      }
    }
  }

  static constexpr std::int64_t kMostOfTile = 32 * 32;

  const Kernel<C> kernel_;
  const Packer<C> packer_;
  const HostBuffer<Word> block_;
};

}  // namespace gemm
}  // namespace amp::inline v0::kernels::host

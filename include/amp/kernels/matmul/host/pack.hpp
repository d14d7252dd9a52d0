// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Packs the second matrix of a matmul into the order that oneDNN's kernels read. Otherwise oneDNN
// would pack it again in each primitive. Its own reorder takes twice as long as this one.
#pragma once

#include "amp/kernels/matmul/host/onednn.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "amp/core/math.hpp"
#include "amp/core/simd/transpose.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/matmul/host/panels.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host::onednn {

/// The columns in blocks. Each block is stored row by row, in words of 32 bits: a float32, or two
/// 16-bit neighbours of a column. The last block is padded with zeros, and all blocks to a multiple
/// of 16 rows of words.
class ColumnBlocks {
 public:
  /// `source` is the dtype of b: that of the matmul, or one that is widened to float32.
  ColumnBlocks(const Matmul& p, std::int64_t columns, DType source)
      : p_(p), columns_(columns), source_(source) {
    words_ = round_up(ceil_div(p.k, pairs() ? std::int64_t{2} : std::int64_t{1}), std::int64_t{16});
  }

  /// Returns the number of columns of a block in this order; 0 if it is not an order of blocks.
  static std::int64_t columns_of(const Matmul& p, MemoryDesc::Pointer order) {
    struct Tag {
      std::int64_t columns;
      dnnl_format_tag_t of_words, of_pairs;
    };
    static constexpr Tag kTags[] = {{64, dnnl_BA16a64b, dnnl_BA16a64b2a},
                                    {48, dnnl_BA16a48b, dnnl_BA16a48b2a},
                                    {32, dnnl_BA16a32b, dnnl_BA16a32b2a},
                                    {16, dnnl_BA16a16b, dnnl_BA16a16b2a}};
    for (const Tag& tag : kTags) {
      const auto wanted = item_size(p.dtype) == kHalf ? tag.of_pairs : tag.of_words;
      const MemoryDesc blocks(p.dtype, {p.k, p.n}, wanted);
      if (blocks.present() && do_equal(blocks.get(), order)) return tag.columns;
    }
    return 0;
  }

  std::int64_t bytes() const { return offset(round_up(p_.n, columns_)); }
  /// Returns the offset of a column that is the first of a block.
  std::int64_t offset(std::int64_t column) const { return column * words_ * kWord; }

  /// Packs on all threads.
  void pack(const void* b, std::byte* packed) const {
    const std::int64_t block = words_ * columns_;
    parallel_ranges(ceil_div(p_.n, columns_), ceil_div(std::int64_t{1} << 14, block),
                    [&](std::int64_t begin, std::int64_t end) {
                      for (std::int64_t i = begin; i < end; ++i)
                        pack_block(b, i * columns_, packed + i * block * kWord);
                    });
  }

 private:
  static constexpr std::int64_t kWord = 4, kHalf = 2, kMostColumns = 64;
  using FourWords = simd::Row<std::uint32_t>;

  /// A bfloat16 is the upper half of a float32.
  bool widens_by_shifts() const {
    return source_ == kBFloat16 && std::endian::native == std::endian::little;
  }
  bool pairs() const { return item_size(p_.dtype) == kHalf; }
  /// Returns a stride of b in bytes.
  std::int64_t stride(int dimension) const { return p_.b_stride[dimension] * item_size(source_); }

  void pack_block(const void* b, std::int64_t first, std::byte* to) const {
    const std::int64_t width = (std::min)(columns_, p_.n - first);
    const auto* const from = static_cast<const std::byte*>(b) + first * stride(1);
    const std::int64_t whole = pairs() ? p_.k / 2 : p_.k;
    if (width < columns_ || whole < words_)
      std::memset(to, 0, static_cast<std::size_t>(words_ * columns_ * kWord));
    const bool in_columns = p_.b_stride[1] != 1;
    if (source_ != p_.dtype) {
      in_columns ? widened_columns(from, width, to) : widened_rows(from, width, to);
    } else if (in_columns) {
      words_of_columns<Words>(from, stride(1), whole, width, to);
    } else {
      words_of_rows(from, whole, width, to);
    }
    if (pairs() && p_.k % 2 == 1) {  // the last row alone
      const std::byte* const row = from + (p_.k - 1) * stride(0);
      for (std::int64_t j = 0; j < width; ++j)
        std::memcpy(to + (whole * columns_ + j) * kWord, row + j * stride(1), kHalf);
    }
  }

  void words_of_rows(const std::byte* from, std::int64_t words, std::int64_t width,
                     std::byte* to) const {
    for (std::int64_t i = 0; i < words; ++i, to += columns_ * kWord) {
      if (pairs()) {
        gemm::interleave(from + 2 * i * stride(0), from + (2 * i + 1) * stride(0), width, to);
      } else {
        std::memcpy(to, from + i * stride(0), static_cast<std::size_t>(width * kWord));
      }
    }
  }
  void widened_rows(const std::byte* from, std::int64_t width, std::byte* to) const {
    static constexpr std::byte kZeros[kMostColumns * kHalf] = {};
    for (std::int64_t i = 0; i < p_.k; ++i, from += stride(0), to += columns_ * kWord) {
      if (widens_by_shifts()) {
        gemm::interleave(kZeros, from, width, to);
      } else {
        fetch(from, source_, width, reinterpret_cast<float*>(to));
      }
    }
  }
  /// Copies words as they are.
  struct Words {
    static constexpr std::int64_t kRows = 1;
    static void write(const std::byte* word, std::byte* to, std::int64_t /*row*/) {
      std::memcpy(to, word, kWord);
    }
    static void write(const FourWords& words, std::byte* to, std::int64_t /*row*/) {
      simd::store_row<std::uint32_t>(words, to);
    }
  };
  /// Widens two bfloat16 of a column to words of two rows, `row` bytes apart.
  struct WidenedPairs {
    static constexpr std::int64_t kRows = 2;
    static void write(const std::byte* word, std::byte* to, std::int64_t row) {
      bfloat16 pair[2];
      std::memcpy(pair, word, kWord);
      const float wide[] = {static_cast<float>(pair[0]), static_cast<float>(pair[1])};
      std::memcpy(to, &wide[0], kWord);
      std::memcpy(to + row, &wide[1], kWord);
    }
    static void write(const FourWords& words, std::byte* to, std::int64_t row) {
      Words::write(words << 16, to, row);
      Words::write(words & 0xffff0000U, to + row, row);
    }
  };

  /// Transposes: the words of a column lie side by side. A cache line of each column is used
  /// completely before the next one is read.
  template <class As>
  void words_of_columns(const std::byte* from, std::int64_t stride, std::int64_t words,
                        std::int64_t width, std::byte* to) const {
    constexpr std::int64_t kLine = 16;
    const std::int64_t row = columns_ * kWord;
    const auto place = [&](std::int64_t i, std::int64_t j) {
      return to + i * As::kRows * row + j * kWord;
    };
    const auto one_by_one = [&](std::int64_t begin, std::int64_t end, std::int64_t j) {
      for (std::int64_t i = begin; i < end; ++i)
        As::write(from + j * stride + i * kWord, place(i, j), row);
    };
    for (std::int64_t line = 0; line < words; line += kLine) {
      const std::int64_t end = (std::min)(words, line + kLine);
      std::int64_t j = 0;
      for (; j + 4 <= width; j += 4) {
        std::int64_t i = line;
        for (; i + 4 <= end; i += 4)
          transpose_words<As>(from + j * stride + i * kWord, stride, place(i, j), row);
        for (std::int64_t column = j; column < j + 4; ++column) one_by_one(i, end, column);
      }
      for (; j < width; ++j) one_by_one(line, end, j);
    }
  }
  void widened_columns(const std::byte* from, std::int64_t width, std::byte* to) const {
    if (widens_by_shifts() && p_.k % 2 == 0)
      return words_of_columns<WidenedPairs>(from, stride(1), p_.k / 2, width, to);
    // Other formats, and the last row of an odd number, need a conversion, block by block.
    constexpr std::int64_t kLength = 128;
    float piece[kMostColumns * kLength];
    for (std::int64_t first = 0; first < p_.k; first += kLength) {
      const std::int64_t count = (std::min)(kLength, p_.k - first);
      for (std::int64_t j = 0; j < width; ++j)
        fetch(from + j * stride(1) + first * kHalf, source_, count, piece + j * kLength);
      words_of_columns<Words>(reinterpret_cast<const std::byte*>(piece), kLength * kWord, count,
                              width, to + first * columns_ * kWord);
    }
  }
  /// Transposes four words of four columns.
  template <class As>
  static void transpose_words(const std::byte* from, std::int64_t stride, std::byte* to,
                              std::int64_t row) {
    using T = std::uint32_t;
    FourWords words[] = {simd::load_row<T>(from), simd::load_row<T>(from + stride),
                         simd::load_row<T>(from + 2 * stride),
                         simd::load_row<T>(from + 3 * stride)};
    simd::transpose<T>(words, std::make_index_sequence<4>());
    for (std::int64_t i = 0; i < 4; ++i) As::write(words[i], to + i * As::kRows * row, row);
  }

  Matmul p_;
  std::int64_t columns_, words_ = 0;
  DType source_;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif

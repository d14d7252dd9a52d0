// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The second matrix of a matmul in the order that oneDNN's kernels read. oneDNN would pack it again
// in each primitive that reads it as it lies. Its own reorder takes twice as long as this one.
#pragma once

#include "amp/kernels/host/onednn/matmul.hpp"

#if AMP_USE_ONEDNN

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"

#if AMP_X86
#include <emmintrin.h>
#endif

namespace amp::inline v0::kernels::host::onednn {

/// Columns in blocks; a block row by row, in words of 32 bits: a float32, or two 16-bit neighbours
/// of a column. Zeros fill up the last block, and all blocks to a multiple of 16 rows of words.
class ColumnBlocks {
 public:
  /// b lies in the dtype `source`, which is that of the matmul, or is widened to float32.
  ColumnBlocks(const Matmul& p, std::int64_t columns, DType source)
      : p_(p), columns_(columns), source_(source) {
    words_ = round_up(ceil_div(p.k, pairs() ? std::int64_t{2} : std::int64_t{1}), std::int64_t{16});
  }

  /// How many columns a block has in this order, 0 if it is no order of blocks.
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
  /// Where a column begins that is the first of a block.
  std::int64_t offset(std::int64_t column) const { return column * words_ * kWord; }

  /// On all threads.
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

  bool pairs() const { return item_size(p_.dtype) == kHalf; }

  void pack_block(const void* b, std::int64_t first, std::byte* to) const {
    const std::int64_t width = (std::min)(columns_, p_.n - first);
    const std::int64_t item = item_size(source_), stride = p_.b_stride[1] * item;
    const auto* const from = static_cast<const std::byte*>(b) + first * stride;
    const std::int64_t whole = pairs() ? p_.k / 2 : p_.k;
    if (width < columns_ || whole < words_)
      std::memset(to, 0, static_cast<std::size_t>(words_ * columns_ * kWord));
    if (p_.b_stride[1] != 1) {
      if (source_ == p_.dtype) {
        words_of_columns(from, stride, whole, width, to);
      } else {
        widened_columns(from, stride, whole, width, to);
      }
    } else if (source_ != p_.dtype) {
      for (std::int64_t row = 0; row < whole; ++row) {
        fetch(from + row * p_.b_stride[0] * item, source_, width,
              reinterpret_cast<float*>(to + row * columns_ * kWord));
      }
    } else if (pairs()) {
      for (std::int64_t word = 0; word < whole; ++word)
        pairs_of_rows(from + 2 * word * p_.b_stride[0] * kHalf, width,
                      to + word * columns_ * kWord);
    } else {
      for (std::int64_t row = 0; row < whole; ++row) {
        std::memcpy(to + row * columns_ * kWord, from + row * p_.b_stride[0] * kWord,
                    static_cast<std::size_t>(width * kWord));
      }
    }
    if (pairs() && p_.k % 2 == 1) {  // the last row alone
      const std::byte* const row = from + (p_.k - 1) * p_.b_stride[0] * kHalf;
      for (std::int64_t j = 0; j < width; ++j)
        std::memcpy(to + (whole * columns_ + j) * kWord, row + j * p_.b_stride[1] * kHalf, kHalf);
    }
  }

  /// A row and the next one, element by element in turn.
  void pairs_of_rows(const std::byte* row, std::int64_t width, std::byte* to) const {
    const std::byte* const next = row + p_.b_stride[0] * kHalf;
    std::int64_t j = 0;
#if AMP_X86
    for (; j + 8 <= width; j += 8) {
      const __m128i a = _mm_loadu_si128(reinterpret_cast<const __m128i*>(row + j * kHalf)),
                    c = _mm_loadu_si128(reinterpret_cast<const __m128i*>(next + j * kHalf));
      auto* const out = reinterpret_cast<__m128i*>(to + j * kWord);
      _mm_storeu_si128(out, _mm_unpacklo_epi16(a, c));
      _mm_storeu_si128(out + 1, _mm_unpackhi_epi16(a, c));
    }
#endif
    for (; j < width; ++j) {
      std::memcpy(to + j * kWord, row + j * kHalf, kHalf);
      std::memcpy(to + j * kWord + kHalf, next + j * kHalf, kHalf);
    }
  }

  /// Transposes: the words of a column lie side by side. A line of each column is used up before
  /// the next one is read.
  void words_of_columns(const std::byte* from, std::int64_t stride, std::int64_t words,
                        std::int64_t width, std::byte* to) const {
    constexpr std::int64_t kLine = 16;
    const auto one_by_one = [&](std::int64_t begin, std::int64_t end, std::int64_t j) {
      for (std::int64_t i = begin; i < end; ++i)
        std::memcpy(to + (i * columns_ + j) * kWord, from + j * stride + i * kWord, kWord);
    };
    for (std::int64_t line = 0; line < words; line += kLine) {
      const std::int64_t end = (std::min)(words, line + kLine);
      std::int64_t j = 0;
#if AMP_X86
      for (; j + 4 <= width; j += 4) {
        std::int64_t i = line;
        for (; i + 4 <= end; i += 4)
          transpose_words(from + j * stride + i * kWord, stride, to + (i * columns_ + j) * kWord);
        for (std::int64_t column = j; column < j + 4; ++column) one_by_one(i, end, column);
      }
#endif
      for (; j < width; ++j) one_by_one(line, end, j);
    }
  }
  /// The same, widened to float32 piece by piece.
  void widened_columns(const std::byte* from, std::int64_t stride, std::int64_t words,
                       std::int64_t width, std::byte* to) const {
    constexpr std::int64_t kLength = 128;
    float piece[kMostColumns * kLength];
    for (std::int64_t first = 0; first < words; first += kLength) {
      const std::int64_t count = (std::min)(kLength, words - first);
      for (std::int64_t j = 0; j < width; ++j)
        fetch(from + j * stride + first * item_size(source_), source_, count, piece + j * kLength);
      words_of_columns(reinterpret_cast<const std::byte*>(piece), kLength * kWord, count, width,
                       to + first * columns_ * kWord);
    }
  }
#if AMP_X86
  /// Four words of four columns.
  void transpose_words(const std::byte* from, std::int64_t stride, std::byte* to) const {
    const auto load = [&](std::int64_t column) {
      return _mm_castsi128_ps(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + column * stride)));
    };
    __m128 a = load(0), b = load(1), c = load(2), d = load(3);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    const auto store = [&](std::int64_t row, __m128 words) {
      _mm_storeu_si128(reinterpret_cast<__m128i*>(to + row * columns_ * kWord),
                       _mm_castps_si128(words));
    };
    store(0, a), store(1, b), store(2, c), store(3, d);
  }
#endif

  Matmul p_;
  std::int64_t columns_, words_ = 0;
  DType source_;
};

}  // namespace amp::inline v0::kernels::host::onednn

#endif

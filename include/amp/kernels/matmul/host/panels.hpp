// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Packs parts of a matmul's operands into the order that kernels read (micro_kernel.hpp). An
// operand has lines, the rows of a or the columns of b, each of which has k elements.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/math.hpp"
#include "amp/core/simd/transpose.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/kernels/traversal/host/block.hpp"

namespace amp::inline v0::kernels::host::gemm {

/// An operand as runs of elements that lie side by side: its lines, which run along k, or what all
/// lines have at one k.
class Runs {
 public:
  const DType dtype;
  const bool along_k;

  /// Sets runs[i] to the elements [begin, begin + length) of run first + i, for i < count: in
  /// place, or copied into `buffer`, which has room for all of them.
  virtual void find(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t length,
                    const std::byte** runs, std::byte* buffer) const = 0;

 protected:
  Runs(DType element, bool along) : dtype(element), along_k(along) {}
  Runs(const Runs&) = default;
  ~Runs() = default;
};

/// The runs of a matrix in memory, `stride` elements apart.
class MatrixRuns final : public Runs {
 public:
  MatrixRuns(const void* data, DType element, std::int64_t stride, bool along)
      : Runs(element, along),
        data_(static_cast<const std::byte*>(data)),
        size_(item_size(element)),
        stride_(stride * size_) {}

  void find(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t /*length*/,
            const std::byte** runs, std::byte* /*buffer*/) const override {
    const std::byte* run = data_ + first * stride_ + begin * size_;
    for (std::int64_t i = 0; i < count; ++i, run += stride_) runs[i] = run;
  }

 private:
  const std::byte* data_;
  std::int64_t size_, stride_;
};

/// Packs parts of operands. Has memory of its own for what is copied on the way.
template <class C>
class Packer {
 public:
  using Word = std::conditional_t<sizeof(C) == 4, std::uint32_t, std::uint64_t>;
  /// The lines that are packed at one time, at most: at least those of a tile.
  static constexpr std::int64_t kLines = 32;

  explicit Packer(const Kernel<C>& kernel) : kernel_(kernel) {}

  /// Packs the elements [k, k + count) of the rows [first, first + rows) of a. Rows of zeros
  /// follow, up to whole tiles.
  void pack_a(const Runs& a, std::int64_t first, std::int64_t rows, std::int64_t k,
              std::int64_t count, Word* to) const {
    for (std::int64_t i = 0; i < rows; i += kLines)
      pack(a, first + i, (std::min)(kLines, rows - i), k, count, true, to + i * kRowStride,
           kRowStride);
    const std::int64_t whole = round_up(rows, std::int64_t{kernel_.rows});
    std::fill(to + rows * kRowStride, to + whole * kRowStride, Word{0});
  }
  /// Packs the elements [k, k + count) of the columns [first, first + columns) of b, which are at
  /// most those of a tile. Zeros stand for missing columns.
  void pack_b(const Runs& b, std::int64_t first, std::int64_t columns, std::int64_t k,
              std::int64_t count, Word* to) const {
    if (columns < kernel_.columns) std::fill_n(to, kernel_.words(count) * kernel_.columns, Word{0});
    pack(b, first, columns, k, count, false, to, kernel_.columns);
  }

 private:
  /// Writes word w of line l to to[l * stride + w] if `by_line`, else to[w * stride + l].
  void pack(const Runs& from, std::int64_t first, std::int64_t lines, std::int64_t k,
            std::int64_t count, bool by_line, Word* to, std::int64_t stride) const {
    const bool transposes = from.along_k != by_line;
    const std::int64_t depth = kernel_.words(count), between = by_line ? kLines : kRowStride;
    Word* const words = transposes ? words_.data() : to;
    if (from.along_k)
      put_lines(from, first, lines, k, count, words, transposes ? between : stride);
    else
      put_words(from, first, lines, k, count, words, transposes ? between : stride);
    if (!transposes) return;
    if (by_line)
      transpose(words, between, depth, lines, to, stride);
    else
      transpose(words, between, lines, depth, to, stride);
  }

  /// Runs along k become lines of words.
  void put_lines(const Runs& from, std::int64_t first, std::int64_t lines, std::int64_t k,
                 std::int64_t count, Word* to, std::int64_t stride) const {
    const std::byte* runs[kLines];
    from.find(first, lines, k, count, runs, found_.data());
    const std::int64_t last = count / kernel_.per_word();
    for (std::int64_t i = 0; i < lines; ++i, to += stride) {
      if (count % kernel_.per_word() != 0) to[last] = 0;  // its second element
      put(runs[i], from.dtype, count, to);
    }
  }
  /// Runs at one k, or two neighbours, become a word of each line.
  void put_words(const Runs& from, std::int64_t first, std::int64_t lines, std::int64_t k,
                 std::int64_t count, Word* to, std::int64_t stride) const {
    static constexpr std::byte kZeros[2 * kLines] = {};
    const std::byte* runs[2 * kDepth + 1];
    from.find(k, count, first, lines, runs, found_.data());
    if (kernel_.per_word() == 1) {
      for (std::int64_t i = 0; i < count; ++i) put(runs[i], from.dtype, lines, to + i * stride);
    } else {
      runs[count] = kZeros;
      for (std::int64_t i = 0; i < count; i += 2, to += stride)
        interleave(runs[i], runs[i + 1], lines, to);
    }
  }

  /// Writes n elements as factors.
  void put(const std::byte* run, DType dtype, std::int64_t n, Word* to) const {
    if (dtype != kernel_.factor) {
      fetch(run, dtype, n, reinterpret_cast<C*>(to));
      return;
    }
    constexpr std::int64_t kStep = 16, kMany = 512;
    const std::int64_t bytes = n * item_size(dtype);
    auto* const out = reinterpret_cast<std::byte*>(to);
    if (bytes < kStep || bytes > kMany) {
      std::memcpy(out, run, static_cast<std::size_t>(bytes));
      return;
    }
    for (std::int64_t i = 0; i < bytes; i += kStep) {  // the last steps overlap
      const std::int64_t at = (std::min)(i, bytes - kStep);
      std::memcpy(out + at, run + at, kStep);
    }
  }

  /// Pairs the 16-bit elements of two runs.
  static void interleave(const std::byte* first, const std::byte* second, std::int64_t n,
                         Word* words) {
    using T = std::uint16_t;
    constexpr std::int64_t kHalf = sizeof(T), kStep = simd::kSquare<T>;
    auto* to = reinterpret_cast<std::byte*>(words);
    std::int64_t i = 0;
    for (; i + kStep <= n; i += kStep, to += 2 * kStep * kHalf) {
      const simd::Row<T> a = simd::load_row<T>(first + i * kHalf),
                         b = simd::load_row<T>(second + i * kHalf);
      simd::store_row<T>(simd::interleave<T, false>(a, b), to);
      simd::store_row<T>(simd::interleave<T, true>(a, b), to + sizeof a);
    }
    for (; i < n; ++i, to += 2 * kHalf) {
      std::memcpy(to, first + i * kHalf, kHalf);
      std::memcpy(to + kHalf, second + i * kHalf, kHalf);
    }
  }

  /// to[column * to_stride + row] = from[row * from_stride + column]
  static void transpose(const Word* from, std::int64_t from_stride, std::int64_t rows,
                        std::int64_t columns, Word* to, std::int64_t to_stride) {
    constexpr std::int64_t kSide = simd::kSquare<Word>;
    const std::int64_t whole_rows = rows / kSide * kSide, whole = columns / kSide * kSide;
    for (std::int64_t c = 0; c < columns; c += c < whole ? kSide : 1) {
      const std::int64_t side = c < whole ? kSide : 1;
      std::int64_t r = 0;
      for (; r < whole_rows && side == kSide; r += kSide) {
        simd::transpose_square(from + r * from_stride + c, from_stride, to + c * to_stride + r,
                               to_stride);
      }
      for (; r < rows; ++r) {
        for (std::int64_t i = c; i < c + side; ++i)
          to[i * to_stride + r] = from[r * from_stride + i];
      }
    }
  }

  const Kernel<C> kernel_;
  const HostBuffer<std::byte> found_{kLines * kDepth * static_cast<std::int64_t>(sizeof(C))};
  const HostBuffer<Word> words_{kLines * kRowStride};
};

}  // namespace amp::inline v0::kernels::host::gemm

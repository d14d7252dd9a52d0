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
#include <type_traits>

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
  /// The first run, and the distance of neighbours in bytes, if all runs lie in memory at equal
  /// distances; else data is null.
  const std::byte* const data;
  const std::int64_t distance;

  /// Sets runs[i] to the elements [begin, begin + length) of run first + i, for i < count: in
  /// place, or copied to buffer + i * stride (in bytes).
  virtual void find(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t length,
                    const std::byte** runs, std::byte* buffer, std::int64_t stride) const = 0;

  /// Returns the address of an element, if there is data.
  const std::byte* at(std::int64_t run, std::int64_t element) const {
    return data + run * distance + element * item_size(dtype);
  }

 protected:
  Runs(DType element, bool along, const void* first = nullptr, std::int64_t apart = 0)
      : dtype(element),
        along_k(along),
        data(static_cast<const std::byte*>(first)),
        distance(apart) {}
  Runs(const Runs&) = default;
  ~Runs() = default;
};

/// The runs of a matrix in memory, `stride` elements apart.
class MatrixRuns final : public Runs {
 public:
  MatrixRuns(const void* matrix, DType element, std::int64_t stride, bool along)
      : Runs(element, along, matrix, stride * item_size(element)) {}

  void find(std::int64_t first, std::int64_t count, std::int64_t begin, std::int64_t /*length*/,
            const std::byte** runs, std::byte* /*buffer*/, std::int64_t /*stride*/) const override {
    for (std::int64_t i = 0; i < count; ++i) runs[i] = at(first + i, begin);
  }
};

/// Copies a few bytes faster than a call of memcpy() would.
inline void copy_run(const std::byte* from, std::int64_t bytes, void* to) {
  constexpr std::int64_t kStep = 16, kMany = 512;
  auto* const out = static_cast<std::byte*>(to);
  if (bytes < kStep || bytes > kMany) {
    std::memcpy(out, from, static_cast<std::size_t>(bytes));
    return;
  }
  for (std::int64_t i = 0; i < bytes; i += kStep) {  // the last steps overlap
    const std::int64_t at = (std::min)(i, bytes - kStep);
    std::memcpy(out + at, from + at, kStep);
  }
}

/// Pairs the 16-bit elements of two runs.
inline void interleave(const std::byte* first, const std::byte* second, std::int64_t n,
                       std::byte* to) {
  using T = std::uint16_t;
  constexpr std::int64_t kHalf = sizeof(T), kStep = simd::kSquare<T>;
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

/// Packs parts of operands. Has memory of its own for what is copied on the way.
template <class C>
class Packer {
 public:
  using Word = std::conditional_t<sizeof(C) == 4, std::uint32_t, std::uint64_t>;
  /// The lines, or words, that are packed at one time.
  static constexpr std::int64_t kAtATime = 32;
  static constexpr auto kWordSize = static_cast<std::int64_t>(sizeof(Word));

  explicit Packer(const Kernel<C>& kernel) : kernel_(kernel) {}

  /// Returns the address of an element of a run if `count` elements of all runs from there on are
  /// words in memory; else null. (Two neighbours of a run that is across k are no pair.)
  const Word* words_at(const Runs& runs, std::int64_t run, std::int64_t element,
                       std::int64_t count) const {
    if (runs.data == nullptr || runs.dtype != kernel_.factor || runs.distance % kWordSize != 0 ||
        count % kernel_.per_word() != 0)
      return nullptr;
    const std::byte* const address = runs.at(run, element);
    const bool is_aligned = reinterpret_cast<std::uintptr_t>(address) % sizeof(Word) == 0;
    return is_aligned ? reinterpret_cast<const Word*>(address) : nullptr;
  }

  /// Packs the elements [k, k + count) of the rows [first, first + rows) of a block of a. Rows of
  /// zeros follow, up to whole tiles.
  void pack_a(const Runs& a, std::int64_t first, std::int64_t rows, std::int64_t k,
              std::int64_t count, Word* to) const {
    if (a.along_k) {
      for (std::int64_t i = 0; i < rows; i += kAtATime) {
        put_lines(a, first + i, (std::min)(kAtATime, rows - i), k, count, to + i * kRowStride,
                  kRowStride);
      }
    } else if (const Word* const words = words_at(a, k, first, rows);
               words != nullptr && kernel_.per_word() == 1) {
      transpose(words, a.distance / kWordSize, count, rows, to, kRowStride);
    } else {  // memory is read in order
      const std::int64_t step = kAtATime * kernel_.per_word();
      for (std::int64_t i = 0; i < count; i += step) {
        const std::int64_t part = (std::min)(step, count - i);
        put_words(a, first, rows, k + i, part, words_.data(), kRowStride);
        transpose(words_.data(), kRowStride, kernel_.words(part), rows, to + kernel_.words(i),
                  kRowStride);
      }
    }
    const std::int64_t whole = round_up(rows, std::int64_t{kernel_.rows});
    std::fill(to + rows * kRowStride, to + whole * kRowStride, Word{0});
  }
  /// Packs the elements [k, k + count) of the columns [first, first + columns) of b, in strips as
  /// wide as a tile. Zeros stand for missing columns. If runs are across k, memory is read in order,
  /// a few runs at a time.
  void pack_b(const Runs& b, std::int64_t first, std::int64_t columns, std::int64_t k,
              std::int64_t count, Word* to) const {
    constexpr std::int64_t kRunsAtATime = 8;  // as many as processors prefetch
    const std::int64_t width = kernel_.columns, depth = kernel_.words(count);
    const bool in_order = !b.along_k && columns > width;
    const std::int64_t step = in_order ? kRunsAtATime * kernel_.per_word() : count;
    for (std::int64_t i = 0; i < count; i += step) {
      for (std::int64_t j = 0; j < columns; j += width) {
        pack_strip(b, first + j, (std::min)(width, columns - j), k + i, (std::min)(step, count - i),
                   to + j * depth + kernel_.words(i) * width);
      }
    }
  }

 private:
  void pack_strip(const Runs& b, std::int64_t first, std::int64_t columns, std::int64_t k,
                  std::int64_t count, Word* to) const {
    const std::int64_t stride = kernel_.columns, depth = kernel_.words(count);
    if (columns < stride) std::fill_n(to, depth * stride, Word{0});
    if (const Word* const words = b.along_k ? words_at(b, first, k, count) : nullptr) {
      transpose(words, b.distance / kWordSize, columns, depth, to, stride);
    } else if (b.along_k) {
      put_lines(b, first, columns, k, count, words_.data(), kRowStride);
      transpose(words_.data(), kRowStride, columns, depth, to, stride);
    } else {
      put_words(b, first, columns, k, count, to, stride);
    }
  }
  /// Runs along k become lines of words.
  void put_lines(const Runs& from, std::int64_t first, std::int64_t lines, std::int64_t k,
                 std::int64_t count, Word* to, std::int64_t stride) const {
    const std::byte* runs[kAtATime];
    find(from, first, lines, k, count, runs, to, stride);
    for (std::int64_t i = 0; i < lines; ++i, to += stride) {
      put(runs[i], from.dtype, count, to);
      if (count % kernel_.per_word() != 0)  // the second half of the last word
        reinterpret_cast<std::uint16_t*>(to)[count] = 0;
    }
  }
  /// Runs at one k, or two neighbours, become a word of each line.
  void put_words(const Runs& from, std::int64_t first, std::int64_t lines, std::int64_t k,
                 std::int64_t count, Word* to, std::int64_t stride) const {
    static constexpr std::byte kZeros[2 * kBlockRows] = {};
    const std::byte* runs[2 * kDepth + 1];
    const bool pairs = kernel_.per_word() == 2;
    find(from, k, count, first, lines, runs, pairs ? nullptr : to, stride);
    if (!pairs) {
      for (std::int64_t i = 0; i < count; ++i) put(runs[i], from.dtype, lines, to + i * stride);
    } else {
      runs[count] = kZeros;
      for (std::int64_t i = 0; i < count; i += 2, to += stride)
        interleave(runs[i], runs[i + 1], lines, reinterpret_cast<std::byte*>(to));
    }
  }

  /// Finds runs. What must be copied is copied to its place if it needs no conversion.
  void find(const Runs& from, std::int64_t first, std::int64_t count, std::int64_t begin,
            std::int64_t length, const std::byte** runs, Word* to, std::int64_t stride) const {
    if (to != nullptr && from.dtype == kernel_.factor) {
      from.find(first, count, begin, length, runs, reinterpret_cast<std::byte*>(to),
                stride * static_cast<std::int64_t>(sizeof(Word)));
    } else {
      from.find(first, count, begin, length, runs, found_.data(), length * item_size(from.dtype));
    }
  }

  /// Writes n elements as factors.
  void put(const std::byte* run, DType dtype, std::int64_t n, Word* to) const {
    if (run == reinterpret_cast<const std::byte*>(to)) return;
    if (dtype == kernel_.factor)
      copy_run(run, n * item_size(dtype), to);
    else
      fetch(run, dtype, n, reinterpret_cast<C*>(to));
  }

  /// Copies elements that are no words but for this class.
  static void copy_word(const Word* from, Word* to) { std::memcpy(to, from, sizeof(Word)); }
  /// to[column * stride + row] = from[row * from_stride + column]. A cache line of a row is used
  /// completely before the next one is read: rows may share few sets of the first-level cache.
  static void transpose(const Word* from, std::int64_t from_stride, std::int64_t rows,
                        std::int64_t columns, Word* to, std::int64_t stride) {
    constexpr std::int64_t kSide = simd::kSquare<Word>, kLine = 64 / std::int64_t{sizeof(Word)};
    for (std::int64_t line = 0; line < columns; line += kLine) {
      const std::int64_t end = (std::min)(columns, line + kLine);
      std::int64_t r = 0;
      for (; r + kSide <= rows; r += kSide) {
        std::int64_t c = line;
        for (std::int64_t i = r; i < r + kSide; ++i)
          __builtin_prefetch(from + i * from_stride + line + 4 * kLine);
        for (; c + kSide <= end; c += kSide)
          simd::transpose_square(from + r * from_stride + c, from_stride, to + c * stride + r,
                                 stride);
        for (; c < end; ++c) {
          for (std::int64_t i = r; i < r + kSide; ++i)
            copy_word(from + i * from_stride + c, to + c * stride + i);
        }
      }
      for (; r < rows; ++r) {
        for (std::int64_t c = line; c < end; ++c)
          copy_word(from + r * from_stride + c, to + c * stride + r);
      }
    }
  }

  static_assert(kBlockRows <= kRowStride);

  const Kernel<C> kernel_;
  const HostBuffer<std::byte> found_{kAtATime * kDepth * static_cast<std::int64_t>(sizeof(C))};
  const HostBuffer<Word> words_{kAtATime * kRowStride};
};

}  // namespace amp::inline v0::kernels::host::gemm

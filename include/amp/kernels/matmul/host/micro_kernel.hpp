// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The innermost part of a matmul: a tile of c in registers, and how the parts of a and b that it is
// made of lie in memory.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/types/bfloat16.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::host::gemm {

/// The words of k that a kernel multiplies in one call, at most. A word is a number, or two
/// of 16 bits that are neighbours along k. kDepth words of the columns of a tile fit into the
/// first-level cache.
inline constexpr std::int64_t kDepth = 256;
/// The rows of a packed block of a, at most. It stays in the second-level cache.
inline constexpr std::int64_t kBlockRows = 192;
/// The distance of rows of a packed block of a, in words. It is no power of two, which would use
/// few sets of the caches.
inline constexpr std::int64_t kRowStride = kDepth + 16;

/// What products are added to: a matrix whose rows are `stride` apart; one row for all, as a bias
/// is, if that is 0; zeros if there is no data.
template <class C>
struct Addend {
  const C* data = nullptr;
  std::int64_t stride = 0;

  const C* row(std::int64_t i) const { return data + i * stride; }
  /// Returns the part from an element on.
  Addend from(std::int64_t i, std::int64_t j) const {
    return data == nullptr ? Addend() : Addend{row(i) + j, stride};
  }
};

/// A factor as a kernel reads it: words, in rows `stride` bytes apart. A row is one of a, or what
/// all columns of b have at one word of k.
struct Factor {
  const void* data;
  std::int64_t stride;
};

/// What a kernel sums in one call: `count` parts of k, of `depth` words each. Those of a lie
/// `offsets` bytes from its first word, those of b follow one another.
struct Parts {
  static constexpr std::int64_t kStart = 0;
  std::int64_t depth, count = 1;
  const std::int64_t* offsets = &kStart;
};

/// A kernel, and what its loops need to know. C is the type of the sums.
template <class C>
struct Kernel {
  DType factor;       // that of the words of a and b
  int rows, columns;  // of a tile
  /// c = addend + a @ b, for a [rows, words], b [words, columns], and c [rows, columns] with rows
  /// `stride` apart, which may be the addend. The words are those of all parts.
  void (*run)(const Parts& parts, Factor a, Factor b, C* c, std::int64_t stride, Addend<C> addend);
  bool uses_amx = false;  // only while the thread has AmxRegisters
  /// The same with c rounded to bfloat16; null if there is no such kernel.
  void (*run_rounded)(const Parts& parts, Factor a, Factor b, bfloat16* c, std::int64_t stride,
                      Addend<C> addend) = nullptr;

  /// The elements in a word.
  std::int64_t per_word() const { return static_cast<std::int64_t>(sizeof(C)) / item_size(factor); }
  std::int64_t words(std::int64_t k) const { return ceil_div(k, per_word()); }
  /// How many of k elements to multiply in one call: about as many in each.
  std::int64_t depth_of(std::int64_t k) const {
    const std::int64_t calls = (std::max)(std::int64_t{1}, ceil_div(words(k), kDepth));
    return round_up(ceil_div(words(k), calls), 16) * per_word();
  }
};

}  // namespace amp::inline v0::kernels::host::gemm

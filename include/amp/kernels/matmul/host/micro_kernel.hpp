// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The innermost part of a matmul: a tile of c in registers. One kernel for each instruction set and
// each kind of factor; the process uses the fastest that its processor has.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/math.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/types/dtype.hpp"

namespace amp::inline v0::kernels::host::gemm {

/// The words of k that a kernel multiplies in one call, at most. A word is a number, or two
/// bfloat16 that are neighbours along k. kDepth words of the columns of a tile fit into the
/// first-level cache.
inline constexpr std::int64_t kDepth = 256;
/// The rows of a packed block of a, at most. It stays in the second-level cache.
inline constexpr std::int64_t kBlockRows = 192;
/// The distance of rows of a packed block of a, in words. It is a constant, so that kernels reach
/// all rows of a tile from one address, and no power of two, which would use few sets of the
/// caches.
inline constexpr std::int64_t kRowStride = kDepth + 16;

// The sums of the products of each lane's pairs of bfloat16: rounded after each product, with
// subnormal numbers as 0. g++ takes the instruction's word in a template without a target, which it
// would not inline a function for the set into. For clang it is the other way round.
#if AMP_X86 && !defined(__clang__)
#define AMP_ADD_PAIRS(sums, row, a) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(row), "v"(a))
#elif AMP_X86
AMP_WITH_AVX512_BF16 inline void add_pairs(simd::Register<float, 64>::type& sums,
                                           const simd::Register<std::uint32_t, 64>::type& row,
                                           const simd::Register<std::uint32_t, 64>::type& a) {
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(row), "v"(a));
}
#define AMP_ADD_PAIRS(sums, row, a) add_pairs(sums, row, a)
#else
#define AMP_ADD_PAIRS(sums, row, a) static_cast<void>(0)
#endif

/// Adds the products of a word with those of a row of b: of numbers, or of pairs.
template <class V, class Words, class Word>
AMP_ALWAYS_INLINE void add_products(V& sums, const Words& row, Word a) {
  if constexpr (std::is_same_v<Word, std::uint32_t>) {
    [[maybe_unused]] const Words pairs = a | Words{};
    AMP_ADD_PAIRS(sums, row, pairs);
  } else {
    sums += a * row;
  }
}
#undef AMP_ADD_PAIRS

/// The rows of a tile. With two vectors of columns, its sums and what they are made of fill the
/// registers of the set.
template <class Isa>
inline constexpr int kTileRows = std::is_same_v<Isa, simd::Avx512> ? 12
                                 : std::is_same_v<Isa, simd::Avx2> ? 6
                                                                   : 4;
template <class Isa, class C>
inline constexpr int kTileColumns = 2 * Isa::kBytes / static_cast<int>(sizeof(C));

/// c[rows, columns] = a @ b, or c += a @ b, for a [rows, depth] with rows kRowStride apart, b
/// [depth, columns], dense, and c with rows `stride` apart. C is the type of the sums.
template <class C, class Word>
struct MultiplyTile {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(std::int64_t depth, const void* a, const void* b, C* c,
                                    std::int64_t stride, bool accumulate) {
    tile<Isa>(std::make_integer_sequence<int, 2 * kTileRows<Isa>>(), depth,
              static_cast<const Word*>(a), static_cast<const Word*>(b), c, stride, accumulate);
  }

 private:
  /// kTile counts the vectors of c. It is a fold over them: with loops, g++ keeps the sums in
  /// memory even at -O3, which takes twice the time. Each vector of b is loaded by itself: g++
  /// copies an array in small pieces to the stack, and waits for all of them.
  template <class Isa, int... kTile>
  AMP_ALWAYS_INLINE static void tile(std::integer_sequence<int, kTile...>, std::int64_t depth,
                                     const Word* a, const Word* b, C* c, std::int64_t stride,
                                     bool accumulate) {
    using V = typename simd::Register<C, Isa::kBytes>::type;
    using Words = typename simd::Register<Word, Isa::kBytes>::type;
    constexpr int kColumns = kTileColumns<Isa, C>, kLanes = kColumns / 2;
    V sums[sizeof...(kTile)];
    ((sums[kTile] = V{}), ...);
    for (int i = 0; i < kTileRows<Isa>; ++i) __builtin_prefetch(c + i * stride, 1);
    AMP_UNROLL_BY_4
    for (std::int64_t k = 0; k < depth; ++k, ++a, b += kColumns) {
      Words row[2];
      __builtin_memcpy(&row[0], b, sizeof(Words));
      __builtin_memcpy(&row[1], b + kLanes, sizeof(Words));
      (add_products(sums[kTile], row[kTile % 2], a[kTile / 2 * kRowStride]), ...);
    }
    (put(sums[kTile], c + kTile / 2 * stride + kTile % 2 * kLanes, accumulate), ...);
  }

  template <class V>
  AMP_ALWAYS_INLINE static void put(const V& sums, C* to, bool accumulate) {
    V out = sums;
    if (accumulate) {
      __builtin_memcpy(&out, to, sizeof out);
      out += sums;
    }
    __builtin_memcpy(to, &out, sizeof out);
  }
};

/// A kernel, and what its loops need to know. C is the type of the sums.
template <class C>
struct Kernel {
  DType factor;       // that of a and b, packed
  int rows, columns;  // of a tile
  void (*run)(std::int64_t depth, const void* a, const void* b, C* c, std::int64_t stride,
              bool accumulate);

  /// The elements in a word.
  std::int64_t per_word() const { return static_cast<std::int64_t>(sizeof(C)) / item_size(factor); }
  std::int64_t words(std::int64_t k) const { return ceil_div(k, per_word()); }
  /// How many of k elements to multiply in one call: about as many in each.
  std::int64_t depth_of(std::int64_t k) const {
    const std::int64_t calls = (std::max)(std::int64_t{1}, ceil_div(words(k), kDepth));
    return round_up(ceil_div(words(k), calls), 4) * per_word();
  }
};

namespace detail {

template <class C, class Isa>
constexpr Kernel<C> kernel_of(DType factor, decltype(Kernel<C>::run) run) {
  return {factor, kTileRows<Isa>, kTileColumns<Isa, C>, run};
}

}  // namespace detail

/// Whether matrices of the dtype are multiplied in that format. Others are widened to the type of
/// the sums, when they are packed.
inline bool multiplies(DType dtype) {
  if (dtype == kBFloat16) return simd::instruction_set() >= simd::InstructionSet::kAvx512Bf16;
  return dtype == kFloat32 || dtype == kFloat64;
}

/// Returns the kernel for matrices of the dtype: bfloat16, float32 or float64.
template <class C>
Kernel<C> kernel_for([[maybe_unused]] DType dtype) {
  using Numbers = MultiplyTile<C, C>;
#if AMP_X86
  using simd::Avx2, simd::Avx512, simd::ForEachSet, simd::InstructionSet;
  const InstructionSet set = simd::instruction_set();
  if constexpr (std::is_same_v<C, float>) {
    using Pairs = ForEachSet<MultiplyTile<float, std::uint32_t>>;
    if (dtype == kBFloat16 && multiplies(dtype))
      return detail::kernel_of<C, Avx512>(kBFloat16, Pairs::avx512_bf16);
  }
  if (set >= InstructionSet::kAvx512)
    return detail::kernel_of<C, Avx512>(dtype_of<C>, ForEachSet<Numbers>::avx512);
  if (set >= InstructionSet::kAvx2)
    return detail::kernel_of<C, Avx2>(dtype_of<C>, ForEachSet<Numbers>::avx2);
#endif
  return detail::kernel_of<C, simd::Baseline>(dtype_of<C>, Numbers::template run<simd::Baseline>);
}

}  // namespace amp::inline v0::kernels::host::gemm

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The kernels in vector registers, one for each instruction set and each kind of factor.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/matmul/host/micro_kernel.hpp"
#include "amp/types/bfloat16.hpp"

namespace amp::inline v0::kernels::host::gemm {

// Two instructions of AVX512_BF16, which take subnormal numbers as 0: the sums of the products of
// each lane's pairs of bfloat16, rounded after each product, and sums rounded to bfloat16. g++
// takes the instructions' words in a template without a target, which it would not inline a
// function for the set into. For clang it is the other way round.
#if AMP_X86 && !defined(__clang__)
#define AMP_ADD_PAIRS(sums, row, a) __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(row), "v"(a))
#define AMP_ROUND(sums, out) __asm__("vcvtneps2bf16 %1, %0" : "=v"(out) : "v"(sums))
#elif AMP_X86
AMP_WITH_AVX512_BF16 inline void add_pairs(simd::Register<float, 64>::type& sums,
                                           const simd::Register<std::uint32_t, 64>::type& row,
                                           const simd::Register<std::uint32_t, 64>::type& a) {
  __asm__("vdpbf16ps %2, %1, %0" : "+v"(sums) : "v"(row), "v"(a));
}
AMP_WITH_AVX512_BF16 inline void round(const simd::Register<float, 64>::type& sums,
                                       simd::Register<std::uint16_t, 32>::type& out) {
  __asm__("vcvtneps2bf16 %1, %0" : "=v"(out) : "v"(sums));
}
#define AMP_ADD_PAIRS(sums, row, a) add_pairs(sums, row, a)
#define AMP_ROUND(sums, out) round(sums, out)
#else
#define AMP_ADD_PAIRS(sums, row, a) static_cast<void>(0)
#define AMP_ROUND(sums, out) static_cast<void>(0)
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

/// A tile has two vectors of columns. With 12 rows in AVX-512, 6 in AVX2 and 4 in SSE, the sums and
/// what they are made of fill the registers.
template <class Isa, class C>
inline constexpr int kTileColumns = 2 * Isa::kBytes / static_cast<int>(sizeof(C));

/// A kernel's run(), or run_rounded() if Out is bfloat16. C is the type of the sums.
template <class C, class Word, int kRows, class Out = C, int kVectors = 2>
struct MultiplyTile {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const Parts& parts, Factor a, Factor b, Out* c,
                                    std::int64_t stride, Addend<C> addend) {
    tile<Isa>(std::make_integer_sequence<int, kVectors * kRows>(), parts, a, b, c, stride, addend);
  }

 private:
  /// A word in memory: a pair is two elements of an array.
  struct [[gnu::may_alias]] InMemory {
    Word value;
  };

  /// kTile counts the vectors of c. It is a fold over them: with loops, g++ keeps the sums in
  /// memory even at -O3, which takes twice the time. Each vector of b is loaded by itself: g++
  /// copies an array in small pieces to the stack, and waits for all of them. Rows of a are reached
  /// from every fourth one, which takes few registers.
  template <class Isa, int... kTile>
  AMP_ALWAYS_INLINE static void tile(std::integer_sequence<int, kTile...>, const Parts& parts,
                                     const Factor& a, const Factor& b, Out* c, std::int64_t stride,
                                     const Addend<C>& addend) {
    using V = typename simd::Register<C, Isa::kBytes>::type;
    using Words = typename simd::Register<Word, Isa::kBytes>::type;
    constexpr int kLanes = kTileColumns<Isa, C> / 2;
    static_assert(kRows <= 12);
    const std::int64_t one = a.stride, three = 3 * one, step = b.stride;
    const auto *row0 = static_cast<const std::byte*>(a.data), *row4 = row0, *row8 = row0,
               *row_of_b = static_cast<const std::byte*>(b.data);
    const auto word_of = [&](int i) {
      const std::byte* const fourth = i < 4 ? row0 : i < 8 ? row4 : row8;
      return reinterpret_cast<const InMemory*>(fourth + (i % 4 == 3 ? three : i % 4 * one))->value;
    };
    V sums[sizeof...(kTile)];
    ((sums[kTile] = V{}), ...);
    for (int i = 0; i < kRows; ++i) __builtin_prefetch(c + i * stride, 1);
    const std::int64_t* const end = parts.offsets + parts.count;
    for (const std::int64_t* offset = parts.offsets; offset != end; ++offset) {
      row0 = static_cast<const std::byte*>(a.data) + *offset;
      row4 = kRows > 4 ? row0 + 4 * one : row0;
      row8 = kRows > 8 ? row4 + 4 * one : row0;
      AMP_UNROLL_BY_2
      for (std::int64_t k = 0; k < parts.depth; ++k) {
        Words row[std::size_t{kVectors}];
        row[0] = simd::in_memory<Word, Isa::kBytes>(row_of_b).value;
        if constexpr (kVectors > 1)
          row[1] = simd::in_memory<Word, Isa::kBytes>(row_of_b + Isa::kBytes).value;
        (add_products(sums[kTile], row[kTile % kVectors], word_of(kTile / kVectors)), ...);
        row0 += sizeof(Word);
        row4 += sizeof(Word);
        row8 += sizeof(Word);
        row_of_b += step;
      }
    }
    if (addend.data != nullptr)
      (add(sums[kTile], addend.row(kTile / kVectors) + kTile % kVectors * kLanes), ...);
    (put<Isa>(sums[kTile], c + kTile / kVectors * stride + kTile % kVectors * kLanes), ...);
  }

  template <class V>
  AMP_ALWAYS_INLINE static void add(V& sums, const C* from) {
    sums += simd::in_memory<C, sizeof(V)>(from).value;
  }
  template <class Isa, class V>
  AMP_ALWAYS_INLINE static void put(const V& sums, C* to) {
    simd::in_memory<C, sizeof(V)>(to).value = sums;
  }
  template <class Isa, class V>
  AMP_ALWAYS_INLINE static void put([[maybe_unused]] const V& sums, bfloat16* to) {
    typename simd::Register<std::uint16_t, Isa::kBytes / 2>::type rounded{};
    AMP_ROUND(sums, rounded);
    simd::in_memory<std::uint16_t, Isa::kBytes / 2>(to).value = rounded;
  }
};
#undef AMP_ADD_PAIRS
#undef AMP_ROUND

}  // namespace amp::inline v0::kernels::host::gemm

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Stochastic rounding of blocks, in vectors.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/core/simd/on_widest.hpp"
#include "amp/kernels/optim/weight_storage.hpp"
#include "amp/kernels/random/host/loops.hpp"
#include "amp/kernels/traversal/host/block.hpp"
#include "amp/types/format_vectors.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Random words of the n elements from `at` on, a multiple of 4, and of up to 63 more.
inline void words_of(const RoundingBits& bits, std::int64_t at, std::int64_t n,
                     std::uint32_t* words) {
  simd::on_widest<WordsOfBlocks>(bits.seed, static_cast<std::uint64_t>(at) / 4, bits.branch, words,
                                 round_up(ceil_div(n, 4), simd::kMostLanes));
}

/// round_stochastically<bfloat16>().
struct StochasticBFloat16 {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* values, const std::uint32_t* words, bfloat16* to,
                                    std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    constexpr std::uint32_t kFirstInfinite = 0x7f7f'8000, kMost = 0x7f7f;  // rounded to nearest
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      using U = simd::Vec<std::uint32_t, Isa>;
      const auto value = simd::load<Isa>(values + i);
      const auto magnitude = simd::magnitude_bits(value);
      const U up = simd::load<Isa>(words + i) >> 16;
      const U sign = (simd::as<std::uint32_t>(value) >> 16) & 0x8000U;
      const U rounded = (simd::as<std::uint32_t>(magnitude) + up) >> 16;
      const U kept = select(simd::as<std::int32_t>(rounded) > static_cast<std::int32_t>(kMost),
                            U(kMost), rounded);
      const U nearest = simd::widen<std::uint32_t>(amp::detail::encode<bfloat16>(value));
      const U code =
          select(magnitude >= static_cast<std::int32_t>(kFirstInfinite), nearest, kept | sign);
      simd::store(simd::narrow<std::uint16_t>(code), reinterpret_cast<std::uint16_t*>(to + i));
    }
    for (; i < n; ++i) to[i] = round_stochastically<bfloat16>(values[i], words[i]);
  }
};

/// Stores elements [at, at + n) of a 16-bit array, at most kBlock, rounded stochastically.
template <class C>
void store_stochastic(const C* values, void* data, DType dtype, std::int64_t at, std::int64_t n,
                      const RoundingBits& bits) {
  std::uint32_t words[kBlock];
  words_of(bits, at, n, words);
  const auto store_as = [&](auto tag) {
    using T = typename decltype(tag)::type;
    T* const to = static_cast<T*>(data) + at;
    if constexpr (std::is_same_v<T, bfloat16> && std::is_same_v<C, float>)
      simd::on_widest<StochasticBFloat16>(values, static_cast<const std::uint32_t*>(words), to, n);
    else
      for (std::int64_t i = 0; i < n; ++i) to[i] = round_stochastically<T>(values[i], words[i]);
  };
  if (dtype == kFloat16) {
    store_as(type_tag<half>{});
  } else {
    store_as(type_tag<bfloat16>{});
  }
}

}  // namespace amp::inline v0::kernels::host::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Random bits, and dropout, in vectors.
#pragma once

#include <cstdint>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/random/philox.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Writes the words of n blocks from `counter` on, as philox() does; n is a multiple of kMostLanes.
struct WordsOfBlocks {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(std::uint64_t seed, std::uint64_t counter, std::uint64_t branch,
                                    std::uint32_t* words, std::int64_t n) {
    // A word is the lower half of a lane. The upper half of a product is wanted in the lower one,
    // and what is above it does no harm.
    using Words = simd::Vec<std::uint64_t, Isa>;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    static constexpr std::uint64_t kCount[] = {0, 1, 2,  3,  4,  5,  6,  7,
                                               8, 9, 10, 11, 12, 13, 14, 15};
    const Words count = simd::load<Isa>(kCount), factor0 = std::uint64_t{kPhiloxFactor0},
                factor1 = std::uint64_t{kPhiloxFactor1};
    for (std::int64_t i = 0; i < n; i += kLanes, words += 4 * kLanes) {
      Words x0 = count + (counter + static_cast<std::uint64_t>(i)), x1 = x0 >> 32, x2 = branch,
            x3 = branch >> 32;
      auto key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
      for (int round = 0; round < kPhiloxRounds; ++round) {
        const Words product0 = multiply_lower_halves(x0, factor0);
        const Words product1 = multiply_lower_halves(x2, factor1);
        x0 = (product1 >> 32) ^ x1 ^ std::uint64_t{key0};
        x1 = product1;
        x2 = (product0 >> 32) ^ x3 ^ std::uint64_t{key1};
        x3 = product0;
        key0 += kPhiloxKeyStep0;
        key1 += kPhiloxKeyStep1;
      }
      std::uint64_t first[simd::kLanes<Isa>], second[simd::kLanes<Isa>];
      simd::store((x0 & 0xffff'ffff) | (x1 << 32), first);
      simd::store((x2 & 0xffff'ffff) | (x3 << 32), second);
      for (std::int64_t l = 0; l < kLanes; ++l) {
        __builtin_memcpy(words + 4 * l, first + l, sizeof *first);
        __builtin_memcpy(words + 4 * l + 2, second + l, sizeof *second);
      }
    }
  }
};

/// Dropout of n elements. y may be x or the residual, which is null if there is none.
struct DropoutOfFloats {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(Dropout<float> dropout, const std::uint32_t* words,
                                    const float* x, const float* residual, float* y,
                                    std::int64_t n) {
    using Floats = simd::Vec<float, Isa>;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const Floats r = residual == nullptr ? Floats(0) : simd::load<Isa>(residual + i);
      simd::store(dropout(simd::load<Isa>(words + i), simd::load<Isa>(x + i), r), y + i);
    }
    for (; i < n; ++i) y[i] = dropout(words[i], x[i], residual == nullptr ? 0 : residual[i]);
  }
};

}  // namespace amp::inline v0::kernels::host::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Philox4x32-10, a counter-based generator (Salmon et al. 2011, "Parallel Random Numbers: As Easy
// as 1, 2, 3", SC'11): the random bits of element i are a pure function of (seed, position), the
// same on every device and for any number of threads.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/device/rng_state.hpp"

namespace amp::inline v0::kernels {

struct PhiloxBlock {
  std::uint32_t word[4];
};

/// What the first and the third word are multiplied by in each round, and what the keys grow by.
inline constexpr std::uint32_t kPhiloxFactor0 = 0xD251'1F53, kPhiloxFactor1 = 0xCD9E'8D57;
inline constexpr std::uint32_t kPhiloxKeyStep0 = 0x9E37'79B9;  // the golden ratio
inline constexpr std::uint32_t kPhiloxKeyStep1 = 0xBB67'AE85;  // sqrt(3) - 1
inline constexpr int kPhiloxRounds = 10;

/// Returns the block of four words at `counter` of the stream `seed`. `branch` selects one of 2^64
/// more streams.
AMP_HOST_DEVICE constexpr PhiloxBlock philox(std::uint64_t seed, std::uint64_t counter,
                                             std::uint64_t branch = 0) {
  std::uint32_t key0 = static_cast<std::uint32_t>(seed),
                key1 = static_cast<std::uint32_t>(seed >> 32);
  PhiloxBlock x{{static_cast<std::uint32_t>(counter), static_cast<std::uint32_t>(counter >> 32),
                 static_cast<std::uint32_t>(branch), static_cast<std::uint32_t>(branch >> 32)}};
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const std::uint64_t product0 = std::uint64_t{kPhiloxFactor0} * x.word[0];
    const std::uint64_t product1 = std::uint64_t{kPhiloxFactor1} * x.word[2];
    x = {{static_cast<std::uint32_t>(product1 >> 32) ^ x.word[1] ^ key0,
          static_cast<std::uint32_t>(product1),
          static_cast<std::uint32_t>(product0 >> 32) ^ x.word[3] ^ key1,
          static_cast<std::uint32_t>(product0)}};
    key0 += kPhiloxKeyStep0;
    key1 += kPhiloxKeyStep1;
  }
  return x;
}

/// The beginning of a tensor's random numbers: `begin`, or, if a graph draws them, begin.offset
/// blocks after the position on the device that was set for the replay.
struct RandomRange {
  RngState begin;
  const RngState* base = nullptr;

  /// The seed and the counter of block n.
  AMP_HOST_DEVICE constexpr RngState at(std::uint64_t n) const {
    if (base == nullptr) return {begin.seed, begin.offset + n};
    return {base->seed, base->offset + begin.offset + n};
  }
  AMP_HOST_DEVICE constexpr PhiloxBlock block(std::uint64_t n) const {
    const RngState state = at(n);
    return philox(state.seed, state.offset);
  }
};

/// Returns a uniform number in [0, 1): the upper 24 bits, so that every value is exact in float.
AMP_HOST_DEVICE constexpr float uniform_float(std::uint32_t word) {
  return static_cast<float>(word >> 8) * 0x1p-24F;
}

/// Returns uniform_float(word) < p, for a `limit` of dropped_below(p): decided on integers,
/// exactly. Of one word or a vector of them.
template <class Word>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE constexpr auto is_dropped(const Word& word, std::uint32_t limit) {
  return (word >> 8) < limit;
}
/// Returns ceil(p * 2^24), for p in [0, 1].
constexpr std::uint32_t dropped_below(double p) {
  const double limit = p * 0x1p24;
  const auto whole = static_cast<std::uint32_t>(limit);
  return whole + (static_cast<double>(whole) < limit ? 1 : 0);
}

}  // namespace amp::inline v0::kernels

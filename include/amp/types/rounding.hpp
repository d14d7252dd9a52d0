// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The rules of rounding at the level of bits, shared by all formats: x / 2^shift as an integer, for
// any shift > 0. On packed codes a carry runs from the fraction into the exponent, which is the
// next larger value of the format, so one rule serves normal and subnormal numbers.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::detail {

/// Rounds to nearest, ties to even (IEEE 754-2019, 4.3.1). Adding half of the unit less one, plus
/// the last bit that is kept, carries in two cases only: the discarded part is above one half, or
/// it is one half and the last bit is odd. The uppermost bit of x must be free for the carry.
struct NearestEven {
  template <class U>
  AMP_HOST_DEVICE constexpr U operator()(U x, int shift) const {
    if (shift >= static_cast<int>(8 * sizeof(U))) return 0;
    return static_cast<U>((x + ((U{1} << (shift - 1)) - 1) + ((x >> shift) & 1)) >> shift);
  }
};

/// Rounds up with a probability equal to the discarded fraction of the unit, else down (Gupta et
/// al. 2015, arXiv 1502.02551, section 3). The fraction, to 32 bits, plus `random` carries with
/// this probability, since `random` is uniform on 32 bits. A longer fraction is cut to 32 bits,
/// which biases the result by less than 2^-32 of the unit. With no fraction x stays as it is.
struct Stochastic {
  std::uint32_t random;

  template <class U>
  AMP_HOST_DEVICE constexpr U operator()(U x, int shift) const {
    constexpr int kWidth = static_cast<int>(8 * sizeof(U));
    const U down = shift < kWidth ? static_cast<U>(x >> shift) : U{0};
    const U discarded = shift < kWidth ? static_cast<U>(x & ((U{1} << shift) - 1)) : x;
    std::uint32_t fraction = 0;
    if (shift <= 32)
      fraction = static_cast<std::uint32_t>(static_cast<std::uint64_t>(discarded) << (32 - shift));
    else if (shift < 32 + kWidth)
      fraction = static_cast<std::uint32_t>(discarded >> (shift - 32));
    const bool up = static_cast<std::uint32_t>(fraction + random) < fraction;  // it carried
    return static_cast<U>(down + (up ? 1 : 0));
  }
};

}  // namespace amp::inline v0::detail

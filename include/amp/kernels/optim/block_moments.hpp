// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moments of 8 bits, for host and device: blocks of 256 codes, with a scale in float32 behind them.
// Blocks with scales are those of Dettmers et al. 2022 (arXiv 2110.02861); the codes are bits of
// floats, so that they need no table:
//   a second moment: 5 bits of exponent and 3 of significand, without sign, and without zero, since
//   a step divides by its root;  value = scale * y,  2^-31 <= y <= 1.875
//   a first moment:  a sign, 4 bits of exponent and 3 of significand, with an offset that makes the
//   lowest one 0;  value = +-scale * (y - 2^-15),  2^-15 <= y <= 1.875
// Codes are rounded up or down by random bits, so that their mean is right: a step moves a second
// moment by a thousandth of itself, which is much less than a code, and nearest rounding would undo
// that.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// The elements of a block, and the bytes of its codes and its scale.
inline constexpr std::int64_t kMomentBlock = 256;
inline constexpr std::int64_t kMomentBlockBytes = kMomentBlock + 4;
/// Parameters of fewer elements have moments of float32 instead.
inline constexpr std::int64_t kFewestForBlocks = 4096;

/// Whether moments of a rule may have 8 bits. The first kSignedStates of them are signed.
template <class Rule>
inline constexpr bool kTakesBlocks = requires {
  Rule::kSignedStates;
};

/// The 7 or 8 bits of the magnitude of a code, between which and the bits of y it translates. Word is
/// std::uint32_t, or a vector of them.
template <bool kSigned>
struct MomentCode {
  static constexpr std::uint32_t kFirst = kSigned ? 0x3800'0000 : 0x3000'0000;  // 2^-15, 2^-31
  static constexpr std::uint32_t kLast = kSigned ? 127 : 255;
  static constexpr float kOffset = kSigned ? 0x1p-15F : 0;

  /// The scale of a block in which the bits of the largest magnitude are these. It is 0 if it could
  /// not divide, and NaN if an element is not finite; the block then becomes 0 or NaN, with codes 0.
  AMP_HOST_DEVICE static constexpr float scale(std::uint32_t largest) {
    constexpr std::uint32_t kSmallest = 0x0100'0000, kInfinity = 0x7f80'0000;  // 2^-125
    if (largest < kSmallest) return 0;
    largest = largest < kInfinity ? largest : 0x7fc0'0000U;
    return __builtin_bit_cast(float, largest) / (1.875F - kOffset);
  }

  /// y, at least kFirst, rounded by 16 of 32 random bits: the kinds of moments use different ones. It
  /// may be above kLast. (No variables of type Word: nvcc takes no vectors in such functions.)
  AMP_EITHER_SIDE
  template <class Word>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE constexpr Word of(const Word& y, const Word& random) {
    return (y - kFirst + ((kSigned ? random & 0xffffU : random >> 16) << 4)) >> 20;
  }
  AMP_EITHER_SIDE
  template <class Word>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE constexpr Word y(const Word& code) {
    return (code << 20) + kFirst;
  }
};

}  // namespace amp::inline v0::kernels

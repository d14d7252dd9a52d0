// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Division by a number that many threads divide by. A GPU has no instruction for it, and needs
// about a hundred for 64 bits; a multiplication by a precomputed reciprocal needs three (Granlund
// and Montgomery 1994, "Division by Invariant Integers using Multiplication", figure 4.1).
#pragma once

#include <bit>
#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// Divides numbers >= 0 by `divisor` >= 1; fast if both are below 2^31.
class Divider {
 public:
  Divider() = default;
  Divider(std::int64_t divisor) : divisor_(divisor) {
    if (divisor < 1 || divisor >= kLarge) return;
    const auto d = static_cast<std::uint64_t>(divisor);
    shift_ = static_cast<std::uint32_t>(std::bit_width(d - 1));  // ceil(log2(d))
    magic_ = static_cast<std::uint32_t>((((std::uint64_t{1} << shift_) - d) << 32) / d + 1);
    quick_ = true;
  }
  AMP_HOST_DEVICE std::int64_t divisor() const { return divisor_; }

  AMP_HOST_DEVICE std::int64_t quotient(std::int64_t n) const {
    if (!quick_ || n >= kLarge) return n / divisor_;
    const auto small = static_cast<std::uint32_t>(n);
    const auto high = static_cast<std::uint32_t>(std::uint64_t{small} * magic_ >> 32);
    return static_cast<std::int64_t>((high + small) >> shift_);
  }
  /// Replaces n by the quotient; returns the remainder.
  AMP_HOST_DEVICE std::int64_t take_remainder(std::int64_t& n) const {
    const std::int64_t before = n;
    n = quotient(n);
    return before - n * divisor_;
  }

 private:
  static constexpr std::int64_t kLarge = std::int64_t{1} << 31;

  std::int64_t divisor_ = 1;
  std::uint32_t magic_ = 1, shift_ = 0;
  bool quick_ = false;
};

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The place of a number among ascending ones.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// Whether a boundary lies below x, or not above it if `right`. All do if x is NaN; one that is NaN
/// does, as torch has it.
template <class C>
AMP_HOST_DEVICE bool lies_before(C boundary, C x, bool right) {
  return right ? !(boundary > x) : !(boundary >= x);
}
/// Returns how many of n ascending boundaries do.
AMP_EITHER_SIDE
template <class Array, class C>
AMP_HOST_DEVICE std::int64_t search_boundaries(const Array& boundaries, std::int64_t n, C x,
                                               bool right) {
  if (n == 0) return 0;
  std::int64_t before = 0;
  while (n > 1) {  // without branches that nothing predicts
    const std::int64_t half = n / 2;
    const bool moves = lies_before<C>(boundaries[before + half - 1], x, right);
    before += half & -static_cast<std::int64_t>(moves);
    n -= half;
  }
  return before + (lies_before<C>(boundaries[before], x, right) ? 1 : 0);
}

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The order of max and min: NaN before all numbers, then the larger (smaller), then the earlier
// element.
#pragma once

#include <cstdint>
#include <limits>

#include "amp/core/config.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

/// An element of a line, and its position.
template <class C>
struct Candidate {
  C value;
  std::int64_t at;
};

template <bool Largest>
struct Better {
  template <class C>
  AMP_HOST_DEVICE static Candidate<C> apply(Candidate<C> a, Candidate<C> b) {
    const bool a_is_nan = is_nan(a.value), b_is_nan = is_nan(b.value);
    bool takes_a = a.at < b.at;
    if (a_is_nan != b_is_nan) {
      takes_a = a_is_nan;
    } else if (!a_is_nan && a.value != b.value) {
      takes_a = Largest ? a.value > b.value : a.value < b.value;
    }
    return takes_a ? a : b;
  }
};

inline constexpr std::int64_t kBehindAll = (std::numeric_limits<std::int64_t>::max)();

/// The best of some elements of a line, taken in order: the first stays until a better one follows.
template <bool Largest, class C>
struct Running {
  using Limits = std::numeric_limits<C>;
  static constexpr C kHighest = Limits::has_infinity ? Limits::infinity() : (Limits::max)();
  static constexpr C kLowest = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();

  C value = Largest ? kLowest : kHighest;
  std::int64_t at = kBehindAll;  // until an element is better than that

  AMP_ALWAYS_INLINE AMP_HOST_DEVICE bool takes(C x) {
    const bool better = Largest ? !(x <= value) : !(x >= value);  // or one of them is NaN
    if (!better || is_nan(value)) return false;
    value = x;
    return true;
  }
  AMP_HOST_DEVICE Candidate<C> candidate() const { return {value, at}; }
};
/// Returns the position of the best element of a line that begins at `first`. If no element was
/// better than the worst number, all are equal to that number, and the first one is the best.
AMP_HOST_DEVICE constexpr std::int64_t place_of_best(std::int64_t at, std::int64_t first) {
  return at == kBehindAll ? first : at;
}

}  // namespace amp::inline v0::kernels

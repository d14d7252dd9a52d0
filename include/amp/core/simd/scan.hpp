// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What each lane of a vector and those before it make together.
#pragma once

#include "amp/core/config.hpp"
#include "amp/core/simd/isa.hpp"
#include "amp/core/simd/vec.hpp"

namespace amp::inline v0::simd {

namespace native {

/// The last kBy lanes of a, and the first ones of b. The lanes are spelled out, because nvcc
/// expands no pack there. The type of the registers is not deduced, which would lose its alignment.
template <class T, int kBytes, int kBy>
AMP_ALWAYS_INLINE void move_lanes(const typename Register<T, kBytes>::type& a,
                                  const typename Register<T, kBytes>::type& b,
                                  typename Register<T, kBytes>::type& y) {
  constexpr int n = kBytes / static_cast<int>(sizeof(T)), i = n - kBy;
  if constexpr (n == 2)
    y = __builtin_shufflevector(a, b, i, i + 1);
  else if constexpr (n == 4)
    y = __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3);
  else if constexpr (n == 8)
    y = __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7);
  else
    y = __builtin_shufflevector(a, b, i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7, i + 8,
                                i + 9, i + 10, i + 11, i + 12, i + 13, i + 14, i + 15);
}

}  // namespace native

/// The lanes moved up by kBy; the first ones are the last of `before`.
template <int kBy, class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> move_up(const Vec<T, Isa>& before, const Vec<T, Isa>& v) {
  Vec<T, Isa> moved;
  constexpr int kBytes = static_cast<int>(sizeof(moved.low));
  if constexpr (!Vec<T, Isa>::kTwo) {
    native::move_lanes<T, kBytes, kBy>(before.low, v.low, moved.low);
  } else if constexpr (2 * kBy < kLanes<Isa>) {
    native::move_lanes<T, kBytes, kBy>(before.high, v.low, moved.low);
    native::move_lanes<T, kBytes, kBy>(v.low, v.high, moved.high);
  } else {
    static_assert(2 * kBy == kLanes<Isa>);
    moved.low = before.high;
    moved.high = v.low;
  }
  return moved;
}
template <class T, class Isa>
AMP_ALWAYS_INLINE Vec<T, Isa> repeat_last(const Vec<T, Isa>& v) {
  return v[kLanes<Isa> - 1];
}

/// Makes each lane the join of the lanes up to it: after the step of kBy, it is that of the last
/// 2 kBy of them (Hillis and Steele 1986, "Data Parallel Algorithms"). join(none, x) is x. A state
/// may be a struct of vectors with a move_up() of its own.
template <class Isa, int kBy = 1, class State, class Join>
AMP_ALWAYS_INLINE State scan_lanes(const State& state, const State& none, const Join& join) {
  if constexpr (kBy == kLanes<Isa>)
    return state;
  else
    return scan_lanes<Isa, 2 * kBy>(join(move_up<kBy>(none, state), state), none, join);
}

}  // namespace amp::inline v0::simd

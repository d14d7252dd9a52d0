// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scans of the elements of a row in vectors: the lanes of each vector first, then what came before
// it, so that only the latter waits for the vector before.
#pragma once

#include <cstdint>

#include "amp/core/simd/convert.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/core/simd/scan.hpp"
#include "amp/core/simd/vec.hpp"
#include "amp/kernels/scan/formula.hpp"

namespace amp::inline v0::kernels::host::detail {

/// y[i] = sum + x[0] ... + x[i]; returns the last one.
struct RunningSums {
  template <class Isa>
  AMP_ALWAYS_INLINE static double run(const float* x, float* y, std::int64_t n, double sum) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    using V = simd::Vec<double, Isa>;
    V before = sum;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      const V sums = simd::scan_lanes<Isa>(simd::load_doubles<Isa>(x + i), V(0), simd::Plus{});
      simd::store(simd::to_float(before + sums), y + i);
      before += simd::repeat_last(sums);
    }
    sum = before[0];
    for (; i < n; ++i) y[i] = static_cast<float>(sum += static_cast<double>(x[i]));
    return sum;
  }
};

/// The extremum up to each lane, and its position.
template <class Isa>
struct ExtremumLanes {
  simd::Vec<float, Isa> value;
  simd::Vec<std::int32_t, Isa> at;
};
template <int kBy, class Isa>
AMP_ALWAYS_INLINE ExtremumLanes<Isa> move_up(const ExtremumLanes<Isa>& before,
                                             const ExtremumLanes<Isa>& lanes) {
  return {simd::move_up<kBy>(before.value, lanes.value), simd::move_up<kBy>(before.at, lanes.at)};
}
template <bool Largest>
struct LaterExtremum {
  template <class Isa>
  AMP_ALWAYS_INLINE ExtremumLanes<Isa> operator()(const ExtremumLanes<Isa>& a,
                                                  const ExtremumLanes<Isa>& b) const {
    const auto replaces = ExtremumReplaces<Largest>::apply(a.value, b.value);
    return {select(replaces, b.value, a.value), select(replaces, b.at, a.at)};
  }
};
/// ExtremumSoFar of n elements from place `begin` of their line on, of which there are fewer than
/// 2^31. `state` is that of the elements before them, and then of all.
template <bool Largest>
struct RunningExtrema {
  using State = ExtremumSoFar<Largest, float>;

  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, float* values, std::int64_t* at, std::int64_t n,
                                    std::int64_t begin, State* state) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    using Lanes = ExtremumLanes<Isa>;
    std::int32_t places[simd::kLanes<Isa>];
    for (std::int32_t l = 0; l < kLanes; ++l) places[l] = l;
    const Lanes none{Largest ? Bounds<float>::kLowest : Bounds<float>::kHighest, -1};
    Lanes before = none, own{{}, simd::load<Isa>(places)};
    if (state->at >= 0) before.value = state->value;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes, own.at += simd::Vec<std::int32_t, Isa>(kLanes)) {
      own.value = simd::load<Isa>(x + i);
      Lanes lanes = before;  // of most vectors, unless the elements are in order
      if (simd::any(ExtremumReplaces<Largest>::apply(before.value, own.value))) {
        const LaterExtremum<Largest> join;
        lanes = join(before, simd::scan_lanes<Isa>(own, none, join));
        before = {simd::repeat_last(lanes.value), simd::repeat_last(lanes.at)};
      }
      simd::store(lanes.value, values + i);
      simd::store(lanes.at, places);
      for (std::int64_t l = 0; l < kLanes; ++l)
        at[i + l] = places[l] < 0 ? state->at : begin + places[l];
    }
    if (i > 0) *state = {before.value[0], at[i - 1]};
    for (; i < n; ++i) {
      state->add(x[i], begin + i);
      values[i] = state->value;
      at[i] = state->at;
    }
  }
};

}  // namespace amp::inline v0::kernels::host::detail

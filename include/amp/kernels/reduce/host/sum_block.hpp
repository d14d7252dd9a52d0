// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sum of a block of elements in the type that kernels compute in.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/traversal/host/lanes.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Sums floats in vectors, each added in double.
struct SumOfFloats {
  template <class Isa>
  AMP_ALWAYS_INLINE static double run(const float* x, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    typename Isa::F v;
    lanes::Sum<Isa> even, odd;
    std::int64_t i = 0;
    for (; i + 2 * kLanes <= n; i += 2 * kLanes) {
      lanes::load(v, x + i);
      even.add(v, kLanes);
      lanes::load(v, x + i + kLanes);
      odd.add(v, kLanes);
    }
    even.add(odd.low, odd.high);
    double total = even.total();
    for (; i < n; ++i) total += static_cast<double>(x[i]);
    return total;
  }
};

/// Eight lanes: a fixed order that the compiler can vectorise.
template <class Sum, class C>
Sum sum_block(const C* values, std::int64_t n) {
  if constexpr (std::is_same_v<C, float>) return lanes::OnWidest<SumOfFloats>::run(values, n);
  Sum lanes[8] = {};
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += static_cast<Sum>(values[i + l]);
  }
  for (; i < n; ++i) lanes[i % 8] += static_cast<Sum>(values[i]);
  return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
         ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
}

}  // namespace amp::inline v0::kernels::host::detail

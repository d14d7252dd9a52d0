// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The formula of averages of weights (optim/weight_average.hpp), for host and device: a step in
// which the average is the parameter, and the weight the gradient.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/optim/moving_average.hpp"

namespace amp::inline v0::kernels {

/// The options of an average. AdamRule explains the members of a rule.
struct AverageRule {
  double decay = 0.999;
  bool equal = false;   // the mean of all updates
  bool warmup = false;  // a smaller decay in the first updates

  static constexpr int kStates = 1;  // none is kept
  static constexpr bool kCountsSteps = true;
  static constexpr int kStochasticState = -1;
  AMP_HOST_DEVICE static constexpr bool keeps_state(int) { return false; }

  template <class T>
  struct Coefficients {
    T weight;
    bool copies;  // the first update: lerp would make NaN of an infinity
  };
  template <class V>
  AMP_HOST_DEVICE auto coefficients(double, std::int64_t t) const {
    using T = typename V::Number;
    const auto n = static_cast<double>(t - 1);
    const double begun = (1 + n) / (10 + n);
    const double kept = warmup && begun < decay ? begun : decay;
    return Coefficients<T>{static_cast<T>(equal ? 1 / (n + 1) : 1 - kept), t == 1};
  }

  AMP_EITHER_SIDE
  template <class V>
  AMP_HOST_DEVICE static AMP_ALWAYS_INLINE void update(const Coefficients<typename V::Number>& k,
                                                       V& weight, V& average, V&) {
    average = k.copies ? weight : lerp(average, weight, k.weight);
  }

  friend bool operator==(const AverageRule&, const AverageRule&) = default;
};

}  // namespace amp::inline v0::kernels

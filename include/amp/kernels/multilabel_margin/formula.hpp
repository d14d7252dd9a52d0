// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// multilabel_margin_loss of one sample.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// A sample's scores and targets; `is_target` is 1 or 0 for each class.
template <class C>
struct MultilabelMargin {
  const C* scores;
  const std::int64_t* targets;
  const std::uint8_t* is_target;
  std::int64_t classes, count;  // of targets

  AMP_HOST_DEVICE C margin(std::int64_t target, std::int64_t other) const {
    return C{1} - scores[target] + scores[other];
  }
  /// Returns the terms of a class, which are 0 if it is a target.
  AMP_HOST_DEVICE C terms(std::int64_t other) const {
    C sum = 0;
    if (is_target[other] != 0) return sum;
    for (std::int64_t k = 0; k < count; ++k) {
      const C z = margin(targets[k], other);
      sum += z < C{0} ? C{0} : z;  // NaN stays
    }
    return sum;
  }
  /// Returns the number of terms that grow with the score of a class, or minus that of those that
  /// shrink.
  AMP_HOST_DEVICE std::int64_t slope(std::int64_t c) const {
    std::int64_t grow = 0, shrink = 0, repeats = 0;
    for (std::int64_t k = 0; k < count; ++k) {
      if (is_target[c] != 0)
        repeats += targets[k] == c ? 1 : 0;
      else
        grow += margin(targets[k], c) > C{0} ? 1 : 0;
    }
    for (std::int64_t i = 0; repeats != 0 && i < classes; ++i)
      shrink += is_target[i] == 0 && margin(c, i) > C{0} ? 1 : 0;
    return grow - repeats * shrink;
  }
};

}  // namespace amp::inline v0::kernels

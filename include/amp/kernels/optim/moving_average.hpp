// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Moving averages of gradients and weights, for host and device.
#pragma once

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels {

/// Returns from + weight (to - from). From a weight of 1/2 on it is counted from `to`, as in torch:
/// otherwise a small `to` would be lost in the last place of a large `from`.
AMP_EITHER_SIDE
template <class V>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE V lerp(const V& from, const V& to, typename V::Number weight) {
  return weight < 0.5F ? from + weight * (to - from) : to - (1 - weight) * (to - from);
}

}  // namespace amp::inline v0::kernels

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The tree in which the lanes of sums over gradients are added.
#pragma once

#include <algorithm>
#include <cstddef>

#include "amp/core/config.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The sum of lanes, added by halves.
template <std::size_t kCount, class T>
double sum_of_lanes(const T (&lanes)[kCount]) {
  double tree[kCount];
  std::copy_n(lanes, kCount, tree);
  for (std::size_t width = kCount / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) tree[l] += tree[l + width];
  }
  return tree[0];
}

}  // namespace amp::inline v0::kernels::host::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// What one window of a pooling sees of a dimension.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/traversal/window.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The positions [begin, end), `step` apart, of one window that lie within [0, extent).
struct WindowRange {
  std::int64_t begin, end, step;
  WindowRange(std::int64_t out, std::int64_t extent, const Window2d& w, int d)
      : step(w.dilation[d]) {
    const std::int64_t first = out * w.stride[d] - w.padding[d];
    begin = first >= 0 ? first : first + ceil_div(-first, step) * step;
    end = (std::min)(extent, first + (w.kernel[d] - 1) * step + 1);
  }
  std::int64_t count() const { return ceil_div(end - begin, step); }
};

}  // namespace amp::inline v0::kernels::host::detail

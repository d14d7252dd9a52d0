// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Pooling: which elements a window sees, which windows see an element, and the result of a window
// from its elements, in order:
//   max_pool2d:  y = max x     grad_x = sum of the gradients of the windows whose maximum it was
//   avg_pool2d:  y = s sum x   grad_x = s sum of the gradients of the windows that see it
// s is one number, or one for each window.
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "amp/core/config.hpp"
#include "amp/kernels/pool/args.hpp"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/types/small_float.hpp"

namespace amp::inline v0::kernels {

/// The positions [begin, end), `step` apart, of one window that lie within [0, extent).
struct WindowRange {
  std::int64_t begin, end, step;

  AMP_HOST_DEVICE WindowRange(std::int64_t window, std::int64_t extent, const PoolWindow& w, int d)
      : step(w.dilation[d]) {
    if (w.is_adaptive) {
      begin = window * extent / w.kernel[d];
      end = ((window + 1) * extent - 1) / w.kernel[d] + 1;
      return;
    }
    const std::int64_t first = window * w.stride[d] - w.padding[d];
    const std::int64_t beyond = first + (w.kernel[d] - 1) * step + 1;
    begin = first < 0 ? first + ((-first - 1) / step + 1) * step : first;
    end = beyond < extent ? beyond : extent;
  }
  AMP_HOST_DEVICE std::int64_t count() const {
    return step == 1 ? end - begin : (end - begin - 1) / step + 1;
  }
};

/// The elements of a window in dimension d by which a mean divides. A window that reaches beyond
/// the padding ends there.
AMP_HOST_DEVICE inline std::int64_t counted(std::int64_t window, std::int64_t extent,
                                            const PoolWindow& w, int d, bool counts_padding) {
  if (!counts_padding) return WindowRange(window, extent, w, d).count();
  const std::int64_t left = extent + 2 * w.padding[d] - window * w.stride[d];
  return left < w.kernel[d] ? left : w.kernel[d];
}

/// The windows [begin, end), out of `count`, that may see one position out of `extent`.
struct WindowsOver {
  std::int64_t at, begin, end;  // position: counted from the start of the padding

  AMP_HOST_DEVICE WindowsOver(std::int64_t position, std::int64_t extent, std::int64_t count,
                              const PoolWindow& w, int d, const Divider& by_stride)
      : at(position + w.padding[d]) {
    if (w.is_adaptive) {
      begin = position * count / extent;
      end = ((position + 1) * count - 1) / extent + 1;
      return;
    }
    const std::int64_t before = at - (w.kernel[d] - 1) * w.dilation[d] - 1;
    const std::int64_t last = by_stride.quotient(at);
    begin = before < 0 ? 0 : by_stride.quotient(before) + 1;
    end = last < count ? last + 1 : count;
  }
  /// Whether the window sees the position. A dilated window skips those between its elements.
  AMP_HOST_DEVICE bool has(std::int64_t window, const PoolWindow& w, int d) const {
    return w.dilation[d] == 1 || (at - window * w.stride[d]) % w.dilation[d] == 0;
  }
};

/// An integer of the size of a float or double.
template <class C>
using BitsOf = std::conditional_t<sizeof(C) == 4, std::int32_t, std::int64_t>;

/// Returns all bits set if an element becomes the maximum of its window, else none. NaN wins, as in
/// torch.
template <class C>
AMP_HOST_DEVICE BitsOf<C> becomes_maximum(C x, C maximum) {
  using Bits = BitsOf<C>;
  return -Bits{x > maximum} | -Bits{is_nan(x)};
}

/// The maximum of a window, and its position.
template <class C>
struct MaxOfWindow {
  C value = -std::numeric_limits<C>::infinity();
  std::int32_t place;  // at first that of the first element

  AMP_HOST_DEVICE void take(C x, std::int32_t at) {
    if (becomes_maximum(x, value) == 0) return;
    value = x;
    place = at;
  }
};
template <class C>
struct SumOfWindow {
  C value = 0;
  std::int32_t place;  // not used

  AMP_HOST_DEVICE void take(C x, std::int32_t) { value += x; }
};
template <bool Max, class C>
using OfWindow = std::conditional_t<Max, MaxOfWindow<C>, SumOfWindow<C>>;

}  // namespace amp::inline v0::kernels

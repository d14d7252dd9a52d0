// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which elements of an image a point of a grid sees. Along a dimension of n elements, a coordinate
// g is the place x = (g + 1) / 2 (n - 1), or ((g + 1) n - 1) / 2 if -1 and 1 are the outer edges.
// There it sees
//   nearest:  the element nearest to x, the even one of two, with weight 1
//   bilinear: its two neighbours, with the weights 1 - |i - x|
//   bicubic:  four neighbours, with those of cubic_weight(|i - x|, -3/4)
// Elements beyond the image are 0; or x (the neighbours, if there are four) is clamped to the
// image, or reflected at its ends before. The weight of an element is the product of those along
// the dimensions; its derivative by g is that along one dimension times the weights along the
// others.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/grid_sample/args.hpp"
#include "amp/kernels/resample/formula.hpp"

namespace amp::inline v0::kernels {

/// A place along a dimension, and its derivative by the coordinate.
template <class C>
struct SampledPlace {
  C x, slope;
};

/// Reflects x at the ends of [low, low + span] until it lies between them.
template <class C>
AMP_HOST_DEVICE SampledPlace<C> reflected(C x, C low, C span) {
  if (!(span > 0)) return {0, 0};
  const bool below = x < low;
  const C distance = below ? low - x : x - low;
  const C turns = static_cast<C>(static_cast<std::int64_t>(distance / span));
  const C beyond = distance - turns * span;
  const bool turned = static_cast<std::int64_t>(turns) % 2 != 0;
  return {turned ? span - beyond + low : beyond + low, below != turned ? C{-1} : C{1}};
}

/// Moves a place into an image of n elements as the padding says.
template <class C>
AMP_HOST_DEVICE SampledPlace<C> padded(C x, std::int64_t n, const SamplingRule& rule) {
  C slope = 1;
  const auto last = static_cast<C>(n - 1);
  if (rule.padding == SamplingRule::kZeros) return {x, slope};
  if (rule.padding == SamplingRule::kReflection) {
    const SampledPlace<C> inside =
        rule.align_corners ? reflected(x, C{0}, last) : reflected(x, C{-0.5}, static_cast<C>(n));
    x = inside.x;
    slope = inside.slope;
  }
  if (!(x > 0)) return {0, 0};
  if (!(x < last)) return {last, 0};
  return {x, slope};
}

/// The number of elements that a point sees along one dimension.
AMP_HOST_DEVICE inline int seen_along_axis(const SamplingRule& rule) {
  return rule.mode == SamplingRule::kNearest ? 1 : rule.mode == SamplingRule::kBilinear ? 2 : 4;
}
/// The number of elements that a point sees of an image.
inline int seen_elements(const SampledShape& shape, const SamplingRule& rule) {
  const int seen = seen_along_axis(rule);
  return shape.dims == 3 ? seen * seen * seen : seen * seen;
}

template <class C>
AMP_HOST_DEVICE C cubic_slope(C x) {  // of cubic_weight(x, -3/4), x >= 0
  constexpr C a = -0.75;
  if (x < 1) return (3 * (a + 2) * x - 2 * (a + 3)) * x;
  if (x < 2) return ((3 * x - 10) * x + 8) * a;
  return 0;
}

/// An element that a point sees along one dimension, -1 if it lies beyond the image; its weight, and
/// the derivative of that by the coordinate.
template <class C>
struct SampledElement {
  std::int64_t index;
  C weight, slope;
};

/// What a point sees along one dimension.
template <class C>
struct SampledAxis {
  std::int64_t first, n;  // the element before the point, or the nearest one; of how many
  C beyond, slope;        // how far the point is from it; the derivative of that

  AMP_HOST_DEVICE AMP_ALWAYS_INLINE SampledAxis(C coordinate, std::int64_t extent,
                                                const SamplingRule& rule)
      : n(extent) {
    const auto size = static_cast<C>(n);
    slope = rule.align_corners ? (size - 1) / 2 : size / 2;
    C x =
        rule.align_corners ? (coordinate + 1) / 2 * (size - 1) : ((coordinate + 1) * size - 1) / 2;
    // What is no place, as infinities and NaN, lies beyond all images.
    constexpr C kFar = 1 << 30;
    if (!(x > -kFar && x < kFar)) {
      x = -100;
      slope = 0;
    }
    if (rule.mode != SamplingRule::kBicubic) {  // whose four elements are moved one by one
      const SampledPlace<C> place = padded(x, n, rule);
      x = place.x;
      slope *= place.slope;
    }
    first = floor_of(x);
    beyond = x - static_cast<C>(first);
    if (rule.mode != SamplingRule::kNearest) return;
    first += beyond > C{0.5} || (beyond == C{0.5} && first % 2 != 0);
  }

  /// Element number k.
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE SampledElement<C> element(int k,
                                                              const SamplingRule& rule) const {
    if (rule.mode == SamplingRule::kNearest) return {inside(first), 1, 0};
    if (rule.mode == SamplingRule::kBilinear)
      return {inside(first + k), k == 0 ? 1 - beyond : beyond, k == 0 ? -slope : slope};
    const C offset = static_cast<C>(k - 1) - beyond, distance = offset < 0 ? -offset : offset;
    const C at = padded(static_cast<C>(first + k - 1), n, rule).x;
    const C change = offset < 0 ? cubic_slope(distance) : -cubic_slope(distance);
    return {inside(static_cast<std::int64_t>(at)), cubic_weight(distance, C{-0.75}),
            change * slope};
  }

 private:
  AMP_HOST_DEVICE std::int64_t inside(std::int64_t i) const { return i >= 0 && i < n ? i : -1; }
};

/// An element of an image that a point sees: its offset, or -1, and what it is along depth, height
/// and width.
template <class C>
struct SeenElement {
  std::int64_t place;
  SampledElement<C> depth, height, width;

  AMP_HOST_DEVICE C weight() const { return depth.weight * height.weight * width.weight; }
  /// Adds factor times the derivatives of the weight by the coordinates, the first of which is that
  /// of the width.
  AMP_HOST_DEVICE void add_slopes(C factor, C* sums) const {
    sums[0] += depth.weight * height.weight * width.slope * factor;
    sums[1] += depth.weight * height.slope * width.weight * factor;
    sums[2] += depth.slope * height.weight * width.weight * factor;
  }
};

/// Calls body(SeenElement) with what a point of a grid sees. load(d) is its coordinate number d.
template <class C, class Load, class Body>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE void for_each_seen(const SampledShape& shape,
                                                     const SamplingRule& rule, Load load,
                                                     Body body) {
  const bool has_depth = shape.dims == 3;
  const int seen = seen_along_axis(rule);
  const SampledAxis<C> width(load(0), shape.extents[2], rule),
      height(load(1), shape.extents[1], rule),
      depth(has_depth ? load(2) : C{0}, shape.extents[0], rule);
  for (int z = 0; z < (has_depth ? seen : 1); ++z) {
    const SampledElement<C> d = has_depth ? depth.element(z, rule) : SampledElement<C>{0, 1, 0};
    for (int y = 0; y < seen; ++y) {
      const SampledElement<C> h = height.element(y, rule);
      for (int x = 0; x < seen; ++x) {
        const SampledElement<C> w = width.element(x, rule);
        const bool inside = d.index >= 0 && h.index >= 0 && w.index >= 0;
        body(SeenElement<C>{
            inside ? (d.index * shape.extents[1] + h.index) * shape.extents[2] + w.index : -1, d, h,
            w});
      }
    }
  }
}

}  // namespace amp::inline v0::kernels

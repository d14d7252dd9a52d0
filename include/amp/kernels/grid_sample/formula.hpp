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
inline int seen_along_axis(const SamplingRule& rule) {
  return rule.mode == SamplingRule::kNearest ? 1 : rule.mode == SamplingRule::kBilinear ? 2 : 4;
}

/// What a point sees along one dimension: elements index[k], k < count, of which one is -1 if it
/// lies beyond the image.
template <class C>
struct SampledAxis {
  int count;
  std::int32_t index[4];
  C weight[4], slope[4];

  AMP_HOST_DEVICE void take(std::int64_t i, std::int64_t n, C of_weight, C of_slope) {
    index[count] = i >= 0 && i < n ? static_cast<std::int32_t>(i) : -1;
    weight[count] = of_weight;
    slope[count++] = of_slope;
  }
};

template <class C>
AMP_HOST_DEVICE C cubic_slope(C x) {  // of cubic_weight(x, -3/4), x >= 0
  constexpr C a = -0.75;
  if (x < 1) return (3 * (a + 2) * x - 2 * (a + 3)) * x;
  if (x < 2) return ((3 * x - 10) * x + 8) * a;
  return 0;
}

template <class C>
AMP_HOST_DEVICE AMP_ALWAYS_INLINE SampledAxis<C> sampled_axis(C coordinate, std::int64_t n,
                                                              const SamplingRule& rule) {
  const auto extent = static_cast<C>(n);
  C slope = rule.align_corners ? (extent - 1) / 2 : extent / 2;
  C x = rule.align_corners ? (coordinate + 1) / 2 * (extent - 1)
                           : ((coordinate + 1) * extent - 1) / 2;
  // What is no place, as infinities and NaN, lies beyond all images.
  constexpr C kFar = 1 << 30;
  if (!(x > -kFar && x < kFar)) {
    x = -100;
    slope = 0;
  }
  SampledAxis<C> axis;
  axis.count = 0;
  if (rule.mode == SamplingRule::kBicubic) {
    const auto floor = static_cast<C>(floor_of(x));
    const C beyond = x - floor;
    for (int k = -1; k <= 2; ++k) {
      const C offset = static_cast<C>(k) - beyond, distance = offset < 0 ? -offset : offset;
      const C at = padded(floor + static_cast<C>(k), n, rule).x;
      const C change = (offset < 0 ? cubic_slope(distance) : -cubic_slope(distance)) * slope;
      axis.take(static_cast<std::int64_t>(at), n, cubic_weight(distance, C{-0.75}), change);
    }
    return axis;
  }
  const SampledPlace<C> place = padded(x, n, rule);
  const std::int64_t first = floor_of(place.x);
  const C beyond = place.x - static_cast<C>(first);
  if (rule.mode == SamplingRule::kNearest) {
    const bool up = beyond > C{0.5} || (beyond == C{0.5} && first % 2 != 0);
    axis.take(first + up, n, 1, 0);
    return axis;
  }
  const C change = place.slope * slope;
  axis.take(first, n, 1 - beyond, -change);
  axis.take(first + 1, n, beyond, change);
  return axis;
}

/// What a point of a grid sees of an image.
template <class C>
struct SampledPoint {
  SampledAxis<C> axes[3];  // depth, height, width

  template <class Load>
  AMP_HOST_DEVICE AMP_ALWAYS_INLINE SampledPoint(const SampledShape& shape,
                                                 const SamplingRule& rule, Load load) {
    for (int d = 0; d < 3 - shape.dims; ++d) {
      axes[d].count = 0;
      axes[d].take(0, 1, 1, 0);
    }
    for (int d = 3 - shape.dims; d < 3; ++d)
      axes[d] = sampled_axis<C>(load(2 - d), shape.extents[d], rule);
  }

  /// Calls body(offset of the element in its image, or -1, number along depth, height, width).
  template <class Body>
  AMP_HOST_DEVICE void for_each(const SampledShape& shape, Body body) const {
    for (int z = 0; z < axes[0].count; ++z) {
      for (int y = 0; y < axes[1].count; ++y) {
        for (int x = 0; x < axes[2].count; ++x) {
          const std::int64_t d = axes[0].index[z], h = axes[1].index[y], w = axes[2].index[x];
          const bool inside = d >= 0 && h >= 0 && w >= 0;
          body(inside ? (d * shape.extents[1] + h) * shape.extents[2] + w : -1, z, y, x);
        }
      }
    }
  }
  AMP_HOST_DEVICE C weight(int z, int y, int x) const {
    return axes[0].weight[z] * axes[1].weight[y] * axes[2].weight[x];
  }
  /// The derivatives of the weight by the coordinates, which begin with that of the width.
  AMP_HOST_DEVICE void add_slopes(int z, int y, int x, C factor, C* sums) const {
    const C d = axes[0].weight[z], h = axes[1].weight[y], w = axes[2].weight[x];
    sums[0] += d * h * axes[2].slope[x] * factor;
    sums[1] += d * axes[1].slope[y] * w * factor;
    sums[2] += axes[0].slope[z] * h * w * factor;
  }
};

}  // namespace amp::inline v0::kernels

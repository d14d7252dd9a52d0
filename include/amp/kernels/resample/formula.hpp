// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Which inputs an output along a dimension is a sum of, and their weights. With the step s, output
// o lies at x = s (o + 1/2) - 1/2 among the inputs, or at s o if the corners are aligned.
//   nearest: input floor(s o); nearest-exact: floor(s (o + 1/2)); both as torch rounds them
//   linear:  1 - |i - x|, x not below 0
//   cubic:   k(i - x) with a = -3/4, inputs beyond the ends being those at the ends (Keys 1981,
//            "Cubic convolution interpolation for digital image processing", equation 4)
//   area:    1 / n for each of the n inputs that the output covers in part
//   antialiased: the linear weights, or the cubic ones with a = -1/2, over a window that is wider
//            by the step if that is above 1, divided by their sum
// Positions are computed in double on all devices, but for the nearest, which torch finds in float.
#pragma once

#include <cstdint>

#include "amp/core/config.hpp"
#include "amp/kernels/functions/math.hpp"
#include "amp/kernels/resample/args.hpp"

namespace amp::inline v0::kernels {

/// Inputs first, first + 1, ... of which an output is a sum.
struct ResampleWindow {
  std::int64_t first, count;
};

template <class C>
AMP_HOST_DEVICE std::int64_t floor_of(C x) {
  const auto whole = static_cast<std::int64_t>(x);
  return x < static_cast<C>(whole) ? whole - 1 : whole;
}

/// The cubic convolution kernel at a distance x >= 0.
template <class C>
AMP_HOST_DEVICE C cubic_weight(C x, C a) {
  if (x < 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

/// Half the width of the window of an antialiased output.
AMP_HOST_DEVICE inline double antialiasing_reach(const ResampleAxis& axis) {
  const double half = axis.rule == Resampling::kAntialiasedCubic ? 2 : 1;
  return axis.step > 1 ? half * axis.step : half;
}

/// Whether each output is the input at its place.
AMP_HOST_DEVICE inline bool is_identity(const ResampleAxis& axis) {
  const bool by_step = axis.rule == Resampling::kNearestExact || axis.rule == Resampling::kCubic;
  return axis.input == axis.output && (axis.step == 1 || !by_step);
}

/// The largest number of inputs of an output.
inline std::int64_t most_inputs(const ResampleAxis& axis) {
  if (is_identity(axis)) return 1;
  switch (axis.rule) {
    case Resampling::kNearest:
    case Resampling::kNearestExact:
      return 1;
    case Resampling::kLinear:
      return 2;
    case Resampling::kCubic:
      return 4;
    case Resampling::kArea:
      return functions::smaller(axis.input / axis.output + 2, axis.input);
    default:
      return functions::smaller(2 * floor_of(antialiasing_reach(axis)) + 3, axis.input);
  }
}

/// Whether the result consists of elements of the input, bit for bit.
inline bool copies_elements(const ResampleArgs& args) {
  const Resampling rule = args.axes[2].rule;
  return (rule == Resampling::kNearest || rule == Resampling::kNearestExact) && !args.transposed &&
         args.input.dtype == args.output.dtype;
}

/// The input that is nearest to output o.
AMP_HOST_DEVICE inline std::int64_t nearest_input(const ResampleAxis& axis, std::int64_t o) {
  const auto step = static_cast<float>(axis.step);
  if (axis.rule == Resampling::kNearestExact) {
    const double x = (static_cast<double>(o) + 0.5) * static_cast<double>(step);
    return functions::smaller(floor_of(static_cast<double>(static_cast<float>(x))), axis.input - 1);
  }
  if (axis.output == axis.input) return o;
  if (axis.output == 2 * axis.input) return o / 2;
  return functions::smaller(floor_of(static_cast<double>(static_cast<float>(o) * step)),
                            axis.input - 1);
}

/// Writes the weights of an antialiased output.
template <class C>
AMP_HOST_DEVICE ResampleWindow antialiased_window(const ResampleAxis& axis, std::int64_t o,
                                                  C* weights) {
  const bool cubic = axis.rule == Resampling::kAntialiasedCubic;
  const double reach = antialiasing_reach(axis), shrink = axis.step > 1 ? 1 / axis.step : 1;
  const double center = axis.step * (static_cast<double>(o) + 0.5);
  const double begin = center - reach + 0.5;
  const std::int64_t first = begin > 0 ? static_cast<std::int64_t>(begin) : 0;
  const std::int64_t end =
      functions::smaller(static_cast<std::int64_t>(center + reach + 0.5), axis.input);
  const auto weight = [&](std::int64_t i) {
    const double offset = (static_cast<double>(i) + 0.5 - center) * shrink;
    const double x = offset < 0 ? -offset : offset;
    return cubic ? cubic_weight(x, -0.5) : x < 1 ? 1 - x : 0;
  };
  double sum = 0;
  for (std::int64_t i = first; i < end; ++i) sum += weight(i);
  for (std::int64_t i = first; i < end; ++i) weights[i - first] = static_cast<C>(weight(i) / sum);
  return {first, end - first};
}

/// Writes the weights of output o, and returns of which inputs they are.
template <class C>
AMP_HOST_DEVICE ResampleWindow resample_window(const ResampleAxis& axis, std::int64_t o,
                                               C* weights) {
  weights[0] = 1;
  if (is_identity(axis)) return {o, 1};
  const std::int64_t last = axis.input - 1;
  const auto place = static_cast<double>(o);
  double x = axis.align_corners ? axis.step * place : axis.step * (place + 0.5) - 0.5;
  switch (axis.rule) {
    case Resampling::kNearest:
    case Resampling::kNearestExact:
      return {nearest_input(axis, o), 1};
    case Resampling::kLinear: {
      if (x < 0) x = 0;
      const std::int64_t first = functions::smaller(static_cast<std::int64_t>(x), last);
      const double beyond = x - static_cast<double>(first);
      if (first == last || !(beyond > 0)) return {first, 1};
      weights[0] = static_cast<C>(1 - beyond);
      weights[1] = static_cast<C>(beyond);
      return {first, 2};
    }
    case Resampling::kCubic: {
      const std::int64_t floor = functions::smaller(floor_of(x), last);
      const double beyond = x - static_cast<double>(floor) < 1 ? x - static_cast<double>(floor) : 1;
      const std::int64_t first = floor > 1 ? floor - 1 : 0,
                         end = functions::smaller(floor + 3, axis.input);
      double sum = 0;  // of the weights of one input
      std::int64_t at = 0;
      for (std::int64_t k = -1; k <= 2; ++k) {
        const double distance = static_cast<double>(k) - beyond;
        sum += cubic_weight(distance < 0 ? -distance : distance, -0.75);
        if (floor + k < first || (floor + k >= end - 1 && k < 2)) continue;
        weights[at++] = static_cast<C>(sum);
        sum = 0;
      }
      return {first, at};
    }
    case Resampling::kArea: {
      const std::int64_t first = o * axis.input / axis.output;
      const std::int64_t end = ((o + 1) * axis.input + axis.output - 1) / axis.output;
      for (std::int64_t i = first; i < end; ++i)
        weights[i - first] = static_cast<C>(1 / static_cast<double>(end - first));
      return {first, end - first};
    }
    default:
      return antialiased_window(axis, o, weights);
  }
}

}  // namespace amp::inline v0::kernels

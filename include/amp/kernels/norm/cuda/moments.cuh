// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The mean and variance of a line, and the sums for its gradient, in one pass.
#pragma once

#include <cstdint>

#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/traversal/cuda/sweep.cuh"

namespace amp::inline v0::kernels::cuda {

/// The sums of x - origin and of its square, in double. Eight elements are summed in float, around
/// their mean m: with d = x - m the sums are 8 m + sum(d) and 8 m^2 + 2 m sum(d) + sum(d^2), and
/// nothing is lost to cancellation. Sweeps of single elements use the first of their line as the
/// origin instead.
struct Moments {
  double sum = 0, squares = 0;

  /// Adds the thread's elements of a part.
  template <class Tile, class Part, class C, int Kept, int Width>
  __device__ __forceinline__ void add(const Tile& tile, const Part& part,
                                      const C (&values)[Kept][Width], double origin) {
    tile.for_each_access(part, [&](int k) {
      if constexpr (Width == 1) {
        const double x = static_cast<double>(values[k][0]) - origin;
        sum += x;
        squares += x * x;
      } else {
        add(values[k]);
      }
    });
  }
  __device__ __forceinline__ void add(const float (&x)[kVector]) {
    const float mean = (((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))) * 0.125F;
    float rest = 0, rest_squares = 0;
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      const float d = x[l] - mean;
      rest += d;
      rest_squares += d * d;
    }
    const double m = static_cast<double>(mean), r = static_cast<double>(rest);
    sum += 8 * m + r;
    squares += m * (8 * m + 2 * r) + static_cast<double>(rest_squares);
  }
  __device__ void operator+=(const Moments& other) {
    sum += other.sum;
    squares += other.squares;
  }
  /// total(sum) returns the sum over all threads.
  template <class Total>
  __device__ __forceinline__ void combine(Total&& total) {
    total(sum);
    total(squares);
  }
  /// Returns the mean of n elements; `share` is 1 / n.
  __device__ double mean(double share) const { return sum * share; }
  /// Returns the variance around `mean`, at least 0. NaN stays.
  __device__ double variance(double share, double mean) const {
    const double result = squares * share - mean * mean;
    return result < 0 ? 0 : result;
  }
};

/// Returns the first element of a line if a sweep takes single elements. Subtracting it first keeps
/// the variance precise.
template <class Tile>
__device__ double origin_of(const Tile& tile, const Input& x) {
  if constexpr (Tile::kWidth == 1) {
    return static_cast<double>(tile.load_one(x, tile.at(0, 0)));
  } else {
    return 0;
  }
}

/// The sums of g and of g * x^ over a line.
struct GradientSums {
  double g = 0, dot = 0;

  template <class Tile, class Part, class C, int Kept, int Width>
  __device__ __forceinline__ void add(const Tile& tile, const Part& part,
                                      const C (&grad)[Kept][Width],
                                      const C (&normal)[Kept][Width]) {
    double sums[1] = {g}, dots[1] = {dot};
    tile.add(part, sums, [&](int k, int l) { return grad[k][l]; });
    tile.add(part, dots, [&](int k, int l) { return grad[k][l] * normal[k][l]; });
    g = sums[0];
    dot = dots[0];
  }
  __device__ void operator+=(const GradientSums& other) {
    g += other.g;
    dot += other.dot;
  }
  template <class Total>
  __device__ __forceinline__ void combine(Total&& total) {
    total(g);
    total(dot);
  }
};
}  // namespace amp::inline v0::kernels::cuda

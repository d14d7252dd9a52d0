// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The sums of exponentials of a tile's lines.
#pragma once

#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/traversal/cuda/sweep.cuh"

namespace amp::inline v0::kernels::cuda {

/// ExpSum for each line of a tile.
template <class Sweep>
struct ExpSums {
  using C = typename Sweep::Compute;

  ExpSum<C> seen[Sweep::kLines];  // by this thread
  PerLine<Sweep> maximum, sum;    // of all elements, after finish()

  /// Adds what the thread has of a part; if `Keep`, values become exp(x - origin).
  template <bool Keep, class Tile, class Part>
  __device__ __forceinline__ void add(const Tile& tile, const Part& part, Fragment<Sweep>& values) {
    PerLine<Sweep> largest;
    PerLine<Sweep, double> sums = {};
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) largest[l] = seen[l].maximum;
    tile.for_each(part, values,
                  [&](int l, C& x) { largest[l] = functions::math::fmax(largest[l], x); });
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) seen[l].raise(largest[l]);
    tile.add(part, sums, [&](int k, int l) {
      const C term = functions::math::exp(values[k][l] - seen[tile.line_of(l)].origin());
      if constexpr (Keep) values[k][l] = term;
      return term;
    });
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) seen[l].sum += sums[l];
  }
  /// Of all threads of the tile. An infinite maximum makes a sum NaN.
  template <class Tile>
  __device__ __forceinline__ void finish(const Tile& tile) {
    PerLine<Sweep, double> sums;
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l) maximum[l] = seen[l].maximum;
    tile.template reduce<functions::Maximum>(maximum);
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l)
      sums[l] = seen[l].sum * static_cast<double>(seen[l].weight_in(maximum[l]));
    tile.template reduce<functions::Add>(sums);
    AMP_UNROLL
    for (int l = 0; l < Sweep::kLines; ++l)
      sum[l] = static_cast<C>(sums[l] + static_cast<double>(maximum[l] - maximum[l]));
  }
};

}  // namespace amp::inline v0::kernels::cuda

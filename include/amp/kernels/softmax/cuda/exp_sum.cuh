// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// sum(exp(x - max x)) of lines. Maximum and sum are found in one pass (Milakov and Gimelshein 2018,
// arXiv 1805.02867, algorithm 3).
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "amp/kernels/traversal/cuda/columns.cuh"
#include "amp/kernels/traversal/cuda/lines.cuh"
#include "amp/kernels/traversal/cuda/rows.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// sum(exp(x - maximum)) of the elements seen. Any that is NaN or +inf makes it NaN.
template <class C>
struct ExpSum {
  static constexpr C kNone = -std::numeric_limits<C>::infinity();

  C maximum = kNone;
  double sum = 0;

  /// What is subtracted: nothing while there are only -inf, which then add 0.
  __device__ C origin() const { return maximum == kNone ? C{0} : maximum; }
  __device__ void raise(C to) {
    if (!(to > maximum)) return;
    sum *= static_cast<double>(functions::math::exp(maximum - to));
    maximum = to;
  }
  __device__ void add(C x) {
    raise(x);
    sum += static_cast<double>(functions::math::exp(x - origin()));
  }
  /// What this sum counts in that of a larger maximum.
  __device__ C share(C of) const {
    return maximum == kNone ? C{0} : functions::math::exp(maximum - of);
  }
  /// That of all elements of the line: NaN where they are all -inf.
  template <class Team>
  __device__ ExpSum of_line(const Team& team) const {
    const C largest = team.template reduce<functions::Maximum>(maximum);
    const double total =
        team.template reduce<functions::Add>(sum * static_cast<double>(share(largest)));
    return {largest, total + static_cast<double>(largest - largest)};
  }
};

/// The largest element of a line, NaN where any is NaN.
template <class Team, class C>
__device__ C line_maximum(const Lines& lines, const Input& x, std::int64_t start) {
  C maximum = load<C>(x, start);  // for the threads that get no element too
  for (std::int64_t i = Team::first(); i < lines.length; i += Team::step())
    maximum = functions::Maximum::apply(load<C>(x, start + i * lines.stride), maximum);
  return Team::template reduce<functions::Maximum>(maximum);
}

template <class Team, class C>
__device__ ExpSum<C> line_exp_sum(const Lines& lines, const Input& x, std::int64_t start) {
  ExpSum<C> sum;
  for (std::int64_t i = Team::first(); i < lines.length; i += Team::step())
    sum.add(load<C>(x, start + i * lines.stride));
  return sum.of_line(Team());
}

/// The largest of a thread's elements.
template <int Kept>
__device__ __forceinline__ float part_maximum(const RowPart<Kept>& part, const RowShare& share,
                                              float maximum) {
  AMP_UNROLL
  for (int k = 0; k < Kept; ++k) {
    if (!share.has(k)) continue;
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) maximum = ::fmaxf(maximum, part.values[k][l]);
  }
  return maximum;
}

/// The sums of eight lines, of which each thread has seen some elements.
struct ColumnExpSums {
  ExpSum<float> of_thread[kVector];

  /// Adds vectors of exp(x - origin), which replace those of x where they are to be kept.
  template <bool Keep, int Kept>
  __device__ __forceinline__ void add(float (&values)[Kept][kVector], const ColumnShare& share) {
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      ExpSum<float>& sum = of_thread[l];
      float maximum = sum.maximum;
      AMP_UNROLL
      for (int k = 0; k < Kept; ++k) {
        if (share.has(k)) maximum = ::fmaxf(maximum, values[k][l]);
      }
      sum.raise(maximum);
      const float origin = sum.origin();
      float of_part = 0;
      AMP_UNROLL
      for (int k = 0; k < Kept; ++k) {
        if (!share.has(k)) continue;
        const float term = functions::math::exp(values[k][l] - origin);
        of_part += term;
        if constexpr (Keep) values[k][l] = term;
      }
      sum.sum += static_cast<double>(of_part);
    }
  }
  /// Those of all elements, as ExpSum::of_line.
  __device__ __forceinline__ void of_lines(unsigned team, float (&maxima)[kVector],
                                           float (&sums)[kVector]) const {
    double totals[kVector];
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) maxima[l] = of_thread[l].maximum;
    column_reduce<functions::Maximum>(maxima, team);
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l)
      totals[l] = of_thread[l].sum * static_cast<double>(of_thread[l].share(maxima[l]));
    column_reduce<functions::Add>(totals, team);
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l)
      sums[l] = static_cast<float>(totals[l] + static_cast<double>(maxima[l] - maxima[l]));
  }
};

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Distances between points on CUDA devices: a team of threads for each pair; backward, a thread for
// each number of a point, which goes over the other points in order.
#pragma once

#include <cstdint>
#include <type_traits>

#include "amp/kernels/distance/args.hpp"
#include "amp/kernels/distance/formula.hpp"
#include "amp/kernels/fold/cuda.cuh"
#include "amp/kernels/traversal/cuda/block_reduce.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Points [B, P, M]; one batch entry may stand for all.
template <class C>
struct Points {
  const C* data;
  std::int64_t batch, count, width;

  Points(const Operand& x)
      : data(x.as<const C>()),
        batch(x.sizes[0] == 1 ? 0 : x.sizes[1] * x.sizes[2]),
        count(x.sizes[1]),
        width(x.sizes[2]) {}
  __device__ __forceinline__ const C* at(std::int64_t b, std::int64_t i) const {
    return data + b * batch + i * width;
  }
};

/// The places of pairs (b, i, j) in a result, or condensed.
struct Pairs {
  std::int64_t points;
  Divider by_points, by_others;
  bool condensed;

  Pairs(std::int64_t x, std::int64_t y, bool is_condensed)
      : points(x), by_points(x), by_others(y), condensed(is_condensed) {}
  /// Turns the number of a pair into that of its batch entry.
  __device__ __forceinline__ void locate(std::int64_t& pair, std::int64_t& i,
                                         std::int64_t& j) const {
    if (!condensed) {
      j = by_others.take_remainder(pair);
      i = by_points.take_remainder(pair);
      return;
    }
    // The root of first_pair(points, i) = pair, which rounding may miss by one.
    const double twice = static_cast<double>(2 * points - 1);
    i = static_cast<std::int64_t>(
        (twice - functions::sqrt(twice * twice - 8 * static_cast<double>(pair))) / 2);
    while (i > 0 && first_pair(points, i) > pair) --i;
    while (first_pair(points, i + 1) <= pair) ++i;
    j = pair - first_pair(points, i) + i + 1;
    pair = 0;
  }
};

template <class Fold, class C>
AMP_KERNEL void distance_kernel(Fold fold, Points<C> x, Points<C> y, Pairs places, Output output,
                                std::int64_t pairs, unsigned team) {
  const std::int64_t per_block = blockDim.x / team;
  const std::int64_t own = threadIdx.x / team, lane = threadIdx.x % team;
  for (std::int64_t first = blockIdx.x * per_block; first < pairs; first += gridDim.x * per_block) {
    const bool valid = first + own < pairs;
    auto state = fold.template none<C>();
    if (valid) {
      std::int64_t b = first + own, i, j;
      places.locate(b, i, j);
      const C *const of_x = x.at(b, i), *const of_y = y.at(b, j);
      for (std::int64_t m = lane; m < x.width; m += team) fold.add(state, of_x[m] - of_y[m]);
    }
    if (team > 1) state = team_reduce<Join<Fold>>(state, team);
    if (valid && lane == 0) {
      const auto result = fold.finish(state);
      store(output, first + own, result);
    }
  }
}

/// The gradients and distances of a point: the pairs of a matrix, or of condensed ones.
template <class C>
struct OfPairs {
  const C* data;
  std::int64_t batch, row, column;

  OfPairs(const Operand& x)
      : data(x.as<const C>()),
        batch(x.dims == 3 ? x.strides[0] : 0),
        row(x.dims == 3 ? x.strides[1] : 0),
        column(x.dims == 3 ? x.strides[2] : 0) {}
  __device__ __forceinline__ C at(std::int64_t b, std::int64_t i, std::int64_t j) const {
    return data[b * batch + i * row + j * column];
  }
};

template <class Derivative, class C>
AMP_KERNEL void distance_backward_kernel(OfPairs<C> grads, OfPairs<C> distances, Points<C> x,
                                         Points<C> y, Divider by_width, Divider by_points,
                                         bool condensed, C p, Output grad_x, std::int64_t n) {
  for (std::int64_t e = first_element(); e < n; e += element_step()) {
    std::int64_t b = e;
    const std::int64_t m = by_width.take_remainder(b), i = by_points.take_remainder(b);
    const C own = x.at(b, i)[m];
    const C* others = y.at(b, 0) + m;
    C sum = 0;
    for (std::int64_t j = 0; j < y.count; ++j, others += y.width) {
      if (condensed && i == j) continue;
      const std::int64_t pair = condensed ? pair_of(y.count, i, j) : 0;
      const C grad = condensed ? grads.data[pair] : grads.at(b, i, j);
      const C distance = condensed ? distances.data[pair] : distances.at(b, i, j);
      sum += Derivative::apply(grad, own - *others, distance, p);
    }
    store<C>(grad_x, e, sum);
  }
}

}  // namespace detail

inline void distance(const DistanceArgs& args) {
  visit_distance(args, [&](const auto& fold, auto tag) {
    using C = typename decltype(tag)::type;
    using Fold = std::remove_cvref_t<decltype(fold)>;
    const detail::Points<C> x(args.x), y(args.y);
    unsigned team = 1;
    while (team < 32 && team * 4 <= x.width) team *= 2;
    const std::int64_t pairs = args.output.numel();
    launch(args.output.device, grid_for(pairs, kThreads / team), kThreads,
           detail::distance_kernel<Fold, C>, fold, x, y,
           detail::Pairs(x.count, y.count, args.condensed), args.output, pairs, team);
  });
}

inline void distance_backward(const DistanceBackwardArgs& args) {
  visit_distance_backward(args, [&](auto derivative, auto tag) {
    using C = typename decltype(tag)::type;
    const std::int64_t n = args.grad_x.numel();
    const detail::Points<C> x(args.x), y(args.y);
    launch(args.grad_x.device, grid_for(n), kThreads,
           detail::distance_backward_kernel<decltype(derivative), C>,
           detail::OfPairs<C>(args.grad_output), detail::OfPairs<C>(args.distance), x, y,
           Divider(x.width), Divider(x.count), args.condensed, static_cast<C>(args.p), args.grad_x,
           n);
  });
}

}  // namespace amp::inline v0::kernels::cuda

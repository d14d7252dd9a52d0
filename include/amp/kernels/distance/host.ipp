// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/distance/formula.hpp"
#include "amp/kernels/distance/host.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/fold/host.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The distances of one point from `rows` others, each of m numbers.
template <class Fold>
struct DistancesOfPoint {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* y, std::int64_t rows, std::int64_t m,
                                    C* to, Fold fold) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    for (std::int64_t row = 0; row < rows; ++row, y += m) {
      auto state = fold.template none<C>();
      std::int64_t i = 0;
      if (m >= kLanes) {
        using States = typename Fold::template State<simd::Vec<C, Isa>>;
        States first = state, second = state;
        for (; i + 2 * kLanes <= m; i += 2 * kLanes) {
          fold.add(first, simd::load<Isa>(x + i) - simd::load<Isa>(y + i));
          fold.add(second, simd::load<Isa>(x + i + kLanes) - simd::load<Isa>(y + i + kLanes));
        }
        for (; i + kLanes <= m; i += kLanes)
          fold.add(first, simd::load<Isa>(x + i) - simd::load<Isa>(y + i));
        const States both = Fold::join(first, second);
        state = simd::fold(both, JoinStates<Fold>{});
      }
      for (; i < m; ++i) fold.add(state, x[i] - y[i]);
      to[row] = static_cast<C>(fold.finish(state));
    }
  }
};

/// Fewer numbers than these of a point are not taken as vectors; instead, those of several points
/// are.
inline constexpr std::int64_t kNarrow = 32;

/// The same for points that lie as columns, `step` apart.
template <class Fold>
struct DistancesOfNarrowPoint {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* y, std::int64_t step, std::int64_t n,
                                    std::int64_t m, C* to, Fold fold) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    using States = typename Fold::template State<simd::Vec<C, Isa>>;
    using State = typename Fold::template State<C>;
    std::int64_t j = 0;
    for (; j + kLanes <= n; j += kLanes) {
      States states = fold.template none<C>();
      for (std::int64_t i = 0; i < m; ++i)
        fold.add(states, simd::Vec<C, Isa>(x[i]) - simd::load<Isa>(y + i * step + j));
      State lanes[static_cast<std::size_t>(kLanes)];
      simd::store(states, lanes);
      for (std::int64_t l = 0; l < kLanes; ++l) to[j + l] = static_cast<C>(fold.finish(lanes[l]));
    }
    for (; j < n; ++j) {
      State state = fold.template none<C>();
      for (std::int64_t i = 0; i < m; ++i) fold.add(state, x[i] - y[i * step + j]);
      to[j] = static_cast<C>(fold.finish(state));
    }
  }
};
template <class Derivative>
struct GradientOfNarrowPoint {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* y, std::int64_t step, const C* grads,
                                    const C* distances, std::int64_t n, std::int64_t m, C p,
                                    C* to) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    for (std::int64_t i = 0; i < m; ++i, y += step) {
      std::int64_t j = 0;
      C sum = to[i];
      if constexpr (std::is_same_v<C, float>) {  // there is no power of vectors of doubles
        using V = simd::Vec<C, Isa>;
        const V own = x[i], order = p;
        V sums = C{0};
        for (; j + kLanes <= n; j += kLanes)
          sums = sums + Derivative::apply(simd::load<Isa>(grads + j), own - simd::load<Isa>(y + j),
                                          simd::load<Isa>(distances + j), order);
        sum += simd::sum_of(sums);
      }
      for (; j < n; ++j) sum += Derivative::apply(grads[j], x[i] - y[j], distances[j], p);
      to[i] = sum;
    }
  }
};
/// The points [B, M, R] of y [B, R, M].
template <class C>
class Columns {
 public:
  explicit Columns(const Operand& y)
      : width_(y.sizes[2]), memory_(width_ < kNarrow ? y.numel() : 0) {
    if (memory_.data() == nullptr) return;
    Operand from = y, to = y;
    std::swap(from.sizes[1], from.sizes[2]);
    std::swap(from.strides[1], from.strides[2]);
    to.data = memory_.data();
    std::copy_n(from.sizes, 3, to.sizes);
    to.strides[1] = to.sizes[2], to.strides[2] = 1;
    to.strides[0] = to.sizes[1] * to.sizes[2];
    copy({from, to});
    batch_ = y.sizes[0] == 1 ? 0 : to.strides[0];
  }
  /// Whether the points are narrow, so that there are columns.
  explicit operator bool() const { return memory_.data() != nullptr; }
  const C* of(std::int64_t b) const { return memory_.data() + b * batch_; }

 private:
  std::int64_t width_, batch_ = 0;
  HostBuffer<C> memory_;
};

/// Adds to the gradient of a point, or m numbers of it, what comes from `rows` distances.
template <class Derivative>
struct GradientOfPoint {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, const C* y, std::int64_t step, const C* grads,
                                    const C* distances, std::int64_t rows, std::int64_t m, C p,
                                    C* to) {
    using V = simd::Vec<C, Isa>;
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    for (std::int64_t row = 0; row < rows; ++row, y += step) {
      std::int64_t i = 0;
      if constexpr (std::is_same_v<C, float>) {  // there is no power of vectors of doubles
        const V grad = grads[row], distance = distances[row], order = p;
        for (; i + kLanes <= m; i += kLanes) {
          const V difference = simd::load<Isa>(x + i) - simd::load<Isa>(y + i);
          const V part = Derivative::apply(grad, difference, distance, order);
          simd::store(simd::load<Isa>(to + i) + part, to + i);
        }
      }
      for (; i < m; ++i) to[i] += Derivative::apply(grads[row], x[i] - y[i], distances[row], p);
    }
  }
};

/// Calls body(batch, i) for all points of x [B, P, M], on all threads.
template <class Body>
void for_points(std::int64_t batches, std::int64_t points, std::int64_t work, const Body& body) {
  parallel_ranges(batches * points, ceil_div(16 * kBlock, (std::max)(work, std::int64_t{1})),
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t k = begin; k < end; ++k) body(k / points, k % points);
                  });
}
/// The points of batch entry b, which may stand for all.
template <class C>
const C* points_of(const Operand& x, std::int64_t b) {
  return x.as<const C>() + (x.sizes[0] == 1 ? 0 : b * x.sizes[1] * x.sizes[2]);
}

template <class C, class Fold>
void distance_as(const DistanceArgs& args, const Fold& fold) {
  const std::int64_t points = args.x.sizes[1], others = args.y.sizes[1], m = args.x.sizes[2];
  const std::int64_t batches = args.condensed ? 1 : args.output.sizes[0];
  const Columns<C> columns(args.y);
  for_points(batches, points, others * m, [&](std::int64_t b, std::int64_t i) {
    const C *const x = points_of<C>(args.x, b) + i * m, *const y = points_of<C>(args.y, b);
    const std::int64_t begin = args.condensed ? i + 1 : 0;
    const std::int64_t place = args.condensed ? first_pair(points, i) : (b * points + i) * others;
    C buffer[kBlock];
    for (std::int64_t j = begin; j < others; j += kBlock) {
      const std::int64_t n = (std::min)(kBlock, others - j), at = place + j - begin;
      C* const to = target(args.output, at, 1, n, buffer);
      if (columns)
        on_rows<DistancesOfNarrowPoint<Fold>, C>(x, columns.of(b) + j, others, n, m, to, fold);
      else
        on_rows<DistancesOfPoint<Fold>, C>(x, y + j * m, n, m, to, fold);
      store(to, args.output, at, 1, n);
    }
  });
}

/// Fetches grad_output or distance for the pairs of point i with j, j + 1, ...
template <class C>
void fetch_pairs(const DistanceBackwardArgs& args, const Operand& of, std::int64_t b,
                 std::int64_t i, std::int64_t j, std::int64_t n, C* to) {
  if (!args.condensed) {
    const std::int64_t at = b * of.strides[0] + i * of.strides[1] + j * of.strides[2];
    const C* const from = fetch(of, at, of.strides[2], n, to);
    if (from != to) std::copy_n(from, n, to);
    return;
  }
  for (std::int64_t k = 0; k < n; ++k) to[k] = of.as<const C>()[pair_of(args.x.sizes[1], i, j + k)];
}

template <class C, class Derivative>
void distance_backward_as(const DistanceBackwardArgs& args) {
  const std::int64_t points = args.x.sizes[1], others = args.y.sizes[1], m = args.x.sizes[2];
  const C p = static_cast<C>(args.p);
  const Columns<C> columns(args.y);
  for_points(args.grad_x.sizes[0], points, others * m, [&](std::int64_t b, std::int64_t i) {
    C sums[kBlock], grads[kBlock], distances[kBlock];
    for (std::int64_t q = 0; q < m; q += kBlock) {
      const std::int64_t width = (std::min)(kBlock, m - q);
      const C* const x = points_of<C>(args.x, b) + i * m + q;
      std::fill_n(sums, width, C{0});
      std::int64_t n = 1;
      for (std::int64_t j = 0; j < others; j += n) {
        const bool own = args.condensed && j == i;  // a point makes no pair with itself
        const bool before = args.condensed && j < i;
        n = own ? 1 : (std::min)(kBlock, (before ? i : others) - j);
        if (own) continue;
        const C* const y = points_of<C>(args.y, b) + j * m + q;
        fetch_pairs(args, args.grad_output, b, i, j, n, grads);
        fetch_pairs(args, args.distance, b, i, j, n, distances);
        const C *const g = grads, *const d = distances;
        C* const to = sums;
        if (columns)
          on_rows<GradientOfNarrowPoint<Derivative>, C>(x, columns.of(b) + j, others, g, d, n, m, p,
                                                        to);
        else
          on_rows<GradientOfPoint<Derivative>, C>(x, y, m, g, d, n, width, p, to);
      }
      store(static_cast<const C*>(sums), args.grad_x, (b * points + i) * m + q, 1, width);
    }
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void distance(const DistanceArgs& args) {
  visit_distance(args, [&](const auto& fold, auto tag) {
    detail::distance_as<typename decltype(tag)::type>(args, fold);
  });
}

AMP_LAZY_DEFINITION void distance_backward(const DistanceBackwardArgs& args) {
  visit_distance_backward(args, [&](auto derivative, auto tag) {
    detail::distance_backward_as<typename decltype(tag)::type, decltype(derivative)>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

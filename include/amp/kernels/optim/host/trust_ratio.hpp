// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The first pass of rules whose rate depends on the norms of a parameter and of its step, such as
// LAMB's. It reads the same arrays as the step, and writes nothing.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/optim/coefficients.hpp"
#include "amp/kernels/optim/host/step_block.hpp"
#include "amp/kernels/traversal/host/chunks.hpp"
#include "amp/kernels/unscale/formula.hpp"
#include "amp/kernels/unscale/host/sum_of_lanes.hpp"

namespace amp::inline v0::kernels::host::detail {

/// Sums the squares of the weights and of the directions of their step: element i of a chunk is
/// added to lane i % kGradientLanes.
template <class Rule, class C>
struct TrustLoop {
  static constexpr std::size_t kStates = Rule::kStates;

  C factor;  // of gradients
  typename Rule::template Coefficients<C> coefficients;
  C weights[kGradientLanes] = {}, directions[kGradientLanes] = {};

  void add(const C* g, const C* w, C* const (&states)[kStates], std::int64_t n) {
    TrustLoop* const self = this;
    C* const* const of_states = states;
    if constexpr (std::is_same_v<C, float>)
      simd::on_widest_without_fma<TrustLoop>(self, g, w, of_states, n);
    else
      run<simd::Baseline>(self, g, w, of_states, n);
  }

  template <class Isa>
  AMP_ALWAYS_INLINE static void run(TrustLoop* self, const C* g, const C* w, C* const* states,
                                    std::int64_t n) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    std::int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes)
      self->template add_at<Rounded<simd::Vec<C, Isa>>>(g, w, states, i);
    for (; i < n; ++i) self->template add_at<Rounded<C>>(g, w, states, i);
  }

 private:
  /// Adds the number, or the vector, at `i`.
  template <class V>
  AMP_ALWAYS_INLINE void add_at(const C* g, const C* w, [[maybe_unused]] C* const* states,
                                std::int64_t i) {
    V grad, weight;
    get(g + i, grad);
    get(w + i, weight);
    grad = factor * grad;
    if constexpr (Rule::kDirects) {
      static_assert(kStates == 2);
      V first, second;
      get(states[0] + i, first);
      get(states[1] + i, second);
      Rule::direct(coefficients, grad, weight, first, second);
    }
    add_square(weight, weights + i % kGradientLanes);
    add_square(grad, directions + i % kGradientLanes);
  }
  template <class V>
  AMP_ALWAYS_INLINE static void add_square(const V& x, C* to) {
    V sum;
    get(to, sum);
    put(sum + x * x, to);
  }
};

struct TrustSums {
  double weights, directions;
};

template <class C, class Rule>
TrustSums trust_sums(const StepRow<Rule>& row, std::int64_t begin, std::int64_t end) {
  TrustLoop<Rule, C> loop{static_cast<C>(row.factor), row.template coefficients<C>()};
  for (std::int64_t at = begin; at < end; at += kBlock) {
    const std::int64_t n = (std::min)(kBlock, end - at);
    const StepBlock<C, Rule> block(row, at, n);
    loop.add(block.gradients, block.weights.values, block.states, n);
  }
  return {sum_of_lanes(loop.weights), sum_of_lanes(loop.directions)};
}

/// Computes the trust ratios of the parameters of all rows.
template <class Rule>
void trust(const HostBuffer<StepRow<Rule>>& rows, std::int64_t count, const Chunks& chunks) {
  const HostBuffer<TrustSums> sums(chunks.size());
  chunks.for_each([&](std::int64_t i, std::int64_t n, std::int64_t begin, std::int64_t end) {
    sums[n] = rows[i].p->dtype == kFloat64 ? trust_sums<double>(rows[i], begin, end)
                                           : trust_sums<float>(rows[i], begin, end);
  });
  std::int64_t first = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    double weights[kChunkLanes] = {}, directions[kChunkLanes] = {};
    const std::int64_t end = first + ceil_div(rows[i].p->numel, kChunk);
    for (std::int64_t n = first; n < end; ++n) {
      weights[(n - first) % kChunkLanes] += sums[n].weights;
      directions[(n - first) % kChunkLanes] += sums[n].directions;
    }
    rows[i].trust = rows[i].group->rule.trust(sum_of_lanes(weights), sum_of_lanes(directions),
                                              rows[i].p->numel);
    first = end;
  }
}

}  // namespace amp::inline v0::kernels::host::detail

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Weighted sums along one dimension of an array [..., n, inner], in vectors of what lies side by
// side: of the inner elements, or, if there is one, of rows that are transposed for it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/resample/formula.hpp"
#include "amp/kernels/traversal/host/rows.hpp"
#include "amp/kernels/traversal/host/transpose.hpp"

namespace amp::inline v0::kernels::host::detail {

/// target t = sum over k < count[t] of weights[t * room + k] source[first[t] + k]. Weights are
/// computed once per call of an op; an identity has none.
template <class C>
struct AxisSums {
  std::int64_t targets, sources, room;
  bool identity;
  HostBuffer<std::int32_t> first, count;
  HostBuffer<C> weights;

  AxisSums(const ResampleAxis& axis, bool transposed)
      : AxisSums(axis, transposed, Outputs(axis, is_identity(axis))) {}
  /// Of `n` elements that stay as they are.
  static AxisSums none(std::int64_t n) { return AxisSums({.input = n, .output = n}, false); }

  /// The sources [begin, end) that the targets [from, to) need.
  struct Range {
    std::int64_t begin, end;
  };
  Range needed(std::int64_t from, std::int64_t to) const {
    if (identity) return {from, to};
    std::int64_t begin = sources, end = 0;
    for (std::int64_t t = from; t < to; ++t) {
      if (count[t] == 0) continue;
      begin = (std::min)(begin, std::int64_t{first[t]});
      end = (std::max)(end, std::int64_t{first[t]} + count[t]);
    }
    return {(std::min)(begin, end), end};
  }

 private:
  /// The windows of the outputs, and for each input the outputs [low, high) that see it.
  struct Outputs {
    std::int64_t room;
    HostBuffer<std::int32_t> first, count, low, high;
    HostBuffer<C> weights;
    std::int64_t most = 0;

    Outputs(const ResampleAxis& axis, bool none)
        : room(most_inputs(axis)),
          first(none ? 0 : axis.output),
          count(none ? 0 : axis.output),
          low(none ? 0 : axis.input),
          high(none ? 0 : axis.input),
          weights(none ? 0 : axis.output * room) {
      if (none) return;
      std::fill_n(low.data(), axis.input, 0);
      std::fill_n(high.data(), axis.input, 0);
      for (std::int64_t o = 0; o < axis.output; ++o) {
        const ResampleWindow window = resample_window(axis, o, weights.data() + o * room);
        first[o] = static_cast<std::int32_t>(window.first);
        count[o] = static_cast<std::int32_t>(window.count);
        for (std::int64_t i = window.first; i < window.first + window.count; ++i) {
          if (high[i] == 0) low[i] = static_cast<std::int32_t>(o);
          high[i] = static_cast<std::int32_t>(o + 1);
          most = (std::max)(most, std::int64_t{high[i]} - low[i]);
        }
      }
    }
  };

  AxisSums(const ResampleAxis& axis, bool transposed, const Outputs& outputs)
      : targets(transposed ? axis.input : axis.output),
        sources(transposed ? axis.output : axis.input),
        room(transposed ? outputs.most : outputs.room),
        identity(is_identity(axis)),
        first(identity ? 0 : targets),
        count(identity ? 0 : targets),
        weights(identity ? 0 : targets * room) {
    if (identity) return;
    if (!transposed) {
      std::copy_n(outputs.first.data(), targets, first.data());
      std::copy_n(outputs.count.data(), targets, count.data());
      std::copy_n(outputs.weights.data(), targets * room, weights.data());
      return;
    }
    std::fill_n(weights.data(), targets * room, C{0});
    for (std::int64_t i = 0; i < targets; ++i) {
      first[i] = outputs.low[i];
      count[i] = outputs.high[i] - outputs.low[i];
      for (std::int64_t o = outputs.low[i]; o < outputs.high[i]; ++o) {
        const std::int64_t k = i - outputs.first[o];
        weights[i * room + o - first[i]] = outputs.weights[o * outputs.room + k];
      }
    }
  }
};

/// The targets [begin, end) of an axis, whose elements lie `inner` apart, from sources that begin
/// with number `base`.
template <class C>
struct WeightedSums {
  const C* in;
  C* out;
  std::int64_t begin, end, base, inner;
  const std::int32_t *first, *count;
  const C* weights;
  std::int64_t room;

  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const WeightedSums* sums) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    using V = simd::Vec<C, Isa>;
    const std::int64_t inner = sums->inner;
    C* to = sums->out;
    for (std::int64_t t = sums->begin; t < sums->end; ++t, to += inner) {
      const C* const from = sums->in + (sums->first[t] - sums->base) * inner;
      const C* const w = sums->weights + t * sums->room;
      const std::int64_t n = sums->count[t];
      std::int64_t j = 0;
      if (n == 0) {
        std::fill_n(to, inner, C{0});
        continue;
      }
      for (; j + 4 * kLanes <= inner; j += 4 * kLanes) {
        const C* x = from + j;
        V a = w[0] * simd::load<Isa>(x), b = w[0] * simd::load<Isa>(x + kLanes),
          c = w[0] * simd::load<Isa>(x + 2 * kLanes), d = w[0] * simd::load<Isa>(x + 3 * kLanes);
        for (std::int64_t k = 1; k < n; ++k) {
          x += inner;
          a += w[k] * simd::load<Isa>(x);
          b += w[k] * simd::load<Isa>(x + kLanes);
          c += w[k] * simd::load<Isa>(x + 2 * kLanes);
          d += w[k] * simd::load<Isa>(x + 3 * kLanes);
        }
        simd::store(a, to + j);
        simd::store(b, to + j + kLanes);
        simd::store(c, to + j + 2 * kLanes);
        simd::store(d, to + j + 3 * kLanes);
      }
      for (; j < inner; j += kLanes) {
        const std::int64_t left = inner - j;
        V a = w[0] * load_channels<Isa>(from + j, left);
        for (std::int64_t k = 1; k < n; ++k)
          a += w[k] * load_channels<Isa>(from + j + k * inner, left);
        store_channels(a, to + j, left);
      }
    }
  }
};

/// Computes targets of an axis: out[t - begin][inner] from in[source - base][inner].
template <class C>
void sum_along(const AxisSums<C>& axis, std::int64_t begin, std::int64_t end, std::int64_t base,
               std::int64_t inner, const C* in, C* out) {
  const WeightedSums<C> sums{in,
                             out,
                             begin,
                             end,
                             base,
                             inner,
                             axis.first.data(),
                             axis.count.data(),
                             axis.weights.data(),
                             axis.room};
  on_rows<WeightedSums<C>, C>(&sums);
}

/// The same of all targets in each of `rows` rows in[row][source][inner].
template <class C>
void sum_in_rows(const AxisSums<C>& axis, std::int64_t rows, std::int64_t inner, const C* in,
                 C* out) {
  const std::int64_t from = axis.sources, to = axis.targets;
  if (inner > 1) {
    for (std::int64_t row = 0; row < rows; ++row)
      sum_along(axis, 0, to, 0, inner, in + row * from * inner, out + row * to * inner);
    return;
  }
  const HostBuffer<C> columns(from * kWidest), sums(to * kWidest);
  std::fill_n(columns.data(), from * kWidest, C{0});
  for (std::int64_t row = 0; row < rows; row += kWidest) {
    const std::int64_t n = (std::min)(kWidest, rows - row);
    transpose_tile(in + row * from, from, columns.data(), kWidest, from, n);
    sum_along(axis, 0, to, 0, kWidest, columns.data(), sums.data());
    transpose_tile(sums.data(), kWidest, out + row * to, to, n, to);
  }
}

}  // namespace amp::inline v0::kernels::host::detail

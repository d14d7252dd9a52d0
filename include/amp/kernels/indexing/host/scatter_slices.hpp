// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Scattering slices, which are long enough to be joined one by one: sorted by their places, so that
// each place is written once, from a sum that is not rounded before.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/kernels/indexing/host/indices.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host::detail {

/// The slices of the source by their places in the output: [begin[place], begin[place + 1]) of
/// `order` are those of one place, in the order of the indices.
struct SlicesByPlace {
  std::int64_t count, length;
  HostBuffer<std::int64_t> begin, order;

  explicit SlicesByPlace(const ScatterArgs& args)
      : count(args.index.sizes[args.dim]),
        length(args.output.sizes[args.dim]),
        begin(length + 1),
        order(count) {
    const HostBuffer<std::int64_t> places(count);
    std::int64_t* const ends = begin.data();
    std::fill_n(ends, length + 1, 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t value = index_at(args.index, i * args.index.strides[args.dim]);
      places[i] = place_of(value, length, args.rule.from_end);
      if (places[i] < 0) refuse_index(args.rule, args.index, length);
      ++ends[places[i] + 1];
    }
    for (std::int64_t place = 0; place < length; ++place) ends[place + 1] += ends[place];
    for (std::int64_t i = count - 1; i >= 0; --i) order[--ends[places[i] + 1]] = i;
    // Now entry p + 1 is where p begins.
    std::copy_n(ends + 1, length, ends);
    ends[length] = count;
  }
  std::int64_t of(std::int64_t place) const { return begin[place + 1] - begin[place]; }
  /// The first place of share `i` of `shares` that have equal work: places and slices.
  std::int64_t first_place(std::int64_t i, std::int64_t shares) const {
    const std::int64_t wanted = (count + length) * i / shares;
    std::int64_t low = 0;
    for (std::int64_t high = length; low < high;) {
      const std::int64_t middle = low + (high - low) / 2;
      (begin[middle] + middle < wanted) ? low = middle + 1 : high = middle;
    }
    return low;
  }
};

/// sums[i] = apply(sums[i], x[i])
template <class Function>
struct JoinSlice {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* sums, std::int64_t n) {
    std::int64_t i = 0;
    if constexpr (std::is_same_v<C, float>) {
      constexpr std::int64_t kLanes = simd::kLanes<Isa>;
      for (; i + kLanes <= n; i += kLanes)
        simd::store(Function::apply(simd::load<Isa>(sums + i), simd::load<Isa>(x + i)), sums + i);
    }
    for (; i < n; ++i) sums[i] = Function::apply(sums[i], x[i]);
  }
};

/// Elements [from, from + n) of all slices of one place of the output.
template <class C>
struct ScatterPlace {
  const ScatterArgs& args;
  const Slices& out;
  const SlicesByPlace& slices;
  C *buffer, *line;  // of n elements

  void run(std::int64_t outer, std::int64_t place, std::int64_t from, std::int64_t n) const {
    std::int64_t first = slices.begin[place];
    const std::int64_t last = slices.begin[place + 1];
    const std::int64_t to = (outer * out.length + place) * out.inner + from;
    const std::int64_t bytes = n * item_size(args.output.dtype);
    if (first == last) {
      if (args.from_zero)
        std::memset(const_cast<void*>(element(args.output, to)), 0,
                    static_cast<std::size_t>(bytes));
      return;
    }
    const auto fetched = [&](std::int64_t i, C* into) {
      return fetch(args.source, (outer * slices.count + slices.order[i]) * out.inner + from, 1, n,
                   into);
    };
    C* const sums = target(args.output, to, 1, n, buffer);
    if (args.op == ScatterOp::kCopy) first = last - 1;
    if (args.from_zero) {
      std::fill_n(sums, n, C{0});  // and added to, so that -0 becomes 0
    } else {
      const bool takes = args.op == ScatterOp::kCopy || !args.include_self;
      const C* const start = takes ? fetched(first++, line) : fetch(args.output, to, 1, n, sums);
      if (start != sums) std::copy_n(start, n, sums);
    }
    visit_scatter(args.op, [&](auto function) {
      for (std::int64_t i = first; i < last; ++i)
        on_rows<JoinSlice<decltype(function)>, C>(fetched(i, line), sums, n);
    });
    store(sums, args.output, to, 1, n);
  }
};

template <class C>
[[gnu::noinline]] void scatter_slices(const ScatterArgs& args) {
  const Slices out(args.output, args.dim);
  const SlicesByPlace slices(args);
  const std::int64_t work = (slices.count + out.length) * out.outer * out.inner;
  const std::int64_t shares =
      std::clamp(work / (16 * kBlock), std::int64_t{1}, std::int64_t{4} * num_threads());
  // A place that many slices go to is divided among the threads by columns.
  const std::int64_t many = (std::max)(slices.count / shares, std::int64_t{16});
  const auto is_hot = [&](std::int64_t place) { return shares > 1 && slices.of(place) > many; };
  parallel_for(shares, [&](std::int64_t share) {
    const HostBuffer<C> buffer(out.inner), line(out.inner);
    const ScatterPlace<C> body{args, out, slices, buffer.data(), line.data()};
    const std::int64_t end = slices.first_place(share + 1, shares);
    for (std::int64_t outer = 0; outer < out.outer; ++outer) {
      for (std::int64_t place = slices.first_place(share, shares); place < end; ++place) {
        if (!is_hot(place)) body.run(outer, place, 0, out.inner);
      }
    }
  });
  if (slices.count <= many) return;
  for (std::int64_t place = 0; place < out.length; ++place) {
    if (!is_hot(place)) continue;
    for (std::int64_t outer = 0; outer < out.outer; ++outer) {
      const std::int64_t grain = round_up(
          (std::max)(ceil_div(4 * kBlock, slices.of(place)), out.inner / (2 * num_threads())), 16);
      parallel_for(ceil_div(out.inner, grain), [&](std::int64_t part) {
        const std::int64_t from = part * grain, n = (std::min)(grain, out.inner - from);
        const HostBuffer<C> buffer(n), line(n);
        ScatterPlace<C>{args, out, slices, buffer.data(), line.data()}.run(outer, place, from, n);
      });
    }
  }
}

}  // namespace amp::inline v0::kernels::host::detail

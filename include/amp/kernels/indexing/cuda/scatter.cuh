// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// scatter() on CUDA devices. What is scattered is sorted by where it goes, stable, so that what
// goes to one place is a run. Each thread joins the elements of a tile, a few neighbours in that
// order, and writes the runs that lie in it to the output. Of a run that reaches into another tile
// it passes on what it has, to a next launch that does the same with these parts: so one place to
// which everything goes is no slower than many. There are no atomics, and the order is fixed: the
// bits are the same every time.
#pragma once

#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/indexing/formula.hpp"
#include "amp/kernels/traversal/cuda/cub_call.cuh"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"
#include "amp/kernels/traversal/strided.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

using Place = std::uint64_t;  // in the output: a slice, or an element

/// What is scattered, in pairs: where it goes, and which slice or element of the source it is; -1
/// is none.
struct IndexPairs {
  Place* places;
  std::int64_t* sources;
};

/// How pairs follow from indices.
struct Indexed {
  Strided<3> shape;  // of the index, and offsets in: the output, the index, the source
  Input index;
  std::int64_t length, step;  // along the indexed dimension
  Place end;                  // behind all places
  bool from_end;
};

template <class Int>
AMP_KERNEL void scatter_pairs_kernel(Indexed indexed, IndexPairs pairs, Int* out_of_range,
                                     std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t at[3];
    indexed.shape.locate(i, at);
    const std::int64_t place =
        place_of(load<std::int64_t>(indexed.index, at[1]), indexed.length, indexed.from_end);
    if (place < 0) store_by_many(out_of_range, 1);
    pairs.places[i] = place < 0 ? indexed.end : static_cast<Place>(at[0] + place * indexed.step);
    pairs.sources[i] = place < 0 ? -1 : at[2];
  }
}

/// Everything is NaN (0 for integers) if an index was out of range.
template <class C>
AMP_KERNEL void spoil_kernel(const std::int64_t* out_of_range, Output output, C value,
                             std::int64_t n) {
  if (*out_of_range == 0) return;
  for (std::int64_t i = first_element(); i < n; i += element_step()) store<C>(output, i, value);
}

/// The pairs of one launch, and what it reads and writes. Slices are `inner` groups of elements.
struct Tiles {
  IndexPairs pairs;
  std::int64_t n, tile;  // pairs; pairs of a tile
  std::int64_t outer, inner, length;
  Input source;
  std::int64_t source_slices;  // of each outer
  IndexPairs next;  // two of each tile: its first run and its last; null in the last launch
  void* parts;      // what these have, in the type that is computed in
  Place end;
  bool starts;  // with what is in the output
  Divider by_inner, by_tiles;

  AMP_HOST_DEVICE std::int64_t tiles() const { return (n + tile - 1) / tile; }
};

/// Joins runs in tiles, `Width` neighbours of each slice in a thread.
template <class Function, class C, int Width>
AMP_KERNEL void scatter_tiles_kernel(Tiles t, Output output, std::int64_t count) {
  for (std::int64_t i = first_element(); i < count; i += element_step()) {
    std::int64_t outer = i;
    const std::int64_t inside = t.by_inner.take_remainder(outer);
    const std::int64_t tile = t.by_tiles.take_remainder(outer);
    const std::int64_t begin = tile * t.tile, left = t.n - begin;
    const std::int64_t end = begin + (left < t.tile ? left : t.tile);
    const bool writes = inside == 0 && outer == 0 && t.next.places != nullptr;
    Place place = t.pairs.places[begin];
    if (writes) {  // the first run and the last; without parts until they are written
      t.next.places[2 * tile] = place;
      t.next.places[2 * tile + 1] = t.pairs.places[end - 1];
      t.next.sources[2 * tile] = t.next.sources[2 * tile + 1] = -1;
    }
    C sums[Width], values[Width];
    for (std::int64_t k = begin; k < end;) {
      place = t.pairs.places[k];
      const bool is_first = k == begin;
      const bool begins = k == 0 || t.pairs.places[k - 1] != place;
      const std::int64_t to =
          ((outer * t.length + static_cast<std::int64_t>(place)) * t.inner + inside) * Width;
      bool filled = t.starts && begins && place != t.end;
      if (filled) load_some(output.data, output.dtype, to, sums);
      for (; k < end && t.pairs.places[k] == place; ++k) {
        const std::int64_t from = t.pairs.sources[k];
        if (from < 0) continue;
        if (t.source.immediate) {
          for (C& value : values) value = immediate<C>(t.source);
        } else {
          load_some(t.source.data, t.source.dtype,
                    ((outer * t.source_slices + from) * t.inner + inside) * Width, values);
        }
        AMP_UNROLL
        for (int l = 0; l < Width; ++l)
          sums[l] = filled ? Function::apply(sums[l], values[l]) : values[l];
        filled = true;
      }
      if (!filled) continue;
      if (begins && (k == t.n || t.pairs.places[k] != place)) {
        store_some(output.data, output.dtype, to, sums);
      } else if (t.next.places != nullptr) {
        const std::int64_t slot = 2 * tile + (is_first ? 0 : 1);
        if (writes) t.next.sources[slot] = slot;
        AMP_UNROLL
        for (int l = 0; l < Width; ++l)
          static_cast<C*>(
              t.parts)[((outer * 2 * t.tiles() + slot) * t.inner + inside) * Width + l] = sums[l];
      }
    }
  }
}

/// Sorts pairs by place, and leaves those of one place in their order.
inline void sort_pairs(Device device, const IndexPairs& from, const IndexPairs& to, std::int64_t n,
                       Place end) {
  const int bits = static_cast<int>(std::bit_width(end));
  cub_call(device, [&](void* storage, std::size_t& bytes, auto stream) {
    return cub::DeviceRadixSort::SortPairs(storage, bytes, from.places, to.places, from.sources,
                                           to.sources, n, 0, bits, stream);
  });
}

/// Scatters sorted pairs, by as many launches as runs are long.
template <class Function, class C>
void scatter_tiles(Device device, Tiles tiles, const Output& output, bool by_vector) {
  constexpr std::int64_t kTile = 32;
  const std::int64_t most = 2 * ceil_div(tiles.n, kTile);  // parts of a launch
  const std::int64_t width = by_vector ? kVector : 1;
  const bool levels = tiles.tile == kTile && tiles.n > kTile;
  // Two of each: a launch reads those of the one before.
  const Scratch<Place> places(device, levels ? 2 * most : 0);
  const Scratch<std::int64_t> sources(device, levels ? 2 * most : 0);
  const Scratch<C> parts(device, levels ? 2 * most * tiles.outer * tiles.inner * width : 0);
  for (std::int64_t level = 0;; ++level) {
    const std::int64_t count = tiles.tiles();
    const bool last = !levels || count == 1;
    const std::int64_t at = level % 2 * most;
    tiles.next =
        last ? IndexPairs{nullptr, nullptr} : IndexPairs{places.data() + at, sources.data() + at};
    C* const written = last ? nullptr : parts.data() + at * tiles.outer * tiles.inner * width;
    tiles.parts = written;
    tiles.by_tiles = Divider(count);
    const std::int64_t work = tiles.outer * count * tiles.inner;
    launch(device, grid_for(work), kThreads,
           by_vector ? scatter_tiles_kernel<Function, C, kVector>
                     : scatter_tiles_kernel<Function, C, 1>,
           tiles, output, work);
    if (last) return;
    tiles.pairs = tiles.next;
    tiles.n = 2 * count;
    tiles.source_slices = 2 * count;
    tiles.source.data = written;
    tiles.source.dtype = dtype_of<C>;
    tiles.source.immediate = false;
    tiles.starts = false;
  }
}

}  // namespace detail

inline void scatter(const ScatterArgs& args) {
  const Operand &index = args.index, &output = args.output;
  const std::int64_t numel = output.numel();
  if (numel == 0) return;
  const Device device = output.device;
  if (args.from_zero) fill({output, 0});
  if (index.numel() == 0) return;
  const bool slices = by_slices(args);
  const Slices out(output, args.dim);
  const std::int64_t n = slices ? index.sizes[args.dim] : index.numel();
  const auto line = [&](std::int64_t stride) {
    return Operand::array(nullptr, kInt64, {n}, {stride});
  };
  const Operand none = line(0), each = line(1), places = line(index.strides[args.dim]);
  const Operand to = without_dim(output, index, args.dim);
  const detail::Indexed indexed{.shape = slices
                                             ? Strided<3>::over(each, {&none, &places, &each})
                                             : Strided<3>::over(index, {&to, &index, &args.source}),
                                .index = index,
                                .length = out.length,
                                .step = slices ? 1 : output.strides[args.dim],
                                .end = static_cast<detail::Place>(slices ? out.length : numel),
                                .from_end = args.rule.from_end};
  const Scratch<std::int64_t> out_of_range(device, 1);
  fill({Operand::array(out_of_range.data(), kInt64, {1}, {1}, device), 0});
  const Scratch<detail::Place> all_places(device, 2 * n);
  const Scratch<std::int64_t> all_sources(device, 2 * n);
  const detail::IndexPairs pairs{all_places.data(), all_sources.data()};
  launch(device, grid_for(n), kThreads, detail::scatter_pairs_kernel<std::int64_t>, indexed, pairs,
         out_of_range.data(), n);
  // Lines of one index each have nothing to sort.
  const bool apart = index.sizes[args.dim] == 1;
  const detail::IndexPairs sorted{all_places.data() + n, all_sources.data() + n};
  if (!apart) detail::sort_pairs(device, pairs, sorted, n, indexed.end);
  const std::int64_t inner = slices ? out.inner : 1;
  const auto fits = [](const Operand& x) { return is_aligned_for_vectors(x.data, x.dtype); };
  const bool by_vector = inner % kVector == 0 && fits(args.source) && fits(output);
  const std::int64_t groups = by_vector ? inner / kVector : inner;
  const detail::Tiles tiles{.pairs = apart ? pairs : sorted,
                            .n = n,
                            .tile = apart ? 1 : 32,
                            .outer = slices ? out.outer : 1,
                            .inner = groups,
                            .length = out.length,
                            .source = args.source,
                            .source_slices = n,
                            .next = {},
                            .parts = nullptr,
                            .end = indexed.end,
                            .starts = args.include_self,
                            .by_inner = Divider(groups),
                            .by_tiles = {}};
  visit_compute_type(output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_scatter(args.op, [&](auto function) {
      detail::scatter_tiles<decltype(function), C>(device, tiles, output, by_vector);
    });
    C spoilt{};
    if constexpr (std::numeric_limits<C>::has_quiet_NaN)
      spoilt = std::numeric_limits<C>::quiet_NaN();
    constexpr std::int64_t kFew = 1024;  // blocks, since there is seldom anything to do
    launch(device, (std::min)(kFew, grid_for(numel)), kThreads, detail::spoil_kernel<C>,
           out_of_range.data(), output, spoilt, numel);
  });
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// index_select() and index_add() on CUDA devices.
//
// Kernels cannot throw: an index out of range selects NaN (integers: 0), and index_add() gives only
// NaN if an index is out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/indexing/args.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/pieces.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Slices that a thread processes some elements at a time; `inner` counts groups of these.
struct Indexed : Slices {
  Input index;
  std::int64_t count, stride;  // of the index
  Divider by_inner, by_count, by_length;

  Indexed(const Operand& array, int dim, const Operand& indices)
      : Slices(array, dim), index(indices), count(indices.sizes[0]), stride(indices.strides[0]) {
    take(1);
    by_count = Divider(count);
    by_length = Divider(length);
  }
  /// Makes `elements` of the slices count as one from now on.
  void take(std::int64_t elements) {
    inner /= elements;
    by_inner = Divider(inner);
  }
  __device__ std::int64_t at(std::int64_t i) const { return load<std::int64_t>(index, i * stride); }
  __device__ bool in_range(std::int64_t value) const { return value >= 0 && value < length; }
};

template <class Word>
AMP_KERNEL void index_select_kernel(Indexed indexed, const Word* input, Word* output,
                                    Word missing) {
  const std::int64_t n = indexed.outer * indexed.count * indexed.inner;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t outer = i;
    const std::int64_t inside = indexed.by_inner.take_remainder(outer);
    const std::int64_t from = indexed.at(indexed.by_count.take_remainder(outer));
    const std::int64_t row = outer * indexed.length + from;
    const bool exists = indexed.in_range(from);
    store_word(output + i, exists ? load_word(input + row * indexed.inner + inside) : missing);
  }
}

/// The positions of each value of an index, in order: the first one, then from each the next, -1 at
/// the end. index_add() adds in this order.
template <class Place>
struct Occurrences {
  Place *first, *next;
  Place* last;          // of each value, among the positions linked so far
  Place* out_of_range;  // not -1 if an index is out of range
};

template <class Place>
AMP_KERNEL void forget_occurrences_kernel(Place* lists, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) lists[i] = Place{-1};
}

/// Positions whose occurrences a block links by comparing each with each.
inline constexpr int kTilePlaces = 4;  // of a thread
inline constexpr std::int64_t kTile = kTilePlaces * std::int64_t{kThreads};

/// What Occurrences::next holds between the two kernels that link a tile: the next position, and
/// for the first one of a value in its tile the same as a number below -1.
template <class Place>
__device__ __forceinline__ Place as_first(Place next) {
  return -3 - next;  // -1, the end, becomes -2
}

/// Links the occurrences within each tile. A block processes one tile at a time.
template <class Place>
AMP_KERNEL void link_in_tiles_kernel(Indexed indexed, Occurrences<Place> occurrences) {
  __shared__ std::int64_t values[kTile];
  const std::int64_t tiles = (indexed.count + kTile - 1) / kTile;
  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t begin = tile * kTile, left = indexed.count - begin;
    const int count = static_cast<int>(left < kTile ? left : kTile);
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads)
      values[i] = indexed.at(begin + i);
    __syncthreads();
    for (int i = static_cast<int>(threadIdx.x); i < count; i += kThreads) {
      const std::int64_t value = values[i];
      if (!indexed.in_range(value)) {
        store_by_many(occurrences.out_of_range, 0);
        continue;
      }
      int next = i + 1, before = i - 1;
      while (next < count && values[next] != value) ++next;
      while (before >= 0 && values[before] != value) --before;
      const Place link = next < count ? begin + next : -1;
      occurrences.next[begin + i] = before < 0 ? as_first(link) : link;
    }
    __syncthreads();
  }
}

/// Links each tile to those before it, one tile after the other, in one block.
template <class Place>
AMP_KERNEL void link_tiles_kernel(Indexed indexed, Occurrences<Place> occurrences) {
  for (std::int64_t begin = 0; begin < indexed.count; begin += kTile) {
    std::int64_t values[kTilePlaces];
    bool is_last[kTilePlaces];
    AMP_UNROLL
    for (int p = 0; p < kTilePlaces; ++p) {
      const std::int64_t i = begin + p * std::int64_t{kThreads} + threadIdx.x;
      is_last[p] = false;
      if (i >= indexed.count) continue;
      values[p] = indexed.at(i);
      if (!indexed.in_range(values[p])) continue;
      Place link = occurrences.next[i];
      if (link < -1) {
        link = as_first(link);
        occurrences.next[i] = link;
        const Place before = occurrences.last[values[p]];
        (before < 0 ? occurrences.first[values[p]] : occurrences.next[before]) = i;
      }
      is_last[p] = link < 0;
    }
    __syncthreads();
    AMP_UNROLL
    for (int p = 0; p < kTilePlaces; ++p) {
      if (is_last[p])
        occurrences.last[values[p]] = begin + p * std::int64_t{kThreads} + threadIdx.x;
    }
    __syncthreads();
  }
}

/// Adds `Width` neighbours at a time.
template <class C, int Width, class Place>
AMP_KERNEL void index_add_kernel(Indexed indexed, Occurrences<Place> occurrences, Input source,
                                 Output output, C not_a_number, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    std::int64_t outer = i;
    const std::int64_t inside = indexed.by_inner.take_remainder(outer);
    const std::int64_t value = indexed.by_length.take_remainder(outer);
    C sums[Width], values[Width];
    for (C& sum : sums) sum = *occurrences.out_of_range < 0 ? C{0} : not_a_number;
    for (std::int64_t k = occurrences.first[value]; k >= 0; k = occurrences.next[k]) {
      const std::int64_t slice = outer * indexed.count + k;
      cuda::load_some(source.data, source.dtype, (slice * indexed.inner + inside) * Width, values);
      for (int l = 0; l < Width; ++l) sums[l] += values[l];
    }
    cuda::store_some(output.data, output.dtype, i * Width, sums);
  }
}

}  // namespace detail

inline void index_select(const IndexSelectArgs& args) {
  detail::Indexed indexed(args.input, args.dim, args.index);
  unsigned char bytes[sizeof(uint4)] = {};
  visit_dtype(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
      const auto missing = convert_one<T>(std::numeric_limits<float>::quiet_NaN());
      for (std::size_t at = 0; at < sizeof bytes; at += sizeof missing)
        std::memcpy(bytes + at, &missing, sizeof missing);
    }
  });
  const auto run = [&](auto word) {
    using Word = decltype(word);
    std::memcpy(&word, bytes, sizeof word);
    const auto size = static_cast<std::int64_t>(sizeof word) / item_size(args.input.dtype);
    indexed.take(size);
    launch(args.output.device, grid_for(args.output.numel() / size), kThreads,
           detail::index_select_kernel<Word>, indexed, args.input.as<const Word>(),
           args.output.as<Word>(), word);
  };
  const auto fits = [](const Operand& x) {
    return reinterpret_cast<std::uintptr_t>(x.data) % 16 == 0;
  };
  if (indexed.inner * item_size(args.input.dtype) % 16 == 0 && fits(args.input) &&
      fits(args.output))
    return run(uint4{});
  visit_bits(args.input.dtype, [&](auto tag) { run(typename decltype(tag)::type{}); });
}

/// Sums in float32 (float64), in the order of the indices, and rounds once. It uses no atomics, so
/// it gives the same bits every time.
inline void index_add(const IndexAddArgs& args) {
  detail::Indexed indexed(args.output, args.dim, args.index);
  const std::int64_t total = args.output.numel();
  if (total == 0) return;
  const Device device = args.output.device;
  const std::int64_t lists = 2 * indexed.length + 1;
  using Place = std::int64_t;
  const Scratch<Place> scratch(device, lists + indexed.count);
  Place* const first = scratch.data();
  const detail::Occurrences<Place> occurrences{.first = first,
                                               .next = first + lists,
                                               .last = first + indexed.length,
                                               .out_of_range = first + 2 * indexed.length};
  launch(device, grid_for(lists), kThreads, detail::forget_occurrences_kernel<Place>, first, lists);
  launch(device, grid_for(indexed.count, static_cast<unsigned>(detail::kTile)), kThreads,
         detail::link_in_tiles_kernel<Place>, indexed, occurrences);
  launch(device, 1, kThreads, detail::link_tiles_kernel<Place>, indexed, occurrences);
  const auto fits = [](const Operand& x) { return is_aligned_for_vectors(x.data, x.dtype); };
  const bool by_vector = indexed.inner % kVector == 0 && fits(args.source) && fits(args.output);
  if (by_vector) indexed.take(kVector);
  const std::int64_t n = by_vector ? total / kVector : total;
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(device, grid_for(n), kThreads,
           by_vector ? detail::index_add_kernel<C, kVector, Place>
                     : detail::index_add_kernel<C, 1, Place>,
           indexed, occurrences, args.source, args.output, std::numeric_limits<C>::quiet_NaN(), n);
  });
}

}  // namespace amp::inline v0::kernels::cuda

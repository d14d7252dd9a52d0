// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Slices by index, and their adjoint.
//
// Nobody can throw here: what an index out of range selects is NaN (integers: 0), and added slices
// are all NaN where one of their indices is out of range.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// An array as slices [outer, length, inner], to be indexed in the middle.
struct Indexed {
  std::int64_t outer = 1, length, inner = 1;
  Input index;
  std::int64_t count, stride;  // of the index

  Indexed(const Operand& array, int dim, const Operand& indices)
      : length(array.sizes[dim]),
        index(indices),
        count(indices.sizes[0]),
        stride(indices.strides[0]) {
    for (int d = 0; d < dim; ++d) outer *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) inner *= array.sizes[d];
  }
  __device__ std::int64_t at(std::int64_t i) const { return load<std::int64_t>(index, i * stride); }
  __device__ bool in_range(std::int64_t value) const { return value >= 0 && value < length; }
};

template <class Word>
AMP_KERNEL void index_select_kernel(Indexed indexed, const Word* input, Word* output,
                                    Word missing) {
  const std::int64_t n = indexed.outer * indexed.count * indexed.inner;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t slice = i / indexed.inner;
    const std::int64_t from = indexed.at(slice % indexed.count);
    const std::int64_t row = slice / indexed.count * indexed.length + from;
    output[i] = indexed.in_range(from) ? input[row * indexed.inner + i % indexed.inner] : missing;
  }
}

/// For each value of an index the positions where it occurs, in order: the first, then from each
/// the next, -1 at the end. What is added comes in this order.
template <class Place>
struct Occurrences {
  Place *first, *next;
  Place* out_of_range;  // not -1 where an index is
};

template <class Place>
AMP_KERNEL void forget_occurrences_kernel(Place* lists, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) lists[i] = Place{-1};
}

/// Each position looks for the one before and the one after it itself.
template <class Place>
AMP_KERNEL void find_occurrences_kernel(Indexed indexed, Occurrences<Place> occurrences) {
  for (std::int64_t i = first_element(); i < indexed.count; i += element_step()) {
    const std::int64_t value = indexed.at(i);
    if (!indexed.in_range(value)) {
      *occurrences.out_of_range = 0;  // whoever writes, writes the same
      continue;
    }
    std::int64_t next = i + 1, before = i - 1;
    while (next < indexed.count && indexed.at(next) != value) ++next;
    occurrences.next[i] = next < indexed.count ? next : -1;
    while (before >= 0 && indexed.at(before) != value) --before;
    if (before < 0) occurrences.first[value] = i;
  }
}

template <class C, class Place>
AMP_KERNEL void index_add_kernel(Indexed indexed, Occurrences<Place> occurrences, Input source,
                                 Output output, C not_a_number) {
  const std::int64_t n = indexed.outer * indexed.length * indexed.inner;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t slice = i / indexed.inner;
    const std::int64_t begin = slice / indexed.length * indexed.count;
    C sum = *occurrences.out_of_range < 0 ? C{0} : not_a_number;
    for (std::int64_t k = occurrences.first[slice % indexed.length]; k >= 0;
         k = occurrences.next[k])
      sum += load<C>(source, (begin + k) * indexed.inner + i % indexed.inner);
    store<C>(output, i, sum);
  }
}

}  // namespace detail

inline void index_select(const IndexSelectArgs& args) {
  const detail::Indexed indexed(args.input, args.dim, args.index);
  unsigned char bytes[sizeof(std::uint64_t)] = {};
  visit_dtype(args.input.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_floating_point_v<T> || is_small_float<T>) {
      const auto missing = convert_one<T>(std::numeric_limits<float>::quiet_NaN());
      std::memcpy(bytes, &missing, sizeof missing);
    }
  });
  visit_bits(args.input.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    Word missing;
    std::memcpy(&missing, bytes, sizeof missing);
    launch(args.output.device, grid_for(args.output.numel()), kThreads,
           detail::index_select_kernel<Word>, indexed, args.input.as<const Word>(),
           args.output.as<Word>(), missing);
  });
}

/// Sums in float32 (float64), in the order of the indices, and rounds once: no atomics, and the
/// same bits every time.
inline void index_add(const IndexAddArgs& args) {
  const detail::Indexed indexed(args.output, args.dim, args.index);
  const std::int64_t total = args.output.numel();
  if (total == 0) return;
  const Device device = args.output.device;
  const std::int64_t lists = indexed.length + 1;
  using Place = std::int64_t;
  const Scratch<Place> scratch(device, lists + indexed.count);
  Place* const first = scratch.data();
  const detail::Occurrences<Place> occurrences{first, first + lists, first + indexed.length};
  launch(device, grid_for(lists), kThreads, detail::forget_occurrences_kernel<Place>, first, lists);
  launch(device, grid_for(indexed.count), kThreads, detail::find_occurrences_kernel<Place>, indexed,
         occurrences);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(device, grid_for(total), kThreads, detail::index_add_kernel<C, Place>, indexed,
           occurrences, args.source, args.output, std::numeric_limits<C>::quiet_NaN());
  });
}

}  // namespace amp::inline v0::kernels::cuda

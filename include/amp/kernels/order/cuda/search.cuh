// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Elements put at places, runs, searches and counts on CUDA devices.
#pragma once

#include <cstdint>

#include "amp/kernels/compute_type.hpp"
#include "amp/kernels/elementwise/cuda.cuh"
#include "amp/kernels/order/args.hpp"
#include "amp/kernels/order/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/search.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

template <class Word>
AMP_KERNEL void put_kernel(Lines from, Lines to, const Word* source, const std::int64_t* indices,
                           Word* output, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    // Neighbours in memory, of lines that lie side by side, are neighbours here.
    const std::int64_t outer = i / (from.length * from.stride), inner = i % from.stride;
    output[to.start(outer, inner) + to.at(indices[i])] = source[i];
  }
}

template <class Index>
AMP_KERNEL void begin_runs_kernel(const Index* runs, Index* begins, std::int64_t n,
                                  std::int64_t count) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    if (i == 0 || runs[i] != runs[i - 1]) begins[runs[i]] = i;
    if (i == 0) begins[count] = n;
  }
}

/// Boundaries of any dtype as an array of C.
template <class C>
struct Boundaries {
  Input array;
  std::int64_t begin;

  __device__ C operator[](std::int64_t i) const { return load<C>(array, begin + i); }
};
template <class C>
AMP_KERNEL void search_kernel(Input boundaries, std::int64_t length, Input values,
                              std::int64_t of_line, bool right, std::int64_t* output,
                              std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const Boundaries<C> line{boundaries, i / of_line * length};
    output[i] = search_boundaries(line, length, load<C>(values, i), right);
  }
}

using Count = unsigned long long;  // that atomicAdd takes

template <class C>
AMP_KERNEL void count_kernel(Input input, Input low, Input high, std::int64_t bins, Count* counts,
                             std::int64_t n) {
  const Bins<C> bin(load<C>(low, 0), load<C>(high, 0), bins);
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t b = bin(load<C>(input, i));
    if (b >= 0) atomicAdd(counts + b, Count{1});
  }
}
template <class C>
AMP_KERNEL void write_counts_kernel(const Count* counts, Output output, std::int64_t n) {
  for (std::int64_t i = first_element(); i < n; i += element_step())
    store(output, i, static_cast<C>(counts[i]));
}

}  // namespace detail

inline void put(const PutArgs& args) {
  const Lines from(args.source, args.dim), to(args.output, args.dim);
  const Device device = args.output.device;
  const std::int64_t n = args.source.numel();
  fill({args.output, 0});
  visit_bits(args.output.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    launch(device, grid_for(n), kThreads, detail::put_kernel<Word>, from, to,
           args.source.as<const Word>(), args.indices.as<const std::int64_t>(),
           args.output.as<Word>(), n);
  });
}

inline void begin_runs(const RunsArgs& args) {
  const std::int64_t n = args.runs.numel();
  launch(args.runs.device, grid_for(n), kThreads, detail::begin_runs_kernel<std::int64_t>,
         args.runs.as<const std::int64_t>(), args.begins.as<std::int64_t>(), n,
         args.begins.numel() - 1);
}

inline void search(const SearchArgs& args) {
  const std::int64_t n = args.values.numel();
  const std::int64_t length = args.boundaries.sizes[args.boundaries.dims - 1];
  const std::int64_t of_line =
      args.boundaries.dims == 1 ? n : args.values.sizes[args.values.dims - 1];
  visit_compute_type(args.values.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.values.device, grid_for(n), kThreads, detail::search_kernel<C>, args.boundaries,
           length, args.values, of_line, args.right, args.output.as<std::int64_t>(), n);
  });
}

/// Counts by atomics of integers, so that the order of additions does not matter.
inline void count_in_bins(const CountArgs& args) {
  const std::int64_t n = args.input.numel(), bins = args.output.numel();
  const Device device = args.input.device;
  const Scratch<detail::Count> counts(device, bins);
  fill({Operand::array(counts.data(), kInt64, {bins}, {1}, device), 0});
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(device, grid_for(n), kThreads, detail::count_kernel<C>, args.input, args.low, args.high,
           bins, counts.data(), n);
    launch(device, grid_for(bins), kThreads, detail::write_counts_kernel<C>, counts.data(),
           args.output, bins);
  });
}

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Maxima and minima over one dimension, with their positions.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/lines.cuh"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// An element of a line, and where it is.
template <class C>
struct Candidate {
  C value;
  std::int64_t at;
};

/// The larger (smaller) of two, NaN before all numbers; the first of equal ones.
template <bool Largest, class C>
__device__ Candidate<C> better(Candidate<C> a, Candidate<C> b) {
  const bool a_is_nan = is_nan(a.value), b_is_nan = is_nan(b.value);
  bool takes_a = a.at < b.at;
  if (a_is_nan != b_is_nan) {
    takes_a = a_is_nan;
  } else if (!a_is_nan && a.value != b.value) {
    takes_a = Largest ? a.value > b.value : a.value < b.value;
  }
  return takes_a ? a : b;
}

/// As block_reduce, for pairs.
template <bool Largest, class C>
__device__ Candidate<C> block_best(Candidate<C> best) {
  __shared__ C values[32];
  __shared__ std::int64_t places[32];
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    const C value = __shfl_xor_sync(~0u, best.value, lanes);
    const std::int64_t at = __shfl_xor_sync(~0u, best.at, lanes);
    best = better<Largest>(best, Candidate<C>{value, at});
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) {
    values[threadIdx.x / 32] = best.value;
    places[threadIdx.x / 32] = best.at;
  }
  __syncthreads();
  for (unsigned w = 0; w < blockDim.x / 32; ++w)
    best = better<Largest>(best, Candidate<C>{values[w], places[w]});
  return best;
}

/// The bits of an element, so that a NaN keeps its payload.
__device__ inline void move_element(const void* from, std::int64_t i, void* to, std::int64_t j,
                                    int size) {
  switch (size) {
    case 1:
      static_cast<std::uint8_t*>(to)[j] = static_cast<const std::uint8_t*>(from)[i];
      break;
    case 2:
      static_cast<std::uint16_t*>(to)[j] = static_cast<const std::uint16_t*>(from)[i];
      break;
    case 4:
      static_cast<std::uint32_t*>(to)[j] = static_cast<const std::uint32_t*>(from)[i];
      break;
    default:
      static_cast<std::uint64_t*>(to)[j] = static_cast<const std::uint64_t*>(from)[i];
  }
}

/// `values` may be null.
template <bool Largest, class Team, class C>
AMP_KERNEL void extremum_kernel(Lines lines, Input x, void* values, std::int64_t* indices,
                                int size) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    Candidate<C> best{load<C>(x, start), 0};  // for the threads that get no element too
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step())
      best = better<Largest>(best, Candidate<C>{load<C>(x, start + i * lines.stride), i});
    if constexpr (Team::kIsBlock) best = block_best<Largest>(best);
    if (!Team::is_leader()) continue;
    indices[line] = best.at;
    if (values != nullptr) move_element(x.data, start + best.at * lines.stride, values, line, size);
  }
}

template <bool Largest>
void extremum(const ExtremumArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_compute_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_team(lines, [&](auto team, std::int64_t blocks) {
      launch(args.input.device, blocks, kThreads, extremum_kernel<Largest, decltype(team), C>,
             lines, args.input, args.values.present ? args.values.data : nullptr,
             args.indices.as<std::int64_t>(), static_cast<int>(item_size(args.input.dtype)));
    });
  });
}

template <class Word>
AMP_KERNEL void extremum_backward_kernel(Lines lines, const Word* grad_output,
                                         const std::int64_t* indices, Word* grad_input) {
  const std::int64_t n = lines.count * lines.length;
  for (std::int64_t i = first_element(); i < n; i += element_step()) {
    const std::int64_t row = i / lines.stride;
    const std::int64_t line = row / lines.length * lines.stride + i % lines.stride;
    grad_input[i] = row % lines.length == indices[line] ? grad_output[line] : Word{0};
  }
}

}  // namespace detail

inline void(max)(const ExtremumArgs& args) { detail::extremum<true>(args); }
inline void(min)(const ExtremumArgs& args) { detail::extremum<false>(args); }

inline void extremum_backward(const ExtremumBackwardArgs& args) {
  const Lines lines(args.grad_input, args.dim);
  visit_bits(args.grad_input.dtype, [&](auto tag) {
    using Word = typename decltype(tag)::type;
    launch(args.grad_input.device, grid_for(lines.count * lines.length), kThreads,
           detail::extremum_backward_kernel<Word>, lines, args.grad_output.as<const Word>(),
           args.indices.as<const std::int64_t>(), args.grad_input.as<Word>());
  });
}

}  // namespace amp::inline v0::kernels::cuda

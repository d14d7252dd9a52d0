// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// random(), dropout() and store_rng_state() on CUDA devices. Element i takes word i % 4 of the
// Philox block i / 4 of its range, on every device and for any number of threads. A thread
// processes two blocks, a vector, or one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/traversal/cuda/vectors.cuh"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// Processes whole vectors, each of two blocks, then the remaining blocks.
template <class C>
AMP_KERNEL void random_kernel(Output output, Draw draw, RandomRange range, std::int64_t vectors,
                              std::int64_t n) {
  for (std::int64_t v = first_element(); v < vectors; v += element_step()) {
    C values[kVector];
    AMP_UNROLL
    for (int b = 0; b < 2; ++b)
      draw(range.block(static_cast<std::uint64_t>(2 * v + b)), values + 4 * b);
    store_vector(output.data, output.dtype, v * kVector, values);
  }
  for (std::int64_t block = 2 * vectors + first_element(); 4 * block < n; block += element_step()) {
    C values[4];
    draw(range.block(static_cast<std::uint64_t>(block)), values);
    for (int l = 0; l < 4 && 4 * block + l < n; ++l) store<C>(output, 4 * block + l, values[l]);
  }
}

template <class Word>
AMP_KERNEL void store_kernel(Word* to, Word value) {
  if (threadIdx.x == 0) *to = value;
}

template <class C>
AMP_KERNEL void dropout_kernel(Input x, Input residual, Output y, Dropout<C> dropout,
                               RandomRange range, std::int64_t vectors, std::int64_t n) {
  for (std::int64_t v = first_element(); v < vectors; v += element_step()) {
    C values[kVector], added[kVector] = {};
    load_vector<C>(x.data, x.dtype, v * kVector, values);
    if (dropout.adds) load_vector<C>(residual.data, residual.dtype, v * kVector, added);
    AMP_UNROLL
    for (int b = 0; b < 2; ++b) {
      const PhiloxBlock bits = range.block(static_cast<std::uint64_t>(2 * v + b));
      for (int l = 0; l < 4; ++l)
        values[4 * b + l] = dropout(bits.word[l], values[4 * b + l], added[4 * b + l]);
    }
    store_vector(y.data, y.dtype, v * kVector, values);
  }
  for (std::int64_t block = 2 * vectors + first_element(); 4 * block < n; block += element_step()) {
    const PhiloxBlock bits = range.block(static_cast<std::uint64_t>(block));
    for (int l = 0; l < 4 && 4 * block + l < n; ++l) {
      const std::int64_t i = 4 * block + l;
      store<C>(y, i,
               dropout(bits.word[l], load<C>(x, i), dropout.adds ? load<C>(residual, i) : C{0}));
    }
  }
}

/// Returns how many whole vectors the dense arrays have.
template <class... Operands>
std::int64_t whole_vectors(std::int64_t n, const Operands&... arrays) {
  const bool aligned =
      ((!arrays.present || is_aligned_for_vectors(arrays.data, arrays.dtype)) && ...);
  return aligned ? n / kVector : 0;
}
/// Returns the grid for whole vectors, and for the remaining blocks of four numbers.
inline std::int64_t blocks_for(std::int64_t vectors, std::int64_t n) {
  return grid_for((std::max)(vectors, ceil_div(n - vectors * kVector, 4)));
}

}  // namespace detail

/// The output must be contiguous. Uniform numbers have the same bits as on the host. Normal numbers
/// differ by the rounding of the device's log, cos and sin.
inline void random(const RandomArgs& args) {
  const std::int64_t n = args.output.numel();
  const std::int64_t vectors = detail::whole_vectors(n, args.output);
  launch(args.output.device, detail::blocks_for(vectors, n), kThreads, detail::random_kernel<float>,
         args.output, Draw(args), args.range, vectors, n);
}

inline void store_rng_state(Device device, RngState* to, RngState value) {
  launch(device, 1, 32, detail::store_kernel<RngState>, to, value);
}

/// The backward pass is the same function of the gradient: no mask is stored.
inline void dropout(const DropoutArgs& args) {
  const std::int64_t n = args.input.numel();
  const std::int64_t vectors = detail::whole_vectors(n, args.input, args.residual, args.output);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.output.device, detail::blocks_for(vectors, n), kThreads, detail::dropout_kernel<C>,
           args.input, args.residual, args.output, Dropout<C>(args), args.range, vectors, n);
  });
}

}  // namespace amp::inline v0::kernels::cuda

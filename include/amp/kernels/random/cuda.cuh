// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// random(), its relatives, dropout() and store_rng_state() on CUDA devices. Element i takes word
// i % 4 of the Philox block i / 4 of its range, on every device and for any number of threads. A
// thread processes two blocks, a vector, or one.
#pragma once

#include <algorithm>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/kernels/random/args.hpp"
#include "amp/kernels/random/formula.hpp"
#include "amp/kernels/traversal/cuda/elements.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"
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

template <class T>
AMP_KERNEL void randint_kernel(Output output, T low, std::uint64_t span, RandomRange range,
                               std::int64_t n) {
  for (std::int64_t block = first_element(); 2 * block < n; block += element_step()) {
    const PhiloxBlock bits = range.block(static_cast<std::uint64_t>(block));
    for (int l = 0; l < 2 && 2 * block + l < n; ++l)
      store<T>(output, 2 * block + l,
               random_integer(random_bits(bits, static_cast<std::uint64_t>(l)), low, span));
  }
}

/// Puts each index to the place that its random number has among all, tile by tile of these.
template <class T>
AMP_KERNEL void sorted_permutation_kernel(T* order, RandomRange range, std::int64_t n) {
  __shared__ std::uint64_t keys[kThreads];
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  const auto key = [&](std::int64_t of) {
    return sort_key(random_bits(range, static_cast<std::uint64_t>(of)), of);
  };
  const std::uint64_t own = key(i);
  std::int64_t place = 0;
  for (std::int64_t begin = 0; begin < n; begin += kThreads) {
    keys[threadIdx.x] = key(begin + threadIdx.x);
    __syncthreads();
    for (std::int64_t l = 0; l < kThreads && begin + l < n; ++l) place += keys[l] < own ? 1 : 0;
    __syncthreads();
  }
  if (i < n) order[place] = i;
}
template <class T>
AMP_KERNEL void permutation_kernel(T* order, RandomRange range, std::int64_t n) {
  const Permutation permutation(n, range);
  for (std::int64_t i = first_element(); i < n; i += element_step()) order[i] = permutation.at(i);
}

/// What the threads of a block agree on: the first of their arrivals behind another one.
struct Arrival {
  double time;
  std::int64_t index;

  __device__ bool is_before(const Arrival& other) const {
    return time < other.time || (time == other.time && index < other.index);
  }
};
/// Samples without replacement. A block takes a row: it finds the first arrival, then the next one,
/// and so on.
template <class T>
AMP_KERNEL void first_arrivals_kernel(Input weights, T* samples, RandomRange range,
                                      std::int64_t rows, std::int64_t n, std::int64_t k) {
  __shared__ double times[kThreads];
  __shared__ std::int64_t indices[kThreads];
  for (std::int64_t row = blockIdx.x; row < rows; row += gridDim.x) {
    Arrival before{-1, -1};
    for (std::int64_t s = 0; s < k; ++s) {
      Arrival first{0, n};  // none
      for (std::int64_t i = threadIdx.x; i < n; i += kThreads) {
        const auto word = static_cast<std::uint64_t>(row * n + i);
        const Arrival own{
            arrival(range.block(word / 4).word[word % 4], load<double>(weights, row * n + i)), i};
        if (before.is_before(own) && (first.index == n || own.is_before(first))) first = own;
      }
      times[threadIdx.x] = first.time;
      indices[threadIdx.x] = first.index;
      __syncthreads();
      for (unsigned half = kThreads / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
          const Arrival own{times[threadIdx.x], indices[threadIdx.x]};
          const Arrival other{times[threadIdx.x + half], indices[threadIdx.x + half]};
          if (other.index != n && (own.index == n || other.is_before(own))) {
            times[threadIdx.x] = other.time;
            indices[threadIdx.x] = other.index;
          }
        }
        __syncthreads();
      }
      before = {times[0], indices[0]};
      if (threadIdx.x == 0) samples[row * k + s] = before.index == n ? 0 : before.index;
      __syncthreads();
    }
  }
}

/// Adds up the weights: parts of a row first (own), and then the parts.
template <class T>
AMP_KERNEL void sum_parts_kernel(Input weights, T* sums, std::int64_t rows, std::int64_t n) {
  const std::int64_t parts = (n + kWeightsTogether - 1) / kWeightsTogether;
  for (std::int64_t p = first_element(); p < rows * parts; p += element_step()) {
    const std::int64_t row = p / parts * n, begin = p % parts * kWeightsTogether;
    T sum = 0;
    for (std::int64_t i = begin; i < n && i < begin + kWeightsTogether; ++i)
      sums[row + i] = sum += load<T>(weights, row + i);
  }
}
template <class T>
AMP_KERNEL void sum_before_parts_kernel(const T* sums, T* before, std::int64_t rows,
                                        std::int64_t n) {
  const std::int64_t parts = (n + kWeightsTogether - 1) / kWeightsTogether;
  for (std::int64_t row = first_element(); row < rows; row += element_step()) {
    T sum = 0;
    for (std::int64_t part = 0; part < parts; ++part) {
      before[row * parts + part] = sum;
      const std::int64_t next = (part + 1) * kWeightsTogether;
      sum += sums[row * n + (next < n ? next : n) - 1];
    }
  }
}
template <class T>
AMP_KERNEL void add_before_kernel(const T* before, T* sums, std::int64_t rows, std::int64_t n) {
  const std::int64_t parts = (n + kWeightsTogether - 1) / kWeightsTogether;
  for (std::int64_t i = first_element(); i < rows * n; i += element_step())
    sums[i] = before[i / n * parts + i % n / kWeightsTogether] + sums[i];
}
template <class T>
AMP_KERNEL void category_kernel(const double* sums, T* samples, RandomRange range,
                                std::int64_t rows, std::int64_t n, std::int64_t k) {
  for (std::int64_t i = first_element(); i < rows * k; i += element_step())
    samples[i] = category(sums + i / k * n, n, random_bits(range, static_cast<std::uint64_t>(i)));
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

/// The same numbers as on the host.
inline void randint(const RandintArgs& args) {
  const std::int64_t n = args.output.numel();
  launch(args.output.device, grid_for(ceil_div(n, 2)), kThreads,
         detail::randint_kernel<std::int64_t>, args.output, args.low, args.span, args.range, n);
}

/// The same permutation as on the host.
inline void randperm(const RandpermArgs& args) {
  const std::int64_t n = args.output.numel();
  auto* const order = args.output.as<std::int64_t>();
  launch(args.output.device, grid_for(n), kThreads,
         n > kMostSorted ? detail::permutation_kernel<std::int64_t>
                         : detail::sorted_permutation_kernel<std::int64_t>,
         order, args.range, n);
}

/// With replacement, the same samples as on the host; without, the rounding of the device's log
/// decides between arrivals that are nearly equal. A row that the host refuses gives any indices.
inline void multinomial(const MultinomialArgs& args) {
  const int inner = args.weights.dims - 1;
  const std::int64_t n = args.weights.sizes[inner], k = args.output.sizes[inner];
  const std::int64_t rows = args.output.numel() / k;
  const Device device = args.output.device;
  auto* const samples = args.output.as<std::int64_t>();
  if (!args.replacement) {
    launch(device, (std::min)(rows, std::int64_t{1} << 16), kThreads,
           detail::first_arrivals_kernel<std::int64_t>, args.weights, samples, args.range, rows, n,
           k);
    return;
  }
  const std::int64_t parts = ceil_div(n, kWeightsTogether);
  const Scratch<double> scratch(device, rows * (n + parts));
  double *const sums = scratch.data(), *const before = sums + rows * n;
  launch(device, grid_for(rows * parts), kThreads, detail::sum_parts_kernel<double>, args.weights,
         sums, rows, n);
  launch(device, grid_for(rows), kThreads, detail::sum_before_parts_kernel<double>, sums, before,
         rows, n);
  launch(device, grid_for(rows * n), kThreads, detail::add_before_kernel<double>, before, sums,
         rows, n);
  launch(device, grid_for(rows * k), kThreads, detail::category_kernel<std::int64_t>, sums, samples,
         args.range, rows, n, k);
}

}  // namespace amp::inline v0::kernels::cuda

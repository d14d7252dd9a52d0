// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// The affine parameters of norms, and their gradients, which are sums over rows. First the rows of
// each part are summed, then the parts, in order, so the results do not depend on the grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/core/math.hpp"
#include "amp/kernels/norm/cuda/moments.cuh"
#include "amp/kernels/norm/formula.hpp"
#include "amp/kernels/traversal/cuda/scratch.cuh"
#include "amp/kernels/traversal/divider.hpp"

namespace amp::inline v0::kernels::cuda {

/// The arrays that the backward kernels read.
template <class C>
struct NormSaved {
  Input grad, x, weight;
  const C *means, *rstds;  // means: null if they are 0

  __device__ C mean(std::int64_t row) const { return means == nullptr ? C{0} : means[row]; }
};

/// Sums for each affine parameter, [parts, parameters].
template <class T>
struct NormSums {
  T *weight, *bias;
  std::int64_t parts, parameters;
};

namespace detail {

/// Whether rows of these arrays, including the affine parameters, are whole vectors, each with one
/// parameter or a vector of them.
template <class... Arrays>
bool has_vectors(const NormShape& shape, const Arrays&... arrays) {
  return (shape.inner == 1 || shape.inner % kVector == 0) &&
         are_rows_of_vectors(shape.length, arrays...);
}

/// Loads the parameters of access k of a row whose first parameter has index `first`.
template <class Tile, class Part, class C, int Width>
__device__ __forceinline__ void load_parameters(const Tile& tile, const Part& part, int k,
                                                const NormShape& shape, const Input& parameter,
                                                std::int64_t first, C (&values)[Width]) {
  if (shape.inner == 1) return tile.load_along(part, k, parameter, first, values);
  const C value = tile.load_one(parameter, first + shape.parameter_at(part.element(k, 0)));
  AMP_UNROLL
  for (int l = 0; l < Width; ++l) values[l] = value;
}

/// Adds what the teams of a block have for the same columns, in order, and stores the sums over the
/// rows of this block.
template <class Sweep>
__device__ void store_sums(const Sweep& sweep, Fragment<Sweep>& values, float* sums,
                           std::int64_t parameters) {
  __shared__ float of_threads[kThreads];
  const int thread = static_cast<int>(threadIdx.x), threads = sweep.threads;
  AMP_UNROLL
  for (int k = 0; k < Sweep::kKept; ++k) {
    for (int l = 0; l < kVector && threads <= 32; ++l) {  // else the block is one team
      __syncthreads();
      of_threads[thread] = values[k][l];
      __syncthreads();
      float sum = 0;
      for (int t = thread % threads; t < static_cast<int>(blockDim.x); t += threads)
        sum += of_threads[t];
      values[k][l] = sum;
    }
    const std::int64_t vector = k * threads + thread;
    if (thread >= threads || vector >= sweep.vectors) continue;
    store_words<float, float>(sums, blockIdx.x * parameters + vector * kVector, values[k]);
  }
}

/// Adds the sums of all parts; 0 if there are none. A block processes 32 parameters, each warp
/// every eighth part of them.
template <class T>
AMP_KERNEL void norm_add_parts_kernel(NormSums<T> sums, Output grad_weight, Output grad_bias) {
  __shared__ double weights[kThreads], biases[kThreads];
  constexpr unsigned kWarps = kThreads / 32;
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (std::int64_t first = blockIdx.x * std::int64_t{32}; first < sums.parameters;
       first += gridDim.x * std::int64_t{32}) {
    const std::int64_t i = first + lane;
    double weight = 0, bias = 0;
    for (std::int64_t part = warp; part < sums.parts && i < sums.parameters; part += kWarps) {
      weight += static_cast<double>(sums.weight[part * sums.parameters + i]);
      bias += static_cast<double>(sums.bias[part * sums.parameters + i]);
    }
    __syncthreads();
    weights[threadIdx.x] = weight;
    biases[threadIdx.x] = bias;
    __syncthreads();
    if (warp != 0 || i >= sums.parameters) continue;
    for (unsigned w = 1; w < kWarps; ++w) {
      weight += weights[w * 32 + lane];
      bias += biases[w * 32 + lane];
    }
    if (grad_weight.data != nullptr) store<double>(grad_weight, i, weight);
    if (grad_bias.data != nullptr) store<double>(grad_bias, i, bias);
  }
}
template <class T>
void add_parts(Device device, const NormSums<T>& sums, const Output& grad_weight,
               const Output& grad_bias) {
  launch(device, grid_for(sums.parameters, 32), kThreads, norm_add_parts_kernel<T>, sums,
         grad_weight, grad_bias);
}

/// Lines for a sweep (sweep.cuh): line part * stride + p are the elements that have parameter p, in
/// the rows of a part. These are runs of `inner` elements, one in each row of the parameter's
/// group.
struct ParameterLines {
  NormShape shape;
  std::int64_t part_rows, parts, stride, count, length;
  Divider by_inner, by_parameters;

  ParameterLines(const NormShape& norm)
      : shape(norm),
        // Parts are so long that the time goes into reading them, not into adding their sums.
        part_rows((std::max)(ceil_div(norm.rows, 32), std::int64_t{8})),
        parts(norm.rows == 0 ? 0 : ceil_div(norm.rows, part_rows)),
        stride(norm.parameters()),
        count(parts * stride),
        length(ceil_div(part_rows, norm.groups) * norm.inner),
        by_inner(norm.inner),
        by_parameters(stride) {}

  /// Returns the first row of a part that belongs to the group of a parameter.
  AMP_HOST_DEVICE std::int64_t first_row(std::int64_t part, std::int64_t parameter) const {
    if (shape.groups == 1) return part * part_rows;
    const std::int64_t group = parameter / shape.per_row(), begin = part * part_rows;
    return begin + (group - begin % shape.groups + shape.groups) % shape.groups;
  }
  AMP_HOST_DEVICE std::int64_t first_row(std::int64_t line) const {
    const std::int64_t parameter = by_parameters.take_remainder(line);
    return first_row(line, parameter);
  }
  /// Returns how many rows element i is after the first one.
  AMP_HOST_DEVICE std::int64_t rows_to(std::int64_t i) const {
    by_inner.take_remainder(i);
    return i * shape.groups;
  }

  AMP_HOST_DEVICE std::int64_t start(std::int64_t part, std::int64_t parameter) const {
    return first_row(part, parameter) * shape.length + parameter % shape.per_row() * shape.inner;
  }
  AMP_HOST_DEVICE std::int64_t start(std::int64_t line) const {
    const std::int64_t parameter = by_parameters.take_remainder(line);
    return start(line, parameter);
  }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t) const { return 0; }
  AMP_HOST_DEVICE std::int64_t begin(std::int64_t, std::int64_t) const { return 0; }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t part, std::int64_t parameter) const {
    const std::int64_t beyond = (part + 1) * part_rows;
    const std::int64_t rows =
        (beyond < shape.rows ? beyond : shape.rows) - first_row(part, parameter);
    return rows <= 0 ? 0 : (rows + shape.groups - 1) / shape.groups * shape.inner;
  }
  AMP_HOST_DEVICE std::int64_t end(std::int64_t line) const {
    const std::int64_t parameter = by_parameters.take_remainder(line);
    return end(line, parameter);
  }
  AMP_HOST_DEVICE std::int64_t at(std::int64_t i) const {
    const std::int64_t place = by_inner.take_remainder(i);
    return i * shape.groups * shape.length + place;
  }
};

template <class Sweep, class C = typename Sweep::Compute>
AMP_KERNEL void __launch_bounds__(Sweep::kMostThreads, Sweep::kBlocksTogether)
    norm_parameter_sums_kernel(Sweep sweep, NormSaved<C> saved, NormSums<double> sums) {
  sweep.for_each_tile([&](const auto& tile) {
    Fragment<Sweep> grad, normal;
    PerLine<Sweep, double> weight = {}, bias = {};
    const std::int64_t first_row = sweep.lines.first_row(tile.line(0));
    tile.forwards([&](const auto& part) {
      tile.load(part, saved.grad, grad, saved.x, normal);
      tile.for_each_access(part, [&](int k) {
        const std::int64_t row = first_row + sweep.lines.rows_to(part.element(k, 0));
        const C mean = saved.mean(row), rstd = saved.rstds[row];
        AMP_UNROLL
        for (int l = 0; l < Sweep::kWidth; ++l) Norm::to_normal(normal[k][l], mean, rstd);
      });
      tile.add(part, weight, [&](int k, int l) { return grad[k][l] * normal[k][l]; });
      tile.add(part, bias, [&](int k, int l) { return grad[k][l]; });
    });
    tile.template reduce<functions::Add>(weight);
    tile.template reduce<functions::Add>(bias);
    tile.for_own_lines([&](int l) {
      sums.weight[tile.line(l)] = weight[l];
      sums.bias[tile.line(l)] = bias[l];
    });
  });
}

/// `in_vectors` says whether has_vectors() holds for grad and x.
template <class C>
void norm_parameter_grads(Device device, const NormShape& shape, const NormSaved<C>& saved,
                          bool in_vectors, const Output& grad_weight, const Output& grad_bias) {
  constexpr std::int64_t kLongRun = 64;
  const ParameterLines lines(shape);
  const Scratch<double> memory(device, 2 * lines.count);
  const NormSums<double> sums{memory.data(), memory.data() + lines.count, lines.parts,
                              lines.stride};
  const auto run = [&](const auto& sweep) {
    launch(device, sweep.blocks(), sweep.block_threads(),
           norm_parameter_sums_kernel<std::remove_cvref_t<decltype(sweep)>>, sweep, saved, sums);
  };
  const auto choose = [&] {
    if constexpr (std::is_same_v<C, float>) {
      if (in_vectors && shape.inner >= kLongRun)
        return run(Rows<2, kThreads, ParameterLines>(lines));
      if (in_vectors && shape.inner == 1) return run(Columns<2, ParameterLines>(lines));
    }
    if (shape.inner < 32) return run(Singles<OneThread, C, ParameterLines>(lines));
    run(Singles<OneBlock, C, ParameterLines>(lines));
  };
  choose();
  add_parts(device, sums, grad_weight, grad_bias);
}

}  // namespace detail

}  // namespace amp::inline v0::kernels::cuda

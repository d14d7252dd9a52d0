// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of rows of vectors: each row is read once, and stays in registers where a block
// holds it. On the way back the same threads always have the same columns, so they add up the
// gradients of the affine parameters as they go. Formulas in norm/args.hpp.
#pragma once

#include <cstdint>

#include "amp/kernels/norm/args.hpp"
#include "amp/kernels/traversal/cuda/rows.cuh"
#include "amp/kernels/traversal/cuda/scratch.cuh"

namespace amp::inline v0::kernels::cuda {

/// Rows, and which affine parameters they have (NormArgs).
struct NormShape {
  std::int64_t rows, length, groups, inner;

  AMP_HOST_DEVICE std::int64_t per_row() const { return length / inner; }
  __device__ std::int64_t parameter(std::int64_t row, std::int64_t i) const {
    return row % groups * per_row() + i / inner;
  }
  /// The same for the row and the element each, the latter without a long division where it can.
  __device__ std::int64_t first_parameter(std::int64_t row) const {
    return groups == 1 ? 0 : row % groups * per_row();
  }
  __device__ std::int64_t parameter_at(std::int64_t i) const {
    if (inner == 1) return i;
    if (length > 0x7fffffff) return i / inner;
    return static_cast<unsigned>(i) / static_cast<unsigned>(inner);
  }
  /// Whether vectors of a row have one parameter each, or vectors of them.
  bool has_vectors() const { return inner == 1 || inner % kVector == 0; }
};

/// An element of an affine parameter; `absent` where there is none.
template <class C>
__device__ C parameter_or(const Input& parameter, std::int64_t i, C absent) {
  return parameter.data == nullptr ? absent : load<C>(parameter, i);
}

/// The sums of x and of x^2, in double. Of eight elements in float, around their mean m: with
/// d = x - m they are 8 m + sum(d) and 8 m^2 + 2 m sum(d) + sum(d^2), and lose nothing to
/// cancellation.
struct Moments {
  double sum = 0, squares = 0;

  __device__ __forceinline__ void add(const float (&x)[kVector]) {
    const float mean = (((x[0] + x[1]) + (x[2] + x[3])) + ((x[4] + x[5]) + (x[6] + x[7]))) * 0.125F;
    float rest = 0, rest_squares = 0;
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      const float d = x[l] - mean;
      rest += d;
      rest_squares += d * d;
    }
    const double m = static_cast<double>(mean), r = static_cast<double>(rest);
    sum += 8 * m + r;
    squares += m * (8 * m + 2 * r) + static_cast<double>(rest_squares);
  }
  __device__ void add(double x) {
    sum += x;
    squares += x * x;
  }
  template <class Team>
  __device__ Moments of_team(const Team& team) const {
    Moments all;
    all.sum = team.template reduce<functions::Add>(sum);
    all.squares = team.template reduce<functions::Add>(squares);
    return all;
  }
  /// Of n elements: `share` is 1 / n.
  __device__ double mean(double share) const { return sum * share; }
  /// Around `mean`, the above or 0. NaN stays.
  __device__ double variance(double share, double mean) const {
    const double result = squares * share - mean * mean;
    return result < 0 ? 0 : result;
  }
};

inline constexpr int kNormThreads = 768;

/// The parameters of a vector, the first of which is number `at`.
__device__ __forceinline__ void norm_parameters(const NormShape& shape, const Input& parameter,
                                                std::int64_t at, float (&values)[kVector]) {
  if (shape.inner == 1) return load_row_vector(parameter.data, parameter.dtype, at, values);
  const float value = row_element(parameter.data, parameter.dtype, at);
  AMP_UNROLL
  for (int l = 0; l < kVector; ++l) values[l] = value;
}

template <class R>
AMP_KERNEL void __launch_bounds__(kNormThreads)
    norm_rows_kernel(R rows, NormShape shape, Input x, Input weight, Input bias, Output y,
                     float* means, float* rstds, double eps, bool centered) {
  const double per_element = 1 / static_cast<double>(shape.length);
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const int last = rows.last();
    RowPart<R::kKept> part;
    Moments moments;
    for (int s = 0; s <= last; ++s) {
      const RowShare share = rows.share(team, s);
      part.load(x, share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (share.has(k)) moments.add(part.values[k]);
      }
    }
    moments = moments.of_team(team);
    const double mean = centered ? moments.mean(per_element) : 0;
    const float m = static_cast<float>(mean);
    const float r =
        1 / functions::math::sqrt(static_cast<float>(moments.variance(per_element, mean) + eps));
    if (team.is_leader()) {
      if (means != nullptr) means[team.row] = m;
      rstds[team.row] = r;
    }
    const std::int64_t first_parameter = shape.first_parameter(team.row);
    for (int s = last; s >= 0; --s) {
      const RowShare share = rows.share(team, s);
      if (s != last) part.load(x, share);
      AMP_UNROLL
      for (int k = 0; k < R::kKept; ++k) {
        if (!share.has(k)) continue;
        float(&values)[kVector] = part.values[k];
        const std::int64_t parameter =
            first_parameter + shape.parameter_at(share.at(k) - team.row * shape.length);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) values[l] = (values[l] - m) * r;
        if (weight.data != nullptr) {
          float weights[kVector];
          norm_parameters(shape, weight, parameter, weights);
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l) values[l] *= weights[l];
        }
        if (bias.data != nullptr) {
          float biases[kVector];
          norm_parameters(shape, bias, parameter, biases);
          AMP_UNROLL
          for (int l = 0; l < kVector; ++l) values[l] += biases[l];
        }
        store_row_vector(y, share.at(k), values);
      }
    }
  }
}

/// What the backward kernels read.
template <class C>
struct NormSaved {
  Input grad, x, weight;
  const C *means, *rstds;  // means null where 0

  __device__ C mean(std::int64_t row) const { return means == nullptr ? C{0} : means[row]; }
  __device__ C normal(std::int64_t at, C mean, C rstd) const {
    return (load<C>(x, at) - mean) * rstd;
  }
};

/// The sums of some of the rows, `part_rows` of them, for each affine parameter.
template <class T>
struct NormSums {
  T *weight, *bias;  // [parts, groups * per_row]
  std::int64_t parts, part_rows, parameters;
};

/// What the gradient of a row takes from all of it.
struct NormGradMeans {
  double sum = 0, dot = 0;

  __device__ __forceinline__ void add(const float (&grad)[kVector],
                                      const float (&normal)[kVector]) {
    float vector_sum = 0, vector_dot = 0;
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) {
      vector_sum += grad[l];
      vector_dot += grad[l] * normal[l];
    }
    sum += static_cast<double>(vector_sum);
    dot += static_cast<double>(vector_dot);
  }
  __device__ NormGradMeans of_row(const RowTeam& team, double per_element, bool centered) const {
    NormGradMeans means;
    means.dot = team.reduce<functions::Add>(dot) * per_element;
    if (centered) means.sum = team.reduce<functions::Add>(sum) * per_element;
    return means;
  }
  /// grad becomes that of x.
  __device__ __forceinline__ void apply(float rstd, float (&grad)[kVector],
                                        const float (&normal)[kVector]) const {
    const float g = static_cast<float>(sum), d = static_cast<float>(dot);
    AMP_UNROLL
    for (int l = 0; l < kVector; ++l) grad[l] = rstd * (grad[l] - g - normal[l] * d);
  }
};

inline constexpr int kNormGradThreads = 512;

template <class R>
AMP_KERNEL void __launch_bounds__(kNormGradThreads)
    norm_backward_rows_kernel(R rows, NormShape shape, NormSaved<float> saved, Output grad_x,
                              bool centered) {
  constexpr int kKept = R::kKept;
  const double per_element = 1 / static_cast<double>(shape.length);
  for (std::int64_t first = rows.begin(); first < rows.count; first += rows.step()) {
    const RowTeam team = rows.team(first, rows.count);
    const int last = rows.last();
    const std::int64_t row = team.vectors != 0 ? team.row : 0;
    const float mean = saved.mean(row), rstd = saved.rstds[row];
    const std::int64_t first_parameter = shape.first_parameter(row);
    RowPart<kKept> grad, normal;
    const auto load = [&](const RowShare& share) {
      const RowWords<kKept> grad_words(saved.grad, share), x_words(saved.x, share);
      grad_words.unpack(saved.grad.dtype, grad.values);
      x_words.unpack(saved.x.dtype, normal.values);
      AMP_UNROLL
      for (int k = 0; k < kKept; ++k) {
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) normal.values[k][l] = (normal.values[k][l] - mean) * rstd;
        if (saved.weight.data == nullptr || !share.has(k)) continue;
        float weights[kVector];
        norm_parameters(shape, saved.weight,
                        first_parameter + shape.parameter_at(share.at(k) - row * shape.length),
                        weights);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) grad.values[k][l] *= weights[l];
      }
    };
    NormGradMeans means;
    for (int s = 0; s <= last; ++s) {
      const RowShare share = rows.share(team, s);
      load(share);
      AMP_UNROLL
      for (int k = 0; k < kKept; ++k) {
        if (share.has(k)) means.add(grad.values[k], normal.values[k]);
      }
    }
    means = means.of_row(team, per_element, centered);
    for (int s = last; s >= 0; --s) {
      const RowShare share = rows.share(team, s);
      if (s != last) load(share);
      AMP_UNROLL
      for (int k = 0; k < kKept; ++k) {
        if (!share.has(k)) continue;
        means.apply(rstd, grad.values[k], normal.values[k]);
        store_row_vector(grad_x, share.at(k), grad.values[k]);
      }
    }
  }
}

/// Adds up what the teams of a block have for the same columns, in order.
__device__ inline void add_up_teams(float (&values)[kVector], int threads) {
  __shared__ float of_threads[kThreads];
  if (threads > 32) return;  // one team
  for (int l = 0; l < kVector; ++l) {
    __syncthreads();
    of_threads[threadIdx.x] = values[l];
    __syncthreads();
    float sum = 0;
    for (unsigned t = threadIdx.x % static_cast<unsigned>(threads); t < blockDim.x;
         t += static_cast<unsigned>(threads))
      sum += of_threads[t];
    values[l] = sum;
  }
}

/// Also the sums for grad_weight and grad_bias: block b takes rows [b * part_rows, (b + 1) *
/// part_rows), whose columns have a parameter each. A thread has the same columns of all rows;
/// of one vector it asks for two rows ahead. grad_x may be null.
template <class R>
AMP_KERNEL void __launch_bounds__(kNormGradThreads)
    norm_backward_sums_kernel(R rows, NormSaved<float> saved, Output grad_x, bool centered,
                              NormSums<float> sums) {
  constexpr int kKept = R::kKept;
  constexpr bool kAhead = kKept == 1;
  const double per_element = 1 / static_cast<double>(rows.vectors * kVector);
  const std::int64_t begin = blockIdx.x * sums.part_rows;
  const std::int64_t end =
      begin + sums.part_rows < rows.count ? begin + sums.part_rows : rows.count;
  float weight_sums[kKept][kVector] = {}, bias_sums[kKept][kVector] = {};
  struct Asked {
    RowTeam team{};
    RowShare share{};
    RowWords<kKept> grad, x;
  };
  const auto ask = [&](std::int64_t first, Asked& row) {
    if (first >= end) return;
    row.team = rows.team(first, end);
    row.share = rows.share(row.team, 0);
    row.grad = RowWords<kKept>(saved.grad, row.share);
    row.x = RowWords<kKept>(saved.x, row.share);
  };
  const auto work = [&](std::int64_t first, Asked& asked) {
    if constexpr (!kAhead) ask(first, asked);
    const RowTeam team = asked.team;
    const RowShare share = asked.share;
    const std::int64_t row = team.vectors != 0 ? team.row : 0;
    const float mean = saved.mean(row), rstd = saved.rstds[row];
    RowPart<kKept> grad, normal;
    asked.grad.unpack(saved.grad.dtype, grad.values);
    asked.x.unpack(saved.x.dtype, normal.values);
    if constexpr (kAhead) ask(first + 2 * rows.teams(), asked);
    NormGradMeans means;
    AMP_UNROLL
    for (int k = 0; k < kKept; ++k) {
      if (!share.has(k)) continue;
      AMP_UNROLL
      for (int l = 0; l < kVector; ++l) {
        normal.values[k][l] = (normal.values[k][l] - mean) * rstd;
        weight_sums[k][l] += grad.values[k][l] * normal.values[k][l];
        bias_sums[k][l] += grad.values[k][l];
      }
      if (saved.weight.data != nullptr) {
        float weights[kVector];
        load_row_vector(saved.weight.data, saved.weight.dtype,
                        share.at(k) - row * rows.vectors * kVector, weights);
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) grad.values[k][l] *= weights[l];
      }
      means.add(grad.values[k], normal.values[k]);
    }
    if (grad_x.data == nullptr) return;
    means = means.of_row(team, per_element, centered);
    AMP_UNROLL
    for (int k = 0; k < kKept; ++k) {
      if (!share.has(k)) continue;
      means.apply(rstd, grad.values[k], normal.values[k]);
      store_row_vector(grad_x, share.at(k), grad.values[k]);
    }
  };
  // Two rows under way, in registers that take turns.
  Asked even, odd;
  if constexpr (kAhead) {
    ask(begin, even);
    ask(begin + rows.teams(), odd);
  }
  for (std::int64_t first = begin; first < end; first += 2 * rows.teams()) {
    work(first, even);
    if (first + rows.teams() < end) work(first + rows.teams(), odd);
  }
  const int thread = static_cast<int>(threadIdx.x);
  AMP_UNROLL
  for (int k = 0; k < kKept; ++k) {
    add_up_teams(weight_sums[k], rows.threads);
    add_up_teams(bias_sums[k], rows.threads);
    const std::int64_t vector = k * rows.threads + thread;
    if (thread >= rows.threads || vector >= rows.vectors) continue;
    const std::int64_t at = blockIdx.x * sums.parameters + vector * kVector;
    detail::store_words<float, float>(sums.weight, at, weight_sums[k]);
    detail::store_words<float, float>(sums.bias, at, bias_sums[k]);
  }
}

/// The sums of all parts; of none they are 0. A block takes 32 parameters, each warp every eighth
/// part of them.
template <class Sums>
AMP_KERNEL void norm_add_parts_kernel(Sums sums, Output grad_weight, Output grad_bias) {
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

}  // namespace amp::inline v0::kernels::cuda

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of rows: those of vectors (cuda/rows.cuh), and all others, a block each, whose
// means and variances are summed in double, around the mean. Formulas and sources as in
// args.hpp. grad_weight and grad_bias are sums over parts of the rows, added in order, so that
// they do not depend on the grid.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/norm/cuda/rows.cuh"

namespace amp::inline v0::kernels::cuda {

template <class C>
AMP_KERNEL void norm_kernel(NormShape shape, Input x, Input weight, Input bias, Output y, C* means,
                            C* rstds, double eps, bool centered) {
  const std::int64_t length = shape.length;
  const double n = static_cast<double>(length);
  for (std::int64_t row = blockIdx.x; row < shape.rows; row += gridDim.x) {
    const std::int64_t start = row * length;
    double mean = 0;
    if (centered) {
      for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x)
        mean += static_cast<double>(load<C>(x, start + i));
      mean = block_sum(mean) / n;
    }
    double squares = 0;
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) {
      const double d = static_cast<double>(load<C>(x, start + i)) - mean;
      squares += d * d;
    }
    const double rstd = 1 / functions::math::sqrt(block_sum(squares) / n + eps);
    const C m = static_cast<C>(mean), r = static_cast<C>(rstd);
    if (threadIdx.x == 0) {
      if (means != nullptr) means[row] = m;
      rstds[row] = r;
    }
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) {
      const std::int64_t p = shape.parameter(row, i);
      C value = (load<C>(x, start + i) - m) * r;
      if (weight.data != nullptr) value *= load<C>(weight, p);
      if (bias.data != nullptr) value += load<C>(bias, p);
      store<C>(y, start + i, value);
    }
  }
}

template <class C>
AMP_KERNEL void norm_backward_kernel(NormShape shape, NormSaved<C> saved, Output grad_x,
                                     bool centered) {
  const std::int64_t length = shape.length;
  for (std::int64_t row = blockIdx.x; row < shape.rows; row += gridDim.x) {
    const std::int64_t start = row * length;
    const C mean = saved.mean(row), rstd = saved.rstds[row];
    const auto g_of = [&](std::int64_t i) {
      return load<C>(saved.grad, start + i) *
             parameter_or(saved.weight, shape.parameter(row, i), C{1});
    };
    double sum = 0, dot = 0;
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) {
      const double g = static_cast<double>(g_of(i));
      sum += g;
      dot += g * static_cast<double>(saved.normal(start + i, mean, rstd));
    }
    const double n = static_cast<double>(length);
    sum = block_sum(sum) / n;
    dot = block_sum(dot) / n;
    const C mean_g = centered ? static_cast<C>(sum) : C{0}, mean_dot = static_cast<C>(dot);
    for (std::int64_t i = threadIdx.x; i < length; i += blockDim.x) {
      const C normal = saved.normal(start + i, mean, rstd);
      store<C>(grad_x, start + i, rstd * (g_of(i) - mean_g - normal * mean_dot));
    }
  }
}

/// Adds what elements [first, last) of the runs of one parameter give, `step` apart, over the rows
/// visitor(row, its first element with the parameter) for the rows of a part that have it.
template <class Sums, class Visitor>
__device__ __forceinline__ void visit_runs(const NormShape& shape, const Sums& sums,
                                           std::int64_t part, std::int64_t parameter,
                                           Visitor&& visitor) {
  const std::int64_t group = parameter / shape.per_row();
  const std::int64_t run = parameter % shape.per_row() * shape.inner;
  const std::int64_t begin = part * sums.part_rows;
  const std::int64_t beyond = begin + sums.part_rows;
  const std::int64_t end = beyond < shape.rows ? beyond : shape.rows;
  // The first row from `begin` on that belongs to the group.
  const std::int64_t ahead = (group - begin % shape.groups + shape.groups) % shape.groups;
  for (std::int64_t row = begin + ahead; row < end; row += shape.groups)
    visitor(row, row * shape.length + run);
}

/// Adds what elements [first, last) of the runs of one parameter give, `step` apart, over the rows
/// of a part.
template <class C>
__device__ void add_rows(const NormShape& shape, const NormSaved<C>& saved,
                         const NormSums<double>& sums, std::int64_t part, std::int64_t parameter,
                         std::int64_t first, std::int64_t step, double& weight, double& bias) {
  visit_runs(shape, sums, part, parameter, [&](std::int64_t row, std::int64_t start) {
    const C mean = saved.mean(row), rstd = saved.rstds[row];
    for (std::int64_t i = first; i < shape.inner; i += step) {
      const double grad = static_cast<double>(load<C>(saved.grad, start + i));
      weight += grad * static_cast<double>(saved.normal(start + i, mean, rstd));
      bias += grad;
    }
  });
}

/// Parameters of runs of vectors: a warp each.
template <class Sums>
AMP_KERNEL void norm_sums_by_warp_kernel(NormShape shape, NormSaved<float> saved, Sums sums) {
  constexpr int kAhead = 2, kWarp = 32;
  const int lane = static_cast<int>(threadIdx.x % kWarp);
  const std::int64_t vectors = shape.inner / kVector;
  for (std::int64_t i = first_element() / kWarp; i < sums.parts * sums.parameters;
       i += element_step() / kWarp) {
    NormGradMeans totals;
    visit_runs(shape, sums, i / sums.parameters, i % sums.parameters,
               [&](std::int64_t row, std::int64_t start) {
                 const float mean = saved.mean(row), rstd = saved.rstds[row];
                 for (std::int64_t v = lane; v < vectors; v += kAhead * kWarp) {
                   const std::int64_t left = vectors - v;
                   const RowShare share{
                       start + v * kVector,
                       left < kAhead * kWarp ? static_cast<int>(left) : kAhead * kWarp, kWarp};
                   const RowWords<kAhead> grad_words(saved.grad, share), x_words(saved.x, share);
                   RowPart<kAhead> grad, normal;
                   grad_words.unpack(saved.grad.dtype, grad.values);
                   x_words.unpack(saved.x.dtype, normal.values);
                   AMP_UNROLL
                   for (int k = 0; k < kAhead; ++k) {
                     if (!share.has(k)) continue;
                     AMP_UNROLL
                     for (int l = 0; l < kVector; ++l)
                       normal.values[k][l] = (normal.values[k][l] - mean) * rstd;
                     totals.add(grad.values[k], normal.values[k]);
                   }
                 }
               });
    const double weight = team_reduce<functions::Add>(totals.dot, kWarp);
    const double bias = team_reduce<functions::Add>(totals.sum, kWarp);
    if (lane != 0) continue;
    sums.weight[i] = weight;
    sums.bias[i] = bias;
  }
}

/// Some rows of a group, `step` apart, in the columns of a thread.
struct NormColumns {
  std::int64_t row, end, step, length, column;

  __device__ bool has(int k) const { return row + k * step < end; }
  __device__ std::int64_t at(int k) const { return (row + k * step) * length + column; }
};

/// Parameters of single elements, in vectors: a thread for eight, several rows under way.
template <class Sums>
AMP_KERNEL void norm_sums_by_vector_kernel(NormShape shape, NormSaved<float> saved, Sums sums) {
  constexpr int kAhead = 2;
  const std::int64_t vectors = sums.parameters / kVector;
  for (std::int64_t i = first_element(); i < sums.parts * vectors; i += element_step()) {
    const std::int64_t part = i / vectors, parameter = i % vectors * kVector;
    const std::int64_t begin = part * sums.part_rows;
    const std::int64_t end =
        begin + sums.part_rows < shape.rows ? begin + sums.part_rows : shape.rows;
    const std::int64_t group = parameter / shape.length;
    // The first row from `begin` on that belongs to the group.
    const std::int64_t ahead = (group - begin % shape.groups + shape.groups) % shape.groups;
    Pack<double, kVector> weight{}, bias{};
    NormColumns share{begin + ahead, end, shape.groups, shape.length, parameter % shape.length};
    for (; share.has(0); share.row += kAhead * share.step) {
      const RowWords<kAhead> grad_words(saved.grad, share), x_words(saved.x, share);
      float grad[kAhead][kVector], x[kAhead][kVector];
      grad_words.unpack(saved.grad.dtype, grad);
      x_words.unpack(saved.x.dtype, x);
      AMP_UNROLL
      for (int k = 0; k < kAhead; ++k) {
        if (!share.has(k)) continue;
        const std::int64_t row = share.row + k * share.step;
        const float mean = saved.mean(row), rstd = saved.rstds[row];
        AMP_UNROLL
        for (int l = 0; l < kVector; ++l) {
          weight.element[l] += static_cast<double>(grad[k][l] * ((x[k][l] - mean) * rstd));
          bias.element[l] += static_cast<double>(grad[k][l]);
        }
      }
    }
    store_pack(sums.weight + part * sums.parameters + parameter, weight);
    store_pack(sums.bias + part * sums.parameters + parameter, bias);
  }
}

/// Parameters of single elements: a thread each.
template <class C>
AMP_KERNEL void norm_sums_by_thread_kernel(NormShape shape, NormSaved<C> saved,
                                           NormSums<double> sums) {
  for (std::int64_t i = first_element(); i < sums.parts * sums.parameters; i += element_step()) {
    double weight = 0, bias = 0;
    add_rows(shape, saved, sums, i / sums.parameters, i % sums.parameters, 0, 1, weight, bias);
    sums.weight[i] = weight;
    sums.bias[i] = bias;
  }
}
/// Parameters of runs of elements: a block each.
template <class C>
AMP_KERNEL void norm_sums_by_block_kernel(NormShape shape, NormSaved<C> saved,
                                          NormSums<double> sums) {
  for (std::int64_t i = blockIdx.x; i < sums.parts * sums.parameters; i += gridDim.x) {
    double weight = 0, bias = 0;
    add_rows(shape, saved, sums, i / sums.parameters, i % sums.parameters, threadIdx.x, blockDim.x,
             weight, bias);
    weight = block_sum(weight);
    bias = block_sum(bias);
    if (threadIdx.x == 0) {
      sums.weight[i] = weight;
      sums.bias[i] = bias;
    }
  }
}

/// `in_vectors`: grad and x of rows of vectors.
template <class C>
void norm_parameter_grads(Device device, const NormShape& shape, const NormSaved<C>& saved,
                          bool in_vectors, const Output& grad_weight, const Output& grad_bias) {
  constexpr std::int64_t kLongRun = 64;
  // Parts of so many rows that reading them is what takes time, not their sums.
  const std::int64_t part_rows = (std::max)(ceil_div(shape.rows, 32), std::int64_t{8});
  const std::int64_t parts = shape.rows == 0 ? 0 : ceil_div(shape.rows, part_rows);
  const std::int64_t parameters = shape.groups * shape.per_row();
  const std::int64_t sums_of_each = parts * parameters;
  const Scratch<double> memory(device, 2 * sums_of_each);
  const NormSums<double> sums{memory.data(), memory.data() + sums_of_each, parts, part_rows,
                              parameters};
  const auto enqueue = [&](std::int64_t items_per_block, auto kernel) {
    launch(device, grid_for(sums_of_each, static_cast<unsigned>(items_per_block)), kThreads, kernel,
           shape, saved, sums);
  };
  const bool by_warps = in_vectors && shape.inner >= kLongRun;
  const bool by_vectors = in_vectors && shape.inner == 1;
  if constexpr (std::is_same_v<C, float>) {
    if (by_warps) enqueue(kThreads / 32, norm_sums_by_warp_kernel<NormSums<double>>);
    if (by_vectors) enqueue(kThreads * kVector, norm_sums_by_vector_kernel<NormSums<double>>);
  }
  if (!by_warps && !by_vectors) {
    if (shape.inner < 32) {
      enqueue(kThreads, norm_sums_by_thread_kernel<C>);
    } else {
      enqueue(1, norm_sums_by_block_kernel<C>);
    }
  }
  launch(device, grid_for(parameters, 32), kThreads, norm_add_parts_kernel<NormSums<double>>, sums,
         grad_weight, grad_bias);
}

inline void norm(const NormArgs& args) {
  const NormShape shape{args.input.sizes[0], args.input.sizes[1], args.groups, args.inner};
  const Device device = args.input.device;
  if (shape.has_vectors() &&
      are_rows_of_vectors(shape.length, args.input, args.output, args.weight, args.bias)) {
    const Rows<4> rows(shape.rows, shape.length, kNormThreads);
    return launch(device, rows.blocks(), rows.block_threads(), norm_rows_kernel<Rows<4>>, rows,
                  shape, args.input, args.weight, args.bias, args.output, args.mean.as<float>(),
                  args.rstd.as<float>(), args.eps, args.centered);
  }
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(device, grid_for(shape.rows, 1), kThreads, norm_kernel<C>, shape, args.input,
           args.weight, args.bias, args.output, args.mean.as<C>(), args.rstd.as<C>(), args.eps,
           args.centered);
  });
}

/// Rows that a block holds, with a parameter for each column: in two launches.
template <class R>
void norm_backward_with_sums(const NormBackwardArgs& args, const R& rows,
                             const NormSaved<float>& saved) {
  const Device device = args.input.device;
  const std::int64_t length = rows.vectors * kVector;
  // About as many blocks as a large device runs at once, of some rows each.
  const std::int64_t part_rows =
      (std::max)(ceil_div(rows.count, std::int64_t{256}), 4 * rows.rows_per_block());
  const std::int64_t parts = ceil_div(rows.count, part_rows);
  const Scratch<float> memory(device, 2 * parts * length);
  const NormSums<float> sums{memory.data(), memory.data() + parts * length, parts, part_rows,
                             length};
  launch(device, parts, rows.block_threads(), norm_backward_sums_kernel<R>, rows, saved,
         args.grad_input, args.centered, sums);
  launch(device, grid_for(length, 32), kThreads, norm_add_parts_kernel<NormSums<float>>, sums,
         args.grad_weight, args.grad_bias);
}

inline void norm_backward_by_rows(const NormBackwardArgs& args, const NormShape& shape,
                                  const NormSaved<float>& saved) {
  const Device device = args.input.device;
  const bool wants_sums = args.grad_weight.present || args.grad_bias.present;
  const Rows<1> short_rows(shape.rows, shape.length, kNormGradThreads);
  const Rows<2> rows(shape.rows, shape.length, kNormGradThreads);
  if (wants_sums && shape.groups == 1 && shape.inner == 1 && rows.last() == 0) {
    if (short_rows.last() == 0) return norm_backward_with_sums(args, short_rows, saved);
    return norm_backward_with_sums(args, rows, saved);
  }
  if (args.grad_input.present) {
    launch(device, rows.blocks(), rows.block_threads(), norm_backward_rows_kernel<Rows<2>>, rows,
           shape, saved, args.grad_input, args.centered);
  }
  if (wants_sums)
    norm_parameter_grads<float>(device, shape, saved, true, args.grad_weight, args.grad_bias);
}

inline void norm_backward(const NormBackwardArgs& args) {
  const NormShape shape{args.input.sizes[0], args.input.sizes[1], args.groups, args.inner};
  const Device device = args.input.device;
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                             args.rstd.as<const C>()};
    if constexpr (std::is_same_v<C, float>) {
      if (shape.has_vectors() && are_rows_of_vectors(shape.length, args.grad_output, args.input,
                                                     args.weight, args.grad_input))
        return norm_backward_by_rows(args, shape, saved);
    }
    if (args.grad_input.present) {
      launch(device, grid_for(shape.rows, 1), kThreads, norm_backward_kernel<C>, shape, saved,
             args.grad_input, args.centered);
    }
    if (args.grad_weight.present || args.grad_bias.present)
      norm_parameter_grads<C>(device, shape, saved, false, args.grad_weight, args.grad_bias);
  });
}

}  // namespace amp::inline v0::kernels::cuda

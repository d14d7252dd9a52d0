// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of rows and of channels: a block per row, or channel. Formulas and sources as in
// host/norm.hpp: means and variances are summed in double, around the mean. grad_weight and
// grad_bias are sums over parts of the rows, added in order, so that they do not depend on the
// grid.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/block_reduce.cuh"
#include "amp/kernels/cuda/elements.cuh"
#include "amp/kernels/cuda/scratch.cuh"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

/// Rows, and which affine parameters they have (NormArgs).
struct NormShape {
  std::int64_t rows, length, groups, inner;

  __device__ std::int64_t per_row() const { return length / inner; }
  __device__ std::int64_t parameter(std::int64_t row, std::int64_t i) const {
    return row % groups * per_row() + i / inner;
  }
};

/// An element of an affine parameter; `absent` where there is none.
template <class C>
__device__ C parameter_or(const Input& parameter, std::int64_t i, C absent) {
  return parameter.data == nullptr ? absent : load<C>(parameter, i);
}

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

/// The sums of some of the rows, `part_rows` of them, for each affine parameter.
struct NormSums {
  double *weight, *bias;  // [parts, groups * per_row]
  std::int64_t parts, part_rows, parameters;
};

/// Adds what elements [first, last) of the runs of one parameter give, `step` apart, over the rows
/// of a part.
template <class C>
__device__ void add_rows(const NormShape& shape, const NormSaved<C>& saved, const NormSums& sums,
                         std::int64_t part, std::int64_t parameter, std::int64_t first,
                         std::int64_t step, double& weight, double& bias) {
  const std::int64_t group = parameter / shape.per_row();
  const std::int64_t run = parameter % shape.per_row() * shape.inner;
  const std::int64_t begin = part * sums.part_rows;
  const std::int64_t beyond = begin + sums.part_rows;
  const std::int64_t end = beyond < shape.rows ? beyond : shape.rows;
  // The first row from `begin` on that belongs to the group.
  const std::int64_t ahead = (group - begin % shape.groups + shape.groups) % shape.groups;
  for (std::int64_t row = begin + ahead; row < end; row += shape.groups) {
    const C mean = saved.mean(row), rstd = saved.rstds[row];
    for (std::int64_t i = first; i < shape.inner; i += step) {
      const std::int64_t at = row * shape.length + run + i;
      const double grad = static_cast<double>(load<C>(saved.grad, at));
      weight += grad * static_cast<double>(saved.normal(at, mean, rstd));
      bias += grad;
    }
  }
}

/// Parameters of single elements: a thread each.
template <class C>
AMP_KERNEL void norm_sums_by_thread_kernel(NormShape shape, NormSaved<C> saved, NormSums sums) {
  for (std::int64_t i = first_element(); i < sums.parts * sums.parameters; i += element_step()) {
    double weight = 0, bias = 0;
    add_rows(shape, saved, sums, i / sums.parameters, i % sums.parameters, 0, 1, weight, bias);
    sums.weight[i] = weight;
    sums.bias[i] = bias;
  }
}
/// Parameters of runs of elements: a block each.
template <class C>
AMP_KERNEL void norm_sums_by_block_kernel(NormShape shape, NormSaved<C> saved, NormSums sums) {
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

/// The sums of all parts; of none they are 0.
template <class Sums>
AMP_KERNEL void norm_add_parts_kernel(Sums sums, Output grad_weight, Output grad_bias) {
  for (std::int64_t i = first_element(); i < sums.parameters; i += element_step()) {
    double weight = 0, bias = 0;
    for (std::int64_t part = 0; part < sums.parts; ++part) {
      weight += sums.weight[part * sums.parameters + i];
      bias += sums.bias[part * sums.parameters + i];
    }
    if (grad_weight.data != nullptr) store<double>(grad_weight, i, weight);
    if (grad_bias.data != nullptr) store<double>(grad_bias, i, bias);
  }
}

template <class C>
void norm_parameters(Device device, const NormShape& shape, const NormSaved<C>& saved,
                     const Output& grad_weight, const Output& grad_bias) {
  const std::int64_t part_rows = ceil_div(shape.rows, 32);
  const std::int64_t parts = shape.rows == 0 ? 0 : ceil_div(shape.rows, part_rows);
  const std::int64_t parameters = shape.groups * (shape.length / shape.inner);
  const std::int64_t sums_of_each = parts * parameters;
  const Scratch<double> memory(device, 2 * sums_of_each);
  const NormSums sums{memory.data(), memory.data() + sums_of_each, parts, part_rows, parameters};
  if (shape.inner < 32) {
    launch(device, grid_for(sums_of_each), kThreads, norm_sums_by_thread_kernel<C>, shape, saved,
           sums);
  } else {
    launch(device, grid_for(sums_of_each, 1), kThreads, norm_sums_by_block_kernel<C>, shape, saved,
           sums);
  }
  launch(device, grid_for(parameters), kThreads, norm_add_parts_kernel<NormSums>, sums, grad_weight,
         grad_bias);
}

inline void norm(const NormArgs& args) {
  const NormShape shape{args.input.sizes[0], args.input.sizes[1], args.groups, args.inner};
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.input.device, grid_for(shape.rows, 1), kThreads, norm_kernel<C>, shape, args.input,
           args.weight, args.bias, args.output, args.mean.as<C>(), args.rstd.as<C>(), args.eps,
           args.centered);
  });
}

inline void norm_backward(const NormBackwardArgs& args) {
  const NormShape shape{args.input.sizes[0], args.input.sizes[1], args.groups, args.inner};
  const Device device = args.input.device;
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                             args.rstd.as<const C>()};
    if (args.grad_input.present) {
      launch(device, grid_for(shape.rows, 1), kThreads, norm_backward_kernel<C>, shape, saved,
             args.grad_input, args.centered);
    }
    if (args.grad_weight.present || args.grad_bias.present)
      norm_parameters<C>(device, shape, saved, args.grad_weight, args.grad_bias);
  });
}

/// [N, C, I], of which a channel is one row.
struct ChannelShape {
  std::int64_t batch, channels, inner;

  explicit ChannelShape(const Operand& input)
      : batch(input.sizes[0]), channels(input.sizes[1]), inner(input.sizes[2]) {}
  __device__ std::int64_t count() const { return batch * inner; }
  __device__ std::int64_t at(std::int64_t channel, std::int64_t i) const {
    return (i / inner * channels + channel) * inner + i % inner;
  }
};

/// Moves a running statistic towards the batch's.
__device__ inline void move_running(void* running, DType dtype, std::int64_t channel,
                                    double momentum, double batch) {
  if (running == nullptr) return;
  const double kept = load<double>(running, dtype, channel);
  store<double>(running, dtype, channel, (1 - momentum) * kept + momentum * batch);
}

template <class C>
AMP_KERNEL void batch_norm_kernel(ChannelShape shape, Input x, Input weight, Input bias,
                                  Output running_mean, Output running_var, Output y, C* means,
                                  C* rstds, double momentum, double eps, bool training) {
  const std::int64_t count = shape.count();
  const double n = static_cast<double>(count);
  for (std::int64_t c = blockIdx.x; c < shape.channels; c += gridDim.x) {
    double mean = 0, variance = 0;
    if (training) {
      for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x)
        mean += static_cast<double>(load<C>(x, shape.at(c, i)));
      mean = block_sum(mean) / n;
      for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
        const double d = static_cast<double>(load<C>(x, shape.at(c, i))) - mean;
        variance += d * d;
      }
      variance = block_sum(variance);
      if (threadIdx.x == 0) {
        move_running(running_mean.data, running_mean.dtype, c, momentum, mean);
        move_running(running_var.data, running_var.dtype, c, momentum, variance / (n - 1));
      }
      variance /= n;
    } else {
      mean = load<double>(running_mean.data, running_mean.dtype, c);
      variance = load<double>(running_var.data, running_var.dtype, c);
    }
    const C m = static_cast<C>(mean);
    const C r = static_cast<C>(1 / functions::math::sqrt(variance + eps));
    if (threadIdx.x == 0) {
      means[c] = m;
      rstds[c] = r;
    }
    const C w = parameter_or(weight, c, C{1}), b = parameter_or(bias, c, C{0});
    for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      const std::int64_t at = shape.at(c, i);
      store<C>(y, at, (load<C>(x, at) - m) * r * w + b);
    }
  }
}

/// With fixed statistics (not training) both means drop out of grad_x.
template <class C>
AMP_KERNEL void batch_norm_backward_kernel(ChannelShape shape, NormSaved<C> saved, Output grad_x,
                                           Output grad_weight, Output grad_bias, bool training) {
  const std::int64_t count = shape.count();
  const double n = static_cast<double>(count);
  for (std::int64_t c = blockIdx.x; c < shape.channels; c += gridDim.x) {
    const C mean = saved.mean(c), rstd = saved.rstds[c];
    double sum = 0, dot = 0;
    for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      const std::int64_t at = shape.at(c, i);
      const double grad = static_cast<double>(load<C>(saved.grad, at));
      sum += grad;
      dot += grad * static_cast<double>(saved.normal(at, mean, rstd));
    }
    sum = block_sum(sum);
    dot = block_sum(dot);
    if (threadIdx.x == 0) {
      if (grad_weight.data != nullptr) store<double>(grad_weight, c, dot);
      if (grad_bias.data != nullptr) store<double>(grad_bias, c, sum);
    }
    if (grad_x.data == nullptr) continue;
    const C factor = parameter_or(saved.weight, c, C{1}) * rstd;
    const C mean_g = training ? static_cast<C>(sum / n) : C{0};
    const C mean_dot = training ? static_cast<C>(dot / n) : C{0};
    for (std::int64_t i = threadIdx.x; i < count; i += blockDim.x) {
      const std::int64_t at = shape.at(c, i);
      const C grad = load<C>(saved.grad, at);
      store<C>(grad_x, at, factor * (grad - mean_g - saved.normal(at, mean, rstd) * mean_dot));
    }
  }
}

inline void batch_norm(const BatchNormArgs& args) {
  const ChannelShape shape(args.input);
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    launch(args.input.device, grid_for(shape.channels, 1), kThreads, batch_norm_kernel<C>, shape,
           args.input, args.weight, args.bias, args.running_mean, args.running_var, args.output,
           args.mean.as<C>(), args.rstd.as<C>(), args.momentum, args.eps, args.training);
  });
}

inline void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const ChannelShape shape(args.input);
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    const NormSaved<C> saved{args.grad_output, args.input, args.weight, args.mean.as<const C>(),
                             args.rstd.as<const C>()};
    launch(args.input.device, grid_for(shape.channels, 1), kThreads, batch_norm_backward_kernel<C>,
           shape, saved, args.grad_input, args.grad_weight, args.grad_bias, args.training);
  });
}

}  // namespace amp::inline v0::kernels::cuda

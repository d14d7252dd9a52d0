// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// Normalisation of rows (layer norm: Ba et al. 2016, arXiv 1607.06450; group norm: Wu and He 2018,
// arXiv 1803.08494; RMS norm: Zhang and Sennrich 2019, arXiv 1910.07467) and of channels (batch
// norm: Ioffe and Szegedy 2015, arXiv 1502.03167). With x^ = (x - mean) * rstd and g = grad *
// weight,
//   grad_x      = rstd * (g - mean(g) - x^ * mean(g * x^))
//   grad_weight = sum(grad * x^),   grad_bias = sum(grad)
// Without the mean (RMS), mean(g) drops out. Means and variances are summed in double, around the
// mean: the difference of squares would cancel.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/batch_norm_channels_last.hpp"
#include "amp/kernels/host/reduce.hpp"
#include "amp/kernels/host/running_statistics.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// All elements of an affine parameter in the compute type; null where it is absent.
template <class C>
const C* whole(const Operand& parameter, C* buffer) {
  return parameter.present ? fetch(parameter, 0, 1, parameter.numel(), buffer) : nullptr;
}
template <class C>
HostBuffer<C> buffer_for(const Operand& parameter) {
  return HostBuffer<C>(parameter.present ? parameter.numel() : 0);
}

template <class C>
double sum_of_squares(const C* x, std::int64_t n, double mean) {
  double lanes[8] = {};
  std::int64_t i = 0;
  const auto square = [&](std::int64_t j) {
    const double d = static_cast<double>(x[j]) - mean;
    return d * d;
  };
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += square(i + l);
  }
  for (; i < n; ++i) lanes[i % 8] += square(i);
  return sum_block<double>(lanes, 8);
}

/// Which affine parameters a row has: runs of `inner` elements share one (NormArgs).
struct Affine {
  std::int64_t groups, inner, length;
  std::int64_t per_row() const { return length / inner; }
  std::int64_t first(std::int64_t row) const { return row % groups * per_row(); }
};

template <class C>
void norm(const NormArgs& args) {
  const std::int64_t rows = args.input.sizes[0], length = args.input.sizes[1];
  const Affine affine{args.groups, args.inner, length};
  const auto weight_buffer = buffer_for<C>(args.weight), bias_buffer = buffer_for<C>(args.bias);
  const C* const weight = whole(args.weight, weight_buffer.data());
  const C* const bias = whole(args.bias, bias_buffer.data());
  parallel_ranges(rows, ceil_div(4 * kBlock, length), [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> scratch(2 * length);
    for (std::int64_t row = begin; row < end; ++row) {
      const C* const x = fetch(args.input, row * length, 1, length, scratch.data());
      C* const y = target(args.output, row * length, 1, length, scratch.data() + length);
      const double n = static_cast<double>(length);
      const double mean = args.centered ? sum_block<double>(x, length) / n : 0;
      const double rstd = 1 / std::sqrt(sum_of_squares(x, length, mean) / n + args.eps);
      if (args.mean.present) args.mean.as<C>()[row] = static_cast<C>(mean);
      args.rstd.as<C>()[row] = static_cast<C>(rstd);
      const C m = static_cast<C>(mean), r = static_cast<C>(rstd);
      for (std::int64_t i = 0; i < length; ++i) y[i] = (x[i] - m) * r;
      const std::int64_t first = affine.first(row);
      if (args.inner == 1) {
        if (weight != nullptr) {
          for (std::int64_t i = 0; i < length; ++i) y[i] *= weight[first + i];
        }
        if (bias != nullptr) {
          for (std::int64_t i = 0; i < length; ++i) y[i] += bias[first + i];
        }
      } else if (weight != nullptr || bias != nullptr) {
        for (std::int64_t p = 0; p < affine.per_row(); ++p) {
          const C w = weight == nullptr ? C{1} : weight[first + p];
          const C b = bias == nullptr ? C{0} : bias[first + p];
          for (std::int64_t i = p * args.inner; i < (p + 1) * args.inner; ++i) y[i] = y[i] * w + b;
        }
      }
      store(y, args.output, row * length, 1, length);
    }
  });
}

template <class C>
void norm_backward(const NormBackwardArgs& args) {
  const std::int64_t rows = args.input.sizes[0], length = args.input.sizes[1];
  const Affine affine{args.groups, args.inner, length};
  const std::int64_t parameters = affine.groups * affine.per_row();
  const auto weight_buffer = buffer_for<C>(args.weight);
  const C* const weight = whole(args.weight, weight_buffer.data());
  // Rows in at most 32 parts, each with its own sums over rows, added in order: the result does not
  // depend on the number of threads.
  const std::int64_t part = ceil_div(rows, 32), parts = rows == 0 ? 0 : ceil_div(rows, part);
  const bool sums = args.grad_weight.present || args.grad_bias.present;
  const std::int64_t partial_sums = sums ? (parts + 1) * parameters : 0;
  const HostBuffer<double> weight_sums(partial_sums), bias_sums(partial_sums);
  std::fill_n(weight_sums.data(), partial_sums, 0.0);
  std::fill_n(bias_sums.data(), partial_sums, 0.0);
  parallel_for(parts, [&](std::int64_t p) {
    const HostBuffer<C> scratch(5 * length);
    C *const normal = scratch.data() + 3 * length, *const g = scratch.data() + 4 * length;
    for (std::int64_t row = p * part; row < (std::min)(rows, (p + 1) * part); ++row) {
      const C* const x = fetch(args.input, row * length, 1, length, scratch.data());
      const C* const grad =
          fetch(args.grad_output, row * length, 1, length, scratch.data() + length);
      const C mean = args.mean.present ? args.mean.as<const C>()[row] : C{0};
      const C rstd = args.rstd.as<const C>()[row];
      for (std::int64_t i = 0; i < length; ++i) normal[i] = (x[i] - mean) * rstd;
      const std::int64_t first = affine.first(row);
      if (sums) {
        double* const to_weight = weight_sums.data() + (p + 1) * parameters + first;
        double* const to_bias = bias_sums.data() + (p + 1) * parameters + first;
        for (std::int64_t a = 0; a < affine.per_row(); ++a) {
          for (std::int64_t i = a * affine.inner; i < (a + 1) * affine.inner; ++i) {
            to_weight[a] += static_cast<double>(grad[i]) * static_cast<double>(normal[i]);
            to_bias[a] += static_cast<double>(grad[i]);
          }
        }
      }
      if (!args.grad_input.present) continue;
      for (std::int64_t a = 0; a < affine.per_row(); ++a) {
        const C w = weight == nullptr ? C{1} : weight[first + a];
        for (std::int64_t i = a * affine.inner; i < (a + 1) * affine.inner; ++i) g[i] = grad[i] * w;
      }
      double sum = 0, dot = 0;
      for (std::int64_t i = 0; i < length; ++i) {
        sum += static_cast<double>(g[i]);
        dot += static_cast<double>(g[i]) * static_cast<double>(normal[i]);
      }
      const C mean_g = args.centered ? static_cast<C>(sum / static_cast<double>(length)) : C{0};
      const C mean_dot = static_cast<C>(dot / static_cast<double>(length));
      C* const grad_x =
          target(args.grad_input, row * length, 1, length, scratch.data() + 2 * length);
      for (std::int64_t i = 0; i < length; ++i)
        grad_x[i] = rstd * (g[i] - mean_g - normal[i] * mean_dot);
      store(grad_x, args.grad_input, row * length, 1, length);
    }
  });
  const auto finish = [&](const HostBuffer<double>& partial, const Operand& gradient) {
    if (!gradient.present) return;
    for (std::int64_t p = 1; p <= parts; ++p) {
      for (std::int64_t i = 0; i < parameters; ++i) partial[i] += partial[p * parameters + i];
    }
    store(partial.data(), gradient, 0, 1, parameters);
  };
  finish(weight_sums, args.grad_weight);
  finish(bias_sums, args.grad_bias);
}

/// sum(grad * x^), in lanes.
template <class C>
double sum_of_products(const C* grad, const C* x, std::int64_t n, C mean, C rstd) {
  double lanes[8] = {};
  std::int64_t i = 0;
  const auto product = [&](std::int64_t j) {
    return static_cast<double>(grad[j]) * static_cast<double>((x[j] - mean) * rstd);
  };
  for (; i + 8 <= n; i += 8) {
    for (int l = 0; l < 8; ++l) lanes[l] += product(i + l);
  }
  for (; i < n; ++i) lanes[i % 8] += product(i);
  return sum_block<double>(lanes, 8);
}

/// The runs of one channel of [N, C, I]: N of I elements, or, where I is 1, one of N.
struct ChannelRuns {
  std::int64_t count, length, stride, distance;
  explicit ChannelRuns(const Operand& input) {
    const std::int64_t batch = input.sizes[0], channels = input.sizes[1], inner = input.sizes[2];
    count = inner == 1 ? 1 : batch;
    length = inner == 1 ? batch : inner;
    stride = inner == 1 ? channels : 1;
    distance = channels * inner;
  }
  std::int64_t start(std::int64_t channel, std::int64_t run) const {
    return stride == 1 ? channel * length + run * distance : channel;
  }
};

template <class C>
void batch_norm(const BatchNormArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  const HostBuffer<double> batch(args.training ? 2 * args.input.sizes[1] : 0);
  parallel_ranges(args.input.sizes[1], 1, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> scratch(2 * runs.length);
    for (std::int64_t c = begin; c < end; ++c) {
      const auto fetch_run = [&](std::int64_t run) {
        return fetch(args.input, runs.start(c, run), runs.stride, runs.length, scratch.data());
      };
      double mean = 0, variance = 0;
      if (args.training) {
        for (std::int64_t run = 0; run < runs.count; ++run)
          mean += sum_block<double>(fetch_run(run), runs.length);
        mean /= n;
        for (std::int64_t run = 0; run < runs.count; ++run)
          variance += sum_of_squares(fetch_run(run), runs.length, mean);
        batch[c] = mean;
        batch[args.input.sizes[1] + c] = variance;
        variance /= n;
      } else {
        mean = element_of<double>(args.running_mean, c, 0);
        variance = element_of<double>(args.running_var, c, 1);
      }
      const C m = static_cast<C>(mean), r = static_cast<C>(1 / std::sqrt(variance + args.eps));
      args.mean.as<C>()[c] = m;
      args.rstd.as<C>()[c] = r;
      const C w = element_of(args.weight, c, C{1}), b = element_of(args.bias, c, C{0});
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const std::int64_t at = runs.start(c, run);
        const C* const x = fetch_run(run);
        C* const y =
            target(args.output, at, runs.stride, runs.length, scratch.data() + runs.length);
        for (std::int64_t i = 0; i < runs.length; ++i) y[i] = (x[i] - m) * r * w + b;
        store(y, args.output, at, runs.stride, runs.length);
      }
    }
  });
  if (args.training) move_running(args, batch.data(), n);  // now that nothing can fail
}

/// With fixed statistics (not training) both means drop out of grad_x, and x with them: a zero
/// times x^ would make its infinities NaN.
template <class C>
void batch_norm_backward(const BatchNormBackwardArgs& args) {
  const ChannelRuns runs(args.input);
  const double n = static_cast<double>(runs.count) * static_cast<double>(runs.length);
  parallel_ranges(args.input.sizes[1], 1, [&](std::int64_t begin, std::int64_t end) {
    const HostBuffer<C> scratch(3 * runs.length);
    for (std::int64_t c = begin; c < end; ++c) {
      const C mean = args.mean.as<const C>()[c], rstd = args.rstd.as<const C>()[c];
      const auto fetch_run = [&](const Operand& array, std::int64_t run, int buffer) {
        return fetch(array, runs.start(c, run), runs.stride, runs.length,
                     scratch.data() + buffer * runs.length);
      };
      double sum = 0, dot = 0;
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const C* const x = fetch_run(args.input, run, 0);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        sum += sum_block<double>(grad, runs.length);
        dot += sum_of_products(grad, x, runs.length, mean, rstd);
      }
      if (args.grad_weight.present) store(&dot, args.grad_weight, c, 1, 1);
      if (args.grad_bias.present) store(&sum, args.grad_bias, c, 1, 1);
      if (!args.grad_input.present) continue;
      const C factor = element_of(args.weight, c, C{1}) * rstd;
      const C mean_g = static_cast<C>(sum / n), mean_dot = static_cast<C>(dot / n);
      for (std::int64_t run = 0; run < runs.count; ++run) {
        const std::int64_t at = runs.start(c, run);
        const C* const x = fetch_run(args.input, run, 0);
        const C* const grad = fetch_run(args.grad_output, run, 1);
        C* const grad_x =
            target(args.grad_input, at, runs.stride, runs.length, scratch.data() + 2 * runs.length);
        for (std::int64_t i = 0; i < runs.length; ++i) {
          grad_x[i] = factor * (args.training ? grad[i] - mean_g - (x[i] - mean) * rstd * mean_dot
                                              : grad[i]);
        }
        store(grad_x, args.grad_input, at, runs.stride, runs.length);
      }
    }
  });
}

}  // namespace detail

inline void norm(const NormArgs& args) {
  visit_float_type(args.input.dtype,
                   [&](auto tag) { detail::norm<typename decltype(tag)::type>(args); });
}
inline void norm_backward(const NormBackwardArgs& args) {
  visit_float_type(args.input.dtype,
                   [&](auto tag) { detail::norm_backward<typename decltype(tag)::type>(args); });
}
inline void batch_norm(const BatchNormArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (detail::is_channels_last(args.input)) return detail::batch_norm_channels_last<C>(args);
    detail::batch_norm<C>(args);
  });
}
inline void batch_norm_backward(const BatchNormBackwardArgs& args) {
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (detail::is_channels_last(args.input))
      return detail::batch_norm_backward_channels_last<C>(args);
    detail::batch_norm_backward<C>(args);
  });
}

}  // namespace amp::inline v0::kernels::host

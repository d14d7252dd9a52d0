// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax over one dimension. The maximum is subtracted first: exp cannot overflow,
// and the result is unchanged.
#pragma once

#include <cstdint>

#include "amp/kernels/cuda/lines.cuh"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::cuda {

namespace detail {

/// The largest element of a line, NaN where any is NaN.
template <class Team, class C>
__device__ C line_maximum(const Lines& lines, const Input& x, std::int64_t start) {
  C maximum = load<C>(x, start);  // for the threads that get no element too
  for (std::int64_t i = Team::first(); i < lines.length; i += Team::step())
    maximum = functions::Maximum::apply(load<C>(x, start + i * lines.stride), maximum);
  return Team::template reduce<functions::Maximum>(maximum);
}

/// sum(exp(x - maximum)) of a line.
template <class Team, class C>
__device__ double line_exp_sum(const Lines& lines, const Input& x, std::int64_t start, C maximum) {
  double sum = 0;
  for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
    const C value = load<C>(x, start + i * lines.stride);
    sum += static_cast<double>(functions::math::exp(value - maximum));
  }
  return Team::template reduce<functions::Add>(sum);
}

template <bool Log, class Team, class C>
AMP_KERNEL void softmax_kernel(Lines lines, Input x, Output y) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    const C maximum = line_maximum<Team, C>(lines, x, start);
    const double exp_sum = line_exp_sum<Team>(lines, x, start, maximum);
    const C sum = static_cast<C>(Log ? functions::math::log(exp_sum) : exp_sum);
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      // Maximum and logarithm one after the other: their sum would cost log-probabilities of large
      // x their last digits.
      const C difference = load<C>(x, at) - maximum;
      store<C>(y, at, Log ? difference - sum : functions::math::exp(difference) / sum);
    }
  }
}

/// softmax:      grad_x = y * (grad - sum(grad * y))
/// log_softmax:  grad_x = grad - exp(y) * sum(grad)
template <bool Log, class Team, class C>
AMP_KERNEL void softmax_backward_kernel(Lines lines, Input grad_output, Input output,
                                        Output grad_input) {
  for (std::int64_t line = Team::first_line(); line < lines.count; line += Team::line_step()) {
    const std::int64_t start = lines.start(line);
    double total = 0;
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      const C grad = load<C>(grad_output, at);
      total += static_cast<double>(Log ? grad : grad * load<C>(output, at));
    }
    const C sum = static_cast<C>(Team::template reduce<functions::Add>(total));
    for (std::int64_t i = Team::first(); i < lines.length; i += Team::step()) {
      const std::int64_t at = start + i * lines.stride;
      const C grad = load<C>(grad_output, at), y = load<C>(output, at);
      store<C>(grad_input, at, Log ? grad - functions::math::exp(y) * sum : y * (grad - sum));
    }
  }
}

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  if (lines.length == 0) return;
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_team(lines, [&](auto team, std::int64_t blocks) {
      launch(args.output.device, blocks, kThreads, softmax_kernel<Log, decltype(team), C>, lines,
             args.input, args.output);
    });
  });
}

template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    visit_team(lines, [&](auto team, std::int64_t blocks) {
      launch(args.grad_input.device, blocks, kThreads,
             softmax_backward_kernel<Log, decltype(team), C>, lines, args.grad_output, args.output,
             args.grad_input);
    });
  });
}

}  // namespace detail

inline void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
inline void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
inline void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
inline void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::cuda

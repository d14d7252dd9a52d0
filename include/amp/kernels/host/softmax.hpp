// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax over one dimension. The maximum is subtracted first: exp cannot overflow,
// and the result is unchanged.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/kernels/host/lines.hpp"
#include "amp/kernels/host/reduce.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// NaN where any is NaN.
template <class C>
C maximum_of(const C* x, std::int64_t n) {
  C maximum = x[0];
  for (std::int64_t i = 1; i < n; ++i) maximum = x[i] > maximum || is_nan(x[i]) ? x[i] : maximum;
  return maximum;
}

/// log(sum(exp(x - maximum))). Kept apart from the maximum: their sum would cost log-probabilities
/// of large x their last digits.
template <class C>
C log_sum_exp(const C* x, std::int64_t n, C maximum) {
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += static_cast<double>(std::exp(x[i] - maximum));
  return static_cast<C>(std::log(sum));
}

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_each_line<C>(lines, [&](std::int64_t at, C* scratch) {
      const std::int64_t n = lines.length;
      const C* const x = fetch(args.input, at, lines.stride, n, scratch);
      C* const y = target(args.output, at, lines.stride, n, scratch + n);
      const C maximum = maximum_of(x, n);
      if constexpr (Log) {
        const C log_sum = log_sum_exp(x, n, maximum);
        for (std::int64_t i = 0; i < n; ++i) y[i] = (x[i] - maximum) - log_sum;
      } else {
        for (std::int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i] - maximum);
        const C sum = static_cast<C>(sum_block<double>(y, n));
        for (std::int64_t i = 0; i < n; ++i) y[i] /= sum;
      }
      store(y, args.output, at, lines.stride, n);
    });
  });
}

/// softmax:      grad_x = y * (grad - sum(grad * y))
/// log_softmax:  grad_x = grad - exp(y) * sum(grad)
template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_each_line<C>(lines, [&](std::int64_t at, C* scratch) {
      const std::int64_t n = lines.length;
      const C* const grad = fetch(args.grad_output, at, lines.stride, n, scratch);
      const C* const y = fetch(args.output, at, lines.stride, n, scratch + n);
      C* const grad_x = target(args.grad_input, at, lines.stride, n, scratch + 2 * n);
      double total = 0;
      for (std::int64_t i = 0; i < n; ++i)
        total += static_cast<double>(Log ? grad[i] : grad[i] * y[i]);
      const C sum = static_cast<C>(total);
      for (std::int64_t i = 0; i < n; ++i)
        grad_x[i] = Log ? grad[i] - std::exp(y[i]) * sum : y[i] * (grad[i] - sum);
      store(grad_x, args.grad_input, at, lines.stride, n);
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

}  // namespace amp::inline v0::kernels::host

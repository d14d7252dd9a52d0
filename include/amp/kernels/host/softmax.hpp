// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
//
// softmax and log_softmax over one dimension. The maximum is subtracted first: exp cannot overflow,
// and the result is unchanged.
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/host/block.hpp"
#include "amp/kernels/signatures.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The lines of a contiguous array along one dimension: line l starts at start(l), its elements
/// `stride` apart.
struct Lines {
  std::int64_t count = 1, length = 1, stride = 1;
  Lines(const Operand& array, int dim) {
    for (int d = 0; d < array.dims; ++d) (d == dim ? length : count) *= array.sizes[d];
    for (int d = dim + 1; d < array.dims; ++d) stride *= array.sizes[d];
  }
  std::int64_t start(std::int64_t line) const {
    return line / stride * length * stride + line % stride;
  }
};

/// body(line start, in-out scratch lines...) for all lines, in parallel.
template <class C, class Body>
void for_each_line(const Lines& lines, Body&& body) {
  if (lines.length == 0) return;
  parallel_ranges(lines.count, ceil_div(4 * kBlock, lines.length),
                  [&](std::int64_t begin, std::int64_t end) {
                    const HostBuffer<C> scratch(3 * lines.length);
                    for (std::int64_t line = begin; line < end; ++line)
                      body(lines.start(line), scratch.data());
                  });
}

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
  C sum = 0;
  for (std::int64_t i = 0; i < n; ++i) sum += std::exp(x[i] - maximum);
  return std::log(sum);
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
        C sum = 0;
        for (std::int64_t i = 0; i < n; ++i) sum += y[i] = std::exp(x[i] - maximum);
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
      C sum = 0;
      for (std::int64_t i = 0; i < n; ++i) sum += Log ? grad[i] : grad[i] * y[i];
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

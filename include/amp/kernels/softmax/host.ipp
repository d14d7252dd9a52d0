// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/softmax/host.hpp"
#include "amp/kernels/softmax/host/rows.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <bool Log>
struct SoftmaxRows {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
      const C maximum = MaximumOfRow::run<Isa>(x, n);
      C* const none = nullptr;
      const C finished = finished_sum<Log, Isa>(x, Log ? none : y, n, maximum);
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        auto v = simd::load<Isa>(Log ? x + i : y + i);
        Softmax<Log>::apply(v, maximum, finished);
        simd::store(v, y + i);
      }
    }
  }
};

template <bool Log>
struct SoftmaxGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* grad, const C* y, C* grad_x, std::int64_t n,
                                    std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row, grad += n, y += n, grad_x += n) {
      simd::Vec<double, Isa> total = 0;
      simd::Vec<C, Isa> g, p = 0;
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        g = simd::load<Isa>(grad + i);
        if constexpr (!Log) p = simd::load<Isa>(y + i);
        Softmax<Log>::to_term(g, p);
        total += simd::to_double(simd::keep_first(g, n - i));
      }
      const C sum = static_cast<C>(simd::sum_of(total));
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        g = simd::load<Isa>(grad + i);
        p = simd::load<Isa>(y + i);
        if constexpr (Log) p = exp(p);
        Softmax<Log>::to_gradient(g, p, sum);
        simd::store(g, grad_x + i);
      }
    }
  }
};

template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_line_blocks<C>(lines, 2, [&](std::int64_t line, std::int64_t count, C* scratch) {
      const RowBlock block{lines.start(line), lines.stride, lines.length, count};
      const C* const x = block.fetch(args.input, scratch);
      C* const y = block.target(args.output, scratch + block.space());
      on_rows<SoftmaxRows<Log>, C>(x, y, lines.length, count);
      block.store(y, args.output);
    });
  });
}

template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    for_line_blocks<C>(lines, 3, [&](std::int64_t line, std::int64_t count, C* scratch) {
      const RowBlock block{lines.start(line), lines.stride, lines.length, count};
      const C* const grad = block.fetch(args.grad_output, scratch);
      const C* const y = block.fetch(args.output, scratch + block.space());
      C* const grad_x = block.target(args.grad_input, scratch + 2 * block.space());
      on_rows<SoftmaxGradients<Log>, C>(grad, y, grad_x, lines.length, count);
      block.store(grad_x, args.grad_input);
    });
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
AMP_LAZY_DEFINITION void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
AMP_LAZY_DEFINITION void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
AMP_LAZY_DEFINITION void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::host

// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/simd/fold.hpp"
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

/// Of lines that lie side by side: n columns, in place.
template <bool Log>
struct SoftmaxColumns {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* x, std::int64_t n, std::int64_t length) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    C maxima[kBlock], finished[kBlock];
    double sums[kBlock] = {};
    C* const end = x + length * n;
    std::memcpy(maxima, x, static_cast<std::size_t>(n) * sizeof(C));
    for (C* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes)
        simd::store(larger(simd::load<Isa>(row + i), simd::load<Isa>(maxima + i)), maxima + i);
    }
    for (C* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        const auto e = exp(simd::load<Isa>(row + i) - simd::load<Isa>(maxima + i));
        if constexpr (!Log) simd::store(e, row + i);
        simd::add_to(sums + i, simd::to_double(e));
      }
    }
    for (std::int64_t i = 0; i < n; ++i)
      finished[i] = static_cast<C>(Softmax<Log>::finish(sums[i]));
    for (C* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto v = simd::load<Isa>(row + i);
        Softmax<Log>::apply(v, simd::load<Isa>(maxima + i), simd::load<Isa>(finished + i));
        simd::store(v, row + i);
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

/// Replaces the gradients of n columns.
template <bool Log>
struct SoftmaxColumnGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* grad, const C* y, std::int64_t n, std::int64_t length) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    double totals[kBlock] = {};
    C sums[kBlock];
    for (std::int64_t at = 0; at < length * n; at += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto g = simd::load<Isa>(grad + at + i);
        Softmax<Log>::to_term(g, simd::load<Isa>(y + at + i));
        simd::add_to(totals + i, simd::to_double(g));
      }
    }
    for (std::int64_t i = 0; i < n; ++i) sums[i] = static_cast<C>(totals[i]);
    for (std::int64_t at = 0; at < length * n; at += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto g = simd::load<Isa>(grad + at + i), p = simd::load<Isa>(y + at + i);
        if constexpr (Log) p = exp(p);
        Softmax<Log>::to_gradient(g, p, simd::load<Isa>(sums + i));
        simd::store(g, grad + at + i);
      }
    }
  }
};

// What reads and writes blocks is compiled once for both functions.

template <class C>
void softmax_blocks(const SoftmaxArgs& args, const Lines& lines,
                    void (*of_rows)(const C* x, C* y, std::int64_t n, std::int64_t rows),
                    void (*of_columns)(C* x, std::int64_t n, std::int64_t length)) {
  if (lines.stride != 1) {
    return for_column_blocks<C>(lines, 1, [&](const ColumnBlock& block, C* x) {
      block.fetch(args.input, x);
      of_columns(x, block.space(), block.length);
      block.store(x, args.output);
    });
  }
  for_line_blocks<C>(lines, 2, [&](std::int64_t line, std::int64_t count, C* scratch) {
    const RowBlock block{lines.start(line), lines.stride, lines.length, count};
    const C* const x = block.fetch(args.input, scratch);
    C* const y = block.target(args.output, scratch + block.space());
    of_rows(x, y, lines.length, count);
    block.store(y, args.output);
  });
}
template <bool Log>
void softmax(const SoftmaxArgs& args) {
  const Lines lines(args.input, args.dim);
  visit_float_type(args.output.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    softmax_blocks<C>(args, lines, on_rows<SoftmaxRows<Log>, C>, on_rows<SoftmaxColumns<Log>, C>);
  });
}

template <class C>
void softmax_gradient_blocks(const SoftmaxBackwardArgs& args, const Lines& lines,
                             void (*of_rows)(const C* grad, const C* y, C* grad_x, std::int64_t n,
                                             std::int64_t rows),
                             void (*of_columns)(C* grad, const C* y, std::int64_t n,
                                                std::int64_t length)) {
  if (lines.stride != 1) {
    return for_column_blocks<C>(lines, 2, [&](const ColumnBlock& block, C* grad) {
      C* const y = grad + block.distance();
      block.fetch(args.grad_output, grad);
      block.fetch(args.output, y);
      of_columns(grad, y, block.space(), block.length);
      block.store(grad, args.grad_input);
    });
  }
  for_line_blocks<C>(lines, 3, [&](std::int64_t line, std::int64_t count, C* scratch) {
    const RowBlock block{lines.start(line), lines.stride, lines.length, count};
    const C* const grad = block.fetch(args.grad_output, scratch);
    const C* const y = block.fetch(args.output, scratch + block.space());
    C* const grad_x = block.target(args.grad_input, scratch + 2 * block.space());
    of_rows(grad, y, grad_x, lines.length, count);
    block.store(grad_x, args.grad_input);
  });
}
template <bool Log>
void softmax_backward(const SoftmaxBackwardArgs& args) {
  const Lines lines(args.output, args.dim);
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    softmax_gradient_blocks<C>(args, lines, on_rows<SoftmaxGradients<Log>, C>,
                               on_rows<SoftmaxColumnGradients<Log>, C>);
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

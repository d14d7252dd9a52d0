// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "amp/core/simd/ends.hpp"
#include "amp/core/simd/fold.hpp"
#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/softmax/host.hpp"
#include "amp/kernels/softmax/host/rows.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

// Compiled once for both functions: passing over the data costs more than asking which it is.

struct SoftmaxRows {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, std::int64_t rows,
                                    Softmax softmax) {
    for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
      const C maximum = MaximumOfRow::run<Isa>(x, n);
      const double sum = ExponentialsOfRow::run<Isa>(x, softmax.log ? nullptr : y, n, maximum);
      const C finished = static_cast<C>(softmax.finish(sum));
      const C* const from = softmax.log ? x : y;
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        auto v = simd::load<Isa>(from + i);
        softmax.apply(v, maximum, finished);
        simd::store(v, y + i);
      }
    }
  }
};

/// Of lines that lie side by side: n columns, in place.
struct SoftmaxColumns {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* x, std::int64_t n, std::int64_t length, Softmax softmax) {
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
        if (!softmax.log) simd::store(e, row + i);
        simd::add_to(sums + i, simd::to_double(e));
      }
    }
    for (std::int64_t i = 0; i < n; ++i) finished[i] = static_cast<C>(softmax.finish(sums[i]));
    for (C* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto v = simd::load<Isa>(row + i);
        softmax.apply(v, simd::load<Isa>(maxima + i), simd::load<Isa>(finished + i));
        simd::store(v, row + i);
      }
    }
  }
};

struct SoftmaxGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* grad, const C* y, C* grad_x, std::int64_t n,
                                    std::int64_t rows, Softmax softmax) {
    for (std::int64_t row = 0; row < rows; ++row, grad += n, y += n, grad_x += n) {
      simd::Vec<double, Isa> total = 0;
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        auto g = simd::load<Isa>(grad + i);
        softmax.to_term(g, simd::load<Isa>(y + i));
        total += simd::to_double(simd::keep_first(g, n - i));
      }
      const C sum = static_cast<C>(simd::sum_of(total));
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        auto g = simd::load<Isa>(grad + i), p = simd::load<Isa>(y + i);
        if (softmax.log) p = exp(p);
        softmax.to_gradient(g, p, sum);
        simd::store(g, grad_x + i);
      }
    }
  }
};

/// Replaces the gradients of n columns.
struct SoftmaxColumnGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* grad, const C* y, std::int64_t n, std::int64_t length,
                                    Softmax softmax) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    double totals[kBlock] = {};
    C sums[kBlock];
    for (std::int64_t at = 0; at < length * n; at += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto g = simd::load<Isa>(grad + at + i);
        softmax.to_term(g, simd::load<Isa>(y + at + i));
        simd::add_to(totals + i, simd::to_double(g));
      }
    }
    for (std::int64_t i = 0; i < n; ++i) sums[i] = static_cast<C>(totals[i]);
    for (std::int64_t at = 0; at < length * n; at += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        auto g = simd::load<Isa>(grad + at + i), p = simd::load<Isa>(y + at + i);
        if (softmax.log) p = exp(p);
        softmax.to_gradient(g, p, simd::load<Isa>(sums + i));
        simd::store(g, grad + at + i);
      }
    }
  }
};

template <class C>
void softmax(const SoftmaxArgs& args, Softmax softmax) {
  const Lines lines(args.input, args.dim);
  if (lines.stride != 1) {
    return for_column_blocks<C>(lines, 1, [&](const ColumnBlock& block, C* x) {
      block.fetch(args.input, x);
      on_rows<SoftmaxColumns, C>(x, block.space(), block.length, softmax);
      block.store(x, args.output);
    });
  }
  for_line_blocks<C>(lines, 2, [&](std::int64_t line, std::int64_t count, C* scratch) {
    const RowBlock block{lines.start(line), lines.stride, lines.length, count};
    const C* const x = block.fetch(args.input, scratch);
    C* const y = block.target(args.output, scratch + block.space());
    on_rows<SoftmaxRows, C>(x, y, lines.length, count, softmax);
    block.store(y, args.output);
  });
}

template <class C>
void softmax_backward(const SoftmaxBackwardArgs& args, Softmax softmax) {
  const Lines lines(args.output, args.dim);
  if (lines.stride != 1) {
    return for_column_blocks<C>(lines, 2, [&](const ColumnBlock& block, C* grad) {
      C* const y = grad + block.distance();
      block.fetch(args.grad_output, grad);
      block.fetch(args.output, y);
      on_rows<SoftmaxColumnGradients, C>(grad, y, block.space(), block.length, softmax);
      block.store(grad, args.grad_input);
    });
  }
  for_line_blocks<C>(lines, 3, [&](std::int64_t line, std::int64_t count, C* scratch) {
    const RowBlock block{lines.start(line), lines.stride, lines.length, count};
    const C* const grad = block.fetch(args.grad_output, scratch);
    const C* const y = block.fetch(args.output, scratch + block.space());
    C* const grad_x = block.target(args.grad_input, scratch + 2 * block.space());
    on_rows<SoftmaxGradients, C>(grad, y, grad_x, lines.length, count, softmax);
    block.store(grad_x, args.grad_input);
  });
}

AMP_LAZY void softmax_of(const SoftmaxArgs& args, Softmax softmax) {
  visit_float_type(args.output.dtype,
                   [&](auto tag) { detail::softmax<typename decltype(tag)::type>(args, softmax); });
}
AMP_LAZY void softmax_of(const SoftmaxBackwardArgs& args, Softmax softmax) {
  visit_float_type(args.grad_input.dtype, [&](auto tag) {
    softmax_backward<typename decltype(tag)::type>(args, softmax);
  });
}

}  // namespace detail

AMP_LAZY_DEFINITION void softmax(const SoftmaxArgs& args) {
  detail::softmax_of(args, {.log = false});
}
AMP_LAZY_DEFINITION void log_softmax(const SoftmaxArgs& args) {
  detail::softmax_of(args, {.log = true});
}
AMP_LAZY_DEFINITION void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_of(args, {.log = false});
}
AMP_LAZY_DEFINITION void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_of(args, {.log = true});
}

}  // namespace amp::inline v0::kernels::host

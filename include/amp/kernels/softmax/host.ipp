// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/softmax/formula.hpp"
#include "amp/kernels/softmax/host.hpp"
#include "amp/kernels/traversal/host/lines.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

template <class Isa>
AMP_ALWAYS_INLINE void exponential_of(typename Isa::F& x) {
  if constexpr (std::is_same_v<Isa, lanes::Float64>) {
    x = typename Isa::F{std::exp(x[0]), std::exp(x[1])};
  } else {
    lanes::exponential<Isa>(x);
  }
}

/// The largest element; any element if one is NaN.
struct MaximumOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static C run(const C* x, std::int64_t n) {
    constexpr std::int64_t kLanes = lanes::kLanes<Isa>;
    if (n < kLanes) {
      C maximum = x[0];
      for (std::int64_t i = 1; i < n; ++i) maximum = x[i] > maximum ? x[i] : maximum;
      return maximum;
    }
    typename Isa::F maximum, v;
    lanes::load(maximum, x);
    for (std::int64_t i = kLanes; i + kLanes <= n; i += kLanes) {
      lanes::load(v, x + i);
      maximum = v > maximum ? v : maximum;
    }
    lanes::load(v, x + n - kLanes);  // the last ones, some of them again
    maximum = v > maximum ? v : maximum;
    return lanes::fold<kLanes>(maximum, lanes::Larger{});
  }
};

/// The sum of exp(x - maximum), and these in y, if that is not null.
struct ExponentialsOfRow {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static double run(const C* x, C* y, std::int64_t n, C maximum) {
    lanes::Sum<Isa> sum;
    for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
      typename Isa::F v;
      lanes::load(v, x + i);
      v = v - maximum;
      exponential_of<Isa>(v);
      if (y != nullptr) lanes::store(v, y + i);
      sum.add(v, n - i);
    }
    return sum.total();
  }
};

/// The sum of exp(x - maximum), 1 / it or its logarithm: Softmax<Log>::finish.
template <bool Log, class Isa, class C>
AMP_ALWAYS_INLINE C finished_sum(const C* x, C* exponentials, std::int64_t n, C maximum) {
  return static_cast<C>(
      Softmax<Log>::finish(ExponentialsOfRow::run<Isa>(x, exponentials, n, maximum)));
}

template <bool Log>
struct SoftmaxRows {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* y, std::int64_t n, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; ++row, x += n, y += n) {
      const C maximum = MaximumOfRow::run<Isa>(x, n);
      C* const none = nullptr;
      const C finished = finished_sum<Log, Isa>(x, Log ? none : y, n, maximum);
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        lanes::Vector<typename Isa::F> v;
        lanes::load(v.value, Log ? x + i : y + i);
        Softmax<Log>::apply(v, maximum, finished);
        lanes::store(v.value, y + i);
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
      lanes::Sum<Isa> total;
      lanes::Vector<typename Isa::F> g, p;
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        lanes::load(g.value, grad + i);
        if constexpr (!Log) lanes::load(p.value, y + i);
        Softmax<Log>::to_term(g, p);
        total.add(g.value, n - i);
      }
      const C sum = static_cast<C>(total.total());
      for (std::int64_t i = 0; i < n; i += lanes::kLanes<Isa>) {
        lanes::load(g.value, grad + i);
        lanes::load(p.value, y + i);
        if constexpr (Log) exponential_of<Isa>(p.value);
        Softmax<Log>::to_gradient(g, p, sum);
        lanes::store(g.value, grad_x + i);
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

AMP_INLINE void softmax(const SoftmaxArgs& args) { detail::softmax<false>(args); }
AMP_INLINE void log_softmax(const SoftmaxArgs& args) { detail::softmax<true>(args); }
AMP_INLINE void softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<false>(args);
}
AMP_INLINE void log_softmax_backward(const SoftmaxBackwardArgs& args) {
  detail::softmax_backward<true>(args);
}

}  // namespace amp::inline v0::kernels::host

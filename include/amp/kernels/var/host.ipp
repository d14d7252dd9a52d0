// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "amp/kernels/norm/host/rows.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/lines.hpp"
#include "amp/kernels/var/args.hpp"
#include "amp/kernels/var/formula.hpp"
#include "amp/kernels/var/host.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

struct VarianceGradient {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(const C* x, C* grad_x, std::int64_t n, C mean, C factor) {
    for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
      auto v = simd::load<Isa>(x + i);
      Variance::to_gradient(v, mean, factor);
      simd::store(v, grad_x + i);
    }
  }
};

/// Of n lines that lie side by side: their means and sums of squares.
struct VarianceOfColumns {
  template <class Isa>
  AMP_ALWAYS_INLINE static void run(const float* x, std::int64_t n, std::int64_t length,
                                    double* means, double* squares) {
    constexpr std::int64_t kLanes = simd::kLanes<Isa>;
    const float* const end = x + length * n;
    for (const float* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes)
        simd::add_to(means + i, simd::load_doubles<Isa>(row + i));
    }
    for (std::int64_t i = 0; i < n; ++i) means[i] /= static_cast<double>(length);
    for (const float* row = x; row != end; row += n) {
      for (std::int64_t i = 0; i < n; i += kLanes) {
        const auto distance = simd::load_doubles<Isa>(row + i) - simd::load<Isa>(means + i);
        simd::add_to(squares + i, distance * distance);
      }
    }
  }
};
/// Replaces n columns by their gradients.
struct VarianceColumnGradients {
  template <class Isa, class C>
  AMP_ALWAYS_INLINE static void run(C* x, std::int64_t n, std::int64_t length, const C* means,
                                    const C* factors) {
    for (C* const end = x + length * n; x != end; x += n) {
      for (std::int64_t i = 0; i < n; i += simd::kLanes<Isa>) {
        auto v = simd::load<Isa>(x + i);
        Variance::to_gradient(v, simd::load<Isa>(means + i), simd::load<Isa>(factors + i));
        simd::store(v, x + i);
      }
    }
  }
};

/// The sum of a line's elements over n, as formula.hpp says.
template <class C>
double mean_of_line(const Variance& variance, const C* x, std::int64_t n) {
  if constexpr (std::is_same_v<C, double>) {
    double sum = 0;
    double distances[kBlock];
    for (std::int64_t i = 0; i < n; i += kBlock) {
      const std::int64_t count = (std::min)(kBlock, n - i);
      for (std::int64_t k = 0; k < count; ++k) distances[k] = x[i + k] - x[0];
      sum += sum_block<double>(distances, count);
    }
    return x[0] + variance.mean(sum);
  } else {
    return variance.mean(sum_block<double>(x, n));
  }
}

}  // namespace detail

AMP_LAZY_DEFINITION void var(const VarArgs& args) {
  const Lines lines(args.input, args.dim);
  const std::int64_t n = lines.length;
  const Variance variance(n, args.correction, args.root);
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if constexpr (std::is_same_v<C, float>) {
      if (lines.stride != 1) {
        return detail::for_column_blocks<C>(lines, 1, [&](const detail::ColumnBlock& block, C* x) {
          double means[kBlock] = {}, squares[kBlock] = {};
          block.fetch(args.input, x);
          simd::on_widest<detail::VarianceOfColumns>(static_cast<const C*>(x), block.space(), n,
                                                     +means, +squares);
          for (std::int64_t i = 0; i < block.width; ++i) {
            args.mean.as<C>()[block.line + i] = static_cast<C>(means[i]);
            squares[i] = variance.result(squares[i]);
          }
          store(squares, args.output, block.line, 1, block.width);
        });
      }
    }
    detail::for_line_blocks<C>(lines, 1, [&](std::int64_t first, std::int64_t count, C* scratch) {
      const detail::RowBlock block{lines.start(first), lines.stride, n, count};
      const C* x = block.fetch(args.input, scratch);
      for (std::int64_t line = first; line < first + count; ++line, x += n) {
        const double mean = detail::mean_of_line(variance, x, n);
        const double result = variance.result(detail::sum_of_squares(x, n, mean));
        args.mean.as<C>()[line] = static_cast<C>(mean);
        store(&result, args.output, line, 1, 1);
      }
    });
  });
}

AMP_LAZY_DEFINITION void var_backward(const VarBackwardArgs& args) {
  const Lines lines(args.input, args.dim);
  const std::int64_t n = lines.length;
  const Variance variance(n, args.correction, args.root.present);
  visit_float_type(args.input.dtype, [&](auto tag) {
    using C = typename decltype(tag)::type;
    if (lines.stride != 1) {
      return detail::for_column_blocks<C>(lines, 1, [&](const detail::ColumnBlock& block, C* x) {
        C means[kBlock] = {}, factors[kBlock] = {}, buffer[kBlock];
        const C* const grad = fetch(args.grad_output, block.line, 1, block.width, buffer);
        for (std::int64_t i = 0; i < block.width; ++i) {
          means[i] = args.mean.as<const C>()[block.line + i];
          factors[i] = variance.factor(
              grad[i], variance.root ? args.root.as<const C>()[block.line + i] : C{0});
        }
        block.fetch(args.input, x);
        detail::on_rows<detail::VarianceColumnGradients, C>(
            x, block.space(), n, static_cast<const C*>(means), static_cast<const C*>(factors));
        block.store(x, args.grad_input);
      });
    }
    detail::for_line_blocks<C>(lines, 2, [&](std::int64_t first, std::int64_t count, C* scratch) {
      const detail::RowBlock block{lines.start(first), lines.stride, n, count};
      const C* x = block.fetch(args.input, scratch);
      C* const result = block.target(args.grad_input, scratch + block.space());
      C* grad_x = result;
      for (std::int64_t line = first; line < first + count; ++line, x += n, grad_x += n) {
        C buffer;
        const C grad = *fetch(args.grad_output, line, 1, 1, &buffer);
        const C root = variance.root ? args.root.as<const C>()[line] : C{0};
        detail::on_rows<detail::VarianceGradient, C>(x, grad_x, n, args.mean.as<const C>()[line],
                                                     variance.factor(grad, root));
      }
      block.store(result, args.grad_input);
    });
  });
}

}  // namespace amp::inline v0::kernels::host

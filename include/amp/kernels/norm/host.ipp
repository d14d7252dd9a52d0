// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>

#include "amp/core/math.hpp"
#include "amp/device/host_memory.hpp"
#include "amp/device/parallel.hpp"
#include "amp/kernels/norm/args.hpp"
#include "amp/kernels/norm/host.hpp"
#include "amp/kernels/norm/host/rows.hpp"
#include "amp/kernels/reduce/host/sum_block.hpp"
#include "amp/kernels/traversal/host/rows.hpp"

namespace amp::inline v0::kernels::host {

namespace detail {

/// The affine parameters of a row: runs of `inner` elements share one (NormArgs). A row is
/// processed in pieces: as a whole if each element has its own parameter, else run by run.
struct Affine : NormShape {
  std::int64_t piece() const { return inner == 1 ? length : inner; }
  /// Returns all elements of a parameter in the compute type; null if it is absent.
  template <class C>
  const C* whole(const Operand& parameter, const HostBuffer<C>& buffer) const {
    const RowBlock all{0, 1, parameters(), 1, per_row()};
    return parameter.present ? all.fetch(parameter, buffer.data()) : nullptr;
  }
  template <class C>
  static HostBuffer<C> buffer_for(const Operand& parameter) {
    return HostBuffer<C>(parameter.present ? row_space(parameter.numel()) : 0);
  }
  /// Calls body(the beginning of a piece in the row, its parameters) for the pieces of a row.
  template <class C, class Body>
  void for_pieces(std::int64_t row, const C* weight, const C* bias, Body&& body) const {
    const auto at = [](const C* parameter, std::int64_t i) {
      return parameter == nullptr ? nullptr : parameter + i;
    };
    const std::int64_t first = first_parameter(row);
    if (inner == 1) {
      body(0, RowAffine<C>{at(weight, first), at(bias, first)});
      return;
    }
    for (std::int64_t p = 0; p < per_row(); ++p) {
      RowAffine<C> affine;
      if (weight != nullptr) affine.weight = weight[first + p];
      if (bias != nullptr) affine.bias = bias[first + p];
      body(p * inner, affine);
    }
  }
};

template <class C>
void norm(const NormArgs& args) {
  const std::int64_t rows = args.input.sizes[0], length = args.input.sizes[1];
  const Affine affine{{rows, length, args.groups, args.inner}};
  const auto weight_buffer = Affine::buffer_for<C>(args.weight),
             bias_buffer = Affine::buffer_for<C>(args.bias);
  const C* const weight = affine.whole(args.weight, weight_buffer);
  const C* const bias = affine.whole(args.bias, bias_buffer);
  const std::int64_t piece = affine.piece();
  parallel_ranges(rows, ceil_div(4 * kBlock, length), [&](std::int64_t begin, std::int64_t end) {
    const std::int64_t together = (std::min)(end - begin, rows_together(length));
    const HostBuffer<C> scratch(2 * scratch_space(together * length));
    for (std::int64_t first = begin; first < end; first += together) {
      const std::int64_t count = (std::min)(together, end - first);
      const RowBlock block{first * length, 1, length, count, piece};
      const C* x = block.fetch(args.input, scratch.data());
      C* const output = block.target(args.output, scratch.data() + block.space());
      C* y = output;
      for (std::int64_t row = first; row < first + count; ++row, x += length, y += length) {
        const double n = static_cast<double>(length);
        const Moments moments =
            args.centered ? moments_of(x, length) : Moments{0, sum_of_squares(x, length, 0)};
        const double mean = moments.sum / n, rstd = 1 / std::sqrt(moments.squares / n + args.eps);
        const C m = static_cast<C>(mean), r = static_cast<C>(rstd);
        if (args.mean.present) args.mean.as<C>()[row] = m;
        args.rstd.as<C>()[row] = r;
        affine.for_pieces(row, weight, bias, [&](std::int64_t from, RowAffine<C> parameters) {
          on_rows<NormaliseRow, C>(x + from, y + from, piece, m, r, parameters);
        });
      }
      block.store(output, args.output);
    }
  });
}

/// Computes the gradients of one row, each piece as in norm(). The sums over rows are added to
/// `to_weights` and `to_biases`, which point to the row's first parameter; null if not wanted.
/// Without `grad_x` nothing else is computed.
template <class C>
void norm_backward_row(const NormBackwardArgs& args, const Affine& affine, std::int64_t row,
                       const C* weight, const C* x, const C* grad, double* to_weights,
                       double* to_biases, C* grad_x) {
  const std::int64_t piece = affine.piece();
  const C mean = args.mean.present ? args.mean.as<const C>()[row] : C{0};
  const C rstd = args.rstd.as<const C>()[row];
  const bool each = affine.inner == 1;
  const C* const no_bias = nullptr;
  double sum = 0, dot = 0;
  affine.for_pieces(row, weight, no_bias, [&](std::int64_t from, RowAffine<C> parameters) {
    NormSums sums{each ? to_weights : nullptr, each ? to_biases : nullptr};
    on_rows<AddToNormSums, C>(x + from, grad + from, parameters.weights, piece, mean, rstd, &sums);
    if (!each && to_weights != nullptr) {
      to_weights[from / piece] += sums.dot;
      to_biases[from / piece] += sums.grad;
    }
    sum += static_cast<double>(parameters.weight) * sums.grad;
    dot += static_cast<double>(parameters.weight) * sums.dot;
  });
  if (grad_x == nullptr) return;
  if (args.centered && affine.length == 1) {  // x^ is 0 whatever x is; NaN and infinity are seen
    grad_x[0] = (grad[0] - grad[0]) * rstd;
    return;
  }
  const double n = static_cast<double>(affine.length);
  const C mean_g = args.centered ? static_cast<C>(sum / n) : C{0};
  const C mean_dot = static_cast<C>(dot / n);
  affine.for_pieces(row, weight, no_bias, [&](std::int64_t from, RowAffine<C> parameters) {
    on_rows<NormGradient, C>(x + from, grad + from, grad_x + from, piece, mean, rstd, parameters,
                             mean_g, mean_dot, rstd);
  });
}

template <class C>
void norm_backward(const NormBackwardArgs& args) {
  const std::int64_t rows = args.input.sizes[0], length = args.input.sizes[1];
  const Affine affine{{rows, length, args.groups, args.inner}};
  const std::int64_t parameters = affine.parameters();
  const auto weight_buffer = Affine::buffer_for<C>(args.weight);
  const C* const weight = affine.whole(args.weight, weight_buffer);
  // Divides the rows into at most 32 parts, each with its own sums over rows, added in order: the
  // result does not depend on the number of threads.
  const std::int64_t part = ceil_div(rows, 32), parts = rows == 0 ? 0 : ceil_div(rows, part);
  const bool sums = args.grad_weight.present || args.grad_bias.present;
  const std::int64_t apart = row_space(parameters);  // vectors reach beyond the last parameter
  const std::int64_t partial_sums = sums ? (parts + 1) * apart : 0;
  const HostBuffer<double> weight_sums(partial_sums), bias_sums(partial_sums);
  std::fill_n(weight_sums.data(), partial_sums, 0.0);
  std::fill_n(bias_sums.data(), partial_sums, 0.0);
  parallel_for(parts, [&](std::int64_t p) {
    const std::int64_t together = (std::min)(part, rows_together(length));
    const std::int64_t end = (std::min)(rows, (p + 1) * part);
    const HostBuffer<C> scratch(3 * scratch_space(together * length));
    for (std::int64_t first = p * part; first < end; first += together) {
      const std::int64_t count = (std::min)(together, end - first);
      const RowBlock block{first * length, 1, length, count, affine.piece()};
      const C* x = block.fetch(args.input, scratch.data());
      const C* grad = block.fetch(args.grad_output, scratch.data() + block.space());
      C* const result = args.grad_input.present
                            ? block.target(args.grad_input, scratch.data() + 2 * block.space())
                            : nullptr;
      for (std::int64_t r = 0; r < count; ++r, x += length, grad += length) {
        const std::int64_t at = (p + 1) * apart + affine.first_parameter(first + r);
        norm_backward_row<C>(args, affine, first + r, weight, x, grad,
                             sums ? weight_sums.data() + at : nullptr,
                             sums ? bias_sums.data() + at : nullptr,
                             result == nullptr ? nullptr : result + r * length);
      }
      if (result != nullptr) block.store(result, args.grad_input);
    }
  });
  const auto finish = [&](const HostBuffer<double>& partial, const Operand& gradient) {
    if (!gradient.present) return;
    for (std::int64_t p = 1; p <= parts; ++p) {
      for (std::int64_t i = 0; i < parameters; ++i) partial[i] += partial[p * apart + i];
    }
    store(partial.data(), gradient, 0, 1, parameters);
  };
  finish(weight_sums, args.grad_weight);
  finish(bias_sums, args.grad_bias);
}

}  // namespace detail

AMP_LAZY_DEFINITION void norm(const NormArgs& args) {
  visit_float_type(args.input.dtype,
                   [&](auto tag) { detail::norm<typename decltype(tag)::type>(args); });
}
AMP_LAZY_DEFINITION void norm_backward(const NormBackwardArgs& args) {
  visit_float_type(args.input.dtype,
                   [&](auto tag) { detail::norm_backward<typename decltype(tag)::type>(args); });
}
}  // namespace amp::inline v0::kernels::host

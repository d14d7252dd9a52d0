// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/kernels/dispatch.hpp"
#include "amp/kernels/elementwise/host.hpp"
#include "amp/kernels/extremum/host.hpp"
#include "amp/kernels/fold/host.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/extremum.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/reduce.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// The extremum over one dimension, or all, without history, with extent 1 there: its values, if
/// they are wanted, and its indices.
template <kernels::Launch<kernels::ExtremumArgs> kKernel>
ValuesAndIndices extremum_kernel(const Tensor& x, int dim, bool with_values) {
  Shape kept = dim == kernels::kAllDims ? Shape() : x.shape();
  if (dim != kernels::kAllDims) kept[dim] = 1;
  const ValuesAndIndices result{
      with_values ? empty(kept, {.dtype = x.dtype(), .device = x.device()}) : Tensor(),
      empty(kept, {.dtype = kInt64, .device = x.device()})};
  if (kept.numel() != 0) {
    const kernels::ExtremumArgs args{x.operand(), result.values.operand(), result.indices.operand(),
                                     dim};
    kKernel(x.device(), args);
  }
  return result;
}

/// The dimension to search, which is kAllDims for a 0-dimensional tensor, and the shape of the
/// result.
struct Search {
  int dim;
  Shape shape;
};

AMP_LAZY Search search_along(std::string_view op, const Tensor& input, std::int64_t dim,
                             bool keepdim) {
  const int d = wrap_dim(op, dim, input.dim());
  if (input.dim() == 0) return {kernels::kAllDims, {}};
  AMP_CHECK(input.shape()[d] > 0, op, ": dimension ", d, " of `input` ", describe(input),
            " is empty and has no extremum");
  Shape shape = input.shape();
  shape[d] = 1;
  if (!keepdim) shape.erase(d);
  return {d, shape};
}

template <kernels::Launch<kernels::ExtremumArgs> kKernel>
ValuesAndIndices extremum_op(autocasting::OpId op, const Tensor& input, std::int64_t dim,
                             bool keepdim) {
  check_defined(op.name(), "input", input);
  Tensor indices;
  const Tensor values = autocasting::call(
      op,
      [&](const Tensor& x) {
        const Search search = search_along(op.name(), x, dim, keepdim);
        const ValuesAndIndices found = extremum_kernel<kKernel>(x, search.dim, true);
        const Strides strides = contiguous_strides(search.shape);
        indices = found.indices.alias(search.shape, strides, 0);
        const Tensor output = found.values.alias(search.shape, strides, 0);
        if (is_floating_point(x.dtype()) && autograd::recording(x)) {
          autograd::record(
              op.name(), output,
              [from = x.shape(), d = search.dim, indices = autograd::SavedTensor(found.indices),
               op](const Tensor& gradient, const autograd::Needs<1>&) -> autograd::Gradients<1> {
                const Tensor grad = dense(gradient);
                const Tensor grad_x = empty(from, {.dtype = grad.dtype(), .device = grad.device()});
                if (grad_x.numel() != 0) {
                  const kernels::ExtremumBackwardArgs args{
                      grad.operand(), indices.get(op.name()).operand(), grad_x.operand(), d};
                  kernels::extremum_backward(grad.device(), args);
                }
                return {grad_x};
              },
              x);
        }
        return output;
      },
      input);
  return {values, indices};
}

AMP_LAZY_DEFINITION void record_even_share(std::string_view op, const Tensor& output,
                                           const Tensor& x) {
  if (!is_floating_point(x.dtype()) || !autograd::recording(x)) return;
  autograd::record(
      op, output,
      [op, x = autograd::SavedTensor(x), output = autograd::SavedTensor(output)](
          const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
        const Tensor& in = x.get(op);
        const Tensor chosen = winners(in, output.get(op));
        const Tensor share = detail::div(grad, reduce("sum", chosen, {}, false, 1));
        return {where_kernel(chosen, share.operand(), zero_on(grad.device()), in.shape(),
                             grad.dtype())};
      },
      x);
}

/// The extremum of all elements, 0-dimensional; those that equal it share the gradient.
template <kernels::Launch<kernels::ExtremumArgs> kKernel>
Tensor total_extremum_op(autocasting::OpId op, const Tensor& input) {
  check_defined(op.name(), "input", input);
  AMP_CHECK(input.numel() > 0, op.name(), ": `input` ", describe(input),
            " has no elements and no extremum");
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const Tensor output = extremum_kernel<kKernel>(x, kernels::kAllDims, true).values;
        record_even_share(op.name(), output, x);
        return output;
      },
      input);
}

/// The extrema over some dimensions, or all.
template <kernels::Launch<kernels::FoldArgs> kKernel>
Tensor extreme_op(autocasting::OpId op, const Tensor& input, const Dims& dim, bool keepdim) {
  check_defined(op.name(), "input", input);
  check_not_empty(op.name(), input, dim, "extremum");
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        return fold_op<kKernel>(
            x,
            {.op = op.name(), .dim = dim, .keepdim = keepdim, .dtype = x.dtype(), .rounds = false},
            [](const Tensor& grad, const Tensor& in, const Tensor& y) {
              const Tensor equal = binary_kernel<kernels::functions::Eq>(in, y, in.shape(), kBool);
              // If y is NaN, no element equals it, and all gradients are NaN, as torch's are.
              const Tensor share = detail::div(grad, sum_to(equal, y.shape(), kInt64));
              return binary_kernel<kernels::functions::Mul>(equal, share, in.shape(), grad.dtype());
            });
      },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor(max)(const Tensor& input) {
  return detail::total_extremum_op<(kernels::max)>("max", input);
}
AMP_LAZY_DEFINITION Tensor(min)(const Tensor& input) {
  return detail::total_extremum_op<(kernels::min)>("min", input);
}

AMP_LAZY_DEFINITION ValuesAndIndices(max)(const Tensor& input, std::int64_t dim, bool keepdim) {
  return detail::extremum_op<(kernels::max)>("max", input, dim, keepdim);
}
AMP_LAZY_DEFINITION ValuesAndIndices(min)(const Tensor& input, std::int64_t dim, bool keepdim) {
  return detail::extremum_op<(kernels::min)>("min", input, dim, keepdim);
}

AMP_LAZY_DEFINITION Tensor amax(const Tensor& input, const Dims& dim, bool keepdim) {
  return detail::extreme_op<kernels::amax>("amax", input, dim, keepdim);
}
AMP_LAZY_DEFINITION Tensor amin(const Tensor& input, const Dims& dim, bool keepdim) {
  return detail::extreme_op<kernels::amin>("amin", input, dim, keepdim);
}

AMP_LAZY_DEFINITION Tensor(max)(const Tensor& a, const Tensor& b) {
  return detail::binary_op<kernels::functions::Maximum>("max", a, b);
}
AMP_LAZY_DEFINITION Tensor(min)(const Tensor& a, const Tensor& b) {
  return detail::binary_op<kernels::functions::Minimum>("min", a, b);
}

AMP_LAZY_DEFINITION Tensor maximum(const Tensor& input, const Tensor& other) {
  return detail::binary_op<kernels::functions::Maximum>("maximum", input, other, "input", "other");
}
AMP_LAZY_DEFINITION Tensor minimum(const Tensor& input, const Tensor& other) {
  return detail::binary_op<kernels::functions::Minimum>("minimum", input, other, "input", "other");
}

namespace detail {

/// The place of the extremum along a dimension.
template <kernels::Launch<kernels::ExtremumArgs> kKernel>
Tensor arg_op(autocasting::OpId op, const Tensor& input, std::int64_t dim, bool keepdim) {
  check_not_bool(op.name(), input);
  return autocasting::call(
      op,
      [&](const Tensor& x) {
        const Search search = search_along(op.name(), x, dim, keepdim);
        const ValuesAndIndices found = extremum_kernel<kKernel>(x, search.dim, false);
        return found.indices.alias(search.shape, contiguous_strides(search.shape), 0);
      },
      input);
}
/// The same among all elements.
template <kernels::Launch<kernels::ExtremumArgs> kKernel>
Tensor arg_op(autocasting::OpId op, const Tensor& input) {
  check_not_bool(op.name(), input);
  AMP_CHECK(input.numel() > 0, op.name(), ": `input` ", describe(input),
            " has no elements and no extremum");
  return autocasting::call(
      op,
      [](const Tensor& x) { return extremum_kernel<kKernel>(x, kernels::kAllDims, false).indices; },
      input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor argmax(const Tensor& input, std::int64_t dim, bool keepdim) {
  return detail::arg_op<(kernels::max)>("argmax", input, dim, keepdim);
}
AMP_LAZY_DEFINITION Tensor argmin(const Tensor& input, std::int64_t dim, bool keepdim) {
  return detail::arg_op<(kernels::min)>("argmin", input, dim, keepdim);
}
AMP_LAZY_DEFINITION Tensor argmax(const Tensor& input) {
  return detail::arg_op<(kernels::max)>("argmax", input);
}
AMP_LAZY_DEFINITION Tensor argmin(const Tensor& input) {
  return detail::arg_op<(kernels::min)>("argmin", input);
}

AMP_LAZY_DEFINITION MinAndMax aminmax(const Tensor& input, std::optional<std::int64_t> dim,
                                      bool keepdim) {
  detail::check_defined("aminmax", "input", input);
  const Dims dims = dim.has_value() ? Dims(wrap_dim("aminmax", *dim, input.dim())) : Dims();
  const Dims along = input.dim() == 0 ? Dims() : dims;
  detail::check_not_empty("aminmax", input, along, "extremum");
  return autocasting::call(
      "aminmax",
      [&](const Tensor& x) {
        const autocasting::NoCasts no_casts;
        return MinAndMax{amin(x, along, keepdim), amax(x, along, keepdim)};
      },
      input);
}

}  // namespace amp::inline v0

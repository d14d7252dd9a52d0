// SPDX-FileCopyrightText: 2026 The amp authors
// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>

#include "amp/autocast/cast.hpp"
#include "amp/autograd/function.hpp"
#include "amp/ops/checks.hpp"
#include "amp/ops/comparison.hpp"
#include "amp/ops/elementwise.hpp"
#include "amp/ops/fold.hpp"
#include "amp/ops/index_parts.hpp"
#include "amp/ops/scatter.hpp"
#include "amp/ops/scatter_parts.hpp"
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// Throws unless the index fits into `input`, and into `src` if that is defined.
AMP_LAZY ScatterCall scatter_call(std::string_view op, std::string_view subject,
                                  const Tensor& input, std::int64_t dim, const Tensor& index,
                                  const Tensor* src) {
  check_defined(op, "input", input);
  const int d = wrap_dim(op, dim, input.dim());
  check_index(op, "index", index);
  check_same_device(op, "input", input, "index", index);
  const Shape from = input.dim() == 0 ? Shape{1} : input.shape();
  Shape shape = index.dim() == 0 ? Shape{1} : index.shape();
  if (index.numel() == 0 && shape.dims() != from.dims()) {  // of any dimensions
    shape = from;
    shape[d] = 0;
  }
  bool fits = shape.dims() == from.dims();
  for (int k = 0; fits && k < shape.dims(); ++k) fits = k == d || shape[k] <= from[k];
  AMP_CHECK(fits, op, ": `index` must have the dimensions of `input`, and be no larger but in ",
            "dimension ", d, ", but they are ", describe(index), " and ", describe(input));
  AMP_CHECK(from[d] != 0 || index.numel() == 0, subject, " must be empty, because dimension ", d,
            " of `input` ", describe(input), " is, but is ", describe(index));
  if (src != nullptr) {
    check_defined(op, "src", *src);
    check_same_device(op, "input", input, "src", *src);
    const Shape given = src->dim() == 0 ? Shape{1} : src->shape();
    fits = given.dims() == shape.dims() || index.numel() == 0;
    for (int k = 0; fits && index.numel() != 0 && k < shape.dims(); ++k)
      fits = shape[k] <= given[k];
    AMP_CHECK(fits, op, ": `index` must have the dimensions of `src`, and be no larger, but they ",
              "are ", describe(index), " and ", describe(*src));
  }
  return {op, d, reshape(index, shape), {subject, d}};
}

/// What joins by adding, or by replacing: x and src have one dtype, and a dimension at least.
AMP_LAZY Tensor scatter_linear(const ScatterCall& call, const Tensor& x, const Tensor& src,
                               const Scattered& how) {
  const Tensor output = scattered(x, x.dtype(), call.dim, call.index,
                                  taken_part(src, call).operand(), call.rule, how);
  if (is_floating_point(x.dtype()) && autograd::recording(x, src)) {
    const bool keeps = how.op == ScatterOp::kSum && how.include_self;
    autograd::record(
        call.op, output,
        [call, keeps, index = autograd::SavedTensor(call.index), from = src.shape()](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          const Tensor& places = index.get(call.op);
          autograd::Gradients<2> gradients;
          if (needs[0]) gradients[0] = keeps ? grad : without_indexed(grad, call, places);
          if (needs[1])
            gradients[1] = source_gradient(gathered(grad, call.dim, places, call.rule), from);
          return gradients;
        },
        x, src);
  }
  return output;
}

/// function(x, src) of tensors of one dtype that have dimensions; the result has those of `input`.
template <class Function>
Tensor scatter_op(autocasting::OpId op, const Tensor& input, const Tensor& src,
                  const Function& function) {
  return autocasting::call(
      op,
      [&](const Tensor& a, const Tensor& b) {
        const DType dtype = promote_types(a.dtype(), b.dtype());
        return reshape(function(at_least_1d(a.to(dtype)), at_least_1d(b.to(dtype))), a.shape());
      },
      input, src);
}

AMP_LAZY void check_number(std::string_view op, const kernels::Operand& value, DType dtype) {
  if (value.dtype == kInt64) {
    check_holds(op, "value", value.integer, dtype);
  } else {
    check_holds(op, "value", value.value, dtype);
  }
}

/// x with a number in the places that the index names.
AMP_LAZY Tensor put_number(const ScatterCall& call, const Tensor& input,
                           const kernels::Operand& number) {
  check_number(call.op, number, input.dtype());
  const kernels::Operand value =
      input.dtype() == kBool ? kernels::Operand::scalar(number.value != 0, number.device) : number;
  const Tensor x = at_least_1d(input);
  const Tensor output =
      scattered(x, x.dtype(), call.dim, call.index, value, call.rule, {ScatterOp::kCopy});
  if (is_floating_point(x.dtype()) && autograd::recording(x)) {
    autograd::record(
        call.op, output,
        [call, index = autograd::SavedTensor(call.index)](
            const Tensor& grad, const autograd::Needs<1>&) -> autograd::Gradients<1> {
          return {without_indexed(grad, call, index.get(call.op))};
        },
        x);
  }
  return reshape(output, input.shape());
}

AMP_LAZY_DEFINITION Tensor scatter_number(const Tensor& input, std::int64_t dim,
                                          const Tensor& index, kernels::Operand&& value) {
  const ScatterCall call = scatter_call("scatter", "scatter: `index`", input, dim, index, nullptr);
  value.device = input.device();
  return autocasting::call_beside(
      "scatter", value.value, [&](const Tensor& x) { return put_number(call, x, value); }, input);
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor scatter(const Tensor& input, std::int64_t dim, const Tensor& index,
                                   const Tensor& src) {
  const detail::ScatterCall call =
      detail::scatter_call("scatter", "scatter: `index`", input, dim, index, &src);
  return detail::scatter_op("scatter", input, src, [&](const Tensor& x, const Tensor& from) {
    return detail::scatter_linear(call, x, from, {detail::ScatterOp::kCopy});
  });
}

AMP_LAZY_DEFINITION Tensor scatter_add(const Tensor& input, std::int64_t dim, const Tensor& index,
                                       const Tensor& src) {
  const detail::ScatterCall call =
      detail::scatter_call("scatter_add", "scatter_add: `index`", input, dim, index, &src);
  return detail::scatter_op("scatter_add", input, src, [&](const Tensor& x, const Tensor& from) {
    return detail::scatter_linear(call, x, from, {detail::ScatterOp::kSum});
  });
}

AMP_LAZY_DEFINITION Tensor scatter_reduce(const Tensor& input, std::int64_t dim,
                                          const Tensor& index, const Tensor& src,
                                          ScatterReduce reduce, bool include_self) {
  const detail::ScatterCall call =
      detail::scatter_call("scatter_reduce", "scatter_reduce: `index`", input, dim, index, &src);
  return detail::scatter_op("scatter_reduce", input, src, [&](const Tensor& x, const Tensor& from) {
    if (reduce == ScatterReduce::kSum)
      return detail::scatter_linear(call, x, from, {detail::ScatterOp::kSum, include_self});
    return detail::scatter_reduce(call, x, from, reduce, include_self);
  });
}

// --- slices --------------------------------------------------------------------------------------

namespace detail {

/// The call for an index of slices; `source`, if it is not null, must have as many of them.
AMP_LAZY ScatterCall slices_call(std::string_view op, std::string_view subject, const Tensor& input,
                                 std::int64_t dim, const Tensor& index, const Tensor* source) {
  check_defined(op, "input", input);
  const int d = wrap_dim(op, dim, input.dim());
  check_index(op, "index", index);
  AMP_CHECK(index.dim() <= 1, op, ": `index` must have at most 1 dimension, but is ",
            describe(index));
  check_same_device(op, "input", input, "index", index);
  const Tensor x = at_least_1d(input.detach());
  if (source != nullptr) {
    check_defined(op, "source", *source);
    check_same_device(op, "input", input, "source", *source);
    Shape expected = x.shape();
    expected[d] = index.numel();
    const Shape given = source->dim() == 0 && input.dim() <= 1 ? Shape{1} : source->shape();
    AMP_CHECK(given == expected, op, ": `source` must be ", expected,
              ", the shape of `input` with as many slices as `index` has, in dimension ", d,
              ", but is ", describe(*source), " beside ", describe(input), " and ",
              describe(index));
  }
  return {op, d, expand_index(index, x.shape(), d), {subject, d}};
}

AMP_LAZY_DEFINITION Tensor index_fill_number(const Tensor& input, std::int64_t dim,
                                             const Tensor& index, kernels::Operand&& value) {
  ScatterCall call = slices_call("index_fill", "index_fill: `index`", input, dim, index, nullptr);
  call.rule.from_end = true;
  value.device = input.device();
  return autocasting::call_beside(
      "index_fill", value.value, [&](const Tensor& x) { return put_number(call, x, value); },
      input);
}

/// alpha times the source, which is rounded with the sum only.
AMP_LAZY Tensor add_scaled(const ScatterCall& call, const Tensor& x, const Tensor& source,
                           double alpha) {
  const auto scaled = [alpha](const Tensor& t) {
    if (alpha == 1) return t;
    if (!is_floating_point(t.dtype()))
      return run_scalar(kernels::binary<functions::Mul>, t,
                        kernels::Operand::scalar(static_cast<std::int64_t>(alpha), t.device()),
                        false, t.dtype() == kBool ? kInt64 : t.dtype());
    return number_kernel(kernels::binary<functions::Mul>, t, alpha,
                         promote_types(t.dtype(), kFloat32));
  };
  const Tensor output = scattered(x, x.dtype(), call.dim, call.index, scaled(source).operand(),
                                  call.rule, {ScatterOp::kSum});
  if (is_floating_point(x.dtype()) && autograd::recording(x, source)) {
    autograd::record(
        call.op, output,
        [call, scaled, index = autograd::SavedTensor(call.index), dtype = source.dtype()](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          autograd::Gradients<2> gradients{grad, Tensor()};
          if (needs[1])
            gradients[1] = autocasting::convert_dtype(
                scaled(gathered(grad, call.dim, index.get(call.op), call.rule)), dtype);
          return gradients;
        },
        x, source);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor index_add(const Tensor& input, std::int64_t dim, const Tensor& index,
                                     const Tensor& source, const IndexAddOptions& options) {
  const detail::ScatterCall call =
      detail::slices_call("index_add", "index_add: `index`", input, dim, index, &source);
  return detail::scatter_op("index_add", input, source, [&](const Tensor& x, const Tensor& from) {
    AMP_CHECK(is_floating_point(x.dtype()) || options.alpha == std::trunc(options.alpha),
              "index_add: `alpha` must be an integer beside integers, but is ", options.alpha);
    return detail::add_scaled(call, x, from, options.alpha);
  });
}

AMP_LAZY_DEFINITION Tensor index_copy(const Tensor& input, std::int64_t dim, const Tensor& index,
                                      const Tensor& source) {
  const detail::ScatterCall call =
      detail::slices_call("index_copy", "index_copy: `index`", input, dim, index, &source);
  return detail::scatter_op("index_copy", input, source, [&](const Tensor& x, const Tensor& from) {
    return detail::scatter_linear(call, x, from, {detail::ScatterOp::kCopy});
  });
}

// --- several indices -----------------------------------------------------------------------------

namespace detail {

/// A tensor that broadcasts to the indexed elements, in their flat shape; a copy only if strides
/// cannot say it. No history.
AMP_LAZY Tensor flat_values(const Tensor& values, const AdvancedIndex& by) {
  const Tensor whole = expand(values.detach(), shape_of(by));
  const Shape flat = flat_shape_of(by);
  const std::optional<Strides> steps = view_strides(whole.shape(), whole.strides(), flat);
  return steps ? whole.alias(flat, *steps, whole.impl().offset) : reshape(whole, flat);
}

AMP_LAZY Tensor index_put(const Tensor& x, const AdvancedIndex& by, const Tensor& values,
                          bool accumulate) {
  const Scattered how{accumulate ? ScatterOp::kSum : ScatterOp::kCopy};
  const Tensor output = put_into("index_put", x.detach(), x.dtype(),
                                 flat_values(values, by).operand(), x.device(), by, how);
  if (is_floating_point(x.dtype()) && autograd::recording(x, values)) {
    autograd::record(
        "index_put", output,
        [by, accumulate, saved = saved(by.indices), from = values.shape()](
            const Tensor& grad, const autograd::Needs<2>& needs) -> autograd::Gradients<2> {
          check_saved("index_put", saved);
          autograd::Gradients<2> gradients;
          if (needs[0])
            gradients[0] = accumulate
                               ? grad
                               : put_into("index_put", grad, grad.dtype(), number_on(0, grad),
                                          grad.device(), by, {ScatterOp::kCopy});
          if (needs[1]) gradients[1] = sum_to(indexed("index_put", grad, by), from, grad.dtype());
          return gradients;
        },
        x, values);
  }
  return output;
}

}  // namespace detail

AMP_LAZY_DEFINITION Tensor index_put(const Tensor& input, std::span<const Tensor> indices,
                                     const Tensor& values, const IndexPutOptions& options) {
  detail::check_operands("index_put", input, values, "input", "values");
  return autocasting::call(
      "index_put",
      [&](const Tensor& a, const Tensor& b) {
        const detail::AdvancedIndex by = detail::advanced_index("index_put", a, indices);
        const Shape shape = detail::shape_of(by);
        AMP_CHECK(do_broadcast(shape, b.shape()) &&
                      broadcast_shapes("index_put", shape, b.shape()) == shape,
                  "index_put: `values` must broadcast to ", shape,
                  ", the shape of the indexed elements, but is ", describe(b));
        const DType dtype = promote_types(a.dtype(), b.dtype());
        return detail::index_put(a.to(dtype), by, b.to(dtype), options.accumulate);
      },
      input, values);
}
AMP_LAZY_DEFINITION Tensor index_put(const Tensor& input, std::initializer_list<Tensor> indices,
                                     const Tensor& values, const IndexPutOptions& options) {
  return index_put(input, std::span(indices.begin(), indices.size()), values, options);
}

}  // namespace amp::inline v0

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
#include "amp/ops/shape.hpp"
#include "amp/tensor/factory.hpp"

namespace amp::inline v0 {
namespace detail {

/// A checked call: at least one dimension each.
struct ScatterCall {
  std::string_view op;
  int dim;
  Tensor index;
  IndexRule rule;
};

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

/// The gradient of a source from that of the elements that were taken of it.
AMP_LAZY Tensor source_gradient(const Tensor& grad, const Shape& source) {
  if (grad.shape() == source) return grad;
  const Tensor whole = full(source, 0, {.dtype = grad.dtype(), .device = grad.device()});
  if (grad.numel() != 0) copy_elements(grad, part_of(whole, grad.shape()));
  return whole;
}

AMP_LAZY kernels::Operand number_on(double value, const Tensor& tensor) {
  return kernels::Operand::scalar(value, tensor.device());
}

/// grad with 0 where the index names.
AMP_LAZY Tensor without_indexed(const Tensor& grad, const ScatterCall& call, const Tensor& index) {
  return scattered(grad, grad.dtype(), call.dim, index, number_on(0, grad), call.rule,
                   {ScatterOp::kCopy});
}

/// The elements of a source that go somewhere: all, unless the index is smaller.
AMP_LAZY Tensor taken_part(const Tensor& source, const ScatterCall& call) {
  if (call.index.numel() == 0)
    return empty(call.index.shape(), {.dtype = source.dtype(), .device = source.device()});
  return part_of(source, call.index.shape());
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

/// x with a number where the index names.
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

// --- reductions ----------------------------------------------------------------------------------

namespace detail {

/// x and src as scatter_reduce() has them, with the result before it was rounded.
struct Reduced {
  ScatterCall call;
  ScatterReduce reduce;
  bool include_self;
  autograd::SavedTensor index, x, src, y;
  DType dtype;  // in which gradients are computed

  Tensor gather(const Tensor& tensor) const {
    return gathered(tensor, call.dim, index.get(call.op), call.rule);
  }
  /// base, or what there is instead of it without include_self, with the source added.
  Tensor add(const Tensor& base, const Tensor& source) const {
    return scattered(base, dtype, call.dim, index.get(call.op), source.operand(), call.rule,
                     {ScatterOp::kSum, include_self});
  }
  Tensor part() const { return taken_part(src.get(call.op), call); }
  /// The gradients from those of the elements themselves.
  autograd::Gradients<2> finish(const Tensor& of_x, const Tensor& of_src) const {
    const Tensor& source = src.get(call.op);
    const Tensor kept = include_self ? of_x : without_indexed(of_x, call, index.get(call.op));
    return {autocasting::convert_dtype(kept, x.get(call.op).dtype()),
            autocasting::convert_dtype(source_gradient(of_src, source.shape()), source.dtype())};
  }
};

AMP_LAZY Tensor number_kernel(BinaryLaunch launch, const Tensor& x, double number, DType dtype) {
  return run_scalar(launch, x, number_on(number, x), false, dtype);
}

/// How many elements each mean is of, in the dtype of the sums; 1 if it is of none.
AMP_LAZY Tensor mean_counts(const ScatterCall& call, const Tensor& x, const Tensor& index,
                            DType dtype, bool include_self) {
  const Tensor start =
      full(x.shape(), include_self ? 1 : 0, {.dtype = dtype, .device = x.device()});
  scatter_into(start, call.dim, index, number_on(1, x), call.rule, {ScatterOp::kSum});
  return include_self ? start : number_kernel(kernels::binary<functions::Maximum>, start, 1, dtype);
}

AMP_LAZY Tensor scatter_mean(const ScatterCall& call, const Tensor& x, const Tensor& src,
                             bool include_self, DType dtype) {
  const Tensor sums = scattered(x, dtype, call.dim, call.index, taken_part(src, call).operand(),
                                call.rule, {ScatterOp::kSum, include_self});
  const Tensor counts = mean_counts(call, x, call.index, dtype, include_self);
  if (is_floating_point(dtype)) return detail::div(sums, counts);
  const Tensor rest = binary_kernel<functions::Remainder>(sums, counts, x.shape(), dtype);
  const Tensor whole = binary_kernel<functions::Sub>(sums, rest, x.shape(), dtype);
  return binary_kernel<functions::Div>(whole, counts, x.shape(), kFloat64).to(dtype);
}

/// The gradient of what is the extremum of its place, which share it.
AMP_LAZY autograd::Gradients<2> extremum_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor &x = of.x.get(of.call.op), &y = of.y.get(of.call.op), part = of.part();
  const Tensor of_x = winners(x, y), of_src = winners(part, of.gather(y));
  const Tensor counts =
      number_kernel(kernels::binary<functions::Maximum>, of.add(of_x, of_src), 1, of.dtype);
  const Tensor share = binary_kernel<functions::Div>(grad, counts, y.shape(), of.dtype);
  return of.finish(binary_kernel<functions::Mul>(of_x, share, y.shape(), of.dtype),
                   binary_kernel<functions::Mul>(of_src, of.gather(share), part.shape(), of.dtype));
}

/// The gradient of factors: the product of the others, of which a factor 0 needs care.
AMP_LAZY autograd::Gradients<2> product_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor &x = of.x.get(of.call.op), part = of.part();
  const auto is_zero = [](const Tensor& t) {
    return number_kernel(kernels::binary<functions::Eq>, t, 0, kBool);
  };
  const auto factors = [&](const Tensor& t, const Tensor& zeros) {
    return where_kernel(zeros, number_on(1, t), t.operand(), t.shape(), of.dtype);
  };
  const Tensor zeros_x = is_zero(x), zeros_src = is_zero(part);
  const Tensor factors_x = factors(x, zeros_x), factors_src = factors(part, zeros_src);
  const Tensor zeros = of.add(zeros_x, zeros_src);
  const Tensor& index = of.index.get(of.call.op);
  const Tensor products = scattered(factors_x, of.dtype, of.call.dim, index, factors_src.operand(),
                                    of.call.rule, {ScatterOp::kProd, of.include_self});
  const Tensor scaled = binary_kernel<functions::Mul>(grad, products, x.shape(), of.dtype);
  // Of an element: the product without it, if no other is 0.
  const auto gradient = [&](const Tensor& own_zeros, const Tensor& all_zeros, const Tensor& own,
                            const Tensor& all) {
    const Tensor counts = binary_kernel<functions::Eq>(own_zeros, all_zeros, own.shape(), kBool);
    return where_kernel(counts, detail::div(all, own).operand(), zero_on(own.device()), own.shape(),
                        of.dtype);
  };
  return of.finish(gradient(zeros_x, zeros, factors_x, scaled),
                   gradient(zeros_src, of.gather(zeros), factors_src, of.gather(scaled)));
}

AMP_LAZY autograd::Gradients<2> mean_gradients(const Reduced& of, const Tensor& grad) {
  const Tensor& x = of.x.get(of.call.op);
  const Tensor counts =
      mean_counts(of.call, x, of.index.get(of.call.op), of.dtype, of.include_self);
  const Tensor share = binary_kernel<functions::Div>(grad, counts, x.shape(), of.dtype);
  return of.finish(share, of.gather(share));
}

AMP_LAZY Tensor scatter_reduce(const ScatterCall& call, const Tensor& x, const Tensor& src,
                               ScatterReduce reduce, bool include_self) {
  const DType wide = is_floating_point(x.dtype()) ? promote_types(x.dtype(), kFloat32) : x.dtype();
  const bool mean = reduce == ScatterReduce::kMean;
  const ScatterOp op = reduce == ScatterReduce::kProd   ? ScatterOp::kProd
                       : reduce == ScatterReduce::kAmax ? ScatterOp::kAmax
                                                        : ScatterOp::kAmin;
  const Tensor exact =
      mean ? scatter_mean(call, x, src, include_self, x.dtype() == kBool ? kInt64 : wide)
           : scattered(x, x.dtype(), call.dim, call.index, taken_part(src, call).operand(),
                       call.rule, {op, include_self});
  const Tensor output = autocasting::convert_dtype(exact, x.dtype());
  if (is_floating_point(x.dtype()) && autograd::recording(x, src)) {
    autograd::record(
        call.op, output,
        [of = Reduced{call, reduce, include_self, call.index, x, src, output, wide}](
            const Tensor& grad, const autograd::Needs<2>&) -> autograd::Gradients<2> {
          if (of.reduce == ScatterReduce::kMean) return mean_gradients(of, grad);
          if (of.reduce == ScatterReduce::kProd) return product_gradients(of, grad);
          return extremum_gradients(of, grad);
        },
        x, src);
  }
  return output;
}

}  // namespace detail

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
